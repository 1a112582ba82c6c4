"""The forward model: what a seat is sent tells it nothing more, and its worlds are as likely as they should be."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from referee.errors import ModelError
from referee.games import GAMES
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.codec import decode, encode, layout
from referee.rules.course import Course
from referee.rules.engine import AnyGame, Outcome, Seat
from referee.rules.model import FILLER, Model, World, encode_model, open_model
from referee.wire import WIRES
from support import sizes
from support.hidden import CHOICES, LUCK
from support.play import GivenVariant, pick, sized_cases, start, wander

GAMES_PER_CASE = sizes.pick(quick=1, ci=2, full=8)
SAMPLES = sizes.pick(quick=150, ci=300, full=1000)


def read(game: AnyGame, state: Any, seat: Seat, seed: str = "worlds") -> Model[World]:
    return open_model(encode_model(game, state, seat), GAMES, seed, World)


def courses(game_id: str, seats: int, given_variant: GivenVariant, rng: random.Random) -> Iterator[Course]:
    """A few games, each at every one of its moments."""
    game = GAMES[game_id]
    for number in range(GAMES_PER_CASE):
        course = start(game, seats, game.info.read_variant(dict(given_variant)), f"model {number}")
        for _ in wander(course, rng):
            yield course


# (a) and (d): worlds look the same to the seat, and can be played to their end


@pytest.mark.few(3)
@sized_cases
@sizes.sized
def test_a_world_looks_to_its_seat_like_the_real_one(game_id: str, seats: int, given_variant: GivenVariant) -> None:
    wire, rng = WIRES[game_id], random.Random(game_id)
    ended = 0
    for number, course in enumerate(courses(game_id, seats, given_variant, rng)):
        for seat, options in course.asked.items():
            [world] = read(course.game, course.state, seat, f"{number}").worlds(1)
            assert wire.observation(world.view(seat)) == wire.observation(course.view(seat))
            assert (world.seat, world.kind, world.default) == (seat, course.kind, course.default(seat))
            assert wire.options(world.actions) == wire.options(options)
        if number % 40 == 0:
            world.play_out(rng)
            outcome = world.outcome()
            assert outcome is not None
            assert len(outcome.ranks) == seats
            ended += 1
    assert ended


# No more than the seat knows


@pytest.mark.few(3)
@sized_cases
@sizes.sized
def test_who_was_told_the_same_is_sent_the_same_model(game_id: str, seats: int, given_variant: GivenVariant) -> None:
    """Two games that a seat cannot tell apart: other hidden things, other luck, other choices of the others. As long as
    it is told the same up to its next question, that question's model is the same, byte for byte. Unlike the twins of
    test_contract.py, this asks nothing of `hide`."""
    game, rng, compared = GAMES[game_id], random.Random(game_id), 0
    for course in courses(game_id, seats, given_variant, rng):
        for seat in map(Seat, range(seats)):
            own = {seat: rng.choice(course.asked[seat])} if seat in course.asked else {}
            twin = game.hide(course.state, seat, SeededChance(derive_secret(f"{rng.random()}")))
            one, other = (up_to_next_question(game, state, seat, own, rng) for state in (course.state, twin))
            if one is not None and other is not None and one[0] == other[0]:
                assert encode_model(game, one[1], seat) == encode_model(game, other[1], seat), course.kind
                compared += 1
    assert compared > 5


def up_to_next_question(
    game: AnyGame, state: Any, seat: Seat, own: dict[Seat, Any], rng: random.Random
) -> tuple[list[bytes], Any] | None:
    """What a seat is told until it is asked the next time, and the state then; None if that takes long."""
    wire, told = WIRES[game.info.id], list[bytes]()
    for step_number in range(6):
        decision = game.ask(state)
        if isinstance(decision, Outcome) or (own and not step_number and own[seat] not in decision.options[seat]):
            return None
        if step_number and len(decision.options.get(seat, ())) > 1:
            return [*told, wire.observation(game.view(state, seat)), wire.options(decision.options[seat])], state
        choices = {other: rng.choice(actions) for other, actions in decision.options.items()}
        step = game.apply(state, choices | own if not step_number else choices)
        told += [wire.events([seen]) for event in step.events if (seen := game.seen(event, seat)) is not None]
        state = step.state
    return None


@pytest.mark.few(3)
@sized_cases
@sizes.sized
def test_games_that_look_alike_to_a_seat_for_long_send_it_the_same_models(
    game_id: str, seats: int, given_variant: GivenVariant
) -> None:
    """A game and its twin are played side by side with the same luck, for as long as the seat can be told the same: the
    others choose other things if these look the same. What a state remembers of them may come out much later."""
    game, rng, compared = GAMES[game_id], random.Random(game_id), 0
    variant = game.info.read_variant(dict(given_variant))
    for number in range(GAMES_PER_CASE):
        for seat in map(Seat, range(seats)):
            state, twin = start(game, seats, variant, f"side by side {number}").state, None
            while not isinstance(decision := game.ask(state), Outcome):
                if twin is None:
                    twin = game.hide(state, seat, SeededChance(derive_secret(f"{rng.random()}")))
                    twin.chance = state.copy().chance
                choices = {one: options[pick(rng, options)] for one, options in decision.options.items()}
                told, state = one_step(game, state, seat, choices)
                twin = same_look(game, twin, seat, choices, told, rng)
                if twin is not None and told[-1]:
                    assert encode_model(game, state, seat) == encode_model(game, twin, seat), decision.kind
                    compared += 1
    assert compared > 5


def one_step(game: AnyGame, state: Any, seat: Seat, choices: dict[Seat, Any]) -> tuple[list[bytes], Any]:
    """What a seat is told of a step and what it is asked then, and the state after it."""
    wire, step = WIRES[game.info.id], game.apply(state, choices)
    told = [wire.events([seen]) for event in step.events if (seen := game.seen(event, seat)) is not None]
    decision = game.ask(step.state)
    asked = () if isinstance(decision, Outcome) else decision.options.get(seat, ())
    return [*told, wire.observation(game.view(step.state, seat)), wire.options(asked)], step.state


def same_look(
    game: AnyGame, twin: Any, seat: Seat, choices: dict[Seat, Any], told: list[bytes], rng: random.Random
) -> Any:
    """The twin after a step of which the seat is told the same; None if a few tries do not find one."""
    decision = game.ask(twin)
    if isinstance(decision, Outcome) or choices.get(seat) not in decision.options.get(seat, (None,)):
        return None
    kinds = {one: type(choice) for one, choice in choices.items()}
    for attempt in range(8):
        made = {}
        for one, options in decision.options.items():
            alike = [option for option in options if type(option) is kinds.get(one)] if attempt % 2 else list(options)
            keeps = one == seat or (attempt == 7 and choices.get(one) in options)
            made[one] = choices[one] if keeps else rng.choice(alike or list(options))
        found, after = one_step(game, twin, seat, made)
        if found == told:
            return after
    return None


@pytest.mark.parametrize("game_id", GAMES)
def test_a_model_holds_neither_secret_nor_luck(game_id: str) -> None:
    game = GAMES[game_id]
    course = start(game, game.info.min_seats, game.info.read_variant({}), "secret")
    data = json.loads(encode_model(game, course.state, Seat(0)))
    assert set(data) == {"game", "rules", "layout", "seat", "state"}
    hidden = game.hide(course.state, Seat(0), FILLER)
    assert decode(game_id, encode(hidden)).chance is None
    others = [start(game, game.info.min_seats, game.info.read_variant({}), f"{number}") for number in range(3)]
    for other in others:  # the same state with other luck
        other.state.chance, kept = course.state.chance, other.state.chance
        before = encode_model(game, other.state, Seat(0))
        other.state.chance = kept
        assert encode_model(game, other.state, Seat(0)) == before


# (b) and (c): the truth has its chance


@pytest.mark.few(2)
@pytest.mark.parametrize("game_id", GAMES)
@sizes.sized
def test_the_truth_is_among_the_worlds(game_id: str) -> None:
    """Place by place: whatever really lies somewhere also lies there in some world."""
    game, rng, compared = GAMES[game_id], random.Random(game_id), 0
    for course in samples(game, rng, 60 if game_id == "broadsides" else 12):
        for seat in course.asked:
            places = [find for table in (LUCK, CHOICES) if (find := table.get(game_id))]
            truth = {name: found for find in places for name, found in find(course.state, seat).items()}
            missing, model = set(truth), read(course.game, course.state, seat)
            for world in (world for _ in range(40) for world in model.worlds(50)):
                drawn = {name: found for find in places for name, found in find(world.state, seat).items()}
                missing = {name for name in missing if drawn[name] != truth[name]}
                if not missing:
                    break
            assert not missing, f"{course.kind}: {[(name, truth[name]) for name in sorted(missing)]}"
            compared += len(truth)
    assert compared > 20


def samples(game: AnyGame, rng: random.Random, count: int) -> Iterator[Course]:
    """Games of random bots at any moment of their first hundred, each a game of its own."""
    for number in range(count):
        seats = rng.randint(game.info.min_seats, game.info.max_seats)
        course = start(game, seats, game.info.read_variant({}), f"sample {number}")
        for _ in islice(wander(course, rng), rng.randrange(100)):
            pass
        if course.outcome is None:
            yield course


DRAWS = 19
BINS = 10
MOST_CHI_SQUARE = 27.88
"""For nine degrees of freedom: one in a thousand sets of ranks that are uniform lies above."""


@pytest.mark.few(1)
@pytest.mark.parametrize("game_id", LUCK)
@sizes.sized
def test_among_the_draws_the_true_card_has_any_rank(game_id: str) -> None:
    """What luck alone has hidden: nineteen draws and the truth, in any order."""
    assert chi_square(game_id, dealt=True) < MOST_CHI_SQUARE


@pytest.mark.few(1)
@pytest.mark.parametrize("game_id", LUCK)
@sizes.sized
def test_the_ranks_would_show_worlds_that_are_not_dealt(game_id: str) -> None:
    assert chi_square(game_id, dealt=False) > MOST_CHI_SQUARE


def chi_square(game_id: str, *, dealt: bool) -> float:
    """How far the ranks of true cards are from uniform; undealt, the filler is taken for the draws."""
    rng, bins = random.Random(f"ranks of {game_id}"), [0] * BINS
    for course in samples(GAMES[game_id], rng, SAMPLES):
        seat = rng.choice(list(course.asked))
        truth = LUCK[game_id](course.state, seat)
        if not truth:
            continue
        name = rng.choice(sorted(truth))
        if dealt:
            states = [world.state for world in read(course.game, course.state, seat, f"{rng.random()}").worlds(DRAWS)]
        else:
            states = [course.game.hide(course.state, seat, FILLER)] * DRAWS
        drawn = [LUCK[game_id](state, seat)[name] for state in states]
        below, equal = sum(card < truth[name] for card in drawn), sum(card == truth[name] for card in drawn)
        bins[(below + rng.randint(0, equal)) * BINS // (DRAWS + 1)] += 1
    expected = sum(bins) / BINS
    assert expected > 10
    return sum((count - expected) ** 2 / expected for count in bins)


# Worlds


def early(game_id: str) -> Course:
    return start(GAMES[game_id], GAMES[game_id].info.min_seats, GAMES[game_id].info.read_variant({}), "early")


def test_worlds_are_the_same_for_the_same_seed_and_go_on() -> None:
    course = early("pavillon_noir")
    model = read(course.game, course.state, Seat(0), "7")
    first, second = model.worlds(3), model.worlds(3)
    again = read(course.game, course.state, Seat(0), "7").worlds(6)
    assert [encode(world.state) for world in (*first, *second)] == [encode(world.state) for world in again]
    assert len({encode(world.state) for world in again}) == 6


def test_a_clone_has_the_same_luck_or_other_luck_from_a_seed() -> None:
    rng = random.Random(1)
    [world] = read(early("broadsides").game, early("broadsides").state, Seat(0)).worlds(1)
    before = encode(world.state)
    ends = []
    for clone in (world.clone(), world.clone(), world.clone("other")):
        clone.play_out(random.Random(1))
        ends.append(encode(clone.state))
    assert encode(world.state) == before
    assert ends[0] == ends[1] != ends[2]
    assert world.play_out(rng, most=4) == 4


def test_seats_that_choose_together_are_asked_in_turn_and_nothing_happens_before() -> None:
    course = early("broadsides")
    [world] = read(course.game, course.state, Seat(1)).worlds(1)
    before = world.state
    assert world.seat == 1
    world.play(0)
    assert world.seat == 0
    assert world.state is before
    clone = world.clone()
    clone.play(3)
    assert (clone.seat, world.seat) == (1, 0)
    assert world.state is before is not clone.state


def test_known_and_weight_choose_among_the_worlds() -> None:
    course = early("pirates_cove")
    while course.kind == "OUTFIT":
        course.choose(dict.fromkeys(course.asked, 0))
    [seat] = list(course.asked)[:1]
    model = read(course.game, course.state, seat)
    hands = {world.state.ships[1 - seat].hand for world in model.worlds(50)}
    wanted = sorted(hands)[0]

    def holds(world: World) -> bool:
        return bool(world.state.ships[1 - seat].hand == wanted)

    assert all(holds(world) for world in model.worlds(5, known=holds))
    weighed = model.worlds(40, weight=lambda world: 1.0 if holds(world) else 0.001)
    assert sum(map(holds, weighed)) > 20
    assert len({encode(world.clone().state) for world in weighed}) > 1
    with pytest.raises(ModelError, match="none of 1000 worlds fits"):
        model.worlds(1, known=lambda world: False)
    with pytest.raises(ModelError, match=r"weight.*none of 8 "):
        model.worlds(1, weight=lambda world: 0.0)
    assert model.worlds(0, weight=lambda world: 0.0) == []


def test_a_world_says_what_it_expected() -> None:
    course = early("broadsides")
    [world] = read(course.game, course.state, Seat(0)).worlds(1)
    with pytest.raises(ModelError, match=r"option 99 of 22.* 0 to 21"):
        world.play(99)
    world.play_out(random.Random(0))
    assert (world.seat, world.kind, world.option_count, world.default) == (None, "", 0, 0)
    with pytest.raises(ModelError, match="over"):
        world.play(0)


# What comes over the wire


def test_a_model_of_other_rules_is_refused_with_both_versions() -> None:
    course = early("broadsides")
    data = encode_model(course.game, course.state, Seat(0))
    ours = course.game.info.rules_version
    older = data.replace(f'"rules":{ours}'.encode(), f'"rules":{ours + 1}'.encode())
    with pytest.raises(ModelError, match=f"version {ours + 1} .* yours {ours} .*install the same"):
        open_model(older, GAMES, "", World)
    built = layout("broadsides").encode()
    with pytest.raises(ModelError, match="install the same version"):
        open_model(data.replace(built, b"0" * len(built)), GAMES, "", World)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"\xff\xfe",
        lambda data: b"[1, 2]",
        lambda data: data[:-20],
        lambda data: data.replace(b'"broadsides"', b'"chess"'),
        lambda data: data.replace(b'"seat":0', b'"seat":"0"'),
        lambda data: data.replace(b'"Ship"', b'"os.system"'),
        lambda data: data.replace(b'"Ship"', b'"Chart"'),
        lambda data: data.replace(b'"Station":', b'"Station":9'),
        lambda data: data[: data.index(b'"state":') + 8] + b"[" * 100_000,
        lambda data: data[: data.index(b'"state":') + 8] + b'{"State":[],"Ship":[]}}',
    ],
)
def test_bytes_that_are_no_model_are_refused(damage: Any) -> None:
    course = early("broadsides")
    with pytest.raises(ModelError):
        open_model(damage(encode_model(course.game, course.state, Seat(0))), GAMES, "", World)


@pytest.mark.parametrize("game_id", GAMES)
def test_the_layout_does_not_depend_on_what_else_is_imported(game_id: str) -> None:
    """A server has imported far more than a bot."""
    imported = "from referee import games; from referee.rules import codec"
    script = f"{imported}; games.GAMES[{game_id!r}]; print(codec.layout({game_id!r}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    for other in GAMES:
        WIRES[other]
    assert done.stdout.strip() == layout(game_id)
