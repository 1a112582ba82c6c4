"""The door bots come in by, and what they and spectators are sent: streams, sessions, tables, tokens, TLS."""
