"""Computes the scores of an event minus the luck of each bot, from its records.

A record holds all choices and the secret of its match, so anybody who has it can replay it and see every die. Only
records whose SHA-256 is that of the database are read: those were verified when they were stored.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from referee.errors import RecordError
from referee.records.record import read_packed, unpack
from referee.records.replay import replay_course
from referee.rules.course import SeatLuck
from server.play.summary import MatchSummary
from server.ratings.luck import PAYS, LuckScores, adjust_scores
from server.tournament.agreement import Agreement
from server.tournament.folder import Folder
from server.tournament.manifest import Contest
from server.tournament.rating_input import new_rating_input
from server.tournament.rulings.ruled_matches import read_ruled
from server.tournament.rulings.ruling_file import read_rulings
from server.tournament.standings import finite, read_ladder
from server.tournament.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class LuckStandings:
    """One ladder with and without luck."""

    contest: Contest
    scores: LuckScores | None
    """None: nothing is counted as luck in this game, or there is no match."""
    without_record: int
    """Matches that are left out, because their record is gone."""

    @property
    def verdict(self) -> str:
        """Say whether the adjusted scores are worth having."""
        title = self.contest.rules.info.title
        if self.contest.rules.luck is None:
            return f"{title}: luck is not counted here, because it would gain less than {PAYS:g} times as many matches"
        if self.scores is None:
            return f"{title}: no match has a record"
        gain = f"{self.scores.gain:.2f} times as many matches (95 %: {self.scores.low:.2f} to {self.scores.high:.2f})"
        if not self.scores.pays:
            return f"Taking luck off gains as much as {gain}: less than {PAYS:g}, so it is left off."
        return f"Taking luck off makes the scores as exact as {gain} would."

    def as_json(self) -> dict[str, Any]:
        """Return the ladder as JSON. An unknown number is null; so are adjusted scores that are not worth having."""
        scores = self.scores
        rows = [] if scores is None else [asdict(row) for row in scores.rows]
        for row in rows:
            row |= {name: finite(row[name]) for name in ("plus_minus", "adjusted_plus_minus")}
            if scores is not None and not scores.pays:
                row |= {"luck": None, "adjusted": None, "adjusted_plus_minus": None}
        return {
            "game": self.contest.game,
            "seats": self.contest.seats,
            "gain": scores and scores.gain,
            "gain_low": scores and scores.low,
            "gain_high": scores and finite(scores.high),
            "pays": bool(scores and scores.pays),
            "verdict": self.verdict,
            "without_record": self.without_record,
            "table": rows,
        }


def read_luck(
    folder: Folder, game: str | None = None, advance: Callable[[], None] = lambda: None
) -> list[LuckStandings]:
    """Return all ladders of an event, or those of one game. `advance` is called for every match that was replayed."""
    agreement = folder.require_agreement()
    with Store.read_only(folder.database) as store, store.snapshot():
        return [
            _read_contest(folder, agreement, contest, store, advance)
            for contest in agreement.manifest.contests
            if game in (None, contest.game)
        ]


def _read_contest(
    folder: Folder, agreement: Agreement, contest: Contest, store: Store, advance: Callable[[], None]
) -> LuckStandings:
    if contest.rules.luck is None:
        return LuckStandings(contest=contest, scores=None, without_record=0)
    rulings = read_rulings(folder.rulings)
    ruled = read_ruled(rulings, agreement, contest.id, store)
    results = new_rating_input(agreement, contest)
    luck: list[list[float]] = []
    gone = 0
    for match in store.matches(contest.id):
        if not ruled.is_rated(match.match_id):
            continue
        if not results.faults_rated and max(match.faults_by_seat) > results.faults_allowed:
            continue
        if not match.kept:
            gone += 1
            continue
        results.add(match)
        luck.append(seat_luck(folder, match))
        advance()
    if not luck:
        return LuckStandings(contest=contest, scores=None, without_record=gone)
    fitted = read_ladder(agreement, contest, store, rulings).fitted
    scores = adjust_scores(
        results.names,
        results.bots,
        results.ranks,
        results.clusters,
        np.array(luck),
        ratings=fitted.ratings,
        seat_elo=np.array([seat.elo for seat in fitted.seats]),
    )
    return LuckStandings(contest=contest, scores=scores, without_record=gone)


def seat_luck(folder: Folder, match: MatchSummary) -> list[float]:
    """Return by seat what it owes to its luck, from the record of a match."""
    path = folder.record(match.match_id)
    try:
        packed = read_packed(path)
        if hashlib.sha256(packed).digest() != match.record_sha256:
            raise RecordError("it is not the record that was stored")
        courses = replay_course(unpack(packed)[0])
        counted = SeatLuck(next(courses))
        deque(map(counted.follow, courses), maxlen=0)
    except (RecordError, OSError) as error:
        raise RecordError(f"{path}: {error}; `tortuga tournament run` plays a lost match again") from None
    return counted.given
