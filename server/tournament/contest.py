"""One contest of an event: a game with a number of seats, its schedule, and its results so far.

Everything here follows from the agreement and the results: after `load` with the stored matches, a contest is where it
was before an interruption.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

from server.bots.spec import BotSpec
from server.schedule import Block, Entrant, Ledger, Place, Plan, Schedule, unequal_matches
from server.tournament.agreement import Agreement
from server.tournament.block_jobs import IDLE_LIMIT, BlockJob
from server.tournament.live_ladder import Changes, LiveLadder, Quarantine, RatingChange
from server.tournament.manifest import Contest
from server.tournament.summary import Result

if TYPE_CHECKING:
    from server.tournament.result_columns import ResultColumns

T = TypeVar("T")


class ContestState:
    """A contest under way."""

    def __init__(
        self, agreement: Agreement, contest: Contest, bots: Mapping[str, BotSpec] | None = None, *, rated: bool = True
    ) -> None:
        """Without bots it can be read but gives no jobs; unless `rated`, it computes no changes of the live ladder."""
        self._agreement = agreement
        self._contest = contest
        self._bots = bots or {}
        plan = make_plan(agreement, contest)
        self._schedule = Schedule(plan)
        self._left = {entrant.name for entrant in plan.entrants if entrant.left is not None}
        """Bots that left a ladder: they cannot be started any more."""
        self._live = LiveLadder(agreement.manifest.quarantine, rated=rated)
        self._results = Ledger(forget=self._schedule.lag is None)
        self._partly: dict[int, list[Result]] = {}
        """Blocks of which some records were lost, with the matches that remain."""
        self._planned: tuple[int, int | None] | None = None
        self.matches_done = 0

    @property
    def id(self) -> str:
        """The contest's name."""
        return self._contest.id

    @property
    def game(self) -> str:
        """The id of its game."""
        return self._contest.game

    @property
    def seats(self) -> int:
        """Bots at a table."""
        return self._contest.seats

    @property
    def quarantined(self) -> Mapping[str, Quarantine]:
        """Bots that failed too often and play no further."""
        return self._live.quarantined

    @property
    def is_crowded(self) -> bool:
        """Whether a worker cannot keep a process of every bot for every rotation."""
        return len(self._bots) * self.seats > IDLE_LIMIT

    def load(self, results: Iterable[ResultColumns]) -> Iterator[Changes]:
        """Take in stored matches, in schedule order; yields the changes of the live ladder, in parts.

        It must be read to its end. `Store.results` says what the parts are.
        """
        for part in results:
            if part.are_whole_blocks_from(self._live.next_block):
                yield self._add_columns(part)
            else:  # a block is missing, or a match of one: what follows has to wait for it
                for block, group in groupby(part.rows(), key=attrgetter("block")):
                    yield self.add(block, list(group))
        yield self.cancel()

    def _add_columns(self, results: ResultColumns) -> Changes:
        self.matches_done += len(results)
        self._results.add_all(self._live.next_block, results.points_of_blocks())
        return self._withdraw_new(lambda: self._live.feed_columns(results))

    def add(self, block: int, matches: Sequence[Result]) -> list[RatingChange]:
        """Add matches of a block, which counts once it is complete; returns the rating changes this settles."""
        self.matches_done += len(matches)
        whole = sorted([*self._partly.pop(block, ()), *matches], key=lambda match: match.rotation)
        if len(whole) < self.seats:
            self._partly[block] = whole
            return []
        points = dict.fromkeys(whole[0].bots, 0)
        for match in whole:
            for bot, made in zip(match.seated, match.half_points, strict=True):
                points[bot] += made
        self._results.add(block, tuple(points.values()))
        return self._feed(block, whole)

    def open_jobs(self, running: Collection[tuple[str, int]] = (), limit: int | None = None) -> list[BlockJob]:
        """The blocks that can be played now and are not running; all of them, or about `limit`."""
        blocks = self._schedule.open_blocks(self._results, None if limit is None else limit + len(running))
        return [self._job(block) for block in blocks if (self.id, block.number) not in running]

    def _feed(self, block: int, matches: Sequence[Result] | None) -> list[RatingChange]:
        return self._withdraw_new(lambda: self._live.feed(block, matches))

    def _withdraw_new(self, feed: Callable[[], T]) -> T:
        """Feed the live ladder, and withdraw the bots that it puts into quarantine."""
        before = set(self.quarantined)
        changes = feed()
        for bot in self.quarantined.keys() - before:
            self._withdraw(self.quarantined[bot])
        return changes

    def _withdraw(self, what: Quarantine) -> None:
        """Where stages are drawn from results, a bot that failed too often is no longer drawn.

        Stages within the lag were already drawn with it, wherever a run was interrupted; so the stage from which it is
        missing follows from the results alone.
        """
        lag = self._schedule.lag
        if lag is not None:
            plan = self._schedule.plan
            entrants = tuple(
                replace(one, left=min(one.left or what.stage + lag, what.stage + lag)) if one.name == what.bot else one
                for one in plan.entrants
            )
            self._schedule = Schedule(replace(plan, entrants=entrants))

    def cancel(self, running: Collection[tuple[str, int]] = ()) -> list[RatingChange]:
        """Cancel the open blocks of bots that left or are quarantined; returns the rating changes this settles.

        Running blocks are not cancelled. Nor, in quarantine, are blocks with a recorded match: they are finished.
        """
        if not self.quarantined and not self._left:
            return []
        changes: list[RatingChange] = []
        while True:
            open_blocks = self._schedule.open_blocks(self._results)
            dead = [block for block in open_blocks if (self.id, block.number) not in running and self._is_dead(block)]
            if not dead:
                return changes
            for block in dead:
                self._results.add(block.number, None)
                changes += self._feed(block.number, None)

    def _is_dead(self, block: Block) -> bool:
        if not self._left.isdisjoint(block.bots):
            return True
        return block.number not in self._partly and not self.quarantined.keys().isdisjoint(block.bots)

    def _job(self, block: Block) -> BlockJob:
        manifest, seats = self._agreement.manifest, range(self.seats)
        kept = {match.rotation for match in self._partly.get(block.number, ())}
        return BlockJob(
            event=self._agreement.event_id,
            contest=self.id,
            game=self._contest.game,
            variant=self._contest.variant,
            block=block.number,
            stage=block.stage,
            label=block.label,
            bots=tuple(self._bots[bot] for bot in block.bots),
            rotations=tuple(rotation for rotation in seats if rotation not in kept),
            secrets=tuple(self._agreement.match_secret(self.id, block.number, rotation) for rotation in seats),
            clock=manifest.time_control,
            faults_allowed=manifest.faults_allowed,
            fresh=manifest.restart == "match",
            notes=manifest.notes,
        )

    def inequality(self) -> str:
        """Why its bots cannot all play equally many matches, for the organiser. Empty: they do."""
        words = unequal_matches(self._schedule.plan)
        return f"{self.id}: {words}" if words else ""

    def is_over(self) -> bool:
        """Whether everything is played."""
        return self._schedule.is_over(self._results)

    def matches_planned(self) -> int | None:
        """All matches of the contest, as far as known. None: it has no end."""
        # Called after every match: counted again only when it can have changed.
        state = self._results.cancelled if self._schedule.lag is None else len(self._results)
        if self._planned is None or self._planned[0] != state:
            self._planned = state, self._schedule.planned(self._results)
        blocks = self._planned[1]
        return None if blocks is None else blocks * self.seats

    def placing(self) -> list[Place] | None:
        """The final order by the format's own rules, where it has one."""
        return self._schedule.placing(self._results)


def make_plan(agreement: Agreement, contest: Contest) -> Plan:
    """The contest for the schedule: the entries that play this game, in the order of the roster."""
    manifest = agreement.manifest
    entrants = tuple(
        Entrant(
            name=one.name,
            hero=one.hero,
            team=one.team,
            joined=one.joined.get(contest.id, 0),
            left=one.left.get(contest.id),
        )
        for one in agreement.roster
        if not one.games or contest.game in one.games
    )
    return Plan(
        format=manifest.format,
        seats=contest.seats,
        entrants=entrants,
        rounds=manifest.rounds,
        seed=f"{manifest.seed}/{contest.id}",
        third_place=manifest.third_place,
        max_legs=manifest.max_legs,
    )
