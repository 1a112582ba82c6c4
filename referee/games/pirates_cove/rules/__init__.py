"""The rules of Pirate's Cove: one module per phase of the month, put together in play.py."""
