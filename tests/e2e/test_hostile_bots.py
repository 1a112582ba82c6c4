"""Every way we know to be a bad bot, as real processes over real gRPC.

In each case: the opponent's result stands, the fault is typed and told, and nothing is left behind. All bad bots play
at the tables of one host against the same honest bot, so it also shows that none of them costs another table anything.
Some of them play once more in a command of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from referee.games import GAMES
from referee.match.clock import TimeControl
from referee.match.match import MatchResult
from server.bots.spec import find_bot
from server.hosting.bot_host import BotHost
from server.hosting.hosted_bot import HostedBot
from server.jail.confinement import Confinement
from server.jail.machine import best_level
from server.play.match_setup import MatchSetup
from support.bots import until
from support.command import ATTEMPTS, assert_nothing_left, hostile, play_json

CLOCK = "20+0.1/1"
PATIENT = "600+1/120"
"""For a bot that takes its time over something else than an answer: what it does has to be found out first."""
TABLES = 4
"""Matches at the same time. More would keep each other waiting on a small machine."""
NO_SHOW_SECONDS = 8
"""A bot that never comes is waited for this long; the other one must come in that time, on a busy machine too."""

FAULTS = {
    # mode: kind, what the message says
    "crash_before_hello": ("crash", "exited with code 3"),
    "crash_after_hello": ("crash", "exited with code 4"),
    "crash_mid_match": ("crash", "exited with code 5"),
    "exit_0_mid_match": ("crash", "exited with code 0"),
    "segfault_mid_match": ("crash", "SIGSEGV"),
    "raise_mid_match": ("crash", "boom in my bot"),
    "never_connects": ("no_show", f"did not say Hello within {NO_SHOW_SECONDS} s"),
    "no_hello": ("no_show", f"did not say Hello within {NO_SHOW_SECONDS} s"),
    "hang": ("timeout", "question 3: no answer within 1 s"),
    "spin": ("timeout", "question 3: no answer within 1 s"),
    "stop_itself": ("timeout", "question 3: no answer within 1 s"),
    "late": ("timeout", "question 3: no answer within 1 s"),
    "stale": ("timeout", "question 3: no answer within 1 s"),
    "empty": ("timeout", "question 3: no answer within 1 s"),
    "more_answers": ("protocol", "more than 16 messages in one match that nobody asked for"),
    "future": ("illegal", "question 3: an answer to question 8, which was never asked"),
    "out_of_range": ("illegal", "question 3: option "),
    "negative": ("illegal", "question 3: option -1 of "),
    "garbage": ("protocol", "bytes came that are not a FromBotBatch"),
    "ten_megabytes": ("protocol", "a message of 10000000 bytes came, at most 65536 are allowed"),
    "flood": ("protocol", "more than 16 messages in one match that nobody asked for"),
    "wrong_token": ("crash", "refused: UNAUTHENTICATED"),
    "print_much": ("resource", "64"),
    "never_read": ("no_show", f"not Ready within {NO_SHOW_SECONDS} s of MatchStart"),
    "resign": ("resign", "resigned"),
    "goodbye": ("resign", "said Goodbye: I am off"),
}
TOLD = {"late", "stale", "empty", "future", "out_of_range", "negative", "garbage", "ten_megabytes", "flood"}
"""Modes that are still there to hear what they did."""

COMMANDS = [
    pytest.param("crash_mid_match", 0, marks=pytest.mark.smoke),
    pytest.param("out_of_range", 0, marks=pytest.mark.smoke),
    ("never_connects", 1),
    ("hang", 1),
]
"""Modes and seats that play in a command of their own."""
HARMLESS = ["twice", "second_stream", "children"]


@pytest.mark.parametrize(("mode", "seat"), COMMANDS)
def test_in_a_command_a_bad_bot_loses_and_the_other_wins(mode: str, seat: int, tmp_path: Path) -> None:
    kind, message = FAULTS[mode]
    bots = [hostile(mode), "random"] if seat == 0 else ["random", hostile(mode)]
    limits = ("--clock", CLOCK, "--start-seconds", str(NO_SHOW_SECONDS if kind == "no_show" else 40))
    words = ("--bot", bots[0], "--bot", bots[1], "--seed", "7", *limits, "--logs", "logs")
    report = play_json(tmp_path, "pavillon_noir", *words)
    bad, good = report["seats"][seat], report["seats"][1 - seat]
    assert [(fault["kind"], message in fault["message"]) for fault in bad["faults"]] == [(kind, True)], bad["faults"]
    assert (bad["rank"], good["rank"]) == (2, 1)
    assert (bad["score"], good["score"]) == (0.0, 1.0)
    assert good["faults"] == []
    assert report["reason"] == "fault"
    if mode in TOLD:
        [log] = (tmp_path / "logs").glob("hostile-*.log")
        assert f"told: {bad['faults'][0]['message']}" in log.read_text()
    assert_nothing_left(tmp_path)


class Room:
    """A host with one honest bot, against which bad bots play at several tables at the same time."""

    def __init__(self, host: BotHost, honest: HostedBot) -> None:
        self._host, self.honest = host, honest
        self._tables = asyncio.Semaphore(TABLES)

    async def play(self, mode: str, seat: int, clock: TimeControl) -> tuple[HostedBot, MatchResult]:
        """Play one match of a bad bot at that seat, and again if it was void because this machine was late."""
        game = GAMES["pavillon_noir"]
        setup = MatchSetup(game=game, variant=game.info.read_variant({}), seed="7", clock=clock)
        async with self._tables:
            for attempt in range(ATTEMPTS):
                bad = await self._host.start_bot(find_bot(hostile(mode)))
                bots = [bad, self.honest] if seat == 0 else [self.honest, bad]
                result = await self._host.play(setup.terms(f"{mode}-{attempt}"), bots)
                if not result.void:
                    break
            return bad, result


@asynccontextmanager
async def room(folder: Path) -> AsyncIterator[Room]:
    """A room whose bots are confined as those of a command are. It leaves nothing behind."""
    (folder / "tmp").mkdir()
    async with BotHost(folder=folder / "tmp/host", confinement=Confinement(level=best_level())) as host:
        honest = await host.start_bot(find_bot("random"))
        await honest.arrive(None)
        yield Room(host, honest)
        assert not honest.is_gone
    assert_nothing_left(folder)


@pytest.mark.parametrize("seat", [0, 1])
async def test_bad_bots_lose_and_the_others_win(seat: int, tmp_path: Path) -> None:
    async with room(tmp_path) as played:

        async def lose(mode: str) -> None:
            kind, message = FAULTS[mode]
            start = NO_SHOW_SECONDS if kind == "no_show" else 40
            clock = replace(TimeControl.read(PATIENT if kind == "resource" else CLOCK), start_seconds=start)
            bad, result = await played.play(mode, seat, clock)
            assert [(fault.seat, fault.kind) for fault in result.faults] == [(seat, kind)], mode
            [fault] = result.faults
            words = f"{fault.message} {bad.last_words()}"
            assert message in words, f"{mode}: {words}"
            assert (result.ranks[seat], result.ranks[1 - seat]) == (2, 1), mode
            assert (result.scores[seat], result.scores[1 - seat]) == (0.0, 1.0), mode
            assert result.reason == "fault", mode
            if mode in TOLD:
                await until(lambda: f"told: {fault.message}" in bad.process.log.read_text())

        await all_of(lose(mode) for mode in FAULTS)


async def test_strange_bots_that_keep_the_rules_play_to_the_end(tmp_path: Path) -> None:
    async with room(tmp_path) as played:

        async def last(mode: str) -> None:
            bot, result = await played.play(mode, 0, TimeControl.read(CLOCK))
            assert (result.reason != "fault", result.faults) == (True, ()), mode
            if mode == "second_stream":
                assert "refused: ALREADY_EXISTS" in bot.process.log.read_text()

        await all_of(last(mode) for mode in HARMLESS)


async def all_of(coroutines: Iterable[Coroutine[None, None, None]]) -> None:
    """Run all of them to their end, then tell every one that failed."""
    done = await asyncio.gather(*coroutines, return_exceptions=True)
    if failed := [one for one in done if isinstance(one, Exception)]:
        raise ExceptionGroup(f"{len(failed)} of {len(done)}", failed)


def test_two_bad_bots_at_once_share_the_rank(tmp_path: Path) -> None:
    bots = ["--bot", hostile("crash_before_hello"), "--bot", hostile("never_connects")]
    limits = ("--clock", CLOCK, "--start-seconds", str(NO_SHOW_SECONDS))
    report = play_json(tmp_path, "pavillon_noir", *bots, *limits)
    assert {fault["kind"] for seat in report["seats"] for fault in seat["faults"]} == {"crash", "no_show"}
    assert sorted(seat["rank"] for seat in report["seats"]) == [1, 2]
    assert_nothing_left(tmp_path)


def test_lenient_forgives_an_illegal_answer_and_plays_the_default(tmp_path: Path) -> None:
    bots = ["--bot", hostile("negative"), "--bot", "random"]
    words = ("--faults", "lenient:2", "--seed", "7", "--clock", CLOCK)
    report = play_json(tmp_path, "pavillon_noir", *bots, *words)
    assert report["reason"] != "fault"
    assert [fault["kind"] for fault in report["seats"][0]["faults"]] == ["illegal"]
    assert_nothing_left(tmp_path)
