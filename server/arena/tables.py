"""One match between whoever is there: hosted bots are started or found idle, remote ones sit down as they are."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Protocol

from referee.match import Terms, Watcher
from server.arena.lobby import Member, MissingBot
from server.hosting.crew import Crew
from server.hosting.stage import Seated, Stage
from server.tournament.worker import FinishedMatch, HasIdentity, finish_match


class SeatedBot(Seated, HasIdentity, Protocol):
    """Whoever sits on a seat and is named in the record."""


class Tables:
    """Where matches of an arena are played."""

    def __init__(self, stage: Stage, crew: Crew) -> None:
        self._stage = stage
        self._crew = crew

    async def play(
        self, terms: Terms, seats: Sequence[tuple[str, Member | None]], watcher: Watcher | None = None
    ) -> FinishedMatch:
        """One match; each seat has a name in the record and a bot, or none if it did not come."""
        start_seconds = terms.clock.start_seconds
        async with AsyncExitStack() as stack:
            sitters: list[SeatedBot] = []
            for name, member in seats:
                if member is None:
                    sitters.append(MissingBot(name, start_seconds))
                elif member.spec is None:
                    sitters.append(member.seat(name))
                else:
                    spec = replace(member.spec, name=name)
                    [hand] = await stack.enter_async_context(
                        self._crew.hire([spec], lane=0, start_seconds=start_seconds, fresh=False)
                    )
                    sitters.append(hand.bot)
            started = int(time.time() * 1000)
            result = await self._stage.play(terms, sitters, watcher)
            return finish_match(result, sitters, started)
