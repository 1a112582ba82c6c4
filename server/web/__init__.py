"""Web pages for an arena or a folder. They run in a separate process, so that readers cannot delay a match."""
