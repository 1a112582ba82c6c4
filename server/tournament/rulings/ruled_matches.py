"""Says which matches of a contest count, and how: after rulings, and where nobody played.

In the standings, the rulings in force now decide about all matches:
  annulled, or of a bot disqualified from the start    the match does not count
  of a bot disqualified from a moment, begun later     that bot is last, the order of the others remains; not rated
Without any ruling, a match in which every seat failed before its first decision is lost by all, and not rated.
In the draw, a result is what it was when the next stage was drawn, so nothing is replayed:
  annulled                                             all tie
  of a bot disqualified from the start                 the block is a walkover against it
A match that nobody played is drawn from as it ended.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from server.play.summary import MatchSummary
from server.schedule.plan import Entrant
from server.tournament import store_queries
from server.tournament.agreement import Agreement
from server.tournament.rulings.ruling_file import NO_RULINGS, Ruling, RulingKind, Rulings
from server.tournament.store import Store

UNPLAYED = "nobody played it: every bot failed before its first decision, so it is lost by all and not rated"


class RuledMatches:
    """The rulings on one contest, and the matches that nobody played."""

    def __init__(
        self,
        rulings: Rulings = NO_RULINGS,
        agreement: Agreement | None = None,
        contest: str = "",
        next_stage: int = 0,
        unplayed: Collection[str] = (),
    ) -> None:
        """Apply rulings. Those without a noted effect take effect at `next_stage`."""
        self.rulings = rulings
        self._standing = {ruling.number for ruling in rulings.standing}
        self._entries = {ruling.number: entries_of(ruling, agreement) for ruling in rulings.lines} if agreement else {}
        self._spans = {ruling.number: rulings.span(ruling, contest, next_stage) for ruling in rulings.lines}
        self._hits: dict[str, list[Ruling]] = {}
        self._unplayed = {*unplayed}
        self.disqualified: dict[str, Ruling] = {}
        """Entries that may not play any more, and the ruling that says so; the hardest, if there are two."""
        for ruling in sorted(rulings.standing, key=lambda standing: not standing.from_start):
            for entry in self._entries[ruling.number]:
                self.disqualified.setdefault(entry, ruling)

    def judge(self, match_id: str, seated: Collection[str], started_millis: int) -> None:
        """Find out which rulings, withdrawn or not, concern a match."""
        for ruling in self.rulings.lines:
            annulled = ruling.kind is RulingKind.ANNUL and ruling.match == match_id
            late = ruling.kind is RulingKind.DISQUALIFY and started_millis >= ruling.from_millis
            if annulled or (late and not self._entries[ruling.number].isdisjoint(seated)):
                self._hits.setdefault(match_id, []).append(ruling)

    def judge_match(self, match: MatchSummary) -> None:
        """Do the same for a match that was just played."""
        if match.is_unplayed:
            self._unplayed.add(match.match_id)
        if self.rulings:
            self._hits.pop(match.match_id, None)
            self.judge(match.match_id, match.seated, match.started_millis)

    def touches(self, match_ids: Iterable[str]) -> bool:
        """Return whether one of these matches does not simply count as it ended."""
        if not self._hits and not self._unplayed:
            return False
        return any(match_id in self._hits or match_id in self._unplayed for match_id in match_ids)

    # In the standings

    def _in_force(self, match_id: str) -> list[Ruling]:
        return [ruling for ruling in self._hits.get(match_id, ()) if ruling.number in self._standing]

    def is_out(self, match_id: str) -> bool:
        """Return whether a match is not in the standings at all."""
        return any(ruling.kind is RulingKind.ANNUL or ruling.from_start for ruling in self._in_force(match_id))

    def is_rated(self, match_id: str) -> bool:
        """Return whether a match counts in the ratings: what a ruling decided says nothing about strength."""
        return match_id not in self._unplayed and not self._in_force(match_id)

    def is_unplayed(self, match_id: str) -> bool:
        """Return whether every seat of a match failed before its first decision."""
        return match_id in self._unplayed

    def why_out(self, match_id: str) -> str:
        """Return why a match does not count as it ended, as text for lists of matches. Empty: it does."""
        reasons = [f"{ruling.statement()}: {ruling.reason}" for ruling in self._in_force(match_id)]
        return "; ".join([*reasons, UNPLAYED] if match_id in self._unplayed else reasons)

    def ranks(self, match_id: str, seated: Sequence[str], ranks: Sequence[int]) -> tuple[int, ...]:
        """Return the ranks as they count in the standings."""
        return self._ranks(self._in_force(match_id), seated, ranks)

    def _ranks(self, rulings: Sequence[Ruling], seated: Sequence[str], ranks: Sequence[int]) -> tuple[int, ...]:
        losers = {bot for ruling in rulings for bot in self._entries[ruling.number] if not ruling.from_start}
        last = len(ranks) + 1
        given = [last if bot in losers else rank for bot, rank in zip(seated, ranks, strict=True)]
        return tuple(1 + sum(other < own for other in given) for own in given)

    # In the draw

    def _drawn_under(self, match_id: str, stage: int) -> list[Ruling]:
        """Return the rulings on a match of a stage that were in force when the next one was drawn."""
        return [ruling for ruling in self._hits.get(match_id, ()) if covers(self._spans[ruling.number], stage + 1)]

    def is_walkover(self, match_id: str, stage: int) -> bool:
        """Return whether its block counts in the draw as not played."""
        return any(ruling.from_start for ruling in self._drawn_under(match_id, stage))

    def drawn_ranks(self, match_id: str, stage: int, seated: Sequence[str], ranks: Sequence[int]) -> tuple[int, ...]:
        """Return the ranks from which the next stage is drawn."""
        rulings = self._drawn_under(match_id, stage)
        if any(ruling.kind is RulingKind.ANNUL for ruling in rulings):
            return (1,) * len(ranks)
        return self._ranks(rulings, seated, ranks)

    def away(self, entry: str) -> tuple[tuple[int, int | None], ...]:
        """Return the stages in which an entry is not drawn."""
        return tuple(
            self._spans[ruling.number]
            for ruling in self.rulings.lines
            if ruling.kind is RulingKind.DISQUALIFY and entry in self._entries[ruling.number]
        )

    def was_away(self, entrant: Entrant, stage: int, lag: int) -> bool:
        """Return whether a bot was kept out while blocks of this stage were open: they are not played later either."""
        return any(covers(span, at) for span in entrant.away for at in range(stage + 1, stage + lag + 1))


def covers(span: tuple[int, int | None], stage: int) -> bool:
    """Return whether a stage is within a span of stages."""
    first, end = span
    return first <= stage and (end is None or stage < end)


def entries_of(ruling: Ruling, agreement: Agreement) -> set[str]:
    """Return the entries of a bot that is disqualified: all its versions, or the one version that was named."""
    if not ruling.bot:
        return set()
    versions = {entry.name for entry in agreement.roster if entry.bot == ruling.bot}
    return versions or {entry.name for entry in agreement.roster if entry.name == ruling.bot}


def read_ruled(rulings: Rulings, agreement: Agreement, contest: str, store: Store) -> RuledMatches:
    """Return the rulings on a contest, applied to its stored matches, and those that nobody played."""
    unplayed = store_queries.unplayed(store, contest)
    if not rulings:
        return RuledMatches(unplayed=unplayed)
    ruled = RuledMatches(rulings, agreement, contest, store_queries.last_stage(store, contest) + 1, unplayed)
    bots = {entry for ruling in rulings.lines for entry in entries_of(ruling, agreement)}
    annulled = [ruling.match for ruling in rulings.lines if ruling.kind is RulingKind.ANNUL]
    for match_id, seated, started in store_queries.ruled_on(store, contest, bots, annulled):
        ruled.judge(match_id, seated, started)
    return ruled
