"""`tortuga bot …`: one module for each command that runs a bot."""
