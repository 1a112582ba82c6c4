"""A knockout as people draw it, as messages of arena.proto: rounds of ties, with the points of their bots and matches.

The schedule decides who advances (server/schedule/knockout.py); points and matches are those played so far.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from server.play.summary import MatchSummary
from server.schedule.knockout import Bracket, Tie
from server.tournament.rulings.ruled_matches import RuledMatches

if TYPE_CHECKING:
    from tortuga.v1 import arena_pb2 as pb

_LEG = re.compile(r", leg \d+$")
_NUMBER = re.compile(r"(?:, (?:match|table))? \d+$")


def view_bracket(bracket: Bracket, matches: Iterable[MatchSummary], ruled: RuledMatches) -> tuple[pb.BracketRound, ...]:
    """Return the rounds in the order in which they are played. The match for third place stands beside the final."""
    from tortuga.v1 import arena_pb2 as pb  # here: most events have no bracket, and --json needs no messages

    points: dict[str, dict[str, int]] = {}
    match_ids: dict[str, list[str]] = {}
    for match in matches:
        name = _LEG.sub("", match.label)
        match_ids.setdefault(name, []).append(match.match_id)
        half_points = points.setdefault(name, {})
        if not ruled.is_out(match.match_id):
            for seat in match.seats:
                half_points[seat.bot] = half_points.get(seat.bot, 0) + seat.half_points
    return tuple(
        pb.BracketRound(
            name=_NUMBER.sub("", ties[0].name),
            ties=[_view_tie(tie, points.get(tie.name, {}), match_ids.get(tie.name, [])) for tie in ties],
        )
        for ties in bracket.rounds
    )


def _view_tie(tie: Tie, half_points: dict[str, int], matches: list[str]) -> pb.BracketTie:
    from tortuga.v1 import arena_pb2 as pb

    half_points = tie.points if tie.decided else half_points  # the points that decided it, whatever was ruled later
    order = tie.order() if tie.decided else sorted(tie.bots, key=lambda bot: -half_points.get(bot, 0))
    through = order[: tie.advancing] if tie.decided else []
    return pb.BracketTie(
        name=tie.name,
        sides=[
            pb.BracketSide(bot=bot, points=half_points.get(bot, 0) / 2, through=bot in through and bot not in tie.gone)
            for bot in order
        ],
        matches=matches,
        note=_note(tie),
    )


def _note(tie: Tie) -> str:
    if tie.gone:
        return f"{', '.join(sorted(tie.gone))} was taken out and loses the tie"
    return "level: the better seed advances" if tie.decided and tie.is_level() else ""


def round_json(round_: pb.BracketRound) -> dict[str, Any]:
    """Return a round, for programs."""
    return {
        "name": round_.name,
        "ties": [
            {
                "name": tie.name,
                "sides": [{"bot": side.bot, "points": side.points, "through": side.through} for side in tie.sides],
                "matches": [*tie.matches],
                "note": tie.note,
            }
            for tie in round_.ties
        ],
    }
