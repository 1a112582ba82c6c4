"""A match from a notebook: `tortuga.play(…)` plays it and shows it below the cell."""

from server.notebook.play import play
from server.notebook.played_match import PlayedMatch

__all__ = ["PlayedMatch", "play"]
