"""Placings, brackets and rulings back from messages, so that clients and pages show the same tables as folders."""

from __future__ import annotations

from collections.abc import Sequence

from server.schedule.placings import Placing, Placings
from server.schedule.tie_breaks import TieBreak
from server.tournament.bracket_view import RoundView, TieSide, TieView
from server.tournament.rulings.ruling_file import day
from tortuga.v1 import arena_pb2 as pb


def read_placings_of(table: pb.EventTable) -> Placings:
    """The placings in a table's message. From an older server, which does not say what they go by: none."""
    goes_by = table.placing_goes_by
    return Placings(
        goes_by=goes_by,
        tie_breaks=tuple(
            TieBreak(key=one.key, name=one.name, short=one.short_name, explained=one.explained, measure=_not_here)
            for one in table.tie_breaks
        ),
        lines=tuple(_line(one, table) for one in table.placing),
        champion=table.champion,
        notes=tuple(table.placing_notes),
    )


def _line(one: pb.EventPlace, table: pb.EventTable) -> Placing:
    values = {value.key: value.value for value in one.tie_breaks}
    has_points = table.placing_goes_by in ("", "points")
    return Placing(
        bot=one.entry,
        place=one.rank or None,
        points=one.points if has_points else None,
        possible=one.possible_points if has_points else None,
        wins=one.wins,
        draws=one.draws,
        losses=one.losses,
        byes=one.byes,
        tie_breaks={tie_break.key: values.get(tie_break.key) for tie_break in table.tie_breaks},
        decided_by=one.ahead_by,
        round_reached=one.round_reached,
        rating=one.rating if one.HasField("rating") else None,
        note=one.note,
    )


def _not_here(*_: object) -> None:
    """The values came with the message."""


def read_bracket(table: pb.EventTable) -> tuple[RoundView, ...]:
    """The bracket in a table's message."""
    return tuple(
        RoundView(
            name=one.name,
            ties=tuple(
                TieView(
                    name=tie.name,
                    sides=tuple(TieSide(bot=side.bot, points=side.points, through=side.through) for side in tie.sides),
                    matches=tuple(tie.matches),
                    note=tie.note,
                )
                for tie in one.ties
            ),
        )
        for one in table.bracket
    )


def ruling_line(one: pb.Ruling) -> str:
    """A ruling with who, when and why, in one line."""
    withdrawn = f" [withdrawn by ruling {one.withdrawn_by}]" if one.withdrawn_by else ""
    return f"ruling {one.number}: {one.words} ({one.by}, {day(one.at_millis)}): {one.reason}{withdrawn}"


def ruling_lines_of(rulings: Sequence[pb.Ruling]) -> list[str]:
    """Rulings, a line each."""
    return [ruling_line(one) for one in rulings]
