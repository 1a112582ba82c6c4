"""The organiser's decisions about bots and matches of an event, and what follows from them."""
