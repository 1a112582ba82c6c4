"""The gRPC endpoint for bots, and what bots and spectators are sent: streams, sessions, tables, tokens, TLS."""
