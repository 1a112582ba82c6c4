"""A spectator learns no secret: twins on the spectator's stream (reliability.md, section 8 and fault 48).

Twins differ in everything that some seat does not know, and in nothing else. What a spectator is sent of them is the
same, byte for byte and sight for sight, until something happens before everybody's eyes that is not the same.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from referee.door.spectator import SpectatorFeed
from referee.games import marauders, pavillon_noir
from referee.games.marauders.data.quests import RUMORS
from referee.games.marauders.events.wealth import GoldStashed
from referee.games.pavillon_noir.events import HandSpied, ReputationsDealt, TricksDealt
from referee.games.pavillon_noir.terms import Trick
from referee.games.pirates_cove.data import CARDS
from referee.games.pirates_cove.rules.tavern import ParrotOffer
from referee.match.match import Terms
from referee.rules.course import Course
from referee.rules.engine import SPECTATOR, AnyGame, Outcome, Seat
from referee.wire import WIRES, AnyWire
from referee.wire.marauders import RUMOR_NUMBERS
from support import sizes
from support.play import GivenVariant, pick, sized_cases, start, wander
from support.spectators import (
    collect,
    course_from,
    fetched,
    hide_from_all,
    match_terms,
    named,
    position,
    result_of,
    show,
)
from tortuga.v1 import arena_pb2
from tortuga.v1.marauders_pb2 import Marauders
from tortuga.v1.pavillon_noir_pb2 import PavillonNoir

GAMES_PER_CASE = sizes.pick(quick=3, ci=6, full=12)
TWINS_PER_CASE = sizes.pick(quick=20, ci=60, full=400)
MOMENTS_PER_TWIN = 25


@pytest.mark.few(3)
@sized_cases
@sizes.sized
def test_twins_look_the_same_to_a_spectator(game_id: str, seats: int, given_variant: GivenVariant) -> None:
    """The table, who is to choose, and what comes of it."""
    terms = match_terms(game_id, given_variant)
    game, wire = terms.game, WIRES[terms.game.info.id]
    rng, different = random.Random(f"{game_id}/{seats}/{given_variant}"), 0
    for number in range(GAMES_PER_CASE):
        course = start(game, seats, terms.variant, f"{number}")
        for choices in wander(course, rng):
            if rng.random() > 0.3:
                continue
            twin = hide_from_all(game, course.state, seats, rng)
            assert wire.observation(game.view(twin, SPECTATOR)) == wire.observation(course.view(SPECTATOR))
            different += any(
                game.view(twin, Seat(seat)) != game.view(course.state, Seat(seat)) for seat in range(seats)
            )
            compare_news(game, wire, course, twin, choices)
    assert different > sizes.pick(quick=5, ci=20), "the twins hardly differ: the test shows nothing"


def compare_news(game: AnyGame, wire: AnyWire, course: Course, twin: Any, choices: dict[Seat, int]) -> None:
    """The same is asked of the same seats, whoever holds what; and events tell no more than the table afterwards."""
    real, other = game.ask(course.state), game.ask(twin)
    assert not isinstance(real, Outcome)
    assert not isinstance(other, Outcome)
    assert (other.kind, other.options.keys()) == (real.kind, real.options.keys())
    actions = {place: real.options[place][choices.get(place, 0)] for place in real.options}
    if any(actions[place] not in other.options[place] for place in actions):
        return
    twin.chance = course.state.chance.copy()  # the same dice on both sides: only what is hidden differs
    steps = game.apply(course.state, actions), game.apply(twin, actions)
    ours, theirs = (wire.observation(game.view(step.state, SPECTATOR)) for step in steps)
    if ours == theirs:
        heard = [
            sorted(wire.events([seen]) for event in step.events if (seen := game.seen(event, SPECTATOR)) is not None)
            for step in steps
        ]
        assert heard[0] == heard[1], f"{real.kind}: events tell a spectator a secret"


@sized_cases
def test_a_spectator_perceives_no_more_of_an_event_than_the_seat_that_perceived_least(
    game_id: str, seats: int, given_variant: GivenVariant
) -> None:
    """And each can be told in words and bytes, also without its secret part."""
    terms = match_terms(game_id, given_variant)
    rng, told = random.Random(f"{game_id}/{seats}/{given_variant}"), 0
    course = start(terms.game, seats, terms.variant, "heard")
    for _ in wander(course, rng):
        for event in course.events:
            perceived = terms.game.seen(event, SPECTATOR)
            by_seats = [terms.game.seen(event, Seat(seat)) for seat in range(seats)]
            partly = [heard for heard in by_seats if heard != event]
            assert perceived in partly or not partly, event
            if perceived is not None:
                line = terms.game.text.event(perceived)
                assert line.strip() == line != ""
                assert "\n" not in line
                assert WIRES[terms.game.info.id].event(perceived)
                told += 1
    assert told > 20


@pytest.mark.parametrize("game_id", WIRES)
def test_a_scene_has_the_position_where_a_question_has_it(game_id: str) -> None:
    """The feed joins it from bytes by the number of the question's field."""
    assert arena_pb2.Scene.DESCRIPTOR.fields_by_name[game_id].number == WIRES[game_id].field


def test_events_without_their_secret_part_are_told_without_it() -> None:
    assert marauders.GAME.text.event(GoldStashed(Seat(1), 0, True)) == "seat 1 stashes some gold"
    tell = pavillon_noir.GAME.text.event
    assert re.fullmatch("seat 0 .*opposing hand", tell(HandSpied(Seat(0), ())))
    assert re.fullmatch("seat 0 .*trick.* dealt", tell(TricksDealt(Seat(0), ())))
    assert re.fullmatch("seat 0 .*reputation.* dealt", tell(ReputationsDealt(Seat(0), ())))


@pytest.mark.few(3)
@sized_cases
@sizes.sized
def test_twins_give_the_same_stream(game_id: str, seats: int, given_variant: GivenVariant) -> None:
    """Whole stretches of a game on both sides: number, size and order of sights hang on public things alone."""
    terms = match_terms(game_id, given_variant)
    rng, tally = random.Random(f"{game_id}/{seats}/{given_variant}"), Counter[str]()
    games = 0
    while tally["twins"] < TWINS_PER_CASE:
        games += 1
        course = start(terms.game, seats, terms.variant, f"stream {games}")
        for _ in wander(course, rng):
            if rng.random() < 0.05 and tally["twins"] < TWINS_PER_CASE:
                tally["twins"] += 1
                asyncio.run(compare_streams(terms, course, rng, tally))
    assert tally["sights"] > sizes.pick(quick=0, ci=10), tally
    # Where a seat without cards is not asked at a card window.
    if game_id in ("pirates_cove", "marauders") and sizes.SIZE > sizes.Size.QUICK:
        assert tally["asked differently"] > 0, tally


async def compare_streams(terms: Terms, course: Course, rng: random.Random, tally: Counter[str]) -> None:
    """Play on with a state and its twin, seats choosing alike where they can."""
    real, twin = course.state.copy(), hide_from_all(terms.game, course.state, course.seats, rng)
    real.chance, twin.chance = course.state.chance.copy(), course.state.chance.copy()
    salt = str(rng.random())
    ours, asked_ours = await stretch(terms, course_from(terms.game, real, course.seats, terms.variant), salt)
    theirs, asked_theirs = await stretch(terms, course_from(terms.game, twin, course.seats, terms.variant), salt)
    for place, (one, two) in enumerate(zip(ours, theirs, strict=False)):
        if one.SerializeToString() != two.SerializeToString():
            check_the_story_parts(ours[place:], theirs[place:])
            break
        tally["sights"] += one.number > 2  # the start and the table as it lies say little
        tally["asked differently"] += asked_ours.get(one.number) != asked_theirs.get(two.number)


def check_the_story_parts(ours: list[arena_pb2.Sight], theirs: list[arena_pb2.Sight]) -> None:
    """Streams may part where the public story does, but one story must not be cut into sights in two ways."""
    (first, *_), (other, *_) = facts = [[facts_of(sight) for sight in sights] for sights in (ours, theirs)]
    stories = [[fact for sight in sights for fact in sight] for sights in facts]
    common = 0
    while common < min(map(len, stories)) and stories[0][common] == stories[1][common]:
        common += 1
    shorter = min(len(first), len(other))
    assert len(first) == len(other) or common <= shorter, (ours[:2], theirs[:2])


def digest(key: bytes) -> bytes:
    """As good as chance, and the same on both sides."""
    return hashlib.blake2b(key, digest_size=8).digest()


def facts_of(sight: arena_pb2.Sight) -> list[Any]:
    """The public events of a scene."""
    return list(position(sight).events)  # type: ignore[attr-defined]


async def stretch(terms: Terms, course: Course, salt: str) -> tuple[list[arena_pb2.Sight], dict[int, int]]:
    """All sights of some moments, and how many questions were asked after each."""
    feed, sights = SpectatorFeed(terms, [f"bot{seat}" for seat in range(course.seats)]), list[arena_pb2.Sight]()
    asked = Counter[int]()

    def alike(course: Course) -> dict[Seat, int]:
        """The same choice from different hands, as often as may be: that of the least hash, mostly a plain one."""
        story = f"{salt}/{len(sights)}/".encode()
        asked[len(sights)] += 1
        plain = digest(story)[0] < 192

        def rank(option: Any) -> tuple[int, bytes]:
            encoded = WIRES[terms.game.info.id].option(option)
            return len(encoded) if plain else 0, digest(story + encoded)

        return {
            seat: min(range(len(options)), key=lambda index: rank(options[index]))
            for seat, options in course.asked.items()
        }

    viewer = asyncio.create_task(collect(feed, sights))
    await fetched()
    async for _ in show(feed, course, alike, MOMENTS_PER_TWIN):
        pass
    feed.end(None)
    await viewer
    assert [sight.number for sight in sights] == list(range(1, len(sights) + 1))
    return sights, dict(asked)


def hidden_tricks(state: Any) -> tuple[set[str], set[str]]:
    """Face down, and face up: names on the wire."""
    played = {trick for duelist in state.duelists for trick in duelist.played_tricks}
    return (
        {PavillonNoir.Trick.Name(int(trick)) for trick in set(Trick) - played},  # type: ignore[arg-type]
        {PavillonNoir.Trick.Name(int(trick)) for trick in played},  # type: ignore[arg-type]
    )


def hidden_tavern_cards(state: Any) -> tuple[set[str], set[str]]:
    """The same; only cards of which there is one."""
    down = [*state.tavern, *(card for ship in state.ships for card in ship.hand)]
    task = state.pending[-1] if state.pending else None
    up = [*state.tavern_discard, *(ship.parrot for ship in state.ships if ship.parrot)]
    up += [task.parrot] if isinstance(task, ParrotOffer) else []
    single = {card for card, row in CARDS.items() if row.copies == 1}
    return (
        {f"TAVERN_CARD_{card.name}" for card in single.intersection(down)},
        {f"TAVERN_CARD_{card.name}" for card in single.intersection(up)},
    )


def hidden_rumors(state: Any) -> tuple[set[str], set[str]]:
    """The same."""
    down = {*state.rumors.deck, *(player.rumor for player in state.players if player.rumor)}
    up = {*state.rumors.discard, *(card for player in state.players for card in player.kept if card in RUMORS)}
    return (
        {Marauders.Rumor.Name(RUMOR_NUMBERS[card]) for card in down},  # type: ignore[arg-type]
        {Marauders.Rumor.Name(RUMOR_NUMBERS[card]) for card in up},  # type: ignore[arg-type]
    )


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("game_id", "seats", "given_variant", "enum", "cards_of"),
    [
        ("pavillon_noir", 2, (("variant", "full"),), "Trick", hidden_tricks),
        ("pirates_cove", 4, (), "TavernCard", hidden_tavern_cards),
        ("marauders", 3, (), "Rumor", hidden_rumors),
    ],
)
def test_no_card_that_lies_face_down_is_named_before_the_end(
    game_id: str,
    seats: int,
    given_variant: GivenVariant,
    enum: str,
    cards_of: Callable[[Any], tuple[set[str], set[str]]],
) -> None:
    """A card that was never turned up in the whole match stands in no sight; at the end the secrets are told."""
    terms = match_terms(game_id, given_variant)
    rng = random.Random(game_id)
    named_cards, told = set[str](), 0
    for number in range(3):
        course = start(terms.game, seats, terms.variant, f"face down {number}")
        sights, shown = asyncio.run(whole_match(terms, course, rng, cards_of))
        *before, end = sights
        assert not any(sight.secrets for sight in before)
        mentioned = {name for sight in before[1:] for name in named(position(sight), enum)}
        down, _ = cards_of(course.state)
        assert not mentioned & (down - shown), game_id
        named_cards |= mentioned
        assert end.HasField("end")
        told += len(end.secrets)
    assert named_cards, "no card was ever named: the test shows nothing"
    assert told


async def whole_match(
    terms: Terms, course: Course, rng: random.Random, cards_of: Callable[[Any], tuple[set[str], set[str]]]
) -> tuple[list[arena_pb2.Sight], set[str]]:
    """All sights of a match, and the cards that lay face up at some time."""
    feed = SpectatorFeed(terms, [f"bot{seat}" for seat in range(course.seats)])
    sights, shown = list[arena_pb2.Sight](), set[str]()
    viewer = asyncio.create_task(collect(feed, sights))
    await fetched()

    def choose(course: Course) -> dict[Seat, int]:
        return {seat: pick(rng, options) for seat, options in course.asked.items()}

    async for now in show(feed, course, choose, terms.game.info.max_decisions):
        for step in now.steps:
            shown |= cards_of(step.state)[1]
    feed.end(result_of(terms, course))
    await viewer
    return sights, shown
