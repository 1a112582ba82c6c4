"""Runs one match fairly: the games, the wire format, the match itself, and the gRPC endpoint for bots."""
