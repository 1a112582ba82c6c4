"""Words for people."""

from __future__ import annotations

import pytest

from referee.words import end_words


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("QUIET_CAP", "quiet cap"),
        ("most_fame", "most fame"),
        ("sink", "sink"),
        ("void: a_b", "void: a_b"),
    ],
)
def test_ends_are_told_in_one_style(reason: str, told: str) -> None:
    assert end_words(reason) == told
