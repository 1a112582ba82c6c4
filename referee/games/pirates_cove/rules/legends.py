"""Ships that are nobody's: how legends and the Royal Navy fire, sink, and how the Cacafuego is taken.

Spec sections 6.6 and 6.8; rulings R9, R18 to R21, R32, R40.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from referee.games.pirates_cove.actions import Fire
from referee.games.pirates_cove.cards import Mend, Prize, Strays
from referee.games.pirates_cove.data import BLACK_SHIP_STARTS, LEGENDS
from referee.games.pirates_cove.events import LegendMended, LegendSunk, PrizeTaken, VolleyFired, legend_hit
from referee.games.pirates_cove.rules.dice import roll, roll_many
from referee.games.pirates_cove.rules.leaving import retreat
from referee.games.pirates_cove.rules.ships import change_fame, hit, speed, value
from referee.games.pirates_cove.state import BlackShip, State, combat_of, pairs
from referee.games.pirates_cove.terms import ALL_SECTIONS, Captain, FameReason, Place, Section
from referee.rules.agenda import AgendaQuestion
from referee.rules.chance import TABLE
from referee.rules.engine import Decision, Seat
from referee.rules.parts import immutable, replace

LEGENDS_PILE = "legends"
"""The legend deck's name for keyed chance."""

FIRE_AT = tuple(tuple(Fire(Seat(seat), section) for section in ALL_SECTIONS) for seat in range(max(BLACK_SHIP_STARTS)))
"""Per seat, every way to fire at its ship."""


def fighters_at(state: State, place: Place) -> tuple[Captain, ...]:
    """Return the non-player ships that fight at a place: the black ship's captain, then the Navy."""
    captains = [ship.captain for ship in state.black_ships if ship.place == place and ship.captain is not None]
    if state.navy is not None and state.navy.place == place:
        captains.append(Captain.NAVY)
    return tuple(captain for captain in captains if not isinstance(LEGENDS[captain].special, Prize))


# --- Firing -----------------------------------------------------------------------------------------------------


def fire_legend(draft: State, captain: Captain) -> None:
    """Take a pirate's turn: it picks its target by itself."""
    row = LEGENDS[captain]
    assert row.aim is not None
    target = pick_target(draft, row.aim)
    fire_at(draft, captain, target, row.sections)


def pick_target(draft: State, aim: Section) -> Seat:
    """Return the ship with the highest value at this moment; ties at random (R20)."""
    seats = combat_of(draft).seats
    if aim is Section.SAILS:
        worth = {seat: speed(draft, seat) for seat in seats}
    else:
        worth = {seat: value(draft.ships[seat], aim) for seat in seats}
    best = max(worth.values())
    tied = [seat for seat in seats if worth[seat] == best]
    return tied[0] if len(tied) == 1 else tied[draft.chance.draw("aim", TABLE, len(tied))]


@immutable(frozen=True, slots=True)
class NavyTurn(AgendaQuestion[State, Fire]):
    """`NAVY_FIRE`: the Navy's controller aims, wherever its own ship is."""

    TAG: ClassVar[str] = "NavyTurn"
    kind = "NAVY_FIRE"

    def decision(self, state: State) -> Decision[Fire]:
        """Any ship and section. A bot that fails spares its own ship if it can."""
        assert state.navy is not None
        controller = state.navy.controller
        options = tuple(fire for seat in combat_of(state).seats for fire in FIRE_AT[seat])
        spared = (index for index, fire in enumerate(options) if fire.target != controller)
        return Decision(kind=self.kind, options={controller: options}, defaults={controller: next(spared, 0)})

    def answer(self, draft: State, choices: Mapping[Seat, Fire]) -> None:
        """Fire the Navy's volley as its controller said."""
        [action] = choices.values()
        assert not isinstance(action.target, Captain)
        fire_at(draft, Captain.NAVY, action.target, (action.section,))


def fire_at(draft: State, captain: Captain, target: Seat, sections: tuple[Section, ...]) -> None:
    """Fire one volley of a non-player ship."""
    row = LEGENDS[captain]
    dice = roll_many(draft, f"legend {captain}", TABLE, row.dice)
    threshold = combat_of(draft).threshold(target)
    hits = sum([die >= threshold for die in dice])
    draft.events.append(VolleyFired(captain, target, sections, dice, hits))
    for _ in range(hits):
        for section in sections:
            hit(draft, target, section)
    if isinstance(row.special, Strays):
        strike_strays(draft, target, [die for die in dice if die < threshold], row.special.section)
    retreat(draft)


def strike_strays(draft: State, target: Seat, missed: list[int], section: Section) -> None:
    """Missed dice that show the number of another ship, counted clockwise from the target, strike it (R19)."""
    combat = combat_of(draft)
    shrouded = dict(combat.shrouds)
    count = len(draft.ships)
    others = sorted((seat for seat in combat.seats if seat != target), key=lambda seat: (seat - target) % count)
    for die in missed:
        if die <= len(others) and others[die - 1] not in shrouded:
            hit(draft, others[die - 1], section)


# --- Damage -----------------------------------------------------------------------------------------------------


def damage_legend(draft: State, captain: Captain, points: int) -> None:
    """Take hull points off a non-player ship; whether it sinks is seen after the whole volley (R11)."""
    if points:
        left = dict(combat_of(draft).hulls)[captain] - points
        set_hull(draft, captain, left)
        draft.events.append(legend_hit(captain, points, left))


def set_hull(draft: State, captain: Captain, left: int) -> None:
    """Count a ship's hull points anew."""
    combat = combat_of(draft)
    draft.combat = replace(combat, hulls=pairs({**dict(combat.hulls), captain: left}))


def mend_legends(draft: State) -> None:
    """Let the Dutchman regain some of what it lost in this exchange, at its end (R40)."""
    combat = combat_of(draft)
    for captain, left in combat.hulls:
        special = LEGENDS[captain].special
        if isinstance(special, Mend):
            points = min(special.points, dict(combat.hulls_before)[captain] - left)
            if points:
                set_hull(draft, captain, left + points)
                draft.events.append(LegendMended(captain, points, left + points))


def sink_legends(draft: State) -> None:
    """Ships without hull points sink, and the player ships still there share the fame."""
    combat = combat_of(draft)
    sunk = [captain for captain, left in combat.hulls if left <= 0]
    if sunk:
        draft.combat = replace(combat, hulls=tuple(pair for pair in combat.hulls if pair[0] not in sunk))
    for captain in sunk:
        share = LEGENDS[captain].fame // len(combat.seats) if combat.seats else 0
        draft.events.append(LegendSunk(captain, share))
        for seat in combat.seats:
            change_fame(draft, seat, share, FameReason.SINKING)
        remove_captain(draft, captain)


def remove_captain(draft: State, captain: Captain) -> None:
    """Put the Navy aside, or a pirate on the discard, which leaves its black ship without captain."""
    if captain is Captain.NAVY:
        draft.navy = None
        return
    draft.legend_discard += (captain,)
    draft.black_ships = tuple(
        BlackShip(ship.place, None) if ship.captain is captain else ship for ship in draft.black_ships
    )


def take_prize(draft: State, place: Place) -> None:
    """Share a die of fame among those left where the Cacafuego lies; it then counts as sunk (R32)."""
    seats = draft.seats_at(place)
    for ship in draft.black_ships:
        if seats and ship.place == place and ship.captain and isinstance(LEGENDS[ship.captain].special, Prize):
            die = roll(draft, f"legend {ship.captain}", TABLE)
            share = die // len(seats)
            draft.events.append(PrizeTaken(ship.captain, die, share))
            for seat in seats:
                change_fame(draft, seat, share, FameReason.CAPTURE)
            remove_captain(draft, ship.captain)
