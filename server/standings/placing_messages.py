"""Placings, brackets and rulings as messages. placing_views.py reads them."""

from __future__ import annotations

from server.schedule.placings import Placing
from server.tournament.bracket_view import RoundView
from server.tournament.rulings.ruling_file import RulingKind, Rulings
from server.tournament.standings import Standings
from tortuga.v1 import arena_pb2 as pb

KINDS = {
    RulingKind.DISQUALIFY: pb.RULING_KIND_DISQUALIFY,
    RulingKind.ANNUL: pb.RULING_KIND_ANNUL,
    RulingKind.WITHDRAW: pb.RULING_KIND_WITHDRAW,
}


def put_placings(table: pb.EventTable, ladder: Standings) -> pb.EventTable:
    """The table with its placings, its champion and its bracket."""
    placings = ladder.placings
    table.champion, table.placing_goes_by = placings.champion, placings.goes_by
    table.placing_notes.extend(placings.notes)
    table.placing.extend(map(_place, placings.lines))
    table.tie_breaks.extend(
        pb.TieBreak(key=one.key, name=one.name, short_name=one.short, explained=one.explained)
        for one in placings.tie_breaks
    )
    table.bracket.extend(map(_round, ladder.bracket))
    return table


def _place(line: Placing) -> pb.EventPlace:
    return pb.EventPlace(
        rank=line.place or 0,
        entry=line.bot,
        points=line.points or 0,
        possible_points=line.possible or 0,
        wins=line.wins,
        draws=line.draws,
        losses=line.losses,
        byes=line.byes,
        tie_breaks=[
            pb.TieBreakValue(key=key, value=value) for key, value in line.tie_breaks.items() if value is not None
        ],
        ahead_by=line.decided_by,
        round_reached=line.round_reached,
        rating=line.rating,
        note=line.note,
    )


def _round(one: RoundView) -> pb.BracketRound:
    return pb.BracketRound(
        name=one.name,
        ties=[
            pb.BracketTie(
                name=tie.name,
                sides=[pb.BracketSide(bot=side.bot, points=side.points, through=side.through) for side in tie.sides],
                matches=tie.matches,
                note=tie.note,
            )
            for tie in one.ties
        ],
    )


def ruling_infos(rulings: Rulings, event: str = "") -> list[pb.Ruling]:
    """All rulings of a folder."""
    gone = rulings.withdrawn
    return [
        pb.Ruling(
            number=one.number,
            kind=KINDS[one.kind],
            at_millis=one.at_millis,
            by=one.by,
            reason=one.reason,
            bot=one.bot,
            match_id=one.match,
            from_millis=one.from_millis,
            withdraws=one.withdraws,
            withdrawn_by=gone[one.number].number if one.number in gone else 0,
            words=one.statement(),
            event=event,
        )
        for one in rulings.lines
    ]
