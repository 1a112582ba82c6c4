"""Ships: what a mat is worth, who is faster, how many dice, what a hit does, and fame.

Spec sections 2.2, 6.1 and the `hit` of 6.5; rulings R4, R5, R8, R12, R13, R20.
"""

from __future__ import annotations

from itertools import groupby
from typing import TypeVar

from referee.games.pirates_cove.cards import DiceFrom, EndlessHold, Gift, Speed, ThrowDice
from referee.games.pirates_cove.data import DESTROYED, LEGENDS, PARROT_DEATH_FAME, PARROTS, VALUES
from referee.games.pirates_cove.events import fame_changed, ship_hit
from referee.games.pirates_cove.state import Combat, Ship, State, combat_of
from referee.games.pirates_cove.terms import Captain, Card, Damage, FameReason, Fighter, Phase, Section
from referee.rules.chance import TABLE, Chance
from referee.rules.engine import Seat
from referee.rules.parts import kept, put, replace

T = TypeVar("T", bound=Fighter)


def value(ship: Ship, section: Section) -> int:
    """Return the value of a section at its level."""
    return VALUES[section][ship.levels[section] + 1]


def gift(ship: Ship) -> Gift | None:
    """Return what the parrot aboard gives."""
    return None if ship.parrot is None else PARROTS[ship.parrot].gift


@kept
def speed_of(ship: Ship) -> int:
    """Speed without the bonuses of a combat."""
    given = gift(ship)
    return value(ship, Section.SAILS) + (given.bonus if isinstance(given, Speed) else 0)


def speed(state: State, fighter: Fighter) -> int:
    """Speed at this moment, the bonuses of the combat included."""
    if isinstance(fighter, Captain):
        return LEGENDS[fighter].speed
    bonus = 0 if state.combat is None else dict(state.combat.speed).get(fighter, 0)
    return speed_of(state.ships[fighter]) + bonus


def put_in_order(draft: State, fighters: tuple[T, ...]) -> tuple[T, ...]:
    """Fastest first; equal speeds in random order, drawn anew each time (R5)."""
    if len(fighters) < 2:
        return fighters
    speeds = {fighter: speed(draft, fighter) for fighter in fighters}
    line = sorted(speeds, key=speeds.__getitem__, reverse=True)
    if len(set(speeds.values())) == len(line):
        return tuple(line)
    ordered: list[T] = []
    for _, tied in groupby(line, key=speeds.__getitem__):
        ordered += shuffle_tied(draft.chance, list(tied))
    return tuple(ordered)


def shuffle_tied(chance: Chance, tied: list[T]) -> list[T]:
    """Ships of one speed in random order."""
    return tied if len(tied) == 1 else chance.shuffle("order", TABLE, tied)


def dice_count(ship: Ship, combat: Combat) -> int:
    """Return how many dice a player ship throws. Parrots beat Grapple."""
    given = gift(ship)
    if isinstance(given, ThrowDice):
        return given.count
    if isinstance(given, DiceFrom):
        return value(ship, given.section)
    if combat.dice_from is not None:
        return value(ship, combat.dice_from)
    return min(value(ship, Section.CANNONS), value(ship, Section.CREW))


def is_hold_endless(ship: Ship) -> bool:
    """Check whether the ship carries any number of chests."""
    return isinstance(gift(ship), EndlessHold)


def is_destroyed(ship: Ship) -> bool:
    """Check whether some section is off the mat."""
    return DESTROYED in ship.levels


def hit(draft: State, seat: Seat, section: Section) -> None:
    """Apply one hit: the Artisan takes it, or the parrot, or the section. Any hit touches the ship (R8)."""
    combat = combat_of(draft)
    if seat not in combat.touched:
        draft.combat = replace(combat, touched=combat.touched | {seat})
    damage = take_hit(draft, seat, section)
    draft.events.append(ship_hit(seat, section, damage, draft.ships[seat].levels[section]))
    if damage is Damage.PARROT_DEAD:
        change_fame(draft, seat, -PARROT_DEATH_FAME, FameReason.PARROT_DEATH)


def take_hit(draft: State, seat: Seat, section: Section) -> Damage:
    """Return what takes the hit, and how it stands it."""
    ship = draft.ships[seat]
    if ship.artisan is section:
        if not ship.artisan_damaged:
            draft.set_ship(seat, replace(ship, artisan_damaged=True))
            return Damage.ARTISAN_DAMAGED
        discard_artisan(draft, seat)
        return Damage.ARTISAN_LOST
    if ship.parrot is not None and PARROTS[ship.parrot].section is section:
        if not ship.parrot_wounded:
            draft.set_ship(seat, replace(ship, parrot_wounded=True))
            return Damage.PARROT_WOUNDED
        draft.tavern_discard += (ship.parrot,)
        draft.set_ship(seat, replace(ship, parrot=None, parrot_wounded=False))
        return Damage.PARROT_DEAD
    level = ship.levels[section]
    if level == DESTROYED:
        return Damage.NONE  # R12
    draft.set_ship(seat, replace(ship, levels=put(ship.levels, section, level - 1)))
    return Damage.DESTROYED if level - 1 == DESTROYED else Damage.LEVEL_LOST


def discard_artisan(draft: State, seat: Seat) -> None:
    """Put the Artisan aboard on the discard pile."""
    draft.tavern_discard += (Card.ARTISAN,)
    draft.set_ship(seat, replace(draft.ships[seat], artisan=None, artisan_damaged=False))


def change_fame(draft: State, seat: Seat, change: int, reason: FameReason) -> None:
    """Fame comes or goes, never below 0 (R13); after scoring, in the final duel, it no longer changes (spec 8)."""
    ship = draft.ships[seat]
    change = max(change, -ship.fame)
    if change and draft.phase is not Phase.FINAL:
        draft.set_ship(seat, replace(ship, fame=ship.fame + change))
        draft.events.append(fame_changed(seat, change, reason))
