"""The conformance check finds what is wrong with a bot, and finds nothing wrong with a sound one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from referee.games import GAMES
from server.bots.spec import BotSpec, find_bot
from server.conformance.check import Finding, Verdict, check
from server.conformance.conversation_steps import conversation_steps
from server.conformance.process_steps import process_steps
from server.conformance.questions import kinds_of, samples
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from support.jail import need

UNSOUND = Path(__file__).parents[2] / "support" / "unsound.py"

CONVERSATION = {
    # mode: the steps that have to fail
    "wrong_protocol": {"hello": "Hello.protocol is 2, expected 1"},
    "no_name": {"hello": "Hello.bot_name is empty"},
    "other_games": {"hello": "lacks broadsides"},
    "wrong_token": {"hello": "`authorization: Bearer guess`"},
    "reads_stdin": {"hello": "Hello: exited with code 0"},
    "out_of_range": {"match-broadsides": "table 1, question 20: option "},
    "two_at_a_time": {"batch": "question 1 at table 3"},
    "last_table": {"simultaneous": "question 1 at table", "batch": "question 1 at table", "tables": "at table"},
    "mid_question": {"ended-match": "ready at table 1 was"},
    "strange_table": {"unknown-table": "was expected"},
    "repeated": {"repeated-question": "was expected"},
    "tired": {"ten-matches": "ready at table 1 came"},
    "fault": {"fault-notice": "question 2 at table 1 was"},
    "hurried": {"no-clock": "question 1 at table 1 was"},
    "strict_fields": {"unknown-fields": "was expected"},
    "strict_kinds": {"unknown-kinds": "was expected"},
    "strict_values": {"unknown-values": "was expected"},
}

LIFECYCLE = {
    "lingers": {"goodbye": "still running after 2 s"},
    "exits_with_3": {"goodbye": "exited with code 3"},
    "unix_only": {"tcp": "Hello: exited with code 1"},
    "never_returns": {"reconnect": "did not reconnect"},
    "forgets_the_token": {"reconnect": "expected Welcome.resume_token"},
    "never_gives_up": {"reconnect-in-vain": "still running after 4 s"},
    "takes_no_refusal": {"reconnect-refused": "still running after 3 s"},
    "content_when_broken": {"broken-stream": "exited with code 0"},
    "content_when_ended": {"ended-stream": "exited with code 0"},
    "mumbles_when_refused": {"refused-token": "did not print"},
    "silent_when_refused": {"refused-protocol": "on stderr"},
    "no_address": {"no-address": "exited with code 0"},
    "deaf": {"sigterm": "still running after 2 s"},
}


def unsound(mode: str) -> BotSpec:
    return BotSpec(name=mode, run=(sys.executable, str(UNSOUND), mode), games=("broadsides",))


def failures(findings: list[Finding]) -> dict[str, str]:
    return {found.id: found.detail for found in findings if found.verdict is Verdict.FAIL}


def assert_found(findings: list[Finding], expected: dict[str, str]) -> None:
    found = failures(findings)
    assert found.keys() == expected.keys(), findings
    for step, words in expected.items():
        assert words in found[step]


@pytest.mark.system
@pytest.mark.parametrize("mode", CONVERSATION)
async def test_a_bot_that_is_broken_in_conversation_fails_the_step_meant_for_it(mode: str) -> None:
    only = [step.id for step in conversation_steps(["broadsides"])]
    assert_found(await check(unsound(mode), only=only), CONVERSATION[mode])


@pytest.mark.system
@pytest.mark.parametrize("mode", LIFECYCLE)
async def test_a_bot_that_comes_or_goes_wrongly_fails_the_step_meant_for_it(mode: str) -> None:
    """And no other."""
    findings = await check(unsound(mode), only=[step.id for step in process_steps()])
    assert_found(findings, LIFECYCLE[mode])


def test_every_way_to_come_or_go_wrongly_is_tried() -> None:
    assert {step.id for step in process_steps()} - {"quiet"} == {step for steps in LIFECYCLE.values() for step in steps}


@pytest.mark.system
async def test_a_decision_the_bot_does_not_know_is_found() -> None:
    spec = unsound("no_pardon")
    findings = await check(spec, ["marauders"], [step.id for step in conversation_steps(["marauders"])])
    [found] = [found for found in findings if found.verdict is Verdict.FAIL]
    assert found.id == "decisions-marauders"
    assert "decision: DECISION_PARDON" in found.exchange[-2]  # the very question, and what became of it
    assert "what is a pardon?" in found.aftermath


@pytest.mark.system
async def test_a_bot_that_hangs_costs_seconds() -> None:
    findings = await check(unsound("hangs"), only=[step.id for step in conversation_steps(["broadsides"])])
    assert_found(findings, {"match-broadsides": "question 1 at table 1"})
    assert_found(findings, {"match-broadsides": "within 3 s"})
    assert all("could not even play" in found.detail for found in findings[2:])
    assert sum(found.seconds for found in findings) < 30


@pytest.mark.system
@pytest.mark.parametrize("mode", ["sound", "says_twice", "one_slot"])
async def test_a_sound_bot_passes(mode: str) -> None:
    findings = await check(unsound(mode))
    assert failures(findings) == {}
    skipped = {found.id: found.detail for found in findings if found.verdict is Verdict.SKIP}
    assert skipped.keys() == ({"batch", "tables"} if mode == "one_slot" else set())
    assert all("1 slot" in detail and "needs 2" in detail for detail in skipped.values())


@pytest.mark.system
@pytest.mark.parametrize("level", [JailLevel.FENCE, JailLevel.JAIL])
async def test_a_confined_bot_passes_all_but_what_its_level_refuses(level: JailLevel) -> None:
    need(level)
    findings = await check(find_bot("random"), games=["broadsides"], confinement=Confinement(level=level))
    assert failures(findings) == {}
    skipped = {found.id for found in findings if found.verdict is Verdict.SKIP}
    assert skipped == ({"tcp", "sigterm"} if level is JailLevel.JAIL else {"tcp"})


@pytest.mark.system
@pytest.mark.parametrize("name", ["random", "bare", "gunner", "privateer", "buccaneer", "trader", "raider"])
async def test_the_python_sample_bots_pass(name: str) -> None:
    assert failures(await check(find_bot(name))) == {}


@pytest.mark.parametrize("game", GAMES)
def test_the_check_asks_every_kind_of_decision(game: str) -> None:
    """If this fails after a change of the rules: `python -m server.conformance.questions GAME` finds new games."""
    found = samples(game)
    assert found.shortest.keys() == kinds_of(game)
    assert all(len(sample.question.actions) >= 2 for sample in found.all)
    assert len(found.together) > 1
