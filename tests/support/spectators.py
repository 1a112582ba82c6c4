"""People who watch, for tests: games and their twins, and all that a feed shows of them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from typing import Any

from google.protobuf.message import Message

from referee.door.spectator import SpectatorFeed
from referee.games import GAMES
from referee.match.match import Chooser, MatchResult, Terms
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.course import Course
from referee.rules.engine import AnyGame, Seat, Variant
from referee.wire import make_terms
from tortuga.v1 import arena_pb2

Strategy = Callable[[Course], dict[Seat, int]]
"""What the seats choose at a moment."""


def match_terms(game_id: str, given_variant: tuple[tuple[str, str], ...] = (), seed: str = "a seed") -> Terms:
    """The terms of a match."""
    game = GAMES[game_id]
    return make_terms(game, game.info.read_variant(dict(given_variant)), derive_secret(seed), match_id="m")


def hide_from_all(game: AnyGame, state: Any, seats: int, rng: random.Random) -> Any:
    """The state with everything drawn anew that some seat does not know: what is left is known to all, and public."""
    for seat in range(seats):
        state = game.hide(state, Seat(seat), SeededChance(derive_secret(str(rng.random()))))
    return state


def course_from(game: AnyGame, state: Any, seats: int, variant: Variant) -> Course:
    """The game as it goes on from there."""
    return Course(replace(game, new=lambda *_: state), seats, variant, state.chance)


async def show(feed: SpectatorFeed, course: Course, choose: Strategy, most: int) -> AsyncIterator[Course]:
    """Play at most so many moments before the feed, and let its viewers fetch what they see after each."""
    feed(course, "", ())
    await fetched()
    yield course
    for _ in range(most):
        if course.outcome is not None:
            return
        kind, choices = course.kind, choose(course)
        made = [(seat, course.asked[seat][index], Chooser.BOT) for seat, index in choices.items()]
        course.choose(choices)
        feed(course, kind, made)
        await fetched()
        yield course


async def fetched() -> None:
    """Every viewer that waits has run once more."""
    for _ in range(3):
        await asyncio.sleep(0)


async def collect(feed: SpectatorFeed, sights: list[arena_pb2.Sight], **how: Any) -> None:
    """Watch to the end."""
    async for sight in feed.watch(**how):
        sights.append(sight)


def result_of(terms: Terms, course: Course, *, void: bool = False) -> MatchResult:
    """A result as the match would give it, without its chains."""
    outcome = course.outcome
    return MatchResult(
        terms=terms,
        names=tuple(f"bot{seat}" for seat in range(course.seats)),
        moments=(),
        end_links=None,  # type: ignore[arg-type]
        faults=(),
        ranks=outcome.ranks if outcome and not void else (),
        scores=outcome.scores if outcome and not void else (),
        reason="void: a test" if void else "a test",
        void=void,
        time_used_seconds=(),
    )


def position(sight: arena_pb2.Sight) -> Message:
    """The typed Position of a scene."""
    game_id = sight.scene.WhichOneof("position")
    assert game_id is not None
    found: Message = getattr(sight.scene, game_id)
    return found


def named(message: Message, enum: str) -> Iterator[str]:
    """Every value of an enum in a message, at any depth."""
    for field, value in message.ListFields():
        values = value if isinstance(value, list) or hasattr(value, "append") or hasattr(value, "add") else [value]
        for part in values:
            if isinstance(part, Message):
                yield from named(part, enum)
            elif field.enum_type is not None and field.enum_type.name == enum:
                yield field.enum_type.values_by_number[part].name
