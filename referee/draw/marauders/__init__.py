"""Marauders as a picture: the chart of the Caribbean, an inset for what is going on, and a sheet for each captain."""

from __future__ import annotations

from typing import Any

from referee.draw.marauders.chart import draw_chart
from referee.draw.marauders.inset import draw_inset
from referee.draw.marauders.sheets import draw_sheets, sheets_bottom
from referee.draw.marauders.words import bot_names, event_words, of_nation, side_name, whereabouts
from referee.draw.scene import BOARD_WIDTH, Drawing, Scene, ViewedTable
from referee.games.marauders.data.board import CHEST_GOLD_PER_POINT
from referee.text import listed


def draw(table: ViewedTable) -> Scene:
    """Draw the whole board."""
    seen, names = table.position.observation, bot_names(table)
    glory = points(table.position)
    active = seen.seats[seen.turn.seat].zone if seen.HasField("turn") else None
    shapes = [
        *draw_chart(seen, names, active),
        *draw_inset(table.position, table.hands, names, glory),
        *draw_sheets(table, names, glory),
    ]
    return Scene(
        width=BOARD_WIDTH,
        height=sheets_bottom(len(seen.seats)),
        label=label(table.position, names),
        shapes=tuple(shapes),
    )


def points(position: Any) -> tuple[float, ...]:
    """Return the glory by seat as everybody knows it: the track, and the chest once it is declared."""
    seen = position.observation
    most = seen.target_glory // 2
    return tuple(
        float(info.track + (min(most, info.chest // CHEST_GOLD_PER_POINT) if info.HasField("chest") else 0))
        for info in seen.seats
    )


def heading(position: Any) -> str:
    """Say the round, its event, and a raid or a fight."""
    seen = position.observation
    if not seen.round:
        return "Setup"
    if any(event.WhichOneof("event") == "game_ended" for event in position.events):
        return f"Round {seen.round}, the end"
    where = f"Round {seen.round}, {event_words(seen.event)[0]}" if seen.event else f"Round {seen.round}"
    return where + (", combat" if seen.HasField("combat") else ", raid" if seen.HasField("raid") else "")


def label(position: Any, names: list[str]) -> str:
    """Describe the position in one sentence."""
    seen = position.observation
    parts = [heading(position)]
    if seen.HasField("combat"):
        sides = (seen.combat.attacker.side, seen.combat.defender.side)
        parts[0] += f": {side_name(sides[0], names)} against {side_name(sides[1], names)}"
    elif seen.HasField("raid"):
        parts[0] += f": {names[seen.turn.seat]} on {of_nation(seen.raid.nation, 'merchant')}"
    elif seen.HasField("turn"):
        parts[0] += f", {names[seen.turn.seat]}'s turn"
    places = [f"{name} {whereabouts(info)}" for name, info in zip(names, seen.seats, strict=True) if info.zone]
    if places:
        parts.append(listed(places))
    glory = [f"{name} {point:g}" for name, point in zip(names, points(position), strict=True)]
    return "; ".join([*parts, f"glory: {', '.join(glory)} of {seen.target_glory}"]) + "."


DRAWING = Drawing(
    draw=draw,
    heading=heading,
    turn_events=frozenset({"round_began"}),
    hit_events=frozenset({"volley_fired", "boarded", "raid_ended", "captain_died"}),
    score_title="Glory",
    scores=points,
)
