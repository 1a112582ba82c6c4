"""Keyed chance: pinned values, independence of keys, fairness."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import RulesError
from referee.rules.chance import TABLE, ScriptedChance, SeededChance, commitment, derive_secret

SECRET = derive_secret("tortuga", "vectors")
keys = st.tuples(st.sampled_from(["aim", "disc", "volley"]), st.integers(-1, 4))


def test_vectors_that_any_language_can_repeat() -> None:
    """The numbers of docs/protocol.md."""
    assert SECRET.hex() == "63e845501da1f8e8059384faa661a4cd3d80ee16dd7fa28256552f91e52aeca6"
    assert commitment(SECRET).hex() == "1defa094a671f1495e3441fc40867fa52cb47843742d031a7555f43cc83a30b5"
    chance = SeededChance(SECRET)
    assert [chance.draw("die", 0, 6) for _ in range(8)] == [3, 4, 5, 4, 3, 0, 1, 4]
    assert [chance.draw("die", TABLE, 6) for _ in range(8)] == [5, 3, 5, 2, 2, 1, 3, 0]
    assert chance.shuffle("deck", 1, range(12)) == [2, 0, 8, 4, 6, 5, 1, 3, 10, 9, 7, 11]
    assert chance.shuffle("deck", 1, range(12)) == [4, 10, 11, 0, 8, 9, 2, 1, 6, 5, 3, 7]


@given(st.lists(keys), keys, st.lists(keys))
def test_what_other_keys_draw_never_changes_what_a_key_yields(
    before: list[tuple[str, int]], key: tuple[str, int], between: list[tuple[str, int]]
) -> None:
    quiet, busy = SeededChance(SECRET), SeededChance(SECRET)
    expected = [quiet.draw(*key, 1000), quiet.draw(*key, 1000)]
    found = []
    for others in (before, between):
        for other in others:
            if other != key:
                busy.draw(*other, 6)
        found.append(busy.draw(*key, 1000))
    assert found == expected


def test_a_copy_goes_on_by_itself() -> None:
    chance = SeededChance(SECRET)
    chance.draw("die", 0, 6)
    copy = chance.copy()
    ahead = [copy.draw("die", 0, 6) for _ in range(5)]
    assert [chance.draw("die", 0, 6) for _ in range(5)] == ahead


def test_what_was_drawn_since_a_copy_can_be_read_again() -> None:
    chance = SeededChance(SECRET)
    chance.draw("gunnery", 0, 6)
    before = chance.copy()
    assert list(chance.draws_since(before)) == []
    rolled = [chance.draw("gunnery", 0, 6), chance.draw("gunnery", 0, 6), chance.draw("melee", 1, 6)]
    found = list(chance.draws_since(before))
    assert found == [("gunnery", 0, 1), ("gunnery", 0, 2), ("melee", 1, 0)]
    assert [chance.drawn(*one, 6) for one in found] == rolled
    assert list(before.draws_since(before)) == []


def test_dice_are_fair() -> None:
    """Chi-square with 5 degrees of freedom: 20.5 is exceeded once in a thousand; the seed is fixed."""
    chance = SeededChance(SECRET)
    faces = Counter(chance.draw("die", 0, 6) for _ in range(60_000))
    assert sum((count - 10_000) ** 2 / 10_000 for count in faces.values()) < 20.5


def test_every_card_comes_up_everywhere_equally_often() -> None:
    """Chi-square over 5 x 5 places with 16 degrees of freedom: 39.3 is exceeded once in a thousand."""
    chance = SeededChance(SECRET)
    places = Counter(
        (place, card) for _ in range(20_000) for place, card in enumerate(chance.shuffle("deck", 0, range(5)))
    )
    assert sum((count - 4000) ** 2 / 4000 for count in places.values()) < 39.3


def test_secrets_of_different_matches_have_nothing_in_common() -> None:
    assert len({derive_secret(seed, name) for seed in ("", "1", "11") for name in ("", "1", "11")}) == 9


def test_a_secret_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(RulesError, match="32 bytes"):
        SeededChance(b"short")


def test_a_script_hands_out_its_values_in_the_order_consumed_and_runs_dry_loudly() -> None:
    chance = ScriptedChance([5, 0], orders=[[2, 0, 1]])
    assert chance.draw("die", 0, 6) == 5
    assert chance.copy().draw("die", 1, 6) == 0
    assert chance.draw("die", 1, 6) == 0
    assert chance.left() == 0
    with pytest.raises(RulesError, match="no draw left for die of 1"):
        chance.draw("die", 1, 6)
    assert chance.shuffle("deck", 0, "abc") == ["c", "a", "b"]
    assert chance.shuffle("deck", 0, "abc") == ["a", "b", "c"]


def test_a_script_that_does_not_fit_is_refused() -> None:
    with pytest.raises(RulesError, match="which has 6 sides"):
        ScriptedChance([6]).draw("die", 0, 6)
    with pytest.raises(RulesError, match="does not fit 2 items"):
        ScriptedChance(orders=[[0]]).shuffle("deck", 0, "ab")
