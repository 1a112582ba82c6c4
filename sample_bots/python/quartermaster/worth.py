"""How likely a seat is to win from a table of pavillon_noir.

A logistic regression on the 70 000 turns of 900 games of the rules of thumb against themselves, with random cannons and
one choice in twelve at random: WEIGHTS are its numbers.
"""

from __future__ import annotations

import math
from typing import Any

import rules

WEIGHTS = {
    "plank missing": -0.173,
    "plank missing above seven": -0.257,
    "hull zone with a last plank": -0.475,
    "empty hull zone": -1.249,
    "officer lost": -0.247,
    "sailor": 0.078,
    "card": 0.075,
    "loaded": 0.056,
    "matching disc": 0.097,
    "aim card": 0.040,
    "deadly": 0.257,
    "deadly when aimed": 1.019,
    "suit used up": -0.118,
    "value used up for sheering off": -0.029,
    "value used up for evading": -0.048,
    "to move": 0.113,
}
GUN_DECK = (-1.67, -0.84, -0.38, -0.04, 0.0)
"""By the figures on it."""
MAIN_DECK = (-0.90, -0.54, -0.24, -0.06, -0.03, -0.015, 0.0)
SAILS = (-0.544, -0.245, -0.027, 0.0)
HOPED = (0.019, 0.019, 0.143, 0.143, 0.143, 0.088, 0.088, 0.088)
"""By zone: a marker that the shot in preparation is hoped to remove."""
HOPED_AIMED = (0.066, 0.066, 0.116, 0.116, 0.116, 0.143, 0.143, 0.143)
"""The same times the share of the aim cards that are laid."""
DEADLY = 9.5
"""Planks missing after the shot from which on it is taken to be the last."""


def chance_to_win(state: Any, me: int) -> float:
    """Return the chance to win, as far as one can tell."""
    outcome = state.outcome
    if outcome is not None:
        return float(outcome.scores[me])
    own, foe = state.duelists[me], state.duelists[1 - me]
    lead = standing(own, foe) - standing(foe, own)
    lead += WEIGHTS["to move"] if state.active == me else -WEIGHTS["to move"]
    return 1 / (1 + math.exp(-lead))


def standing(own: Any, foe: Any) -> float:
    """Return what a seat has, in log-odds."""
    return ship_worth(own.ship) + table_worth(own) + shot_worth(own, foe)


def ship_worth(ship: Any) -> float:
    """Return the worth of the ship as it is."""
    missing, markers = ship.planks_missing, ship.markers
    return float(
        WEIGHTS["plank missing"] * missing
        + WEIGHTS["plank missing above seven"] * max(0, missing - 7)
        + WEIGHTS["hull zone with a last plank"] * ship.planks.count(1)
        + WEIGHTS["empty hull zone"] * ship.planks.count(0)
        + GUN_DECK[markers(2)]
        + GUN_DECK[markers(4)]
        + MAIN_DECK[markers(3)]
        + WEIGHTS["officer lost"] * (2 - ship.officers)
        + WEIGHTS["sailor"] * sum(ship.sailors)
        + SAILS[ship.sails[0]]
        + SAILS[ship.sails[1]]
    )


def table_worth(own: Any) -> float:
    """Return the worth of cards, discs and tracks."""
    suits, sheered, evaded = own.tracks
    load = own.loads[own.gun]
    return float(
        WEIGHTS["card"] * len(own.hand)
        + (WEIGHTS["loaded"] if load else 0.0)
        + (WEIGHTS["matching disc"] if rules.MATCHING[own.zone] in load else 0.0)
        + WEIGHTS["suit used up"] * len(suits)
        + WEIGHTS["value used up for sheering off"] * len(sheered)
        + WEIGHTS["value used up for evading"] * len(evaded)
    )


def shot_worth(own: Any, foe: Any) -> float:
    """Return the worth of the shot in preparation."""
    aimed = rules.placed(own)
    worth: float = WEIGHTS["aim card"] * aimed
    hoped: float = 0.0 if own.ship.is_silenced(own.gun) else rules.damage_hoped(own, foe)
    if hoped <= 0:
        return worth
    share = aimed / (2 * len(own.targets))
    worth += hoped * (HOPED[own.zone] + HOPED_AIMED[own.zone] * share)
    if own.zone >= rules.FIRST_HULL and hoped + foe.ship.planks_missing >= DEADLY:
        worth += WEIGHTS["deadly"] + WEIGHTS["deadly when aimed"] * share
    return worth
