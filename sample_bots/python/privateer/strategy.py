"""How the privateer thinks. One function, `choose`, answers every question of broadsides from the question alone.

At sea it tries each of its programs against every program of the enemy and counts the cannons that would bear; at the
guns it weighs what each face of the die would hit; aboard it works melees out exactly and moves greedily. Nothing is
kept between questions but distances over water, which lie in the match's memory.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any, TypeAlias

from tortuga.v1.broadsides_pb2 import Broadsides as Pb
from tortuga_bot import Question

Point: TypeAlias = tuple[int, int]
Place: TypeAlias = tuple[int, str]
"""A ship and the name of a station, e.g. (1, "D5")."""

STEPS: tuple[Point, ...] = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
BEARING = ("", "B3 C3", "B3 C3 D3 E3 F3", "E3 F3", "", "E5 F5", "B5 C5 D5 E5 F5", "B5 C5")
SAILING_CARDS = (Pb.CARD_AH, Pb.CARD_ST, Pb.CARD_PO, Pb.CARD_RE)
STATIONS = {value: name.removeprefix("STATION_") for name, value in Pb.Station.items()}
LADDERS = ("A4 B3", "A4 B5", "D3 E3", "D5 E5", "G3 H3", "G5 H5")
LEVEL = dict(zip("ABCDEFGH", "10001112", strict=True))
MASTS = {"A4": 0, "C4": 1, "G4": 2, "H4": 3}
MAST_WORTH = (0.0, 3.0, 1.2)
"""Of one hit, by how many the mast can take."""
QUIET_STATIONS = ("D4", "E4", "F4", "B4")
"""Amidships without cannon or mast: a die thrown for something else does not fall here."""

BOARDING_WORTH = 1.0
"""Of lying alongside with equal crews and equal damage."""
MARGIN = 0.2
"""For each round without a shot, programs that are worse than the best by so much more count as good, too: two ships
that always took the very best would circle each other for ever."""

CAPTAIN_WORTH = 25.0
"""In a melee, counted in figures: losing him is losing the game."""


def choose(question: Question) -> int:
    """Return the index of the best option."""
    seen, options = question.observation, question.options
    match question.position.decision:
        case Pb.DECISION_SETUP_CAPTAIN | Pb.DECISION_SETUP_CREW:
            return place_figure(question)
        case Pb.DECISION_PROGRAM:
            return any_of_the_best(question, list(program_scores(question)))
        case Pb.DECISION_FIRE:
            return best(options, (shot_worth(seen, option) for option in options))
        case Pb.DECISION_REPLACE_CAPTAIN:
            return best(options, (successor_worth(seen, STATIONS[option.replace_captain]) for option in options))
        case Pb.DECISION_BOARD_MOVE:
            return best(options, move_scores(seen, options))
        case _:
            return 0


def best(options: Any, scores: Iterable[float]) -> int:
    """Return the index of the highest score, the first of equals."""
    listed = list(scores)
    return max(range(len(options)), key=listed.__getitem__)


def any_of_the_best(question: Question, scores: list[float]) -> int:
    """Return one of the options that are about as good as the best."""
    enough = max(scores) - MARGIN * question.observation.quiet_rounds
    return dice_of(question).choice([index for index, score in enumerate(scores) if score >= enough])


def dice_of(question: Question) -> random.Random:
    """Return luck that is the same whenever the same question of the same match is asked."""
    match = question.match
    return random.Random(f"{match.match_id}/{match.seat}/{question.message.question_id}")


# Setup: everybody amidships, away from cannons and masts.


def place_figure(question: Question) -> int:
    """Prefer a quiet station that nobody stands on yet."""
    own = question.observation.crews[question.observation.seat]
    taken = {STATIONS[stack.place.station] for stack in own.stacks}
    if own.HasField("captain"):
        taken.add(STATIONS[own.captain.station])
    stations = [STATIONS[option.place_captain or option.place_crew] for option in question.options]
    free = [name for name in QUIET_STATIONS if name in stations and name not in taken]
    return stations.index(dice_of(question).choice(free))


def successor_worth(seen: Any, name: str) -> float:
    """Judge a new captain: from a station without cannon, then from a full one."""
    own = seen.crews[seen.seat]
    cannons = {STATIONS[cannon] for cannon in seen.ships[seen.seat].cannons}
    crew = next(stack.crew for stack in own.stacks if STATIONS[stack.place.station] == name)
    return 3.0 * (name not in cannons) + 2.0 * (name in QUIET_STATIONS) + float(crew)


# Sailing: all own programs against all of the enemy's.


def program_scores(question: Question) -> Iterator[float]:
    """Yield per option how well the round goes on average; surrender is never an option."""
    seen = question.observation
    own, enemy = seen.ships[seen.seat], seen.ships[1 - seen.seat]
    sea = Sea(question)
    replies = Counter(sea.track(enemy, cards) for cards in enemy_programs(enemy))
    guns = (bearing_counts(own), bearing_counts(enemy))
    boarding = boarding_worth(seen)
    known: dict[Track, float] = {}
    for option in question.options:
        if option.HasField("surrender"):
            yield -1000.0
            continue
        track = sea.track(own, option.program.cards)
        if track not in known:
            total = sum(count * sea.meet(track, reply, guns, boarding) for reply, count in replies.items())
            known[track] = total / replies.total()
        yield known[track]


def boarding_worth(seen: Any) -> float:
    """Judge running alongside, in cannons that bear: good for the side with more figures, or with the worse damage."""
    own, enemy = seen.ships[seen.seat], seen.ships[1 - seen.seat]
    more_figures = seen.crews[seen.seat].figures - seen.crews[1 - seen.seat].figures
    return float(BOARDING_WORTH + 0.5 * more_figures + 1.5 * (own.damage - enemy.damage))


def enemy_programs(enemy: Any) -> Iterator[tuple[int, ...]]:
    """Yield what the enemy may have laid."""
    if enemy.no_cards:
        return iter([()])
    cards = (*SAILING_CARDS, Pb.CARD_DA)
    return (cards for cards in product(cards, repeat=3) if cards.count(Pb.CARD_DA) == enemy.damage_cards)


def bearing_counts(ship: Any) -> list[int]:
    """Return how many cannons bear, by the enemy's bearing relative to the bow."""
    cannons = {STATIONS[cannon] for cannon in ship.cannons}
    return [sum(name in cannons for name in names.split()) for names in BEARING]


Track: TypeAlias = tuple[tuple[Point, int], ...]
"""Point and facing after each of the three steps."""


class Sea:
    """The chart of the match and what happens on it."""

    def __init__(self, question: Question) -> None:
        chart = question.observation.chart
        self.size = (chart.width, chart.height)
        self.land = {(point.x, point.y) for point in chart.land}
        self.distances: dict[Point, dict[Point, int]] = question.match.memory.setdefault("distances", {})

    def is_water(self, point: Point) -> bool:
        """Check whether a ship can lie there."""
        return 0 <= point[0] < self.size[0] and 0 <= point[1] < self.size[1] and point not in self.land

    def track(self, ship: Any, cards: Iterable[int]) -> Track:
        """Return where a program leads; the other ship is never in the way."""
        point, facing = (ship.point.x, ship.point.y), ship.facing - 1
        track: list[tuple[Point, int]] = []
        for card in cards:
            if card == Pb.CARD_ST:
                facing = (facing + 1) % 8
            elif card == Pb.CARD_PO:
                facing = (facing + 7) % 8
            elif card == Pb.CARD_AH:
                ahead = (point[0] + STEPS[facing][0], point[1] + STEPS[facing][1])
                if not self.is_water(ahead):
                    break  # aground: the other cards are lost
                point = ahead
            track.append((point, facing))
        return tuple(track + [(point, facing)] * (3 - len(track)))

    def meet(self, own: Track, enemy: Track, guns: tuple[list[int], list[int]], boarding: float) -> float:
        """Return the cannons that bear on the enemy, less those that bear on us and the distance that is left."""
        score = 0.0
        for (here, facing), (there, enemy_facing) in zip(own, enemy, strict=True):
            direction = DIRECTION.get((there[0] - here[0], there[1] - here[1]))
            if direction is None:
                continue
            if direction == HERE:
                return score + boarding
            score += guns[0][(direction - facing) % 8] - 0.9 * guns[1][(direction + 4 - enemy_facing) % 8]
        return score - 0.8 * max(0, self.distance(own[-1][0], enemy[-1][0]) - 1)

    def distance(self, start: Point, end: Point) -> int:
        """Return the steps over water; they are kept for the whole match."""
        if end not in self.distances:
            reached, frontier = {end: 0}, deque([end])
            while frontier:
                x, y = frontier.popleft()
                for dx, dy in STEPS:
                    if (x + dx, y + dy) not in reached and self.is_water((x + dx, y + dy)):
                        reached[x + dx, y + dy] = reached[x, y] + 1
                        frontier.append((x + dx, y + dy))
            self.distances[end] = reached
        return self.distances[end][start]


HERE = 8
DIRECTION: dict[Point, int] = {**{step: number for number, step in enumerate(STEPS)}, (0, 0): HERE}


# Gunnery: the worth of each face of the die.


def shot_worth(seen: Any, option: Any) -> float:
    """Return what a shot at that section is worth on average, times six; nothing for CEASE."""
    if option.HasField("cease"):
        return -1.0
    letter = Pb.Section.Name(option.fire)[-1]
    salvo = seen.gunfire.mode == Pb.FIRE_MODE_LAST_SALVO
    hull = 0.0 if salvo else hull_worth(seen, letter)
    return hull + sum(station_worth(seen, letter + digit, salvo) for digit in "345")


def hull_worth(seen: Any, letter: str) -> float:
    """Return a hull marker's worth: the second costs the enemy a card, the third destroyed section sinks him."""
    own, enemy = seen.ships[seen.seat], seen.ships[1 - seen.seat]
    step = (own.point.x - enemy.point.x, own.point.y - enemy.point.y)
    bearing = (DIRECTION[step] - (enemy.facing - 1)) % 8
    if bearing in (0, 4):
        return 0.0
    digit = "3" if bearing < 4 else "5"
    markers = enemy.hull_markers[Pb.HullSection.Value(f"HULL_SECTION_{letter}{digit}") - 1]
    destroyed = list(enemy.hull_markers).count(2)
    if markers == 2:
        return 0.0
    if markers == 1:
        return 40.0 if destroyed == 2 else 4.0 + 2.0 * destroyed
    return 1.5 + destroyed


def station_worth(seen: Any, name: str, salvo: bool) -> float:
    """Return the worth of all that stands on a station: cannon, crew, captain, mast."""
    ship, crew = seen.ships[1 - seen.seat], seen.crews[1 - seen.seat]
    hands = sum(stack.crew for stack in crew.stacks if STATIONS[stack.place.station] == name)
    captain = crew.HasField("captain") and STATIONS[crew.captain.station] == name
    if salvo:
        return float(hands + 1.2 * captain)
    worth = 0.3 * hands + 3.5 * captain
    worth += 1.2 * any(STATIONS[cannon] == name for cannon in ship.cannons)
    if name in MASTS and ship.damage < 3:
        worth += MAST_WORTH[ship.mast_hits_left[MASTS[name]]]
    return float(worth)


# Boarding: melees worked out, the rest by distance.


def move_scores(seen: Any, options: Any) -> Iterator[float]:
    """Yield per move how good the decks look afterwards."""
    decks = Decks(seen)
    for option in options:
        move = option.board_move
        yield decks.after(move.figure == Pb.FIGURE_CAPTAIN, place_of(move.origin), place_of(move.target))


def place_of(place: Any) -> Place:
    """Return a place as a plain value."""
    return place.ship, STATIONS[place.station]


class Decks:
    """Both decks and everybody on them, seen by the seat whose turn it is."""

    def __init__(self, seen: Any) -> None:
        self.crews = [
            {place_of(stack.place): stack.crew for stack in seen.crews[seat].stacks}
            for seat in (seen.seat, 1 - seen.seat)
        ]
        self.captains = [place_of(seen.crews[seat].captain) for seat in (seen.seat, 1 - seen.seat)]
        self.moves_after = seen.boarding.moves_left - 1
        pairs = tuple((STATIONS[pair.ship_0], STATIONS[pair.ship_1]) for pair in seen.boarding.crossings)
        self.paths = distances_on_deck(pairs)

    def after(self, is_captain: bool, origin: Place, target: Place) -> float:
        """Return the score once a figure has moved."""
        crew, captain = self.crews[0].copy(), self.captains[0]
        if is_captain:
            captain = target
        else:
            crew[origin] -= 1
            crew[target] = crew.get(target, 0) + 1
            if not crew[origin]:
                del crew[origin]
        return self.score(crew, captain)

    def score(self, crew: Mapping[Place, int], captain: Place) -> float:
        """Score the melees to come, how close we are to his captain and he to ours, and who guards whom."""
        foes, foe_captain = self.crews[1], self.captains[1]
        from_ours, from_his = self.paths[captain], self.paths[foe_captain]
        score = 0.3 * crew.get(captain, 0)
        for place, count in crew.items():
            if place in foes or place == foe_captain:
                continue  # a melee: counted below
            score -= 0.05 * count * from_his[place]
            near = sum(number for foe, number in foes.items() if self.paths[place][foe] == 1)
            score -= 0.15 * max(0, near - count)
        for place, count in foes.items():
            score -= 0.2 * count * max(0, 4 - from_ours[place])
        for place in sorted({*crew, captain} & {*foes, foe_captain}):  # in order: sums of floats depend on it
            score += self.melee_at(place, crew, captain)
        return score

    def melee_at(self, place: Place, crew: Mapping[Place, int], captain: Place) -> float:
        """Return the outcome of a fight with those who stand there and those who can still join this turn."""
        joining = sum(
            count for near, count in crew.items() if near not in self.crews[1] and self.paths[place][near] == 1
        )
        own = crew.get(place, 0) + (captain == place)
        own += min(3 - own, joining, self.moves_after)
        foe_captain = self.captains[1] == place
        return melee(own, captain == place, self.crews[1].get(place, 0) + foe_captain, foe_captain)


@cache
def melee(own: int, captain: bool, foes: int, foe_captain: bool) -> float:
    """Return the expected end of a melee, in figures won; each number counts the captain."""
    if not own or not foes:
        return 0.0
    gain = 1.0 + CAPTAIN_WORTH * (foes == 1 and foe_captain)
    loss = 1.0 + CAPTAIN_WORTH * (own == 1 and captain)
    lead = max(0, own - foes) + captain - max(0, foes - own) - foe_captain
    won = sum(our_roll + lead > their_roll for our_roll, their_roll in ROLLS)
    lost = sum(our_roll + lead < their_roll for our_roll, their_roll in ROLLS)
    tied = len(ROLLS) - won - lost
    after_win = gain + melee(own, captain, foes - 1, foe_captain and foes > 1)
    after_loss = -loss + melee(own - 1, captain and own > 1, foes, foe_captain)
    if own == foes == 1 and captain and foe_captain:
        return (won * after_win + lost * after_loss) / (won + lost)
    after_tie = gain - loss + melee(own - 1, captain and own > 1, foes - 1, foe_captain and foes > 1)
    return (won * after_win + lost * after_loss + tied * after_tie) / len(ROLLS)


ROLLS = tuple(product(range(1, 7), repeat=2))


@cache
def distances_on_deck(pairs: tuple[tuple[str, str], ...]) -> dict[Place, dict[Place, int]]:
    """Return the steps from everywhere to everywhere, over ladders and across the rails."""
    names = [name for name in STATIONS.values() if len(name) == 2]
    links: dict[Place, list[Place]] = {(ship, name): [] for ship in (0, 1) for name in names}
    for ship, station, other in product((0, 1), names, names):
        if station != other and are_joined(station, other):
            links[ship, station].append((ship, other))
    for station, other in pairs:
        links[0, station].append((1, other))
        links[1, other].append((0, station))
    return {place: walk(place, links) for place in links}


def are_joined(station: str, other: str) -> bool:
    """Check whether a figure can step from one station to the other on the same ship."""
    if LEVEL[station[0]] == LEVEL[other[0]]:
        return abs(ord(station[0]) - ord(other[0])) <= 1 and abs(int(station[1]) - int(other[1])) <= 1
    return f"{station} {other}" in LADDERS or f"{other} {station}" in LADDERS


def walk(start: Place, links: Mapping[Place, list[Place]]) -> dict[Place, int]:
    """Return the steps from one place to all others."""
    reached, frontier = {start: 0}, deque([start])
    while frontier:
        place = frontier.popleft()
        for near in links[place]:
            if near not in reached:
                reached[near] = reached[place] + 1
                frontier.append(near)
    return reached
