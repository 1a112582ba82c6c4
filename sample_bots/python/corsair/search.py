"""How the corsair thinks: the buccaneer's rules of thumb choose a few options, and worlds of the forward model decide.

In each world all seats play on by the rules of thumb up to the next navigation, and what everybody has is counted. It
stops when its time for a decision is up.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tortuga.v1.pirates_cove_pb2 import PiratesCove as PB
from tortuga_bot import Question
from tortuga_bot.deadline import Deadline, read_budget

# `build` copies look_ahead.py into this folder; before that, it is found in the kit.
sys.path.append(str(Path(__file__).parents[1] / "shared"))
import look_ahead

THINK_SECONDS = 0.02
"""Processor time for a decision."""
TRIALS = read_budget()
"""Trials for a decision instead; None: as many as the time allows."""
CANDIDATES = 3
"""Options that are tried."""
TRUST = 0.6
"""How much better than the rules' own choice another option has to be, in fame, when it was tried once."""

SEARCHED = {PB.DECISION_NAVIGATE, PB.DECISION_NAV_EVENT, PB.DECISION_VOLLEY, PB.DECISION_PORT, PB.DECISION_BOARDING}


thumb = look_ahead.load_rules_of_thumb(Path(__file__).parent, "buccaneer")
THOUGHTS = {PB.Decision.Name(number).removeprefix("DECISION_"): thought for number, thought in thumb.THOUGHTS.items()}
LAST_WORTHS: list[float] = []
"""What each option was worth by the rules of thumb when they were last asked."""


def best(options: Any, worth: Callable[[Any], float]) -> int:
    """Return the index of the option worth most; the first of equals. Notes what all of them are worth."""
    LAST_WORTHS[:] = [worth(option) for option in options]
    return LAST_WORTHS.index(max(LAST_WORTHS))


thumb.best = best


def choose(question: Question) -> int:
    """Return the answer to a question."""
    until = Deadline(question, THINK_SECONDS, trials=TRIALS)
    usual: int = thumb.choose(question)
    if question.position.decision not in SEARCHED:
        return usual
    worths = LAST_WORTHS.copy()
    ranked = sorted(range(len(worths)), key=worths.__getitem__, reverse=True)
    candidates = [usual, *[index for index in ranked if index != usual][: CANDIDATES - 1]]
    return try_out(question, candidates, until)


def try_out(question: Question, candidates: list[int], until: Deadline) -> int:
    """Take each candidate in world after world, and see what the month brings. The first is the usual choice."""
    me = question.match.seat
    rng = random.Random(f"{question.match.match_id}/{me}/{question.message.question_id}/worlds")

    def find_standing(world: Any) -> float | None:
        play_on(world, random.Random(rng.random()), until)
        return None if until.is_over() else standing(world.state, me)

    return look_ahead.race(question, candidates, find_standing, until, TRUST)


def play_on(world: Any, rng: random.Random, until: Deadline) -> None:
    """Play by the rules of thumb up to the next navigation."""
    month = world.state.month
    while world.seat is not None and not (world.kind == "NAVIGATE" and world.state.month > month):
        if until.is_over():
            return
        world.play(usual_choice(world, rng))


def usual_choice(world: Any, rng: random.Random) -> int:
    """Return what the rules of thumb say in a world."""
    thought = THOUGHTS.get(world.kind)
    if thought is None:
        return int(world.default)
    return int(thought(world.observation(world.seat), world.options(), rng))


def standing(state: Any, me: int) -> float:
    """Return how far ahead of the best rival a seat is, in fame."""
    worths = [ship_worth(state, seat) for seat in range(len(state.ships))]
    ahead = worths[me] - max(worth for seat, worth in enumerate(worths) if seat != me)
    outcome = state.outcome
    if outcome is not None:
        ahead += 6.0 if outcome.ranks[me] == 1 else -6.0
    return ahead


def ship_worth(state: Any, seat: int) -> float:
    """Return fame, and what else will become fame."""
    ship, months_left = state.ships[seat], thumb.LAST_MONTH - state.month
    if state.scores:
        return float(state.scores[seat])
    chest = 0.8 if months_left > 0 else 0.0
    gold = 0.28 if months_left > 2 else 0.2 if months_left else 0.0
    levels = 0.35 * min(months_left, 4) / 2
    dice = min(ship.levels[2], ship.levels[3])
    return float(
        ship.fame
        + chest * ship.chests
        + gold * ship.gold
        + levels * (sum(ship.levels) + dice)
        + 0.7 * len(ship.hand)
        + (1.5 if ship.parrot else 0.0) * (months_left > 0)
    )
