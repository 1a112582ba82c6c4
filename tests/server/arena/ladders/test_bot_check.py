"""The check of a bot before it is hosted, with a host that starts nothing; tests/e2e/test_ends_of_life.py does."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from referee.errors import BotFault, ConfigError, FaultKind, MatchVoid
from referee.match.clock import TimeControl
from referee.match.match import Match, MatchResult, Player, Terms
from server.arena.errors import FailedPrecondition
from server.arena.ladders import bot_check
from server.arena.ladders.bot_check import check_bot
from server.bots.spec import BotSpec
from server.tournament.manifest import make_contests
from support.fake_bot_host import FakeBot, FakeBotHost
from support.players import QuietHost, ScriptedPlayer

LADDERS = make_contests(
    [
        {"id": "pirates_cove", "seats": 4},
        {"id": "pirates_cove", "seats": 3},
        {"id": "pavillon_noir", "seats": 2, "variant": {"max_rounds": "1"}},
    ],
    "ladders",
)


class CheckedBot(FakeBot):
    """A bot with last words."""

    asked = 0

    @property
    def questions(self) -> int:
        return self.asked

    def last_words(self) -> str:
        return "Traceback\n  ValueError: I cannot count"


class Host(FakeBotHost):
    """Remembers what was played, and lets bots fail."""

    def __init__(self, fault: BotFault | None = None, trouble: Exception | None = None) -> None:
        super().__init__()
        self.fault, self.trouble, self.games = fault, trouble, list[tuple[str, int]]()
        self.endless = False

    async def start_bot(self, spec: BotSpec) -> FakeBot:
        self.started.append(CheckedBot(spec, len(self.started)))
        return self.started[-1]

    async def play(self, terms: Terms, bots: Sequence[Any], watcher: Any = None) -> MatchResult:
        self.games.append((terms.game.info.id, len(bots)))
        if self.trouble is not None:
            raise self.trouble
        if self.endless:
            for bot in bots:
                bot.asked += 2
            await asyncio.Event().wait()
        answer = self.fault if self.fault is not None else 0
        players: list[Player] = [ScriptedPlayer(lambda question: answer, name=bot.spec.name) for bot in bots]
        return await Match(terms, players, QuietHost()).play()


async def check(host: Host, *games: str) -> None:
    spec = BotSpec(name="ann", run=("true",), games=games)
    try:
        await check_bot(host, spec, LADDERS, TimeControl(unlimited=True))  # type: ignore[arg-type]
    finally:
        assert host.alive == [], "nothing is left of it"


async def test_it_plays_each_of_its_games_with_the_fewest_seats() -> None:
    host = Host()
    await check(host)
    assert host.games == [("pavillon_noir", 2), ("pirates_cove", 3)]
    assert len(host.started) == 3, "a process for every seat, the same in all games"
    host = Host()
    await check(host, "pavillon_noir")
    assert host.games == [("pavillon_noir", 2)]
    host = Host()
    await check(host, "marauders")
    assert host.started == [], "no ladder plays what it plays"


async def test_a_fault_is_told_with_its_last_words() -> None:
    host = Host(BotFault(FaultKind.CRASH, "exited with code 1", 0.0))
    with pytest.raises(ConfigError) as refusal:
        await check(host)
    words = str(refusal.value)
    for fact in ("bot ann ", "pavillon_noir-2", "crash: exited with code 1", "| ValueError: I cannot count"):
        assert fact in words
    assert "tortuga bot check" in words


async def test_a_machine_that_is_too_busy_is_not_the_bots_fault() -> None:
    with pytest.raises(FailedPrecondition, match=r"busy: .*could not start"):
        await check(Host(trouble=MatchVoid("the host could not start it")))


async def test_who_has_answered_need_not_play_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_check, "CHECK_SECONDS", 0.01)
    host = Host()
    host.endless = True
    await check(host)
    assert len(host.games) == 2
