"""The organiser's operations on seasons while the arena runs: freeze, archive, start."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from server.arena.errors import FailedPrecondition
from server.arena.ladders.hall import Hall
from server.arena.ladders.seasons import ArchivedSeason, archive_season, begin_season, order_season
from server.arena.registry import wall_millis
from server.arena.zones import show_time
from server.system.logs import get_logger
from server.tournament.starting_ratings import StartingRating

LOOK_SECONDS = 1.0
"""Time between two looks at the wall clock, which may be changed."""

log = get_logger()


class SeasonKeeper:
    """Carries out the organiser's orders, one at a time."""

    def __init__(self, hall: Hall, directory: Path) -> None:
        self._hall, self._seasons, self._directory = hall, hall.seasons, directory
        self._changing, self._telling = asyncio.Lock(), asyncio.Lock()

    async def run(self) -> None:
        """Announce each planned freeze when it comes, for ever."""
        while True:
            await self._tell_frozen()
            await asyncio.sleep(LOOK_SECONDS)

    async def freeze(self, ladders: Sequence[str], at_millis: int) -> None:
        """Begin no match on these ladders from a moment on. 0: now."""
        await asyncio.to_thread(self._seasons.freeze, ladders, at_millis or wall_millis())
        await self._tell_frozen()

    async def unfreeze(self, ladders: Sequence[str]) -> None:
        """Undo a freeze."""
        async with self._changing:
            if self._seasons.waiting is not None:
                raise FailedPrecondition(
                    f"the season is archived as {self._seasons.waiting.name}, and a match more would not be in it: "
                    "start the next one with `tortuga server ladder start`"
                )
            await asyncio.to_thread(self._seasons.unfreeze, ladders)
        self._hall.wake()

    async def archive(self, name: str) -> ArchivedSeason:
        """Archive the season: the final standings and all records."""
        async with self._changing:
            await self._check_frozen()
            await self._tell_frozen()  # now: the next season may start before `run` looks again
            season = await asyncio.to_thread(archive_season, self._directory, self._seasons, name)
        self._hall.publish("season_archived", name, f"the season {name} is over: {season.matches} matches")
        return season

    async def start(self, *, from_ratings: bool, shrink: float) -> list[StartingRating]:
        """Start the next season."""
        async with self._changing:
            await self._check_frozen()
            archived = await asyncio.to_thread(
                partial(order_season, self._seasons, from_ratings=from_ratings, shrink=shrink)
            )
            self._hall.between_seasons = True
            try:
                ratings = await self._hall.ladder.restart(partial(begin_season, self._directory, archived))
                await asyncio.to_thread(self._seasons.finish_next, archived)
            finally:
                self._hall.forget_season()
                self._hall.between_seasons = False
                self._hall.wake()
        how = f"with {len(ratings)} starting ratings" if from_ratings else "from zero"
        log.info("season_started", after=archived.name, ratings=len(ratings))
        self._hall.publish("season_started", archived.name, f"the season after {archived.name} has started, {how}")
        return ratings

    async def _tell_frozen(self) -> None:
        """Publish, once, which ladders are frozen."""
        async with self._telling:
            try:
                if unannounced := self._seasons.unannounced():
                    await asyncio.to_thread(self._seasons.note_announced, unannounced)
                    subject = f"{unannounced[0]} is" if len(unannounced) == 1 else f"{', '.join(unannounced)} are"
                    self._hall.publish(
                        "ladder_frozen", unannounced[0], f"{subject} frozen: running matches are the last"
                    )
            except sqlite3.Error as error:  # locked, or no space: the next look tries again
                log.error("freeze_not_told", reason=str(error))

    async def _check_frozen(self) -> None:
        zone, frozen = self._hall.config.zone, self._seasons.frozen_now()
        unfrozen = [contest.id for contest in self._hall.config.ladders if contest.id not in frozen]
        if unfrozen:
            planned = self._seasons.frozen().get(unfrozen[0])
            when = f" (it will be at {show_time(planned, zone)})" if planned else ""
            raise FailedPrecondition(
                f"the ladder {unfrozen[0]} is not frozen{when}: `tortuga server ladder freeze --all` ends the season"
            )
        await self._hall.settle()
