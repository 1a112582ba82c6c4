"""A bot host that starts no process; it records who was started, met which luck, and was stopped."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

from referee.errors import BotFault, ConfigError, FaultKind, MatchVoid
from referee.match.clock import TimeControl
from referee.match.match import Match, MatchResult, Player, Terms
from referee.rules.chance import derive_secret
from server.bots.spec import BotSpec
from server.hosting.hosted_bot import AbsentPlayer, HostedBot
from server.play.block_jobs import BlockJob
from support.players import QuietHost, ScriptedPlayer


class FakeBot(HostedBot):
    """Stands for a process."""

    def __init__(self, spec: BotSpec, number: int) -> None:
        super().__init__(spec)
        self.number = number
        self.process = SimpleNamespace(printed=bytes, cpu_seconds=float)  # type: ignore[assignment]
        self.gone = False
        self.expelled = ""
        """Why it had to end at once."""
        self.playing = 0
        self.most = 0
        """The most matches it played at once."""

    @property
    def is_gone(self) -> bool:
        return self.gone

    def expel(self, reason: str) -> None:
        self.gone, self.expelled = True, reason

    async def slots(self, seconds: float | None) -> int:
        await asyncio.sleep(0)
        return self.spec.slots


@dataclass(slots=True)
class FakeBotHost:
    """Matches take some turns of the loop; those of which `is_void` says so are void."""

    is_void: Callable[[str, int], bool] = lambda match_id, before: False
    refuse: Callable[[BotSpec, int], Exception | None] = lambda spec, number: None
    started: list[FakeBot] = field(default_factory=list)
    stopped: list[FakeBot] = field(default_factory=list)
    met: list[tuple[int, bytes, str]] = field(default_factory=list)
    """Process, luck, match."""
    tables: int = 0
    most_tables: int = 0

    async def start_bot(self, spec: BotSpec) -> FakeBot:
        """Start one."""
        await asyncio.sleep(0)
        error = self.refuse(spec, len(self.started))
        if error is not None:
            raise error
        bot = FakeBot(spec, len(self.started))
        self.started.append(bot)
        return bot

    async def stop_bot(self, bot: FakeBot) -> None:
        """Stop one."""
        assert bot.playing == 0, "nobody is stopped in the middle of a match"
        assert bot not in self.stopped, "nobody is stopped twice"
        self.stopped.append(bot)

    async def play(self, terms: Terms, bots: Sequence[Any], watcher: Any = None) -> MatchResult:
        """One match; its length follows from its name."""
        before = sum(match_id == terms.match_id for _, _, match_id in self.met) // len(bots)
        for bot in bots:
            if isinstance(bot, FakeBot):
                assert bot not in self.stopped
                self.met.append((bot.number, terms.secret, terms.match_id))
                bot.playing += 1
                bot.most = max(bot.most, bot.playing)
        self.tables += 1
        self.most_tables = max(self.most_tables, self.tables)
        try:
            for _ in range(hashlib.sha256(terms.match_id.encode()).digest()[0] % 7):
                await asyncio.sleep(0)
            players: list[Player] = [ScriptedPlayer(lambda question: 0, name=bot.spec.name) for bot in bots]
            if len(bots) > 2:  # nobody comes: the shortest match for so many
                players = [AbsentPlayer(bot.spec.name, BotFault(FaultKind.NO_SHOW, "late", 0.0)) for bot in bots]
            result = await Match(terms, players, QuietHost()).play()
        finally:
            self.tables -= 1
            for bot in bots:
                if isinstance(bot, FakeBot):
                    bot.playing -= 1
        return replace(result, void=True, reason="late") if self.is_void(terms.match_id, before) else result

    @property
    def alive(self) -> list[FakeBot]:
        """Those that were not stopped."""
        return [bot for bot in self.started if bot not in self.stopped]


def make_job(block: int, bots: Sequence[BotSpec], *, fresh: bool = False) -> BlockJob:
    """A mirrored block of the shortest game."""
    game, variant = ("pavillon_noir", {"max_rounds": "1"}) if len(bots) == 2 else ("pirates_cove", {})
    return BlockJob(
        event="e",
        contest=f"{game}-{len(bots)}",
        game=game,
        variant=variant,
        block=block,
        stage=0,
        label="",
        bots=tuple(bots),
        rotations=tuple(range(len(bots))),
        secrets=(derive_secret("s", str(block)),) * len(bots),
        clock=TimeControl(unlimited=True),  # a busy machine must not make a match of fakes late
        faults_allowed=0,
        fresh=fresh,
    )


def no_program(spec: BotSpec, number: int) -> Exception:
    """A program that cannot be started."""
    return ConfigError(f"bot {spec.name}: there is no such program")


def no_process(spec: BotSpec, number: int) -> Exception | None:
    """A host that cannot start the first process of bob."""
    return MatchVoid("the host could not start it") if spec.name == "bob" and number < 2 else None
