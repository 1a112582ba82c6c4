"""What the board of Pavillon Noir shows: ships, guns, targets, damage, and hands only to those who may see them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from referee.draw import DRAWINGS, Shape, ViewedTable
from referee.draw.pavillon_noir.pieces import DISC_SIGNS, GRID_X, GRID_Y, PITCH
from referee.draw.pavillon_noir.ships import PROFILES
from referee.games.pavillon_noir.events import GameEnded, ShotFired
from referee.games.pavillon_noir.rules.trick_questions import Spy
from referee.games.pavillon_noir.terms import (
    Cannon,
    EndReason,
    Gun,
    Phase,
    Projectile,
    Reputation,
    Suit,
    Trick,
    Zone,
)
from referee.rules.course import Course
from referee.rules.engine import SPECTATOR, Seat
from support import sizes
from support.paths import corners
from support.pavillon_noir import side, table
from support.pictures import Kinds, by_id, check_kinds, draw, is_hollow, look, message, position
from support.play import start, wander
from support.spectators import match_terms

GAME = "pavillon_noir"
GAMES_PLAYED = sizes.pick(quick=1, ci=5, full=20)


def played(variant: str = "full") -> Iterator[tuple[Course, Any]]:
    """Whole games by dice: the course and the spectator's Position of every moment."""
    terms = match_terms(GAME, (("variant", variant),))
    for number in range(GAMES_PLAYED):
        course = start(terms.game, 2, terms.variant, f"board {number}")
        for _ in wander(course, random.Random(number)):
            yield course, message(GAME, course.view(SPECTATOR), course.events)
        yield course, message(GAME, course.view(SPECTATOR), course.events)


def hollow(shapes: dict[str, Shape], start: str) -> int:
    """How many shapes whose id begins so are drawn as gone."""
    return sum(is_hollow(shape) for name, shape in shapes.items() if name.startswith(start))


# --- Ships -----------------------------------------------------------------------------------------------


def test_what_was_shot_away_is_hollow() -> None:
    whole = look(GAME, table(side(bow="ball ball", stern="grape chain"), side()))
    assert not [name for name, shape in whole.items() if is_hollow(shape) and not name.startswith("load1")]
    hit = side(planks=(3, 4, 0), sails=(1, 3), sailors=(4, 2, 3), mate=None)
    shapes = look(GAME, table(hit, side()))
    assert hollow(shapes, "plank0-bow") == 2
    assert hollow(shapes, "plank0-main") == 0
    assert hollow(shapes, "plank0-stern") == 5
    assert (hollow(shapes, "sail0-bow"), hollow(shapes, "sail0-stern")) == (2, 0)
    assert (hollow(shapes, "lost0-main"), hollow(shapes, "lost0-stern")) == (3, 1)
    assert "captain0-hat" in shapes
    assert "mate0" not in shapes
    assert shapes["captain0-hat"].path != whole["mate0-hat"].path
    assert shapes["caption0"].text == "7 of 10 planks lost"


def test_the_ships_point_at_each_other() -> None:
    shapes = look(GAME, table(side(), side()))
    assert shapes["gun0-stern"].x < shapes["gun0-bow"].x < shapes["gun1-bow"].x < shapes["gun1-stern"].x
    muzzle = max(x for x, _ in corners(shapes["gun0-bow"]))
    assert shapes["gun0-bow"].x < muzzle < shapes["gun1-bow"].x


def test_guns_show_their_kind_and_their_load() -> None:
    own = side(bow="ball", stern="grape", cannons=(Cannon.CARRONADE, Cannon.LONG_NINE), sailors=(1, 4, 0))
    shapes = look(GAME, table(own, side()))
    assert shapes["load0-bow-0"].path == DISC_SIGNS[Projectile.BALL]
    assert is_hollow(shapes["load0-bow-1"])
    assert shapes["load0-stern-0"].path == DISC_SIGNS[Projectile.GRAPE]
    assert "load0-stern-1" not in shapes, "a long nine holds one disc"
    assert shapes["gun0-bow"].path != shapes["gun0-stern"].path
    assert shapes["gun0-bow-kind"].text == "Carr. \u22122"
    assert is_hollow(shapes["gun0-stern"]), "an empty gun deck cannot fire"


def test_disasters_lie_face_down_until_they_strike() -> None:
    shapes = look(GAME, table(side(planks=(0, 4, 5), flipped=(True, False, False)), side()))
    assert "lose three sails" in shapes["disaster0-bow"].title
    for zone in ("main", "stern"):
        assert shapes[f"disaster0-{zone}"].classes == "back"
        assert shapes[f"disaster0-{zone}-sign"].text == "?"


# --- Targets and shots -----------------------------------------------------------------------------------


def test_aim_cards_lie_at_their_target_and_point_into_its_pattern() -> None:
    """T26 has its centre at left 9, below 6: with 9 and 7 the sights cross one column beside it."""
    shapes = look(GAME, table(side(targets="T26:S9/H7 T17:-/C5", zone=Zone.HULL_MAIN), side()))
    target, left, below = shapes["target0-26"], shapes["card0-S9"], shapes["card0-H7"]
    assert left.x < target.x
    assert below.y > target.y
    sights = shapes["target0-26-sights"]
    assert (sights.x, sights.y) == (target.x + GRID_X, target.y + GRID_Y)
    ring = sights.path.split("M")[-1]
    assert ring.startswith(f"{PITCH - 6:g} 0a"), sights.path
    assert shapes["target0-26-off"].text == "\u22121"
    assert shapes["target0-17-off"].text == "\u22123", "with one aim card it takes off three"
    x, y = PROFILES[1].zone(Zone.HULL_MAIN)
    assert (shapes["reticle0"].x, shapes["reticle0"].y) == (x, y)
    assert shapes["laid0"].text.split(" at ") == ["Bow 18-pounder", "hull main"]


def test_a_joker_shows_the_value_it_stands_for() -> None:
    shapes = look(GAME, table(side(targets="T05:H4/JK7"), side()))
    assert shapes["card0-JK-value"].text == "7"


def test_a_shot_flies_from_its_gun_to_its_zone() -> None:
    own = side(targets="T26:S9/H6 T17:S6/C5", zone=Zone.DECK_MAIN, gun=Gun.STERN)
    event = ShotFired(Seat(0), Gun.STERN, Zone.DECK_MAIN, Projectile.GRAPE, 6, (0, 0), 6)
    flight = list(corners(look(GAME, table(own, side()), events=(event,))["shot0"]))
    assert flight[0] == PROFILES[0].muzzle(Gun.STERN, Cannon.POUNDER18)
    assert flight[1] == pytest.approx(PROFILES[1].zone(Zone.DECK_MAIN), abs=0.1)


# --- Hands -----------------------------------------------------------------------------------------------

HANDS = ("S4 H10 JK JK", "C2 D7")


def hands_table(**changes: Any) -> Any:
    """A table with two hands."""
    return table(side(hand=HANDS[0]), side(hand=HANDS[1]), **changes)


@pytest.mark.parametrize("eyes", [(), (0,), (1,), (0, 1)])
def test_hands_have_faces_for_those_who_may_see_them(eyes: tuple[int, ...]) -> None:
    shapes = look(GAME, hands_table(), eyes=eyes)
    for seat, hand in enumerate(HANDS):
        faces = [name for name in shapes if name.startswith(f"card{seat}-") and name.endswith("-value")]
        backs = [name for name in shapes if name.startswith(f"hand{seat}-")]
        count = len(hand.split())
        assert (len(faces), len(backs)) == ((count, 0) if seat in eyes else (0, count))
        assert shapes[f"hand{seat}"].text == f"Hand {count}, limit 6"


def test_a_hand_comes_from_hands_and_nowhere_else() -> None:
    own = position(GAME, hands_table(), Seat(0))
    assert own.observation.hand
    shapes = by_id(DRAWINGS[GAME].draw(ViewedTable(position=own, names=("ann", "ben"))))
    assert not [name for name in shapes if name.startswith("card")]


def test_a_spyglass_shows_the_other_hand() -> None:
    state = hands_table(pending=[Spy(Seat(0))])
    shapes = look(GAME, state, eyes=(0,))
    assert {"card1-C2", "card1-D7"} <= set(shapes)
    assert "card1-C2" not in look(GAME, state)


def test_a_card_keeps_its_id_from_the_hand_to_the_target_to_the_discard_pile() -> None:
    tables = (table(side(hand="S9")), table(side(targets="T26:S9/-")), table(side(discard="S9")))
    assert all("card0-S9" in look(GAME, state, eyes=(0,)) for state in tables)


def test_tricks_are_words_for_their_owner_and_a_number_for_others() -> None:
    state = table(side(tricks=(Trick.K05, Trick.K16), reputation=Reputation.Q4), side())
    assert look(GAME, state, eyes=(0,))["tricks0-0"].text == "Tricks: Spyglass, Brace!"
    for eyes in ((), (1,)):
        shapes = look(GAME, state, eyes=eyes)
        assert shapes["tricks0-0"].text == "2 tricks in hand"
        assert shapes["note0"].text == "Dread of the Seas"


def test_used_suits_and_values_are_missing_from_the_tracks() -> None:
    shapes = look(GAME, table(side(suits=(Suit.HEART,), sheer=(3, 4), evade=(10,)), side()))
    assert hollow(shapes, "broadside0-") == 1
    assert is_hollow(shapes["broadside0-heart"])
    assert shapes["sheer0-values"].text == "1 2 \u00b7 \u00b7 5 6 7 8 9 10"
    assert shapes["evade0-values"].text == "1 2 3 4 5 6 7 8 9 \u00b7"


# --- Over whole games ------------------------------------------------------------------------------------


@sizes.sized
def test_an_id_is_the_same_thing_in_a_whole_game() -> None:
    """The same kind of shape, of the same seat; every marker of a ship is always there, whole or hollow."""
    kinds: Kinds = {}
    for _, found in played():
        scene = DRAWINGS[GAME].draw(ViewedTable(position=found, names=("ann", "ben")))
        check_kinds(kinds, scene, but=("turn", "shot0", "gun", "disaster"))
        for seat in (0, 1):
            ids = [shape.id for shape in scene.shapes]
            assert sum(name.startswith(f"plank{seat}-") for name in ids) == 14
            assert sum(name.startswith(f"sail{seat}-") for name in ids) == 6


@sizes.sized
def test_crews_are_counted_right_in_a_whole_game() -> None:
    for _, found in played("base"):
        shapes = by_id(DRAWINGS[GAME].draw(ViewedTable(position=found, names=("ann", "ben"))))
        for seat, duelist in enumerate(found.observation.duelists):
            sailors = sum(name.startswith(f"sailor{seat}-") for name in shapes)
            assert sailors == sum(duelist.ship.sailors)
            assert (f"captain{seat}" in shapes) is bool(duelist.ship.captain)
            assert (f"mate{seat}" in shapes) is bool(duelist.ship.mate)


def test_a_label_tells_how_the_ships_stand() -> None:
    label = draw(GAME, table(side(planks=(3, 4, 5), mate=None), side(sails=(0, 1)), phase=Phase.FIRE)).label
    ann, ben = re.split("(?=ben )", label)
    for fact in ("Round 1, turn 1", "fire of ann", "12 planks, 6 sails", "13 crew", "captain alone", "on hull bow"):
        assert fact in ann
    for fact in ("14 planks, 1 sail, ", "14 crew", "on hull bow"):
        assert fact in ben
    assert "alone" not in ben


def test_the_end_names_the_winner_and_the_reason() -> None:
    state = table(side(), side(planks=(0, 0, 3)))
    scene = draw(GAME, state, events=(GameEnded(Seat(0), EndReason.SINK),))
    assert scene.label.startswith("The end, ann wins")
    assert "ten planks shot away" in scene.label
    shapes = by_id(scene)
    assert shapes["note0"].text == "wins"
    assert shapes["caption1"].text == "Sunk: 11 planks lost"
    assert DRAWINGS[GAME].scores(position(GAME, state)) == (14, 3)
