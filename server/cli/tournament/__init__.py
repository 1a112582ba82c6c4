"""`tortuga tournament …`."""
