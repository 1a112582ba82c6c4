"""The switch TORTUGA_TESTS, and what CI makes of it."""

from __future__ import annotations

import pytest

from support.sizes import Size, pick, read_size


@pytest.mark.parametrize(
    ("word", "size"), [("", Size.QUICK), ("quick", Size.QUICK), ("ci", Size.CI), ("full", Size.FULL)]
)
def test_a_size_is_read_by_its_name(word: str, size: Size) -> None:
    assert read_size(word) is size


@pytest.mark.parametrize("word", ["all", "1", "quick ", "ci,full"])
def test_any_other_word_is_refused(word: str) -> None:
    with pytest.raises(pytest.UsageError, match=f"TORTUGA_TESTS is '{word}'") as caught:
        read_size(word)
    assert "quick, ci, full" in str(caught.value)


@pytest.mark.parametrize(("size", "value"), [(Size.QUICK, 1), (Size.CI, 2), (Size.FULL, 3)])
def test_the_value_of_the_size_is_picked(size: Size, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("support.sizes.SIZE", size)
    assert pick(quick=1, ci=2, full=3) == value
    assert pick(quick=0, ci=2) == (0 if size is Size.QUICK else 2)
    assert pick(ci=2) == 2
