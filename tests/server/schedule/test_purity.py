"""A schedule is computed: nothing in its package can look at a clock, a file, a process or a global generator."""

from __future__ import annotations

import ast
from pathlib import Path

import server.schedule

ALLOWED = {
    "__future__",
    *(
        "collections",
        "collections.abc",
        "dataclasses",
        "fractions",
        "functools",
        "hashlib",
        "itertools",
        "math",
        "typing",
    ),
    *("numpy", "numpy.typing"),
    *("referee.errors", "referee.words"),
}


def test_the_package_imports_nothing_that_knows_the_world() -> None:
    files = sorted(Path(server.schedule.__file__).parent.glob("*.py"))
    assert len(files) > 10
    for path in files:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            else:
                continue
            wrong = [name for name in names if name not in ALLOWED and not name.startswith("server.schedule.")]
            assert not wrong, f"{path.name} imports {wrong}"
