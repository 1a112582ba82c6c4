"""How the commodore thinks: the privateer's rules of thumb, an enemy who thinks by them too, and a look ahead.

A program is laid in secret, so first it works out what the enemy is likely to lay: he weighs his programs by the same
rules of thumb. The programs that do best against those are then tried in worlds of the forward model, through all the
gunfire of the round, and the tables are counted afterwards. Moves aboard are tried likewise, up to the melees. It stops
when its time for a decision is up.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from pathlib import Path
from typing import Any, TypeAlias

import tortuga_bot
from tortuga.v1.broadsides_pb2 import Broadsides as Pb
from tortuga_bot import Question
from tortuga_bot.deadline import Deadline, read_budget

# `build` copies look_ahead.py into this folder; before that, it is found in the kit.
sys.path.append(str(Path(__file__).parents[1] / "shared"))
import look_ahead

THINK_SECONDS = 0.02
"""Processor time for a decision."""
TRIALS = read_budget()
"""Trials for a decision instead; None: as many as the time allows."""

CANDIDATES = 5
"""Programs that are tried in worlds."""
LIKELY_PROGRAMS = 12
"""Programs of the enemy that are reckoned with."""
TEMPERATURE = 0.35
"""How far the enemy may be from the best program by the rules of thumb, in cannons that bear."""
SURPRISE = 0.1
"""How likely the enemy is to lay just any program."""
PRIOR_TRIES = 6.0
"""How many tries in worlds the rules of thumb are worth."""

Track: TypeAlias = Any
"""Point and facing after each of the three steps."""


thumb = look_ahead.load_rules_of_thumb(Path(__file__).parent, "privateer")


def choose(question: Question) -> int:
    """Return the index of the best option."""
    until = Deadline(question, THINK_SECONDS, trials=TRIALS)
    if question.position.decision == Pb.DECISION_PROGRAM and any(
        option.HasField("program") for option in question.options
    ):
        return lay_program(question, until)
    answer: int = thumb.choose(question)
    return answer


# Programs


def lay_program(question: Question, until: Deadline) -> int:
    """Return what does best against what the enemy is likely to lay."""
    plan = Plan(question)
    prior = plan.prior()
    ranked = sorted(range(len(prior)), key=prior.__getitem__, reverse=True)
    tracks: set[Track] = set()
    candidates: list[int] = []
    for index in ranked:
        if plan.own[index] not in tracks and len(candidates) < CANDIDATES:
            tracks.add(plan.own[index])
            candidates.append(index)
    if until.is_over() or not plan.is_close:
        return candidates[0]
    tried = try_programs(question, candidates, plan, until)
    return max(candidates, key=lambda index: tried[index].mean(prior[index]))


class Plan:
    """All own programs against those of the enemy, by the rules of thumb."""

    def __init__(self, question: Question) -> None:
        seen = question.observation
        me = seen.seat
        own, enemy = seen.ships[me], seen.ships[1 - me]
        self.sea = thumb.Sea(question)
        self.options = question.options
        self.own = [
            self.sea.track(own, option.program.cards) if option.HasField("program") else None for option in self.options
        ]
        self.enemy = {cards: self.sea.track(enemy, cards) for cards in thumb.enemy_programs(enemy)}
        self.guns = (thumb.bearing_counts(own), thumb.bearing_counts(enemy))
        worth = thumb.boarding_worth(seen)
        self.boarding = (worth, 2 * thumb.BOARDING_WORTH - worth)
        apart = max(abs(own.point.x - enemy.point.x), abs(own.point.y - enemy.point.y))
        self.is_close = apart <= 7  # both sail at most three points, and have to be neighbours to fire
        self.policy = self._enemy_policy()

    def _enemy_policy(self) -> dict[Track, float]:
        """Return how likely the enemy sails each track, if he takes ours for any."""
        ours = Counter(track for track in self.own if track is not None)
        theirs = Counter(self.enemy.values())
        if not ours:
            return {track: count / theirs.total() for track, count in theirs.items()}
        guns = self.guns[::-1]
        scores = {
            track: sum(count * self.sea.meet(track, own, guns, self.boarding[1]) for own, count in ours.items())
            / ours.total()
            for track in theirs
        }
        best = max(scores.values())
        likely = sorted(scores, key=scores.__getitem__, reverse=True)[:LIKELY_PROGRAMS]
        weights = {track: math.exp((scores[track] - best) / TEMPERATURE) for track in likely}
        total = sum(weights.values())
        return {track: (1 - SURPRISE) * weight / total + SURPRISE / len(likely) for track, weight in weights.items()}

    def prior(self) -> list[float]:
        """Return per option how well the round goes on average against that enemy."""
        known: dict[Track, float] = {None: -1000.0}
        for track in self.own:
            if track not in known:
                known[track] = sum(
                    chance * self.sea.meet(track, reply, self.guns, self.boarding[0])
                    for reply, chance in self.policy.items()
                )
        return [known[track] for track in self.own]


class Tried:
    """What came of an option in worlds."""

    def __init__(self) -> None:
        self.count = 0
        self.total = 0.0

    def add(self, value: float) -> None:
        """Count one more try."""
        self.count += 1
        self.total += value

    def mean(self, prior: float) -> float:
        """Return the mean of the tries, with the rules of thumb counted as a few of them."""
        return (self.total + PRIOR_TRIES * prior) / (self.count + PRIOR_TRIES)


def try_programs(question: Question, candidates: list[int], plan: Plan, until: Deadline) -> dict[int, Tried]:
    """Lay each candidate in world after world, against the same programs of the enemy, and fight the round."""
    model, me = tortuga_bot.model(question), question.observation.seat
    tried = {index: Tried() for index in candidates}
    dice = thumb.dice_of(question)
    tracks, chances = list(plan.policy), list(plan.policy.values())
    while not until.is_over():
        [world] = model.worlds(1)
        reply = dice.choices(tracks, chances)[0]
        before = worth(world.state, me)
        for index in candidates:
            branch = world.clone()
            branch.play(index)
            if branch.seat == 1 - me and branch.kind == "PROGRAM":
                branch.play(index_of(branch, reply, plan))
            fight_round(branch)
            gain = worth(branch.state, me) - before
            tried[index].add(gain)
            until.count_trial()
            if until.is_over():
                break
    return tried


def index_of(world: Any, track: Track, plan: Plan) -> int:
    """Return the enemy's option that sails that track."""
    for cards, sailed in plan.enemy.items():
        if sailed == track:
            wanted = tuple(card - 1 for card in cards)
            for index, action in enumerate(world.actions):
                if tuple(getattr(action, "cards", ())) == wanted:
                    return index
    return int(world.default)


def fight_round(world: Any) -> None:
    """Shoot where it hurts most, until programs are laid again, the ships lie alongside, or the game is over."""
    while world.seat is not None and world.kind == "FIRE":
        world.play(aim(world))


SECTIONS = "ABCDEFGH"


def aim(world: Any) -> int:
    """Return the shot that is worth most by the rules of thumb."""
    state, seat = world.state, world.seat
    ship, crew = state.ships[1 - seat], state.crews[1 - seat]
    hands = crew.hands[1 - seat]
    captain = crew.captain.station.name if crew.captain is not None and crew.captain.ship == 1 - seat else ""
    cannons = {station.name for station in ship.cannons}
    salvo = state.gunfire.mode.name == "LAST_SALVO"
    side = "" if salvo else hull_side(state, seat)
    destroyed = ship.hull.count(2)
    best, best_index = -1.0, 0
    for index, action in enumerate(world.actions):
        section = getattr(action, "section", None)
        if section is None:
            continue
        letter = section.name
        value = 0.0
        if side:
            markers = ship.hull[HULL[letter + side]]
            if markers == 1:
                value += 40.0 if destroyed == 2 else 4.0 + 2.0 * destroyed
            elif not markers:
                value += 1.5 + destroyed
        for name in STATIONS_OF[letter]:
            figures = hands[STATION[name]]
            if salvo:
                value += figures + 1.2 * (name == captain)
                continue
            value += 0.3 * figures + 3.5 * (name == captain) + 1.2 * (name in cannons)
            if name in thumb.MASTS and ship.damage < 3:
                value += thumb.MAST_WORTH[ship.masts[thumb.MASTS[name]]]
        if value > best:
            best, best_index = value, index
    return best_index


def hull_side(state: Any, seat: int) -> str:
    """Return the side of the enemy's hull that we can hit; empty end-on."""
    own, enemy = state.ships[seat], state.ships[1 - seat]
    step = (own.point[0] - enemy.point[0], own.point[1] - enemy.point[1])
    bearing = (thumb.DIRECTION.get(step, 0) - enemy.facing) % 8
    return "" if bearing in (0, 4) else "3" if bearing < 4 else "5"


STATION = {name: number - 1 for number, name in thumb.STATIONS.items() if len(name) == 2}
STATIONS_OF = {letter: [name for name in STATION if name[0] == letter] for letter in SECTIONS}
HULL = {name.removeprefix("HULL_SECTION_"): number - 1 for name, number in Pb.HullSection.items() if number}


def worth(state: Any, me: int) -> float:
    """Return how much more the own ship is worth than the enemy's, in cannons that bear for a round."""
    outcome = state.outcome
    if outcome is not None:
        return 40.0 * float(outcome.scores[me] - 0.5)
    return ship_worth(state, me) - ship_worth(state, 1 - me)


def ship_worth(state: Any, seat: int) -> float:
    """Return what is left of a ship and its crew."""
    ship, crew = state.ships[seat], state.crews[seat]
    destroyed = ship.hull.count(2)
    value = 0.55 * len(ship.cannons) + 0.15 * crew.figures
    value -= 0.8 * ship.hull.count(1) + (0.0, 2.5, 6.0, 20.0)[min(3, destroyed)]
    value -= sum((2.0, 0.7, 0.0)[hits] for hits in ship.masts)
    return float(value - 1.5 * ship.no_cards)
