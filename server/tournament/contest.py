"""One contest of an event: a game with a number of seats, its schedule, and its results so far.

Everything here follows from the agreement and the results: after `load` with the stored matches, a contest is in the
same state as before an interruption.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from server.bots.spec import BotSpec
from server.play.block_jobs import IDLE_LIMIT, BlockJob
from server.play.summary import MatchSummary, Result, half_points
from server.schedule import Block, Entrant, HalfPoints, Ledger, Plan, Schedule, unequal_matches
from server.schedule.knockout import Bracket
from server.schedule.plan import History
from server.tournament.agreement import Agreement
from server.tournament.live_ladder import Changes, LiveLadder, Quarantine, RatingChange
from server.tournament.manifest import Contest
from server.tournament.rulings.ruled_matches import RuledMatches

if TYPE_CHECKING:
    from server.tournament.result_columns import ResultColumns

T = TypeVar("T")


class Walkover(NamedTuple):
    """Matches of a block that are decided without play, and who is to blame."""

    block: Block
    gone: frozenset[str]
    matches: int


class ContestState:
    """A contest under way."""

    def __init__(
        self,
        agreement: Agreement,
        contest: Contest,
        bots: Mapping[str, BotSpec] | None = None,
        *,
        rated: bool = True,
        ruled: RuledMatches | None = None,
    ) -> None:
        """Without bots it can be read but gives no jobs; unless `rated`, it computes no changes of the live ladder."""
        self._agreement = agreement
        self._contest = contest
        self._bots = bots or {}
        self._ruled = RuledMatches() if ruled is None else ruled
        plan = make_plan(agreement, contest)
        self._schedule = Schedule(plan)
        if self._ruled.rulings and self._schedule.lag is not None:
            # Elsewhere nothing is drawn from results: tables of a bot that may not play are not played, that is all.
            entrants = tuple(replace(one, away=self._ruled.away(one.name)) for one in plan.entrants)
            plan = replace(plan, entrants=entrants)
            self._schedule = Schedule(plan)
        self._left = {entrant.name for entrant in plan.entrants if entrant.left is not None}
        """Bots that left a ladder: they cannot be started any more."""
        self._live = LiveLadder(agreement.manifest.quarantine, rated=rated, ruled=self._ruled)
        self._results = Ledger(forget=self._schedule.lag is None)
        self._partly: dict[int, list[Result]] = {}
        """Blocks of which some records were lost, with the matches that remain."""
        self._planned: tuple[int, int | None] | None = None
        self._played_for_nothing = 0
        """Matches that were played in blocks that count as not played."""
        self.walkovers: list[Walkover] = []
        """Matches that are decided without play."""
        self.matches_done = 0
        self._last_stage = -1
        """The last stage of which a match was played."""
        self._stage_matches: Counter[int] = Counter()
        self.is_undrawn = False
        """Whether only the stored matches are known, and not who meets whom in the waves of a ladder."""

    @property
    def id(self) -> str:
        """Return the contest's name."""
        return self._contest.id

    @property
    def game(self) -> str:
        """Return the id of its game."""
        return self._contest.game

    @property
    def seats(self) -> int:
        """Return how many bots sit at a table."""
        return self._contest.seats

    @property
    def quarantined(self) -> Mapping[str, Quarantine]:
        """Return the bots that failed too often and play no further."""
        return self._live.quarantined

    @property
    def is_crowded(self) -> bool:
        """Check whether a worker cannot keep a process of every bot for every rotation."""
        return len(self._bots) * self.seats > IDLE_LIMIT

    def load(self, results: Iterable[ResultColumns], running: Collection[tuple[str, int]] = ()) -> Iterator[Changes]:
        """Take in stored matches, in schedule order; yields the changes of the live ladder, in parts.

        It must be read to its end. `Store.results` says what the parts are. Running blocks are not cancelled.
        """
        yield from self._take_in(results)
        yield self.cancel(running)

    def read(self, results: Iterable[ResultColumns]) -> None:
        """Take in stored matches for somebody who only looks at them.

        Drawing the waves of a ladder again takes seconds each, so it is not done: what its matches tell has to do.
        """
        lag = self._schedule.lag
        self.is_undrawn = self.plan.format == "ladder"
        if not self.is_undrawn or lag is None:
            deque(self.load(results), maxlen=0)
            return
        deque(self._take_in(results), maxlen=0)
        # A wave is drawn when the one `lag` before it is settled: what is missing of that one was cancelled.
        self._withdraw_new(lambda: self._live.skip_to_stage(self._last_stage - lag))

    def _take_in(self, results: Iterable[ResultColumns]) -> Iterator[Changes]:
        for part in results:
            if part.are_whole_blocks_from(self._live.next_block) and not self._ruled.touches(part.match_ids):
                yield self._add_columns(part)
            else:  # a block is missing, or a match of one: what follows has to wait for it
                for block, group in groupby(part.rows(), key=attrgetter("block")):
                    yield self.add(block, list(group))

    def _add_columns(self, results: ResultColumns) -> Changes:
        self.matches_done += len(results)
        self._last_stage = max(self._last_stage, int(results.stages[-1]))
        self._stage_matches.update(results.stages.tolist())
        self._results.add_all(self._live.next_block, results.points_of_blocks())
        return self._withdraw_new(lambda: self._live.feed_columns(results))

    def add(self, block: int, matches: Sequence[Result]) -> list[RatingChange]:
        """Add matches of a block, which counts once it is complete; returns the rating changes this settles."""
        self.matches_done += len(matches)
        for match in matches:
            self._last_stage = max(self._last_stage, match.stage)
            self._stage_matches[match.stage] += 1
            if isinstance(match, MatchSummary):  # it was just played
                self._ruled.judge_match(match)
        whole = sorted([*self._partly.pop(block, ()), *matches], key=lambda match: match.rotation)
        if len(whole) < self.seats:
            self._partly[block] = whole
            return []
        self._results.add(block, self._drawn_points(whole))
        return self._feed(block, whole)

    def _drawn_points(self, matches: Sequence[Result]) -> HalfPoints | None:
        """Return what the bots of a block made, for the draw of the next stage. None: it counts as not played."""
        ruled, lag = self._ruled, self._schedule.lag
        if lag is not None and any(ruled.is_walkover(match.match_id, match.stage) for match in matches):
            self._played_for_nothing += len(matches)
            return None
        points = dict.fromkeys(matches[0].bots, 0)
        for match in matches:
            made = match.half_points
            if ruled.touches([match.match_id]):
                ranks = ruled.drawn_ranks(match.match_id, match.stage, match.seated, match.ranks)
                made = tuple(half_points(ranks, seat) for seat in range(len(ranks)))
            for bot, each in zip(match.seated, made, strict=True):
                points[bot] += each
        return tuple(points.values())

    def open_jobs(self, running: Collection[tuple[str, int]] = (), limit: int | None = None) -> list[BlockJob]:
        """Return the blocks that can be played now and are not running; all of them, or about `limit`."""
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
        """Stop drawing a bot that failed too often, where stages are drawn from results.

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
        """Cancel the open blocks of bots that left, are quarantined or disqualified; returns the rating changes this
        settles.

        Running blocks are not cancelled. Nor, in quarantine, are blocks with a recorded match: they are finished.
        """
        if not (self.quarantined or self._left or self._ruled.rulings):
            return []
        changes: list[RatingChange] = []
        while True:
            open_blocks = self._schedule.open_blocks(self._results)
            dead = [block for block in open_blocks if (self.id, block.number) not in running and self._is_dead(block)]
            if not dead:
                return changes
            for block in dead:
                recorded = len(self._partly.get(block.number, ()))
                self._played_for_nothing += recorded
                self.walkovers.append(Walkover(block, frozenset(self._gone(block)), self.seats - recorded))
                self._results.add(block.number, None)
                changes += self._feed(block.number, None)

    def _is_dead(self, block: Block) -> bool:
        if not self._left.isdisjoint(block.bots) or not self._kept_out(block).isdisjoint(block.bots):
            return True
        return block.number not in self._partly and not self.quarantined.keys().isdisjoint(block.bots)

    def _gone(self, block: Block) -> set[str]:
        """Return those because of whom a block is not played."""
        return (self._left | self.quarantined.keys() | self._kept_out(block)).intersection(block.bots)

    def _kept_out(self, block: Block) -> set[str]:
        """Return the bots of a block that a ruling keeps from playing it."""
        if not self._ruled.rulings:
            return set()
        found = set(self._ruled.disqualified)
        if self._schedule.lag is not None:
            lag = self._schedule.lag
            found |= {one.name for one in self._schedule.plan.entrants if self._ruled.was_away(one, block.stage, lag)}
        return found

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
        """Return why its bots cannot all play equally many matches, for the organiser. Empty: they do."""
        words = unequal_matches(self._schedule.plan)
        return f"{self.id}: {words}" if words else ""

    def is_over(self) -> bool:
        """Check whether everything is played."""
        if self.is_undrawn:
            planned = self._planned_by_waves()
            return planned is not None and self.matches_done >= planned
        return self._schedule.is_over(self._results)

    @property
    def is_in_doubt(self) -> bool:
        """Check whether only drawing its waves tells if a ladder is over: bots left it, and its last wave has begun."""
        is_last = self._last_stage >= self.plan.rounds - 1 >= 0
        return self.is_undrawn and is_last and bool(self.quarantined or self._left or self._ruled.rulings)

    def matches_planned(self) -> int | None:
        """Return how many matches the contest has, as far as known. None: it has no end."""
        if self.is_undrawn:
            return self._planned_by_waves()
        # Called after every match: counted again only when it can have changed.
        state = self._results.cancelled if self._schedule.lag is None else len(self._results)
        if self._planned is None or self._planned[0] != state:
            self._planned = state, self._schedule.planned(self._results)
        blocks = self._planned[1]
        return None if blocks is None else blocks * self.seats + self._played_for_nothing

    def _planned_by_waves(self) -> int | None:
        """The matches of a ladder that is not drawn: those of settled waves, and one table for every few bots in each
        wave to come. What newcomers play beyond that, and what will be cancelled, is not known yet."""
        plan, lag = self._schedule.plan, self._schedule.lag or 0
        if not plan.rounds:
            return None
        settled = self._last_stage - lag + 1
        planned = sum(count for stage, count in self._stage_matches.items() if stage < settled)
        fields = {one for entrant in plan.entrants for one in (entrant.joined, entrant.left, *chain(*entrant.away))}
        table_matches = 0
        for stage in range(max(0, settled), plan.rounds):
            if stage in fields or stage == settled or not stage:  # elsewhere the same bots play as in the stage before
                table_matches = len(plan.active(stage)) // plan.seats * plan.seats
            planned += max(self._stage_matches[stage], table_matches)
        return planned

    def next_stage(self, running: Collection[tuple[str, int]] = ()) -> int:
        """Return the first stage of which nothing was played or is being played: where a ruling takes effect."""
        blocks = [block for contest, block in running if contest == self.id]
        stages = [self._schedule.block(block, self._results).stage for block in blocks]
        return max([self._last_stage, *stages]) + 1

    @property
    def lag(self) -> int | None:
        """Return by how many stages a draw follows the results it is made from. None: nothing is drawn from results."""
        return self._schedule.lag

    @property
    def draws_from_results(self) -> bool:
        """Check whether stages are drawn from the results of earlier ones."""
        return self._schedule.lag is not None

    @property
    def plan(self) -> Plan:
        """Return who takes part, and how."""
        return self._schedule.plan

    def played_stages(self) -> History:
        """Return the blocks of all complete stages, where stages are drawn from results."""
        return self._schedule.played_stages(self._results)

    def bracket(self) -> Bracket | None:
        """Return the bracket of a knockout."""
        return self._schedule.bracket(self._results)


def make_plan(agreement: Agreement, contest: Contest) -> Plan:
    """Describe the contest for the schedule: the entries that play this game, in the order of the roster."""
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
