"""`tortuga.v1` holds the messages, `tortuga.engine` is for games, `tortuga.play` plays a match.

Written by proto/generate.py."""

from importlib import import_module
from typing import Any


def play(game: str, *bots: Any, **how: Any) -> Any:
    """Play one match and return it; a notebook shows its table and its board: docs/tutorial.md. Needs the server."""
    return import_module("server.notebook").play(game, *bots, **how)
