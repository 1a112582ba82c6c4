"""One match, played fairly: the games, the wire, the match and the door bots come in by."""
