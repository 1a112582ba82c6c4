"""The games of a comparison in this process, where all its bots are Python: the quickest way to compare two of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from referee.games import find_game
from referee.match.ids import single_match_id
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.course import Course
from referee.rules.engine import Seat
from server.play.simulate import InProcessBot, Strategy, is_in_process, load_with, make_strategy
from server.tuning.comparison import FIELD, BlockScore, Comparison, Finished, Seating, Side
from tortuga_bot.bot_folder import load_choose
from tortuga_bot.client import Choose


def can_play_in_process(comparison: Comparison) -> bool:
    """Check whether every bot of the comparison can be called as a function."""
    return all(is_in_process(bot) for bot in comparison.bots)


def play_block(comparison: Comparison, block: int) -> BlockScore:
    """Play all games of one block."""
    return comparison.count([(one, _play(comparison, block, one)) for one in comparison.seatings(block)])


def _play(comparison: Comparison, block: int, seating: Seating) -> Finished:
    game, secret = find_game(comparison.game), derive_secret(comparison.seed, str(block))
    course = Course(game, comparison.seats, comparison.variant, SeededChance(secret))
    match_id = single_match_id(comparison.game, secret, seating.rotation)
    strategies = [
        _strategy(comparison, who, course, Seat(seat), match_id) for seat, who in enumerate(seating.occupants)
    ]
    while course.outcome is None:
        course.choose({seat: strategies[seat](course, seat) for seat in course.asked})
    return Finished(ranks=course.outcome.ranks, points=course.outcome.scores)


def _strategy(comparison: Comparison, who: int, course: Course, seat: Seat, match_id: str) -> Strategy:
    side = comparison.sides[who] if who < FIELD else None
    if side is None or not side.values:
        return make_strategy(comparison.bots[who], course, comparison.variant, seat, match_id)
    return InProcessBot(side.bot, course, comparison.variant, seat, match_id, load_side(side))


@lru_cache(maxsize=4)
def load_side(side: Side) -> Choose:
    """Load the `choose` of a bot whose parameters have these values: its modules are run anew with them."""
    with _given(side):
        choose = load_with(side.bot, load_choose)

    def with_values(question: Any) -> int | None:
        with _given(side):  # it may look them up only now
            return choose(question)

    return with_values


@contextmanager
def _given(side: Side) -> Iterator[None]:
    """Set environment and command line as the bot's own process would have them."""
    before = {name: os.environ.get(name) for name in side.environment}
    words = sys.argv
    os.environ.update(side.environment)
    sys.argv = [str(side.bot.folder / "bot.py") if side.bot.folder else "", *side.arguments]
    try:
        yield
    finally:
        sys.argv = words
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
