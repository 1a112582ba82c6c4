"""The attempts are made for real, at every level that this machine has, and compared with what the levels promise.

Nothing counts as held that does not succeed without confinement on the same machine and by the same user.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from referee.errors import ConfigError
from server.bots.kits import on_ci
from server.doctor.attempt_list import ATTEMPTS
from server.doctor.attempt_runner import AttemptOutcome as Outcome
from server.doctor.attempt_runner import AttemptResult, Results, judge, run_attempts
from server.doctor.attempt_runner import AttemptVerdict as Verdict
from server.doctor.examination import is_promised_open, promised
from server.jail.level import JailLevel
from support import sizes
from support.jail import need

QUICK = {2, 4, 8, 13, 14, 36}
PICKED = [attempt for attempt in ATTEMPTS if attempt.number in sizes.pick(quick=QUICK, ci=range(100))]
FOR_ROOT_ONLY = {1, 6, 22}
"""What an ordinary user cannot do anyway, so that nothing is shown when he fails."""
IS_ROOT = os.getuid() == 0

pytestmark = [pytest.mark.system, pytest.mark.timeout(900)]


@cache
def control() -> Results:
    """All attempts without confinement."""
    return asyncio.run(run_attempts(JailLevel.NONE, PICKED))


def broken(results: Results) -> list[AttemptResult]:
    """Programs that failed by themselves, which shows nothing."""
    return [made for tries in results.values() for made in tries if made.outcome is Outcome.BROKEN]


def test_without_confinement_every_attempt_succeeds() -> None:
    assert broken(control()) == []
    for attempt in PICKED:
        verdict = judge(attempt, control()[attempt.number], control()[attempt.number]).verdict
        if verdict is Verdict.NOT_TESTABLE and not on_ci():
            continue  # a machine may be more careful than those of our CI, for example about tracing
        only_for_root = attempt.number in FOR_ROOT_ONLY and not IS_ROOT
        expected = Verdict.NOT_TESTABLE if only_for_root else promised(JailLevel.NONE, attempt)
        assert verdict is expected, f"{attempt.number} {attempt.title}: {control()[attempt.number]}"


WATCH_WHILE_SOMEBODY_READS = """
import fcntl, sys
from pathlib import Path
from server.doctor.attempts import kernel

folder = sys.argv[1]
dict(kernel.locks(None))
kernel.with_file(folder, lambda file: (fcntl.fcntl(file, kernel.F_NOTIFY, 1), Path(folder, "file").read_bytes()))
print("alive")
"""


def test_a_notice_of_changes_does_not_end_the_program_that_asked_for_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("read")
    command = [sys.executable, "-c", WATCH_WHILE_SOMEBODY_READS, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr


@pytest.mark.parametrize("level", [level for level in JailLevel if level is not JailLevel.NONE])
def test_a_level_holds_what_it_promises(level: JailLevel) -> None:
    need(level)
    try:
        results = asyncio.run(run_attempts(level, PICKED))
    except ConfigError as refusal:
        assert level is JailLevel.PROCESS
        assert IS_ROOT
        pytest.skip(str(refusal))
    assert broken(results) == []
    reached = {
        (number, made.name): made.detail
        for number, tries in results.items()
        for made in tries
        if made.outcome is Outcome.REACHED and not is_promised_open(level, number, made.name)
    }
    assert reached == {}
    for attempt in PICKED:
        without = judge(attempt, control()[attempt.number], control()[attempt.number])
        verdict = judge(attempt, results[attempt.number], control()[attempt.number]).verdict
        if all(made.outcome is Outcome.ABSENT for made in results[attempt.number]):
            continue  # the system's Python has no gRPC, without which nobody is idle
        if promised(level, attempt, as_root=IS_ROOT) is Verdict.HELD and without.verdict is not Verdict.NOT_TESTABLE:
            # open can only be what is_promised_open knows: see above
            assert verdict is not Verdict.NOT_TESTABLE, f"{attempt.number}: {results[attempt.number]}"
