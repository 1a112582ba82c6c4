"""A knockout as people draw it: rounds of ties, with the points of their bots and their matches.

The schedule decides who advances (server/schedule/knockout.py); points and matches are those played so far.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from server.play.summary import MatchSummary
from server.schedule.knockout import Bracket, Tie
from server.tournament.bracket_view import RoundView, TieSide, TieView
from server.tournament.rulings.ruled_matches import RuledMatches

_LEG = re.compile(r", leg \d+$")
_NUMBER = re.compile(r"(?:, (?:match|table))? \d+$")


def view_bracket(bracket: Bracket, matches: Iterable[MatchSummary], ruled: RuledMatches) -> tuple[RoundView, ...]:
    """Return the rounds in the order in which they are played. The match for third place stands beside the final."""
    points: dict[str, dict[str, int]] = {}
    match_ids: dict[str, list[str]] = {}
    for match in matches:
        name = _LEG.sub("", match.label)
        match_ids.setdefault(name, []).append(match.match_id)
        tie_points = points.setdefault(name, {})
        if not ruled.is_out(match.match_id):
            for seat in match.seats:
                tie_points[seat.bot] = tie_points.get(seat.bot, 0) + seat.half_points
    return tuple(
        RoundView(
            name=_NUMBER.sub("", ties[0].name),
            ties=tuple(_view_tie(tie, points.get(tie.name, {}), match_ids.get(tie.name, [])) for tie in ties),
        )
        for ties in bracket.rounds
    )


def _view_tie(tie: Tie, points: dict[str, int], matches: list[str]) -> TieView:
    points = tie.points if tie.decided else points  # the points that decided it, whatever was ruled later
    order = tie.order() if tie.decided else sorted(tie.bots, key=lambda bot: -points.get(bot, 0))
    through = order[: tie.advancing] if tie.decided else []
    return TieView(
        name=tie.name,
        sides=tuple(
            TieSide(bot=bot, points=points.get(bot, 0) / 2, through=bot in through and bot not in tie.gone)
            for bot in order
        ),
        matches=tuple(matches),
        note=_note(tie),
    )


def _note(tie: Tie) -> str:
    if tie.gone:
        return f"{', '.join(sorted(tie.gone))} was taken out and loses the tie"
    return "level: the better seed advances" if tie.decided and tie.is_level() else ""
