"""The whole table in a few lines."""

from __future__ import annotations

from referee.games.pavillon_noir.data import DECKS, HULLS, REPUTATIONS, SAIL_ZONES, TRICKS
from referee.games.pavillon_noir.state import Duelist, Ship, State
from referee.games.pavillon_noir.terms import Gun, Projectile, Track
from referee.games.pavillon_noir.text.words import (
    card_list,
    covered_entries,
    disc_list,
    placed_target,
    seat_name,
    word,
)
from referee.rules.engine import DUEL, Seat


def tell_table(state: State) -> str:
    """Describe the whole table."""
    active = "setup" if state.active is None else f"{seat_name(state.active)}, {word(state.phase)}"
    lines = [f"round {state.round}, turn {state.turn}: {active}, {state.actions} actions left"]
    for seat in DUEL:
        lines += _tell_duelist(seat, state.duelists[seat])
    bag = ", ".join(f"{count} {word(disc)}" for disc, count in zip(Projectile, state.bag, strict=True))
    lines.append(f"bag: {bag}; target deck {len(state.target_deck)}")
    return "\n".join(lines)


def _tell_duelist(seat: Seat, own: Duelist) -> list[str]:
    guns = [
        f"{word(gun)} {word(own.cannons[gun])} {disc_list(own.loads[gun])}" + "*" * (gun is own.gun)
        for gun in Gun
        if own.cannons
    ]
    aimed = [] if own.zone is None else [f"at the {word(own.zone)}", *map(placed_target, own.targets)]
    covered = [f"{word(track)} {covered_entries(track, own.tracks[track])}" for track in Track if own.tracks[track]]
    known = [] if own.reputation is None else [REPUTATIONS[own.reputation].title]
    lines = [
        f"{seat_name(seat)}: {_tell_ship(own.ship)}",
        f"  guns {' '.join([', '.join(guns) or 'none', *aimed])}",
        f"  hand {card_list(own.hand)}; deck {len(own.deck)}, discard {len(own.discard)}",
    ]
    extras = [*known, *(TRICKS[trick].title for trick in own.tricks), *(f"covered {text}" for text in covered)]
    return [*lines, f"  {'; '.join(extras)}"] if extras else lines


def _tell_ship(ship: Ship) -> str:
    officers = f"captain {word(ship.captain)}, mate {word(ship.mate)}"
    zones = (("sails", SAIL_ZONES), ("crew", DECKS), ("planks", HULLS))
    counts = ", ".join(f"{name} {'/'.join(str(ship.markers(zone)) for zone in row)}" for name, row in zones)
    return f"{counts}, {officers}"
