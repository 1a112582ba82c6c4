"""docs/security.md tells the same as the code promises; and what the promises must be."""

from __future__ import annotations

import re

import pytest

from server.doctor.attempt_list import ATTEMPTS, Attempt, AttemptKind
from server.doctor.attempt_runner import AttemptOutcome as Outcome
from server.doctor.attempt_runner import AttemptResult, compare_bits, judge
from server.doctor.attempt_runner import AttemptVerdict as Verdict
from server.doctor.attempts.bot import PROGRAMS
from server.doctor.examination import OPEN_IN_FENCE_AS_ROOT, PRECIOUS, is_promised_open, promised
from server.jail.level import JailLevel
from support.command import ROOT

PAGE = (ROOT / "docs/security.md").read_text()
COLUMNS = (
    (JailLevel.NONE, False),
    (JailLevel.PROCESS, False),
    (JailLevel.PROCESS, True),
    (JailLevel.FENCE, False),
    (JailLevel.JAIL, False),
    (JailLevel.JAIL_CGROUP, False),
)


def test_the_table_of_the_page_is_that_of_the_code() -> None:
    rows = re.findall(
        r"^\| (\d+) \| ([^|]+) \| " + r"\| ".join([r"(held|\*\*open\*\*) "] * len(COLUMNS)) + r"\|$",
        PAGE,
        flags=re.MULTILINE,
    )
    told = {(int(number), title): [word.strip("*") for word in words] for number, title, *words in rows}
    assert told == {
        (attempt.number, attempt.title): [str(promised(level, attempt, as_root=root)) for level, root in COLUMNS]
        for attempt in ATTEMPTS
    }


def test_the_page_names_what_stays_open_in_a_fence() -> None:
    for name in OPEN_IN_FENCE_AS_ROOT.values():
        assert f"`{name}`" in PAGE


def test_all_thirty_attempts_are_there_and_the_further_ones() -> None:
    assert [attempt.number for attempt in ATTEMPTS] == list(range(1, 38))


def test_every_program_of_the_table_exists_and_every_program_is_used() -> None:
    used = {program for attempt in ATTEMPTS for program in attempt.programs}
    pairs = {"sibling", "leave_marker", "find_marker", "send_bits", "receive_bits", "hostile_build"}
    assert used | pairs == set(PROGRAMS)


@pytest.mark.parametrize("level", [JailLevel.JAIL, JailLevel.JAIL_CGROUP])
@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: str(attempt.number))
def test_a_jail_holds_every_attempt(attempt: Attempt, level: JailLevel) -> None:
    assert promised(level, attempt) is Verdict.HELD


def test_a_fence_leaves_nothing_precious_open() -> None:
    for attempt in ATTEMPTS:
        for name in PRECIOUS:
            assert not is_promised_open(JailLevel.FENCE, attempt.number, name)


def made(name: str, outcome: Outcome) -> AttemptResult:
    return AttemptResult(name, outcome, "")


@pytest.mark.parametrize(
    ("at_level", "control", "verdict"),
    [
        ([("a", Outcome.REFUSED)], [("a", Outcome.REACHED)], Verdict.HELD),
        ([("a", Outcome.REACHED)], [("a", Outcome.REACHED)], Verdict.OPEN),
        # what nobody can do here shows nothing
        ([("a", Outcome.REFUSED)], [("a", Outcome.REFUSED)], Verdict.NOT_TESTABLE),
        ([("a", Outcome.ABSENT)], [("a", Outcome.ABSENT)], Verdict.NOT_TESTABLE),
        # a program that crashes has not been held
        (
            [("a", Outcome.REFUSED), ("b", Outcome.BROKEN)],
            [("a", Outcome.REACHED)],
            Verdict.NOT_TESTABLE,
        ),
        ([], [("a", Outcome.REACHED)], Verdict.NOT_TESTABLE),
        # one that is ended for its use of resources has
        ([("end well (x)", Outcome.REFUSED)], [("a", Outcome.REACHED)], Verdict.HELD),
        # one way that is open is enough
        (
            [("a", Outcome.REFUSED), ("b", Outcome.REACHED)],
            [("a", Outcome.REACHED)],
            Verdict.OPEN,
        ),
    ],
)
def test_held_is_what_succeeds_without_confinement_and_fails_with_it(
    at_level: list[tuple[str, Outcome]], control: list[tuple[str, Outcome]], verdict: Verdict
) -> None:
    attempt = Attempt(number=1, title="x", kinds=(AttemptKind.ALONE,))
    judged = judge(attempt, [made(*one) for one in at_level], [made(*one) for one in control])
    assert judged.verdict is verdict


def test_bits_count_as_passed_only_if_they_are_the_ones_sent() -> None:
    assert compare_bits(AttemptResult("64 bits by x", Outcome.REACHED, "00ff"), "00ff").outcome is Outcome.REACHED
    assert compare_bits(AttemptResult("64 bits by x", Outcome.REACHED, "00fe"), "00ff").outcome is Outcome.REFUSED
