"""Applies rulings to the matches of a contest, in tables and in the draw.

In the tables, the rulings in force now decide about all matches:
  annulled, or of a bot disqualified from the start    the match does not count
  of a bot disqualified from a moment, begun later     that bot is last, and the others stay as they were; not rated
In the draw, a result is what it was when the next stage was drawn, so nothing is replayed:
  annulled                                             all tie
  of a bot disqualified from the start                 the block is a walkover against it
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from server.play.summary import MatchSummary
from server.schedule.plan import Entrant
from server.tournament.agreement import Agreement
from server.tournament.rulings.ruling_file import NO_RULINGS, Ruling, RulingKind, Rulings
from server.tournament.store import Store


class RuledMatches:
    """The rulings on one contest."""

    def __init__(
        self,
        rulings: Rulings = NO_RULINGS,
        agreement: Agreement | None = None,
        contest: str = "",
        next_stage: int = 0,
    ) -> None:
        """`next_stage`: where rulings take effect that have no effect noted."""
        self.rulings = rulings
        self._standing = {one.number for one in rulings.standing}
        self._entries = {one.number: entries_of(one, agreement) for one in rulings.lines} if agreement else {}
        self._spans = {one.number: rulings.span(one, contest, next_stage) for one in rulings.lines}
        self._hits: dict[str, list[Ruling]] = {}
        self.disqualified: dict[str, Ruling] = {}
        """Entries that may not play any more, and by which ruling; the hardest, if there are two."""
        for one in sorted(rulings.standing, key=lambda ruling: not ruling.from_start):
            for entry in self._entries[one.number]:
                self.disqualified.setdefault(entry, one)

    def __bool__(self) -> bool:
        return bool(self.rulings)

    def judge(self, match_id: str, seated: Collection[str], started_millis: int) -> None:
        """Find out which rulings, withdrawn or not, are about a match."""
        for one in self.rulings.lines:
            annulled = one.kind is RulingKind.ANNUL and one.match == match_id
            late = one.kind is RulingKind.DISQUALIFY and started_millis >= one.from_millis
            if annulled or (late and not self._entries[one.number].isdisjoint(seated)):
                self._hits.setdefault(match_id, []).append(one)

    def judge_match(self, match: MatchSummary) -> None:
        """As `judge`, for a match that was just played."""
        if self.rulings:
            self._hits.pop(match.match_id, None)
            self.judge(match.match_id, match.seated, match.started_millis)

    def touches(self, match_ids: Iterable[str]) -> bool:
        """Whether any ruling is about one of these matches."""
        return bool(self._hits) and not self._hits.keys().isdisjoint(match_ids)

    # In the tables

    def _in_force(self, match_id: str) -> list[Ruling]:
        return [one for one in self._hits.get(match_id, ()) if one.number in self._standing]

    def is_out(self, match_id: str) -> bool:
        """Whether a match is not in the tables at all."""
        return any(one.kind is RulingKind.ANNUL or one.from_start for one in self._in_force(match_id))

    def is_rated(self, match_id: str) -> bool:
        """Whether a match counts in the ratings: what a ruling decided tells nothing of strength."""
        return not self._in_force(match_id)

    def why_out(self, match_id: str) -> str:
        """What was ruled about a match, for lists of matches. Empty: nothing that is in force."""
        return "; ".join(f"{one.words()}: {one.reason}" for one in self._in_force(match_id))

    def ranks(self, match_id: str, seated: Sequence[str], ranks: Sequence[int]) -> tuple[int, ...]:
        """The ranks as they stand in the tables."""
        return self._ranks(self._in_force(match_id), seated, ranks)

    def _ranks(self, rulings: Sequence[Ruling], seated: Sequence[str], ranks: Sequence[int]) -> tuple[int, ...]:
        losers = {bot for one in rulings for bot in self._entries[one.number] if not one.from_start}
        last = len(ranks) + 1
        given = [last if bot in losers else rank for bot, rank in zip(seated, ranks, strict=True)]
        return tuple(1 + sum(other < own for other in given) for own in given)

    # In the draw

    def _drawn_under(self, match_id: str, stage: int) -> list[Ruling]:
        """The rulings on a match of a stage that were in force when the next one was drawn."""
        return [one for one in self._hits.get(match_id, ()) if covers(self._spans[one.number], stage + 1)]

    def is_walkover(self, match_id: str, stage: int) -> bool:
        """Whether its block counts in the draw as not played."""
        return any(one.from_start for one in self._drawn_under(match_id, stage))

    def drawn_ranks(self, match_id: str, stage: int, seated: Sequence[str], ranks: Sequence[int]) -> tuple[int, ...]:
        """The ranks from which the next stage is drawn."""
        rulings = self._drawn_under(match_id, stage)
        if any(one.kind is RulingKind.ANNUL for one in rulings):
            return (1,) * len(ranks)
        return self._ranks(rulings, seated, ranks)

    def away(self, entry: str) -> tuple[tuple[int, int | None], ...]:
        """The stages in which an entry is not drawn."""
        return tuple(
            self._spans[one.number]
            for one in self.rulings.lines
            if one.kind is RulingKind.DISQUALIFY and entry in self._entries[one.number]
        )

    def was_away(self, entrant: Entrant, stage: int, lag: int) -> bool:
        """Whether a bot was kept out while blocks of this stage were open: they are not played later either."""
        return any(covers(span, at) for span in entrant.away for at in range(stage + 1, stage + lag + 1))


def covers(span: tuple[int, int | None], stage: int) -> bool:
    """Whether a stage is within a span of stages."""
    first, end = span
    return first <= stage and (end is None or stage < end)


def entries_of(ruling: Ruling, agreement: Agreement) -> set[str]:
    """The entries of a bot that is disqualified: all its versions, or the one version that was named."""
    if not ruling.bot:
        return set()
    versions = {one.name for one in agreement.roster if one.bot == ruling.bot}
    return versions or {one.name for one in agreement.roster if one.name == ruling.bot}


def read_ruled(rulings: Rulings, agreement: Agreement, contest: str, store: Store) -> RuledMatches:
    """The rulings on a contest, applied to its stored matches."""
    if not rulings:
        return RuledMatches()
    found = RuledMatches(rulings, agreement, contest, store.last_stage(contest) + 1)
    bots = {entry for one in rulings.lines for entry in entries_of(one, agreement)}
    annulled = [one.match for one in rulings.lines if one.kind is RulingKind.ANNUL]
    for match_id, seated, started in store.ruled_on(contest, bots, annulled):
        found.judge(match_id, seated, started)
    return found
