"""Opening a database: damage is told from trouble of the machine."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from server.system.database import DamagedDatabase, connect, is_sound


def test_a_damaged_name_that_is_not_text_is_damage(tmp_path: Path) -> None:
    """SQLite quotes the name in its message, which Python cannot decode then (found by fuzzing)."""
    path = tmp_path / "x.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE wholename (a)")
    connection.commit()
    assert is_sound(connection)
    connection.close()
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE wholename", b"CREATE TAXLE whol\xcfname"))
    path.write_bytes(path.read_bytes().replace(b"wholename", b"whol\xcfname"))
    with pytest.raises(DamagedDatabase, match=r"x\.db.*make it anew"):
        connect(path, read_only=True, cure="make it anew")
