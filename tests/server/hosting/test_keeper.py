"""The keeper as a script: it needs the standard library alone, and keeps to its orders."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from server.hosting import keeper

SCRIPT = [sys.executable, "-I", "-S", keeper.__file__]


def test_the_keeper_runs_without_site_packages_and_ends_when_its_input_ends() -> None:
    done = subprocess.run(SCRIPT, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


def test_the_keeper_imports_the_standard_library_alone() -> None:
    code = (
        f"import runpy, sys; runpy.run_path({keeper.__file__!r}); "
        "print(*(name for name in sys.modules if name.partition('.')[0] not in {*sys.stdlib_module_names, '__main__'}))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_keeper_reports_the_start_and_the_end_of_a_bot(tmp_path: Path) -> None:
    scratch, log = tmp_path / "scratch", tmp_path / "bot.log"
    scratch.mkdir()
    order = {
        "argv": [sys.executable, "-c", "print('aye'); raise SystemExit(3)"],
        "env": {},
        "cwd": str(scratch),
        "log": str(log),
        "sweep": [],
        "confinement": {"level": "none"},
        "output_bytes": 1000,
        "log_head_bytes": 100,
        "log_tail_bytes": 100,
    }
    with subprocess.Popen(SCRIPT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(order).encode() + b"\n")
        process.stdin.flush()
        reports = [json.loads(line) for line in process.stdout]
    assert [report["report"] for report in reports] == ["started", "exited", "gone"]
    assert reports[1]["code"] == 3
    assert log.read_text() == "aye\n"
    assert not scratch.exists()
