"""One contest of an event: a game with a number of seats, its schedule, and what has come of it so far.

Everything here follows from the agreement and the results: `load` it with the matches that are stored, and it stands
where it stood before the interruption.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from referee.chance import derive_secret
from server.bots.spec import BotSpec
from server.schedule import Block, Entrant, Ledger, Place, Plan, Schedule
from server.tournament.agreement import Agreement
from server.tournament.block_jobs import IDLE_LIMIT, BlockJob
from server.tournament.live_ladder import LiveLadder, Quarantine, RatingChange
from server.tournament.manifest import Contest
from server.tournament.summary import Result


class ContestState:
    """A contest under way."""

    def __init__(
        self, agreement: Agreement, contest: Contest, bots: Mapping[str, BotSpec] | None = None, *, rated: bool = True
    ) -> None:
        """Without bots it can be looked at, but gives no orders; unless rated, it tells no changes of the ladder."""
        self._agreement = agreement
        self._contest = contest
        self._bots = bots or {}
        plan = make_plan(agreement, contest)
        self._schedule = Schedule(plan)
        self._left = {entrant.name for entrant in plan.entrants if entrant.left is not None}
        """Bots that a ladder's organiser took away: they cannot be started any more."""
        self._fold = LiveLadder(agreement.manifest.quarantine, rated=rated)
        self._results = Ledger()
        self._partly: dict[int, list[Result]] = {}
        """Blocks of which some records were lost: the matches that are left."""
        self._last_stage = -1
        """The last stage of which anything was played. The matches say it: where an early record was lost, the schedule
        cannot be drawn so far."""
        self._planned: tuple[int, int | None] | None = None
        self.matches_done = 0

    @property
    def id(self) -> str:
        """The contest's name."""
        return self._contest.id

    @property
    def seats(self) -> int:
        """Bots at a table."""
        return self._contest.seats

    @property
    def quarantined(self) -> Mapping[str, Quarantine]:
        """Bots that play no further."""
        return self._fold.quarantined

    @property
    def is_crowded(self) -> bool:
        """Whether a worker cannot keep a process of every bot for every rotation."""
        return len(self._bots) * self.seats > IDLE_LIMIT

    def load(self, matches: Iterable[Result], take: Callable[[list[RatingChange]], None] = lambda _: None) -> None:
        """Take in what is stored, in schedule order; `take` is called with all changes of the live ladder, in parts."""
        for block, group in groupby(matches, key=lambda match: match.block):
            take(self.add(block, list(group)))
        take(self.cancel())

    def add(self, block: int, matches: Sequence[Result]) -> list[RatingChange]:
        """Matches of one block; it counts when it is whole. Gives the changes of the live ladder that it settles."""
        self.matches_done += len(matches)
        self._last_stage = max(self._last_stage, matches[0].stage)
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

    def open_orders(self, running: Collection[tuple[str, int]] = (), limit: int | None = None) -> list[BlockJob]:
        """What can be played now, without what is running; all of it, or some `limit` blocks."""
        blocks = self._schedule.open_blocks(self._results, None if limit is None else limit + len(running))
        return [self._order(block) for block in blocks if (self.id, block.number) not in running]

    def _feed(self, block: int, matches: Sequence[Result] | None) -> list[RatingChange]:
        before = set(self.quarantined)
        changes = self._fold.feed(block, matches)
        for bot in self.quarantined.keys() - before:
            self._withdraw(self.quarantined[bot])
        return changes

    def _withdraw(self, what: Quarantine) -> None:
        """Where stages are drawn from results, a bot that failed too often is not drawn any more.

        Those that its last result can not have reached were drawn with it already, wherever a run was interrupted; so
        the stage from which it is missing follows from the results alone.
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
        """Give up the open blocks of bots that left, or are in quarantine; gives what that settles.

        Not those that are running. Nor, in quarantine, those of which a match is on record: what was begun is finished.
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

    def _order(self, block: Block) -> BlockJob:
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
            secrets=tuple(self._secret(block, rotation) for rotation in seats),
            clock=manifest.time_control,
            faults_allowed=manifest.faults_allowed,
            fresh=manifest.restart == "match",
        )

    def _secret(self, block: Block, rotation: int) -> bytes:
        """All luck of one match."""
        manifest, name = self._agreement.manifest, f"{self.id}/{block.number}"
        return derive_secret(manifest.seed, name if manifest.mirrored else f"{name}/{rotation}")

    def is_over(self) -> bool:
        """Whether everything is played."""
        return self._schedule.is_over(self._results)

    def matches_planned(self) -> int | None:
        """In all, as far as that is known; None: there is no end."""
        # Asked after every match: counted again only when it can have changed.
        state = self._results.cancelled if self._schedule.lag is None else len(self._results)
        if self._planned is None or self._planned[0] != state:
            self._planned = state, self._schedule.planned(self._results)
        blocks = self._planned[1]
        return None if blocks is None else blocks * self.seats

    def next_stage(self) -> int:
        """The first stage of which nothing was played: where newcomers join."""
        return self._last_stage + 1

    def placing(self) -> list[Place] | None:
        """The format's own order, where it has one."""
        return self._schedule.placing(self._results)


def make_plan(agreement: Agreement, contest: Contest) -> Plan:
    """The contest as the schedule sees it: those who play this game, in the order of the roster."""
    manifest = agreement.manifest
    entrants = tuple(
        Entrant(name=one.name, hero=one.hero, joined=one.joined.get(contest.id, 0), left=one.left.get(contest.id))
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
