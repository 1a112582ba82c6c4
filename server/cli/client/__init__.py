"""`tortuga client …`."""
