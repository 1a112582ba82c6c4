"""Reads the placings of a contest from its stored results. server/schedule/placings.py computes them."""

from __future__ import annotations

from collections import defaultdict
from math import fsum
from typing import Any

import numpy as np

from server.ratings.fitted_ratings import FittedRatings
from server.ratings.leader import say_first
from server.schedule.placings import (
    Occasion,
    Placing,
    Placings,
    place_by_points,
    place_by_rating,
    place_by_round,
)
from server.schedule.points import ContestTally
from server.schedule.swiss import count_absences
from server.schedule.tie_breaks import MARGIN, OF_FORMAT
from server.tournament import store_queries
from server.tournament.agreement import Agreement
from server.tournament.contest import ContestState
from server.tournament.manifest import Contest
from server.tournament.rating_input import RatingInput
from server.tournament.store import Store


def read_placings(
    agreement: Agreement, results: RatingInput, state: ContestState | None, fitted: FittedRatings, store: Store
) -> Placings:
    """Return the order of one contest. Without a schedule, as on an arena's ladder, the ratings decide."""
    manifest = agreement.manifest
    tally = count_matches(results)
    out = {bot: disqualified_words(results, bot) for bot in results.names if bot in results.ruled.disqualified}
    if state is None or manifest.format == "ladder":
        ratings = [(row.name, row.rating) for row in fitted.rows]
        unrated = {row.name for row in fitted.rows if not row.matches}
        return place_by_rating(tally, ratings, say_first(fitted) if fitted.matches else "", out, unrated=unrated)
    for walkover in state.walkovers:
        from_start = any(
            ruling.from_start for bot, ruling in results.ruled.disqualified.items() if bot in walkover.gone
        )
        if from_start:
            tally.left_out.update(dict.fromkeys(walkover.block.bots, walkover.matches))
        else:
            tally.add_walkover(walkover.block.bots, walkover.gone, walkover.matches)
    tally.left_out.update(results.left_out())
    occasion = Occasion(name=contest_words(agreement, results.contest), over=state.is_over())
    notes = ruling_notes(results, state)
    bracket = state.bracket()
    if bracket is not None:
        return place_by_round(tally, bracket, occasion, out, notes)
    if manifest.format == "swiss":
        tally.byes, tally.missed = count_absences(state.plan, state.played_stages())
    if MARGIN in OF_FORMAT[manifest.format]:
        tally.margin = read_margins(results, store)
    return place_by_points(state.plan, tally, occasion, out, notes)


def count_matches(results: RatingInput) -> ContestTally:
    """Return the sums over all matches that are in the standings."""
    names, seats = results.names, results.contest.seats
    bots, ranks = results.in_standings()
    count = len(names)
    games, points = np.zeros(count * count, dtype=np.int64), np.zeros(count * count, dtype=np.int64)
    outcomes = np.zeros((3, count), dtype=np.int64)
    leads = ranks == ranks.min(axis=1, keepdims=True) if len(ranks) else ranks == 0
    alone = leads.sum(axis=1) == 1
    for seat in range(seats):
        won, drawn = leads[:, seat] & alone, leads[:, seat] & ~alone
        for row, which in enumerate((won, drawn, ~leads[:, seat])):
            outcomes[row] += np.bincount(bots[which, seat], minlength=count)
        for other in range(seats):
            if seat != other:
                pairs = bots[:, seat] * count + bots[:, other]
                gained = 1 + np.sign(ranks[:, other] - ranks[:, seat])
                games += np.bincount(pairs, minlength=count * count)
                points += np.bincount(pairs, gained, minlength=count * count).astype(np.int64)
    tally = ContestTally(seats=seats)
    for pair in np.flatnonzero(games).tolist():
        first, second = divmod(pair, count)
        tally.add_pair(names[first], names[second], int(games[pair]), int(points[pair]))
    for counter, counts in zip((tally.wins, tally.draws, tally.losses), outcomes.tolist(), strict=True):
        counter.update({name: number for name, number in zip(names, counts, strict=True) if number})
    for table in results.unplayed_tables():
        tally.add_unplayed(table)
    return tally


def read_margins(results: RatingInput, store: Store) -> dict[str, float]:
    """Return by bot its margin over all matches that count as they were played."""
    margins: defaultdict[str, list[float]] = defaultdict(list)
    for match_id, bot, margin in store_queries.margins(store, results.contest.id):
        if results.ruled.is_rated(match_id):
            margins[bot].append(margin)
    return {bot: fsum(values) for bot, values in margins.items()}


def contest_words(agreement: Agreement, contest: Contest) -> str:
    """Return what can be won: the event, or one of its games by its title, with the seats where they tell two apart."""
    manifest = agreement.manifest
    if len(manifest.contests) == 1:
        return manifest.name
    seats = [other.seats for other in manifest.contests if other.game == contest.game]
    with_seats = f" with {contest.seats} seats" if len(seats) > 1 else ""
    return f"{contest.rules.info.title}{with_seats} ({manifest.name})"


def disqualified_words(results: RatingInput, bot: str) -> str:
    """Return what the standings say of a bot that was disqualified."""
    ruling = results.ruled.disqualified[bot]
    since = "from the start" if ruling.from_start else "its later matches are lost"
    return f"disqualified ({since}): {ruling.reason}"


def ruling_notes(results: RatingInput, state: ContestState) -> list[str]:
    """Return what rulings mean for these placings, in sentences."""
    ruled, notes = results.ruled, []
    bracket = state.bracket()
    for bot, ruling in ruled.disqualified.items():
        if bracket is None or bot not in {entrant.name for entrant in state.plan.entrants}:
            continue
        won = [
            f"{tie.name} (over {', '.join(other for other in tie.order() if other != bot)})"
            for ties in bracket.rounds
            for tie in ties
            if tie.decided and bot in tie.order()[: tie.advancing] and bot not in tie.gone
        ]
        if won:
            notes.append(
                f"Ruling {ruling.number} came when {bot} had won {', '.join(won)}: what was decided is not replayed, "
                "and the others stay where they went out."
            )
    annulled = [line for line in ruled.rulings.standing if line.match and not line.bot and ruled.is_out(line.match)]
    if bracket is not None and annulled:
        notes.append("A tie that was decided before one of its matches was annulled is not replayed.")
    return notes


def placing_json(line: Placing) -> dict[str, Any]:
    """Return one place, for programs."""
    return {
        "rank": line.place,
        "bot": line.bot,
        "points": line.points,
        "possible_points": line.possible,
        "wins": line.wins,
        "draws": line.draws,
        "losses": line.losses,
        "byes": line.byes,
        "tie_breaks": dict(line.tie_breaks),
        "ahead_by": line.decided_by,
        "round_reached": line.round_reached,
        "rating": line.rating,
        "note": line.note,
    }
