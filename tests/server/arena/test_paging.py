"""Pages: stable while a list grows, and no token that was made up gets through."""

from __future__ import annotations

import base64
import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import ConfigError
from server.arena.caller_input import read_page


def request(size: int = 0, token: str = "") -> SimpleNamespace:
    return SimpleNamespace(page_size=size, page_token=token)


@pytest.mark.parametrize(("asked", "given"), [(0, 50), (1, 1), (500, 500), (501, 500), (2**32 - 1, 500)])
def test_a_page_has_a_sensible_size(asked: int, given: int) -> None:
    things, token = read_page(request(asked), "things", (int,)).cut(range(1000), lambda one: (one,))
    assert (len(things), bool(token)) == (given, True)


@given(st.lists(st.sets(st.integers(0, 200)), min_size=1), st.integers(1, 7))
def test_nothing_that_was_there_is_missed_or_shown_twice_while_the_list_grows(grown: list[set[int]], size: int) -> None:
    things, shown, token = set(grown[0]), [], ""
    first = set(things)
    for more in [*grown[1:], *[set()] * 300]:
        page = read_page(request(size, token), "things", (int,))
        found, token = page.cut(sorted(things), lambda one: (one,))
        shown += found
        if not token:
            break
        things |= more
    assert len(shown) == len(set(shown))
    assert first <= set(shown)
    assert shown == sorted(shown)


def made_up(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


GOOD = read_page(request(), "things", (int, str), "filter").token((1, "a"))
MARK = json.loads(base64.urlsafe_b64decode(GOOD))[0]


@pytest.mark.parametrize(
    "token",
    [
        "x",
        "….",
        "a" * 100_000,
        made_up(7),
        made_up([]),
        made_up({}),
        made_up([MARK]),
        made_up([MARK, "1", "a"]),
        made_up([MARK, 1, "a", 2]),
        made_up([MARK, True, "a"]),
        made_up([MARK, 10**30, "a"]),
        made_up([MARK, 1, "ä"]),
        made_up(["other", 1, "a"]),
        base64.urlsafe_b64encode(b"[" * 700).decode(),
        base64.urlsafe_b64encode(b"\xff\xfe").decode(),
        read_page(request(), "things", (int, str), "other filter").token((1, "a")),
        read_page(request(), "others", (int, str), "filter").token((1, "a")),
    ],
)
def test_a_token_that_is_not_of_this_list_is_refused(token: str) -> None:
    with pytest.raises(ConfigError, match="page_token is not"):
        read_page(request(0, token), "things", (int, str), "filter")


def test_a_nan_is_no_key() -> None:
    mark = json.loads(base64.urlsafe_b64decode(read_page(request(), "t", (float,)).token((1.0,))))[0]
    with pytest.raises(ConfigError, match="page_token"):
        read_page(request(0, made_up([mark, float("nan")])), "t", (float,))


@given(st.floats(-1e9, 1e9), st.text(alphabet="abz.-_"))
def test_a_key_comes_back_as_it_was(number: float, text: str) -> None:
    page = read_page(request(), "t", (float, str))
    assert read_page(request(0, page.token((number, text))), "t", (float, str)).after == (number, text)
