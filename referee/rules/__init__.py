"""The kit that a game is made of: its contract, agenda, luck, parts of a state, and the course of a game."""
