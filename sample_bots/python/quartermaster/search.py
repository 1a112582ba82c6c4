"""How the quartermaster thinks: the gunner's rules of thumb name a few options, and worlds of the forward model decide.

In each world both seats play on by cheap rules of thumb (rules.py) through the next turns, and what has become of the
chance to win is read off the table (worth.py). It stops when its time for a decision is up, or sooner if one option is
clearly ahead.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import rules
import worth

import look_ahead
from tortuga.v1.pavillon_noir_pb2 import PavillonNoir as Pb
from tortuga_bot import Question
from tortuga_bot.deadline import Deadline, read_budget

THINK_SECONDS = 0.02
"""Processor time for a decision."""
TRIALS = read_budget()
"""Trials for a decision instead; None: as many as the time allows."""
TURNS = 2
"""How many turns are begun before the chance to win is read off: two means one's own next one."""
TRUST = 0.03
"""How much better than the rules' own choice another option has to be, in chance to win, when it was tried once."""
CANDIDATES = 5
"""Options that are tried."""
MOST = {"aim": 3, "broadside": 1}
"""How many of them are of one kind."""
UNSEARCHED = {
    Pb.DECISION_SETUP_OFFICERS,
    Pb.DECISION_SETUP_CANNONS,
    Pb.DECISION_SETUP_LOAD,
    Pb.DECISION_CHOOSE_REPUTATION,
    Pb.DECISION_CHOOSE_TRICK,
    Pb.DECISION_LOAD,
    Pb.DECISION_RELOAD_RETURN,
    Pb.DECISION_DISCARD,
}
"""Choices that hardly show in the next two turns, or where the rules of thumb were never overruled."""

thumb = rules.thumb


def choose(question: Question) -> int:
    """Return the index of the best option."""
    until = Deadline(question, THINK_SECONDS, trials=TRIALS)
    decision = question.position.decision
    judge = thumb.JUDGES.get(decision)
    if judge is None:
        return 0
    bearings = thumb.Bearings(question.observation)
    scores = [judge(bearings, option) for option in question.options]
    if decision in UNSEARCHED or (decision == Pb.DECISION_FIRE and bearings.damage() <= 0):
        return scores.index(max(scores))
    candidates = likely(question.options, scores)
    me, last = question.match.seat, question.observation.turn + TURNS

    def play_on(world: Any) -> float | None:
        while world.seat is not None and world.state.turn < last:
            if until.is_over():
                return None
            world.play(rules.usual_choice(world))
        return float(worth.chance_to_win(world.state, me))

    return look_ahead.race(question, candidates, play_on, until, TRUST)


def likely(options: Any, scores: list[float]) -> list[int]:
    """Return the options worth trying, the best by the rules of thumb first; not too many of one kind."""
    chosen: list[int] = []
    kinds: Counter[str] = Counter()
    for index in sorted(range(len(scores)), key=scores.__getitem__, reverse=True):
        kind = options[index].WhichOneof("action")
        if kinds[kind] < MOST.get(kind, CANDIDATES):
            kinds[kind] += 1
            chosen.append(index)
    return chosen[:CANDIDATES]
