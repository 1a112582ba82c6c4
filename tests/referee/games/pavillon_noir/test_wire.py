"""Our classes and their messages have the same names and fields; texts tell every kind of option and event."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import get_args

import pytest

from referee.games.pavillon_noir import GAME
from referee.games.pavillon_noir.actions import Action, Aim, PlayTrick
from referee.games.pavillon_noir.events import Event, GameEnded
from referee.games.pavillon_noir.terms import (
    JOKER,
    Cannon,
    Decks,
    Disaster,
    EndReason,
    Figure,
    Gun,
    Marker,
    Phase,
    Projectile,
    Reputation,
    RunKind,
    Side,
    Suit,
    Term,
    Track,
    Trick,
    Zone,
)
from referee.wire import WIRES
from support.pavillon_noir import A, B, Line, side, table
from tortuga.v1.pavillon_noir_pb2 import PavillonNoir

WIRE = WIRES["pavillon_noir"]


@pytest.mark.parametrize(
    ("classes", "union"), [(get_args(Action), PavillonNoir.Option), (get_args(Event), PavillonNoir.Event)]
)
def test_every_class_has_its_message_field_by_field(
    classes: tuple[type, ...], union: type[PavillonNoir.Option] | type[PavillonNoir.Event]
) -> None:
    """And the other way round."""
    messages = {field.message_type.name: field.message_type for field in union.DESCRIPTOR.fields if field.message_type}
    assert messages.keys() == {kind.__name__ for kind in classes}
    for kind in classes:
        assert [field.name for field in fields(kind)] == [field.name for field in messages[kind.__name__].fields]


@pytest.mark.parametrize(
    "terms", [Zone, Marker, Gun, Cannon, Projectile, Suit, Side, Figure, Track, RunKind, Phase, Disaster]
)
def test_terms_and_enums_agree_in_name_and_order(terms: type[Term]) -> None:
    """On the wire everything is one higher, because 0 is unspecified."""
    numbers = dict(getattr(PavillonNoir, terms.__name__).items())
    prefix = next(iter(numbers)).removesuffix("_UNSPECIFIED")
    assert {term: numbers[f"{prefix}_{term.name}"] for term in terms} == {term: term + 1 for term in terms}


@pytest.mark.parametrize("cards", [Reputation, Trick])
def test_ids_of_cards_are_their_numbers(cards: type[Term]) -> None:
    """Q1…Q9 and K01…K24."""
    numbers = dict(getattr(PavillonNoir, cards.__name__).items())
    assert [numbers[f"{cards.__name__.upper()}_{term.name}"] for term in cards] == list(cards)


def test_aim_and_target_cards_are_numbered_as_in_the_specification() -> None:
    """S1 is 1, the joker 41, T30 is 30."""
    assert PavillonNoir.CARD_S1 == 1
    assert PavillonNoir.CARD_D10 == 40
    assert int(PavillonNoir.CARD_JK) == int(JOKER)
    assert PavillonNoir.TARGET_CARD_T30 == 30
    assert PavillonNoir.Variant.keys()[1:] == [f"VARIANT_{variant.name}" for variant in Decks]


def test_an_aim_reads_back() -> None:
    """Enums are one higher, target indices are not."""
    option = PavillonNoir.Option.FromString(WIRE.option(Aim(JOKER, 7, 0, Side.BELOW)))
    assert option.WhichOneof("action") == "aim"
    assert (option.aim.card, option.aim.value, option.aim.target) == (PavillonNoir.CARD_JK, 7, 0)
    assert option.aim.side == PavillonNoir.SIDE_BELOW


def test_target_zero_is_told_apart_from_no_target() -> None:
    """`optional` where absent differs from zero."""
    chosen = PavillonNoir.Option.FromString(WIRE.option(PlayTrick(Trick.K12, 0)))
    plain = PavillonNoir.Option.FromString(WIRE.option(PlayTrick(Trick.K10)))
    assert chosen.play_trick.HasField("target")
    assert not plain.play_trick.HasField("target")
    won = PavillonNoir.Event.FromString(WIRE.event(GameEnded(A, EndReason.SINK))).game_ended
    drawn = PavillonNoir.Event.FromString(WIRE.event(GameEnded(None, EndReason.CAP_DRAW))).game_ended
    assert (won.HasField("winner"), won.winner, won.reason) == (True, 0, PavillonNoir.END_REASON_SINK)
    assert (drawn.HasField("winner"), drawn.reason) == (False, PavillonNoir.END_REASON_CAP_DRAW)


def test_an_observation_reads_back() -> None:
    """The fields a bot looks at most."""
    a = side(hand="S1 H10 JK", bow="ball chain", targets="T26:S9/- T21", planks=(5, 3, 5), evade=(3, 4))
    state = table(a, side(hand="H1", captain=None, suits=(Suit.CLUB,), flipped=(True, False, False)))
    seen = PavillonNoir.Observation.FromString(WIRE.observation(GAME.view(state, A)))
    own, other = seen.duelists
    assert list(seen.hand) == [1, 20, 41]
    assert (seen.seat, seen.first_seat, seen.active_seat, seen.turn, seen.round) == (0, 0, 0, 1, 1)
    assert (list(own.ship.planks), own.ship.planks_missing, own.ship.hand_limit) == ([5, 3, 5], 1, 6)
    assert list(own.bow_load) == [PavillonNoir.PROJECTILE_BALL, PavillonNoir.PROJECTILE_CHAIN]
    assert (own.targets[0].card, own.targets[0].left.card, own.targets[0].left.value) == (26, 9, 9)
    assert (own.targets[0].HasField("below"), own.targets[1].HasField("left")) == (False, False)
    assert (list(own.covered_evade), list(other.covered_suits)) == ([3, 4], [PavillonNoir.SUIT_CLUB])
    assert (other.ship.captain, other.hand_size, seen.bag.balls) == (PavillonNoir.ZONE_UNSPECIFIED, 1, 4)
    assert list(other.disasters) == [
        PavillonNoir.DISASTER_LOSE_SAILS,
        PavillonNoir.DISASTER_FACE_DOWN,
        PavillonNoir.DISASTER_FACE_DOWN,
    ]
    assert not seen.HasField("shot")


def test_words_of_a_few_options_and_events() -> None:
    """What `tortuga play --watch` prints."""
    line = Line(table(side(hand="S1 JK", targets="T26"), side()))
    assert re.search("joker as 7 below.* 1$", GAME.text.action(Aim(JOKER, 7, 1, Side.BELOW)))
    assert re.search("Master Gunner.* 1$", GAME.text.action(PlayTrick(Trick.K12, 1)))
    assert re.search("sunk.*seat 1 wins", GAME.text.event(GameEnded(B, EndReason.SINK)))
    assert GAME.fired(GameEnded(B, EndReason.SINK)) == "end sink"
    heading = GAME.text.table(line.state).splitlines()[0]
    assert heading.startswith("round 1, turn 1: seat 0")
    assert "2 actions left" in heading
