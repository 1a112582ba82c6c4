"""What is hidden from a seat, by name, so that worlds can be compared with the truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from referee.rules.engine import Seat

Hidden = dict[str, Any]
"""By the name of a place what lies there."""


def _others(count: int, seat: Seat) -> list[int]:
    return [other for other in range(count) if other != seat]


def _broadsides_choices(state: Any, seat: Seat) -> Hidden:
    enemy = 1 - seat
    ship = state.ships[enemy]
    laid = {f"card {place}": ship.cards[place] for place in range(ship.turned, len(ship.cards))}
    return laid | {f"figure {place}": station for place, station in enumerate(state.placements[enemy])}


def _pirates_cove_luck(state: Any, seat: Seat) -> Hidden:
    piles = {f"treasure {place}": pile[-1] for place, pile in enumerate(state.piles) if pile}
    return piles | ({"legend": state.legends[-1]} if state.legends else {})


def _pirates_cove_choices(state: Any, seat: Seat) -> Hidden:
    return {
        f"hand of {other}": card for other in _others(len(state.ships), seat) for card in state.ships[other].hand[:1]
    }


def _pavillon_noir_luck(state: Any, seat: Seat) -> Hidden:
    found = {"own deck": state.duelists[seat].deck[-1:], "targets": state.target_deck[-1:]}
    for owner, duelist in enumerate(state.duelists):
        down = [token for token, up in zip(duelist.tokens, duelist.flipped, strict=True) if not up]
        if len(down) > 1:
            found[f"token of {owner}"] = tuple(down[:1])
    return {name: cards[0] for name, cards in found.items() if cards}


def _pavillon_noir_choices(state: Any, seat: Seat) -> Hidden:
    hand = state.duelists[1 - seat].hand
    return {"hand": hand[0]} if hand else {}


def _marauders_luck(state: Any, seat: Seat) -> Hidden:
    found = {"event": state.event_deck[-1:], "mission": state.missions.deck[-1:]}
    return {name: cards[0] for name, cards in found.items() if cards}


def _marauders_choices(state: Any, seat: Seat) -> Hidden:
    found: Hidden = {}
    for other in _others(len(state.players), seat):
        player = state.players[other]
        for name, cards in (("cargo", player.cargo), ("glory", player.glory)):
            found |= {f"{name} of {other}": card for card in cards[:1]}
        if player.rumor is not None:
            found[f"rumor of {other}"] = player.rumor
        if player.stash_count:
            found[f"chest of {other}"] = player.chest
    return found


LUCK: dict[str, Callable[[Any, Seat], Hidden]] = {
    "pirates_cove": _pirates_cove_luck,
    "pavillon_noir": _pavillon_noir_luck,
    "marauders": _marauders_luck,
}
"""What is hidden by luck alone: nobody's choices ever change how likely it is. Broadsides has no such thing."""

CHOICES: dict[str, Callable[[Any, Seat], Hidden]] = {
    "broadsides": _broadsides_choices,
    "pirates_cove": _pirates_cove_choices,
    "pavillon_noir": _pavillon_noir_choices,
    "marauders": _marauders_choices,
}
"""What others chose to lay, keep or place."""
