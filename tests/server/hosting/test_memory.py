"""The caches of the referee: all are found, and together they hold no more than allowed."""

from __future__ import annotations

import asyncio
import functools
from types import ModuleType, SimpleNamespace

import pytest

from referee.games import GAMES, find_game
from server.hosting import memory


@pytest.fixture
def own_caches(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module of the referee with three caches, and no other."""
    module = ModuleType("referee.made_up")

    class Kind:
        @functools.lru_cache(500)  # noqa: B019 - it is about such caches
        def method(self, number: int) -> int:
            return number

    vars(module).update(
        useful=functools.lru_cache(1000)(lambda number: number),
        useless=functools.lru_cache(1000)(lambda number: number),
        unbounded=functools.cache(lambda number: number),
        Kind=Kind,
    )
    modules = {"referee.made_up": module, "server.other": ModuleType("server.other")}
    monkeypatch.setattr(memory, "sys", SimpleNamespace(modules=modules))
    return module


def test_the_caches_that_are_of_least_use_are_emptied_first(own_caches: ModuleType) -> None:
    for number in range(900):
        for _ in range(5):
            own_caches.useful(number)
        own_caches.useless(number)
        own_caches.unbounded(number)
    kind = own_caches.Kind()
    for number in range(100):
        kind.method(number)
        kind.method(number)
    assert list(memory.trim(most=1900)) == [], "there is room"
    assert list(memory.trim(most=1899)) == [own_caches.useless]
    sizes = [one.cache_info().currsize for one in (own_caches.useful, own_caches.Kind.method, own_caches.unbounded)]
    assert sizes == [900, 100, 900], "others need what is in a cache without a bound"
    assert list(memory.trim(most=999)) == [own_caches.Kind.method, own_caches.useful]


def test_every_game_has_caches_and_they_are_found() -> None:
    for game in GAMES:
        find_game(game)
    names = {cache.__module__ for cache in memory.find_caches()}
    for game in GAMES:
        assert any(name.startswith(f"referee.games.{game}.") for name in names), game


@pytest.mark.virtual_time
async def test_an_arena_looks_from_time_to_time(own_caches: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory.trim, "__defaults__", (800,))
    task = asyncio.create_task(memory.keep_within_budget())
    for number in range(900):
        own_caches.useless(number)
    await asyncio.sleep(0.9 * memory.LOOK_SECONDS)
    assert own_caches.useless.cache_info().currsize == 900
    await asyncio.sleep(0.2 * memory.LOOK_SECONDS)
    assert own_caches.useless.cache_info().currsize == 0
    task.cancel()
