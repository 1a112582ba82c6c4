"""Chooses who plays the next match of the ladders: which ladder's turn it is, and which of its bots are free.

`server.schedule.next_table` says who of the free bots should meet, or to wait a moment for better partners. A match
that was void, or was running when the server was killed, comes first: it is replayed as soon as its bots are free.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from referee.match import clock
from server.arena.config import ArenaConfig
from server.arena.ladders.ladder import OpenLadder, Unfinished
from server.arena.ladders.lobby import Lobby, Member
from server.arena.registry import Registry
from server.schedule.next_table import Candidate, Choice, next_table
from server.schedule.open_field import FittedField
from server.tournament.agreement import Entry
from server.tournament.manifest import Contest

FIRST_GUESS_SECONDS = 1.0
"""How long a match of a ladder takes, before any was played."""
FITTED_AT_ONCE = 50
"""The strengths of up to this many bots are fitted within milliseconds; those of more in a thread."""
REPLAY_LIMIT = 1000
"""Void matches queued for replay, at most; older ones are dropped."""


class Rooms(Protocol):
    """What the choice has to know of the place where its matches are played: the hall."""

    between_seasons: bool
    """True while the ladders' folder changes: nobody is entered."""

    def closed(self) -> frozenset[str]:
        """Return the ladders on which no match begins."""
        ...

    def travels(self, member: Member) -> bool:
        """Check whether a bot plays on the cluster now."""
        ...

    def has_place(self, members: Sequence[Member]) -> bool:
        """Check whether there is room for these bots where they would play together."""
        ...

    def entry_of(self, member: Member) -> Entry:
        """Return the entry of a bot on the ladders, made if need be."""
        ...


@dataclass(frozen=True, slots=True)
class NextMatch:
    """A match that can begin now."""

    contest: Contest
    members: Sequence[Member]
    """In seat order."""
    again: str = ""
    """The void match that it replaces; empty: none."""


class Matchmaker:
    """Chooses the next match of the ladders."""

    def __init__(
        self,
        config: ArenaConfig,
        registry: Registry,
        ladder: OpenLadder,
        lobby: Lobby,
        rooms: Rooms,
        wake: Callable[[], None],
    ) -> None:
        """`wake` is called when bots that were kept waiting for better partners should be looked at again."""
        self._config = config
        self._registry = registry
        self._ladder = ladder
        self._lobby = lobby
        self._rooms = rooms
        self._wake = wake
        self.replays: deque[Unfinished] = deque(ladder.unfinished, maxlen=REPLAY_LIMIT)
        """Matches that do not count and are to be played again."""
        self._begun: dict[str, int] = {contest.id: 0 for contest in config.ladders}
        """Per ladder the number of its last table, counted over all ladders; the lowest has waited longest."""
        self._filled = 0
        self._usual_seconds: dict[str, float] = {}
        """Per ladder how long its matches take: a moving mean."""

    def next(self) -> NextMatch | None:
        """Choose the next match; None: none can begin now."""
        chosen = self._next_replay() or self.next_of_ladders()
        if chosen is not None:
            self._filled += 1
            self._begun[chosen.contest.id] = self._filled
        return chosen

    def _next_replay(self) -> NextMatch | None:
        """Choose a void match whose bots are all free."""
        if not self.replays:
            return None
        by_entry = {member.entry: member for member in self._lobby.members if member.entry}
        open_ladders = self._begun.keys() - self._rooms.closed()
        for unfinished in list(self.replays):
            if unfinished.contest not in open_ladders:
                continue
            members = [by_entry.get(entry) for entry in unfinished.entries]
            ready = [member for member in members if member is not None and self._is_free(member)]
            if any(member is not None and member.name in self._ladder.disqualified for member in members):
                continue
            if len(ready) == len(members) and self._rooms.has_place(ready):
                self.replays.remove(unfinished)
                return NextMatch(self._ladder.contest(unfinished.contest), ready, again=unfinished.match_id)
        return None

    def next_of_ladders(self) -> NextMatch | None:
        """Choose a match of the ladder that has waited longest. While it waits for more bots, its own are reserved."""
        reserved: set[str] = set()
        closed = self._rooms.closed()
        for contest in sorted(self._config.ladders, key=lambda ladder: self._begun[ladder.id]):
            if contest.id in closed:
                continue
            able = self._able(contest)
            by_entry = {member.entry: member for member in able}
            choice = self._choose(contest, able, reserved)
            seated = [by_entry[entry] for entry in choice.table]
            has_place = not seated or self._rooms.has_place(seated)
            if not has_place:  # while one side is full, only those who surely play on the other are seated
                away = all(map(self._rooms.travels, seated))
                waiting = {member.name for member in able if self._rooms.travels(member) == away}
                choice = self._choose(contest, able, reserved | waiting)
            if choice.table:
                for member in able:
                    if self._is_free(member):
                        is_seated = member.entry in choice.table
                        member.waited[contest.id] = 0 if is_seated else member.waited.get(contest.id, 0) + 1
                seated = [by_entry[entry] for entry in choice.table]
                secrets.SystemRandom().shuffle(seated)
                return NextMatch(contest, seated)
            if choice.wait_seconds is not None:  # for better partners: meanwhile its bots may play on other ladders
                asyncio.get_running_loop().call_later(choice.wait_seconds + 0.01, self._wake)
            elif has_place and len(able) >= contest.seats:
                reserved |= {member.name for member in able if self._is_free(member)}
        return None

    def _able(self, contest: Contest) -> list[Member]:
        """Return those who play on this ladder, now or after what they are playing."""
        out = self._ladder.disqualified
        able = [
            member
            for member in self._lobby.members
            if member.plays(contest) and member.is_connected and not member.event and member.name not in out
        ]
        for member in able:
            if not member.entry:
                self._rooms.entry_of(member)
        return able

    def _choose(self, contest: Contest, able: Sequence[Member], reserved: set[str]) -> Choice:
        field = self._ladder.states[contest.id].field
        known = [member for member in able if member.entry in field]
        owners = (
            {member.entry: self._registry.bot(member.name).owner for member in known}
            if self._config.owners_apart
            else {}
        )
        now = clock.now()
        candidates = [
            Candidate(
                name=member.entry,
                is_free=self._is_free(member) and member.name not in reserved,
                waited=member.waited.get(contest.id, 0),
                idle_seconds=now - member.rests_until,
            )
            for member in known
        ]
        usual = self._usual_seconds.get(contest.id, FIRST_GUESS_SECONDS) + self._config.rest_seconds
        return next_table(candidates, contest.seats, lambda names: field.values(names, owners).tolist(), usual)

    async def fit(self) -> None:
        """Fit the strengths by which tables are chosen, where it is time. With many bots this takes a while."""
        for contest in self._config.ladders:
            if self._rooms.between_seasons:
                return
            field = self._ladder.states[contest.id].field
            entries = [member.entry for member in self._able(contest)]
            if not field.is_stale(entries):
                continue
            results = field.prepare(entries)
            if len(entries) > FITTED_AT_ONCE:
                field.use(await asyncio.to_thread(FittedField, results))
            else:
                field.use(FittedField(results))

    def note_length(self, contest: str, seconds: float) -> None:
        """Move the mean length of a ladder's matches."""
        usual = self._usual_seconds.setdefault(contest, seconds)
        self._usual_seconds[contest] = usual + (seconds - usual) / 10

    def _is_free(self, member: Member) -> bool:
        limit = min(member.slots, self._config.matches_per_bot)
        return member.is_connected and not member.event and member.busy < limit and member.rests_until <= clock.now()
