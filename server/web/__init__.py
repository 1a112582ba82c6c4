"""Pages for people: what an arena or a folder holds. A process of its own, so that readers cannot make a match late."""
