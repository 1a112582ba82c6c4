"""How the admiral thinks: quick rules of thumb name the usual choice, and others are tried against it in worlds.

A try plays on for a few rounds by the same rules (`pilot`) and counts what the table is worth then (`outlook`). Options
that do worse than the usual choice drop out; one that surely does better is taken. It stops when its time for a
decision is up.
"""

from __future__ import annotations

from typing import Any

import outlook
import pilot

import tortuga_bot
from marauders_tactics import Plan
from marauders_tactics import choose as usual_choice
from tortuga.v1.marauders_pb2 import Marauders
from tortuga_bot import Question
from tortuga_bot.deadline import Deadline, read_budget

THINK_SECONDS = 0.02
"""Processor time for a decision."""
TRIALS = read_budget()
"""Trials for a decision instead; None: as many as the time allows."""
PLACES = 3
"""Places to sail to that are tried."""
PEACE_ROUNDS, FIGHT_ROUNDS = 3, 1
"""How many rounds ahead a try looks: trade takes its time, a fight is over soon."""
LEAST_TRIES = 3
"""Before that, nothing is sure."""
DOUBT = 2.0
"""By how many standard errors an option has to be better than the usual one."""
LEAST_SPREAD = 0.04
"""The variance of tries is taken to be at least that: a few may look alike by chance."""
SETBACK = 0.2
"""An option that does worse by that at its first try is not tried again."""

SEARCHED = {
    Marauders.DECISION_ACTION,
    Marauders.DECISION_PORT,
    Marauders.DECISION_MERCHANT,
    Marauders.DECISION_RAID,
    Marauders.DECISION_DECLARE,
    Marauders.DECISION_NPC_DECLARE,
    Marauders.DECISION_CAPTURE,
    Marauders.DECISION_JETTISON,
}
"""Decisions that are tried out; the trader's rules answer the others."""
CLEAR = {"Sell", "DoMission", "TryRumor", "RepairEverything", "Repair", "Recruit", "Hire", "ScoutRumor", "PlayGlory"}
"""Kinds of options that are taken without a try when they are usual."""
DULL = {
    *("Done", "Sell", "Stash", "Withdraw", "BuyShip", "Retire", "PlayGlory"),
    *("Repair", "FixHull", "BuyModification", "BuyWeapon", "SellWeapon"),
}
"""Kinds of options that are not tried unless they are usual."""

PLAN = Plan(
    first_ship=Marauders.SHIP_TYPE_FLUTE,
    big_ship=Marauders.SHIP_TYPE_GALLEON,
    trades=True,
    raids=False,
    reserve=6,
)
"""The trader's."""


def choose(question: Question) -> int:
    """Return the answer to a question."""
    until = Deadline(question, THINK_SECONDS, trials=TRIALS)
    if question.position.decision not in SEARCHED or until.is_over():
        return usual_choice(question, PLAN)
    return try_out(question, until)


def try_out(question: Question, until: Deadline) -> int:
    """Return the usual choice, unless another does better in the same worlds."""
    model, me = tortuga_bot.model(question), question.match.seat
    [world] = model.worlds(1)
    usual: int = pilot.quick_choice(world)
    if pilot.kinds_of(world)[usual] in CLEAR:
        return usual
    rivals = {index: Gain() for index in options_to_try(world, usual)}
    while rivals:
        base = value_of(world, usual, me, until)
        for index, gain in rivals.items():
            value = value_of(world, index, me, until)
            if base is None or value is None:
                break
            gain.add(value - base)
        rivals = {index: gain for index, gain in rivals.items() if gain.is_promising()}
        if until.is_over():
            break
        [world] = model.worlds(1)
    best = max(rivals, key=lambda index: rivals[index].sure(), default=usual)
    return best if best in rivals and rivals[best].sure() > 0 else usual


def value_of(world: Any, index: int, me: int, until: Deadline) -> float | None:
    """Return what the table is worth some rounds after that option; None if time is up before."""
    branch = world.clone()
    branch.play(index)
    ahead = PEACE_ROUNDS if world.kind in ("action", "port") else FIGHT_ROUNDS
    if not play_on(branch, me, world.state.round + ahead, until):
        return None
    until.count_trial()
    return float(outlook.standing(branch.state, me))


class Gain:
    """How much more an option brought than the usual one, in the same worlds."""

    def __init__(self) -> None:
        self.tries = 0
        self.total = 0.0
        self.squares = 0.0

    def add(self, gain: float) -> None:
        """Count one more try."""
        self.tries += 1
        self.total += gain
        self.squares += gain * gain

    def is_promising(self) -> bool:
        """Check whether it is worth another try."""
        return self.total > (-SETBACK if self.tries < 2 else 0.0)

    def sure(self) -> float:
        """Return the least it brings, give or take the luck of the tries."""
        if self.tries < LEAST_TRIES:
            return -1.0
        mean = self.total / self.tries
        spread = max(LEAST_SPREAD, self.squares / self.tries - mean * mean)
        return float(mean - DOUBT * (spread / self.tries) ** 0.5)


def options_to_try(world: Any, usual: int) -> list[int]:
    """Return what may be better than the usual choice."""
    kinds, actions = pilot.kinds_of(world), world.actions
    options: list[int] = []
    if world.kind == "action":
        options += pilot.first_steps(world, PLACES)
        options += [index for index, kind in enumerate(kinds) if kind in ("ScoutMerchant", "ScoutNpc")]
        return [index for index in dict.fromkeys(options) if index != usual]
    player = world.state.players[world.seat]
    room = player.ship.sections[outlook.CARGO] - len(player.cargo) if world.kind == "port" else 0
    for index, kind in enumerate(kinds):
        if index == usual or kind in DULL:
            continue
        if kind == "Buy" and actions[index].count > room:
            continue
        options.append(index)
    return options


def play_on(world: Any, me: int, stop: int, until: Deadline) -> bool:
    """Play by the rules of thumb up to the own turn in round `stop`, others only what they must. False: time is up."""
    while world.seat is not None:
        state = world.state
        if state.turn is not None and state.turn.seat == me:
            if state.round >= stop:
                break
        elif world.kind == "action":
            world.play(0)
            continue
        world.play(pilot.quick_choice(world))
        if until.is_over():
            return False
    return True
