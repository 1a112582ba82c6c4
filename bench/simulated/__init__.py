"""Simulated events of known strengths: whether what Tortuga prints of them holds."""
