"""What is kept of a bot's notes: whatever it sends, no more than the limits, and always sound text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.match.notes import MAX_NOTE_BYTES, MAX_NOTES, MAX_NOTES_BYTES, Notebook, SeatNote, mend
from referee.rules.engine import Seat


def asked(*decisions: int) -> Notebook:
    """The notebook of seat 1, which was asked at these decisions."""
    book = Notebook(Seat(1))
    for decision in decisions:
        book.asked(decision)
    return book


def test_a_note_is_kept_with_the_decision_of_its_question_also_a_late_one() -> None:
    book = asked(2, 5)
    book.write(2, b"now")
    book.write(1, b"and on the one before")
    assert book.notes == [SeatNote(Seat(1), 5, "now"), SeatNote(Seat(1), 2, "and on the one before")]
    assert book.dropped == 0


@pytest.mark.parametrize("question_id", [0, 3, 2**32 - 1])
def test_a_note_on_a_question_never_asked_is_dropped_and_counted(question_id: int) -> None:
    book = asked(1, 2)
    book.write(question_id, b"what question?")
    assert (book.notes, book.dropped) == ([], 1)


def test_an_empty_note_is_nothing() -> None:
    book = asked(1)
    book.write(1, b"")
    assert (book.notes, book.dropped) == ([], 0)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"x" * 300, "x" * 200),
        ("é".encode() * 100 + b"!", "é" * 100),
        (b"x" + "é".encode() * 100, "x" + "é" * 99),  # the cut falls into a character
        ("🏴".encode() * 60, "🏴" * 50),
        (b"cut \xc3", "cut "),  # the bot has cut it in two itself
        (b"bad \xff\xfe end", "bad \ufffd\ufffd end"),
        (b"\xff" * 200, "\ufffd" * 66),  # a mark takes three bytes
        (b"\x1b[2J\0</script>\n", "\x1b[2J\0</script>\n"),  # made harmless where it is shown
    ],
)
def test_a_note_is_cut_between_characters_and_mended(raw: bytes, text: str) -> None:
    assert mend(raw) == text


@given(st.binary(max_size=400))
def test_whatever_comes_the_text_is_sound_and_short(raw: bytes) -> None:
    assert len(mend(raw).encode()) <= MAX_NOTE_BYTES


@given(st.text(max_size=60))
def test_a_text_within_the_limit_is_kept_as_it_is(text: str) -> None:
    if len(text.encode()) <= MAX_NOTE_BYTES:
        assert mend(text.encode()) == text


@pytest.mark.parametrize(("size", "kept"), [(1, MAX_NOTES), (16, MAX_NOTES), (200, MAX_NOTES_BYTES // 200)])
def test_beyond_the_limit_of_a_match_notes_are_dropped(size: int, kept: int) -> None:
    book = asked(1)
    for _ in range(10_000):
        book.write(1, b"x" * size)
    assert (len(book.notes), book.dropped) == (kept, 10_000 - kept)
    book.write(1, b"y" * 15)  # a shorter one may still fit
    assert len(book.notes) == kept + (MAX_NOTES_BYTES - kept * max(size, 16) >= 16)
