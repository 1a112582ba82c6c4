"""Why a match ended, in words."""

from __future__ import annotations

import pytest

from referee.games.broadsides.terms import Reason
from referee.games.pavillon_noir.terms import EndReason
from referee.rules.infos import end_words, find_info


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("QUIET_CAP", "too long without a shot"),
        ("CAPTAIN_SLAIN", "captain slain"),
        ("most_fame", "most fame"),
        ("sink", "ship sunk"),
        ("ten", "enough glory"),
        ("void: a_b", "void: a_b"),
    ],
)
def test_ends_are_told_in_one_style(reason: str, told: str) -> None:
    assert end_words(reason) == told


def test_words_are_for_ends_that_there_are() -> None:
    assert set(find_info("broadsides").endings) <= set(Reason)
    assert set(find_info("pavillon_noir").endings) == set(EndReason)
