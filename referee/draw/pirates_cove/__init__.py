"""Pirate's Cove as a picture: the month, the sea with islands and ships, the fight, a panel for each captain."""

from __future__ import annotations

from typing import Any

from referee.draw.pirates_cove.fight import draw_fight
from referee.draw.pirates_cove.panels import PANEL_STEP, draw_panels
from referee.draw.pirates_cove.sea import SEA_BOTTOM, draw_header, draw_sea
from referee.draw.pirates_cove.words import bot_names, fighter_name, leaders, present
from referee.draw.scene import BOARD_WIDTH, Drawing, Scene, ViewedTable, fit
from referee.games.pirates_cove.data import MONTHS, PLACE_NAMES
from referee.text import listed
from tortuga.v1.pirates_cove_pb2 import PiratesCove

PHASES = {
    PiratesCove.PHASE_TREASURE: "treasure turned up",
    PiratesCove.PHASE_NAVIGATION: "navigation",
    PiratesCove.PHASE_COMBAT: "combat",
    PiratesCove.PHASE_PLUNDER: "plunder",
    PiratesCove.PHASE_PORT: "in port",
    PiratesCove.PHASE_END_OF_MONTH: "end of the month",
}


def draw(table: ViewedTable) -> Scene:
    """Draw the whole board."""
    seen, names = table.position.observation, bot_names(table)
    fame = totals(table.position)
    shapes = [
        *draw_header(seen),
        *draw_sea(seen, names),
        *draw_fight(table.position, names, heading(table.position), leaders(fame, [fit(name, 200) for name in names])),
        *draw_panels(table, names, fame),
    ]
    return Scene(
        width=BOARD_WIDTH,
        height=SEA_BOTTOM + 8 + PANEL_STEP * len(seen.ships),
        label=label(table.position, names),
        shapes=tuple(shapes),
    )


def heading(position: Any) -> str:
    """Return the month and what happens in it."""
    seen = position.observation
    if seen.phase == PiratesCove.PHASE_SETUP:
        return "Fitting out"
    if seen.phase == PiratesCove.PHASE_FINAL:
        return "Final duel" if seen.HasField("combat") else "The end"
    month = f"Month {seen.month}"
    if seen.HasField("combat"):
        return f"{month}, fight at {PLACE_NAMES[seen.combat.place]}"
    if seen.HasField("visit"):
        return f"{month}, {'at the Cove' if seen.visit.place == 7 else 'at ' + PLACE_NAMES[seen.visit.place]}"
    return f"{month}, {PHASES[seen.phase]}"


def totals(position: Any) -> tuple[float, ...]:
    """Fame by seat; with what Fame cards add, once it is counted."""
    seen = position.observation
    return tuple(float(score) for score in seen.scores or (ship.fame for ship in seen.ships))


def label(position: Any, names: list[str]) -> str:
    """Describe the position in one sentence."""
    seen = position.observation
    when = heading(position)
    if seen.HasField("combat"):
        here = [fighter_name(fighter, names) for fighter in present(seen.combat)]
        when = f"{when} between {listed(here)}" if len(here) > 1 else f"{when} of {listed(here)}"
    elif seen.month and seen.phase != PiratesCove.PHASE_FINAL:
        places: dict[int, list[str]] = {}
        for name, ship in zip(names, seen.ships, strict=True):
            places.setdefault(ship.place, []).append(name)
        where = [f"{listed(visitors)} at {PLACE_NAMES[place]}" for place, visitors in sorted(places.items()) if place]
        when = f"{when} of {MONTHS} months" if not where else f"{when}: {', '.join(where)}"
    return f"{when}; {leaders(totals(position), names)}."


DRAWING = Drawing(
    draw=draw,
    heading=heading,
    turn_events=frozenset({"month_began"}),
    hit_events=frozenset({"ship_hit", "legend_hit", "legend_sunk", "prize_taken"}),
    score_title="Fame",
    scores=totals,
)
