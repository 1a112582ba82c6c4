"""Improves bots: compares two variants with the same luck (`tortuga compare`), tunes parameters (`tortuga tune`)."""
