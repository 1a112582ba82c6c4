"""`tortuga replay …`."""
