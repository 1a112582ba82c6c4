"""Who sits down at a table of an arena, under which name, and what is left of them afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from referee.errors import BotFault, FaultKind
from referee.match.match import Match, MatchResult, Player, Terms
from server.arena.ladders.lobby import Member
from server.arena.ladders.tables import Tables
from server.bots.spec import BotSpec
from server.hosting.bot_pool import BotPool
from server.play.recorded_match import RecordedMatch
from support.fake_bot_host import FakeBot, FakeBotHost
from support.ladders import make_config
from support.players import QuietHost, ScriptedPlayer
from support.tables import ladder_terms

CONFIG = make_config(start_seconds=3.0)
TERMS = ladder_terms(CONFIG)


class Stream:
    """A remote bot's session, as far as a seat asks for it."""

    is_present = True

    def __init__(self) -> None:
        self.tables: list[ScriptedPlayer] = []

    def open_table(self) -> Player:
        """One more."""
        self.tables.append(ScriptedPlayer(lambda question: 0))
        return self.tables[-1]


class Process(FakeBot):
    """A hosted bot that plays; one with a log prints what it is called and crashes."""

    async def player(self, terms: Terms) -> Player:
        """At one table."""
        crash = BotFault(FaultKind.CRASH, "exited with code 1", 0.0)
        return ScriptedPlayer(lambda question: crash if hasattr(self, "process") else 0, name=self.spec.name)


class House(FakeBotHost):
    """A host whose bots play, and whose logs go with their processes."""

    logs: Path | None = None
    trouble: Exception | None = None

    async def start_bot(self, spec: BotSpec) -> FakeBot:
        """Start one."""
        bot = Process(spec, len(self.started))
        if self.logs is not None:
            log = self.logs / spec.name
            log.write_text(f"I am {spec.name}")
            bot.process = SimpleNamespace(log=log, printed=log.read_bytes, cpu_seconds=float)  # type: ignore[assignment]
        self.started.append(bot)
        return bot

    async def stop_bot(self, bot: FakeBot) -> None:
        """With its log."""
        await super().stop_bot(bot)
        if self.logs is not None:
            bot.process.log.unlink()

    async def play(self, terms: Terms, bots: Sequence[Any], watcher: Any = None) -> MatchResult:
        """By those who sit there."""
        if self.trouble is not None:
            raise self.trouble
        players = [await bot.player(terms) for bot in bots]
        return await Match(terms, players, QuietHost()).play()


def play(house: House, *seats: tuple[str, Member | None], times: int = 1, idle_limit: int = 8) -> list[RecordedMatch]:
    """The same match, time after time."""

    async def scenario() -> list[RecordedMatch]:
        pool = BotPool(house, tables=8, idle_limit=idle_limit)  # type: ignore[arg-type]
        tables = Tables(house, pool)  # type: ignore[arg-type]
        played = [await tables.play(TERMS, seats) for _ in range(times)]
        await pool.close()
        return [match for match in played if isinstance(match, RecordedMatch)]

    return asyncio.run(scenario())


def hosted(name: str, version: str = "1") -> Member:
    return Member(name=name, version=version, spec=BotSpec(name=name, run=("true",), version=version))


def remote(name: str, version: str = "1") -> tuple[Member, Stream]:
    stream: Any = Stream()
    return Member(name=name, version=version, language="go", session=stream), stream


def test_a_remote_bot_sits_down_as_it_is_under_its_name_on_the_ladder() -> None:
    ann, stream = remote("ann", "2")
    bob, _ = remote("bob")
    [played] = play(House(), ("ann-2", ann), ("bob", bob))
    assert [(seat.bot, seat.version, seat.language) for seat in played.summary.seats] == [
        ("ann-2", "2", "go"),
        ("bob", "1", "go"),
    ]
    [table] = stream.tables
    assert table.result is not None
    assert table.result.ranks == played.summary.ranks


def test_who_did_not_come_forfeits_and_the_record_says_so() -> None:
    bob, stream = remote("bob")
    [played] = play(House(), ("ann", None), ("bob", bob))
    assert played.summary.ranks == (2, 1)
    [fault] = played.summary.faults
    assert (fault.kind, "within 3 s" in fault.message) == (FaultKind.NO_SHOW, True)
    assert played.names == ["ann", "bob"]
    assert stream.tables[0].result is not None


def test_a_hosted_bot_is_started_under_its_name_there_and_kept_for_the_next_match() -> None:
    house, (bob, _) = House(), remote("bob")
    play(house, ("ann-2", hosted("ann", "2")), ("bob", bob), times=3)
    assert [(bot.spec.name, bot.spec.version) for bot in house.started] == [("ann-2", "2")]
    assert house.stopped == []


def test_hosted_bots_are_free_again_when_the_machine_cannot_play_the_match() -> None:
    house = House()
    house.trouble = RuntimeError("our bug")
    with pytest.raises(RuntimeError):
        play(house, ("ann", hosted("ann")), ("bob", hosted("bob")), idle_limit=0)
    assert len(house.started) == 2
    assert house.alive == [], "idle, and so let go"


def test_the_log_of_a_bot_that_failed_is_read_before_it_goes_with_its_process(tmp_path: Path) -> None:
    """The match may have to wait for its turn to be written down; without the log there would be no record of it."""
    house, (bob, _) = House(), remote("bob")
    house.logs = tmp_path
    [played] = play(house, ("ann", hosted("ann")), ("bob", bob), idle_limit=0)
    assert [fault.kind for fault in played.summary.faults] == [FaultKind.CRASH]
    assert house.alive == []
    assert not any(tmp_path.iterdir())
    assert played.logs == {0: b"I am ann"}
