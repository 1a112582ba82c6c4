"""`tortuga doctor`: what this machine supports, and whether confinement holds against hostile bots."""
