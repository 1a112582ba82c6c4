"""Folders that somebody is about to write to."""

from __future__ import annotations

import os
from pathlib import Path

from referee.errors import ConfigError


def check_writable(folder: Path) -> None:
    """Make a folder if need be, and refuse one that cannot be written to: before the work, not after it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot make the folder {folder}: {error.strerror}") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ConfigError(f"cannot write into the folder {folder}")
