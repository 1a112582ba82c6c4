"""A hall whose tables are functions: no process and no stream, but real lobby, ladders, register and calendar."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from referee.door.tokens import hash_token
from referee.errors import ConfigError, MatchVoid
from referee.match.clock import TimeControl
from referee.match.match import MatchResult, Terms
from referee.match.notes import EVERYBODY
from referee.rules.engine import Seat
from referee.wire import make_terms
from server.arena.config import ArenaConfig
from server.arena.events.calendar import Calendar
from server.arena.events.challenges import Challenges
from server.arena.ladders.cluster_matches import ClusterTables
from server.arena.ladders.hall import Hall
from server.arena.ladders.ladder import open_ladder
from server.arena.ladders.lobby import Lobby, Member
from server.arena.ladders.season_keeper import SeasonKeeper
from server.arena.registry import Registry
from server.bots.bundle_store import BundleStore
from server.bots.spec import BotSpec
from server.play.play_match import record_result
from server.play.recorded_match import RecordedMatch, VoidMatch
from server.tournament.folder import Folder
from server.tournament.manifest import Contest
from support.ladders import Named, make_config, play_terms


def ladder_terms(config: ArenaConfig, match_id: str = "m") -> Terms:
    """What a match on the first ladder is played under."""
    [contest, *_] = config.ladders
    return make_terms(
        contest.rules,
        contest.rules.info.read_variant(contest.variant),
        hashlib.sha256(match_id.encode()).digest(),
        match_id=match_id,
        clock=config.time_control,
    )


class Stream:
    """All that a lobby asks of a remote bot's session."""

    def __init__(self) -> None:
        self.is_present = True


@dataclass
class FakeTables:
    """Where matches are played by functions, as long as the gate is open; those of which `spoil` says so are void."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)
    spoil: Callable[[Terms], bool] = lambda terms: False
    fail: Callable[[Terms], Exception | None] = lambda terms: None
    played: list[tuple[str, bytes, tuple[str, ...], tuple[bool, ...]]] = field(default_factory=list)
    """Of each match that began: its game, its luck, who sat there under which name, and whether somebody did."""
    now: Counter[str] = field(default_factory=Counter)
    most: Counter[str] = field(default_factory=Counter)
    """Of each name the matches it plays at once, and the most it ever did; the empty one: of all together."""

    banned: Mapping[str, str] = field(default_factory=dict)
    retired: list[str] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)
    unfit: str = ""
    """Why every bot fails its check."""

    def set_banned(self, banned: Mapping[str, str]) -> None:
        """Who may not play."""
        self.banned = banned

    def retire(self, name: str) -> None:
        """Who has another version."""
        self.retired.append(name)

    async def check(self, spec: BotSpec, contests: Sequence[Contest], clock: TimeControl) -> None:
        """Fail or pass."""
        self.checked.append(spec.name)
        if self.unfit:
            raise ConfigError(self.unfit)

    async def play(
        self,
        terms: Terms,
        seats: Sequence[tuple[str, Member | None]],
        *,
        place: Any = None,
        notes: str = EVERYBODY,
        watcher: Any = None,
        ended: Callable[[MatchResult], None],
    ) -> RecordedMatch | VoidMatch:
        """One match."""
        names = tuple(name for name, _ in seats)
        self.played.append((terms.game.info.id, terms.secret, names, tuple(member is not None for _, member in seats)))
        if error := self.fail(terms):
            if isinstance(error, MatchVoid):
                return VoidMatch(str(error), began=False)
            raise error
        for name in ("", *names):
            self.now[name] += 1
            self.most[name] = max(self.most[name], self.now[name])
        try:
            await self.gate.wait()
            await asyncio.sleep(0.001)
            result = await play_terms(terms, names)
        finally:
            for name in ("", *names):
                self.now[name] -= 1
        if self.spoil(terms):
            result = replace(result, void=True, reason="the host was late", excused=(Seat(0),))
        ended(result)
        return record_result(result, [Named(name) for name in names], 0, place=place, notes=notes)


class FakeDoor:
    """Remembers who was shown out, and why; whoever is leaves."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self.shown: list[tuple[str, str]] = []
        self.closed = ""

    def stop_admitting(self, reason: str) -> None:
        """No newcomers."""
        self.closed = reason

    def disconnect(self, name: str, reason: str) -> None:
        """Goodbye."""
        self.shown.append((name, reason))
        self._lobby.remove(name)


@dataclass(kw_only=True)
class House:
    """A hall at work, with all that belongs to it."""

    registry: Registry
    lobby: Lobby
    tables: FakeTables
    door: FakeDoor
    hall: Hall
    calendar: Calendar
    challenges: Challenges
    folder: Folder
    """Of the ladders."""
    keeper: SeasonKeeper
    news: list[tuple[str, str, str]]
    """What was published: kind, subject, text."""

    def come(self, *names: str, slots: int = 8, **keys: Any) -> list[Member]:
        """Remote bots that dial in; new ones are registered."""
        members = []
        for name in names:
            with suppress(ConfigError):  # it is known already
                self.registry.add(name, "", hash_token(f"token of {name}"))
            stream: Any = Stream()
            members.append(Member(name=name, version="1", slots=slots, session=stream, **keys))
            self.lobby.add(members[-1])
        return members

    def host(self, *names: str, version: str = "1", slots: int = 8) -> list[Member]:
        """Hosted bots; new ones are registered."""
        members = []
        for name in names:
            self.registry.host(name, "", "cmd: true", version=version, slots=slots)
            folder = self.folder.path.parent / "bots" / f"{name}-{version}"
            folder.mkdir(parents=True, exist_ok=True)
            spec = BotSpec(name=name, run=("true",), version=version, folder=folder)
            members.append(Member(name=name, version=version, slots=slots, spec=spec))
            self.lobby.add(members[-1])
        return members

    def matches(self) -> int:
        """Those that are durable, on all ladders."""
        return sum(standing.matches for standing in self.hall.ladder.states.values())


@asynccontextmanager
async def open_house(
    path: Path, config: ArenaConfig | None = None, *, works: bool = True, cluster: ClusterTables | None = None
) -> AsyncIterator[House]:
    """A hall in a folder; unless it `works`, nothing is played before somebody runs it."""
    config, folder = config or make_config(), Folder(path / "ladder")
    with (
        Registry.open(path / "arena.db") as registry,
        open_ladder(folder, config, lambda text: None) as ladder,
        open_ladder(Folder(path / "challenges"), config, lambda text: None) as made,
    ):
        lobby = Lobby(registry, reconnect_seconds=config.reconnect_seconds)
        tables: Any = FakeTables()
        door: Any = FakeDoor(lobby)
        tables.gate.set()
        news: list[tuple[str, str, str]] = []
        hall = Hall(
            config,
            registry,
            ladder,
            lobby,
            tables,
            door,
            BundleStore(path / "bundles"),
            publish=lambda *words: news.append(words),
            cluster=cluster,
        )
        keeper = SeasonKeeper(hall, path)
        calendar = Calendar(registry, hall, path / "events")
        challenges = Challenges(config, hall, made)
        work = [hall.run(), calendar.run()] if works else []
        work += [cluster.run()] if works and cluster is not None else []
        tasks = [asyncio.create_task(one) for one in work]
        try:
            yield House(
                registry=registry,
                lobby=lobby,
                tables=tables,
                door=door,
                hall=hall,
                calendar=calendar,
                challenges=challenges,
                folder=folder,
                keeper=keeper,
                news=news,
            )
            for task in tasks:
                if task.done():
                    task.result()
            tables.gate.set()
            await asyncio.gather(hall.drain(60.0), calendar.drain(60.0)) if tasks else None
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
