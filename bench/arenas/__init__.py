"""An arena under load."""
