"""`tortuga server …`, a module for each of its groups."""
