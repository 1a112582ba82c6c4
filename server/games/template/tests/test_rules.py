"""The rules by examples. `pytest --tortuga-game kuhn` also tries every promise that a game makes."""

from __future__ import annotations

from kuhn import INFO
from kuhn.rules import GAME, Card

from tortuga.engine import Course, Outcome, ScriptedChance, Seat

KING_AND_JACK = (2, 0, 1)
"""The order in which a scripted shuffle lays the jack, the queen and the king."""
CHECK_OR_FOLD, BET_OR_CALL = 0, 1


def begin(*deals: tuple[int, ...]) -> Course:
    """Begin a match of two hands with these deals."""
    return Course(GAME, 2, INFO.read_variant({"hands": "2"}), ScriptedChance(orders=deals))


def choose(course: Course, *indices: int) -> None:
    """Let whoever is asked take these options, one after the other."""
    for index in indices:
        [seat] = course.asked
        course.choose({seat: index})


def test_a_bet_that_is_called_wins_two_chips_for_the_higher_card() -> None:
    course = begin(KING_AND_JACK, KING_AND_JACK)
    choose(course, BET_OR_CALL, BET_OR_CALL)
    assert course.state.chips == (2, -2)
    assert course.state.shown == (Card.KING, Card.JACK)


def test_a_fold_shows_no_cards() -> None:
    course = begin(KING_AND_JACK, KING_AND_JACK)
    choose(course, CHECK_OR_FOLD, BET_OR_CALL, CHECK_OR_FOLD)
    assert course.state.chips == (-1, 1)
    assert course.state.shown is None


def test_the_seats_take_turns_to_begin() -> None:
    course = begin(KING_AND_JACK, KING_AND_JACK)
    assert list(course.asked) == [Seat(0)]
    choose(course, CHECK_OR_FOLD, CHECK_OR_FOLD)
    assert list(course.asked) == [Seat(1)]


def test_a_seat_sees_its_own_card_only() -> None:
    course = begin(KING_AND_JACK, KING_AND_JACK)
    assert [course.view(Seat(seat)).card for seat in (0, 1)] == [Card.KING, Card.JACK]


def test_more_chips_win() -> None:
    course = begin(KING_AND_JACK, KING_AND_JACK)
    choose(course, CHECK_OR_FOLD, CHECK_OR_FOLD, CHECK_OR_FOLD, CHECK_OR_FOLD)
    assert course.outcome == Outcome(ranks=(1, 2), reason="chips", scores=(2.0, -2.0))
