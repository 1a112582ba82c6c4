"""Real questions for bots under test, from games of random choices that are played in this process.

Some decisions come up once in a thousand random games. So the games to play are chosen beforehand: `random_games` of a
game's plug-in lists a few that together meet every kind of decision. A test plays them and says when a change of the
rules has made the list stale; `python -m server.conformance.questions GAME` looks for a new one.
"""

from __future__ import annotations

import itertools
import random
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from referee.games import GAMES
from referee.match.clock import TimeControl
from referee.match.ids import single_match_id
from referee.match.match import Introduction, Terms
from referee.match.question import Question, make_question
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.course import Course
from referee.rules.engine import AnyGame, Seat, WordSetting
from referee.rules.infos import PLUGINS
from referee.rules.plugins import RandomGame
from referee.wire import find_wire, make_terms

CLOCK = TimeControl()

Variant = Mapping[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """A question that a seat of some game was asked."""

    terms: Terms
    seats: int
    seat: Seat
    question: Question

    def introduction(self, match_id: str, bot: str) -> Introduction:
        """Return what that seat was told before the first question, in a match of that name."""
        names = tuple(bot if seat == self.seat else f"dice {seat}" for seat in range(self.seats))
        return Introduction(terms=replace(self.terms, match_id=match_id), seat=self.seat, seat_names=names)


@dataclass(slots=True)
class Samples:
    """The questions found in the random games."""

    shortest: dict[str, Sample] = field(default_factory=dict)
    """Per kind of decision the question with the fewest options."""
    longest: dict[str, Sample] = field(default_factory=dict)
    """Per kind of decision the question with the most options."""
    together: tuple[Sample, ...] = ()
    """The questions of one moment at which several seats decide."""

    @property
    def all(self) -> list[Sample]:
        """Return every sample once, in the order in which the kinds came up."""
        questions: list[Sample] = []
        for kind, sample in self.shortest.items():
            questions.append(sample)
            if len(self.longest[kind].question.actions) > len(sample.question.actions):
                questions.append(self.longest[kind])
        return questions


@cache
def samples(game_id: str) -> Samples:
    """Collect questions of every kind of decision of a game."""
    collected = Samples()
    for played in games_to_play(game_id):
        gather(GAMES[game_id], played, collected)
    return collected


def games_to_play(game_id: str) -> tuple[RandomGame, ...]:
    """Return the games to play: those that were chosen, or the first few."""
    plugin = PLUGINS[game_id]
    seats = sorted({plugin.info.min_seats, plugin.info.max_seats})
    return plugin.random_games or tuple(RandomGame(number, count) for number in range(3) for count in seats)


def gather(game: AnyGame, played: RandomGame, into: Samples) -> None:
    """Play one game and keep the questions that are worth it."""
    terms, course = begin(game, played)
    asked = [0] * played.seats
    for _ in wander(course, played.number):
        moment: list[Sample] = []
        for seat, options in course.asked.items():
            asked[seat] += 1
            least, most = into.shortest.get(course.kind), into.longest.get(course.kind)
            shorter = least is None or len(options) < len(least.question.actions)
            longer = most is None or len(options) > len(most.question.actions)
            if not (shorter or longer or (len(course.asked) > 1 and not into.together)):
                course.take_events(seat)  # told, so that the next question has the events since this one
                continue
            question = make_question(course, terms.wire, seat, asked[seat])
            question.time_left_seconds, question.bank_left_seconds = CLOCK.cap_seconds, CLOCK.bank_seconds
            sample = Sample(terms=terms, seats=played.seats, seat=seat, question=question)
            moment.append(sample)
            if shorter:
                into.shortest[course.kind] = sample
            if longer:
                into.longest[course.kind] = sample
        if len(moment) > 1 and not into.together:
            into.together = tuple(moment)


def begin(game: AnyGame, played: RandomGame) -> tuple[Terms, Course]:
    """Begin a random game, up to its first question."""
    secret = derive_secret(f"check/{played.number}")
    variant = game.info.read_variant(dict(played.variant))
    terms = make_terms(game, variant, secret, match_id=single_match_id(game.info.id, secret))
    return terms, Course(game, played.seats, variant, SeededChance(secret))


def wander(course: Course, number: int) -> Iterator[None]:
    """Stop at each moment before its choices are made, until the game is over."""
    dice = random.Random(number)
    while course.outcome is None:
        choices = {seat: pick(dice, options) for seat, options in course.asked.items()}
        yield
        course.choose(choices)


def pick(dice: random.Random, options: tuple[Any, ...]) -> int:
    """Pick any option half the time, and half the time any kind of action first, so that rare ones come up too."""
    if dice.random() < 0.5:
        return dice.randrange(len(options))
    kind = dice.choice(sorted({type(option).__name__ for option in options}))
    return dice.choice([index for index, option in enumerate(options) if type(option).__name__ == kind])


def kinds_of(game_id: str) -> set[str]:
    """Return every kind of decision a game has; none where they are sent by name, and nobody knows them all."""
    return {kind for kind, number in find_wire(game_id).decisions.items() if number}


def search(game: AnyGame, seconds: float) -> list[RandomGame]:
    """Look for few games that together meet every kind of decision."""
    end, missing = time.monotonic() + seconds, kinds_of(game.info.id)
    variants: list[tuple[tuple[str, str], ...]] = [()]
    for option in game.info.settings:
        if isinstance(option, WordSetting):
            variants += [((option.name, value),) for value in option.values if value != option.default]
    met: list[tuple[RandomGame, set[str]]] = []
    for number in itertools.count():
        if not missing or time.monotonic() > end:
            break
        seats = game.info.min_seats + number % (game.info.max_seats - game.info.min_seats + 1)
        played = RandomGame(number, seats, variants[number // 3 % len(variants)])
        course = begin(game, played)[1]
        here = {course.kind for _ in wander(course, number)}
        met.append((played, here))
        missing -= here
    chosen, left = [], kinds_of(game.info.id) - missing
    while left:
        best, here = max(met, key=lambda entry: len(entry[1] & left))
        chosen.append(best)
        left -= here
    print(f"{game.info.id}: {len(met)} games, not met: {', '.join(sorted(missing)) or 'none'}")
    return chosen


if __name__ == "__main__":
    for game_id in sys.argv[1:] or GAMES:
        for one in search(GAMES[game_id], 120.0):
            print(f"        {one},")
