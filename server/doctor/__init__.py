"""`tortuga doctor`: what this machine can do, and whether bots that attack it are held."""
