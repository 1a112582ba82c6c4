"""What an event imports before its first match: every start of a parent or a worker pays for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

PARENT = """
from server.cli.main import COMMANDS
COMMANDS["tournament"].load()
"""
WORKER = """
import server.play.worker
from referee.wire import find_wire
find_wire("broadsides")
"""


def imported(code: str) -> set[str]:
    """The modules a new process has after running some code, and the packages they are in."""
    code += "\nimport sys\nprint(*(name for name, module in sys.modules.items() if module is not None))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = set(done.stdout.split())
    return names | {name.rpartition(".")[0] for name in names}


@pytest.mark.parametrize(("code", "others"), [(PARENT, {"grpc"}), (WORKER, {"sqlite3", "click"})])
def test_neither_draws_nor_rates_nor_knows_other_games(code: str, others: set[str]) -> None:
    names = imported(code)
    assert names.isdisjoint({"numpy", "rich", "jinja2", "referee.games.marauders", "structlog", *others})
    assert "server.system.logs" in names, "the list is one of modules"
