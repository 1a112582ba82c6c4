"""docs/commands.md is what `make docs` writes, on any machine and in any terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ELSEWHERE = {"COLUMNS": "40", "HOME": "/nonexistent", "LC_ALL": "C", "TZ": "Pacific/Auckland", "TORTUGA_TIMEOUT": "3"}


@pytest.mark.parametrize("changed", [{}, ELSEWHERE], ids=["here", "elsewhere"])
def test_the_page_of_commands_is_current(changed: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs/generate.py", "--check"],
        cwd=tmp_path,
        env={**os.environ, **changed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
