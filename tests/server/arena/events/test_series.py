"""Events that repeat: one after the other, each an event of its own; what was missed is said, and not played late."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from referee.errors import ConfigError
from server.arena.errors import AlreadyExists, FailedPrecondition
from server.arena.events import calendar as calendar_module
from server.arena.events.series import Series
from server.arena.registry_schema import EventState
from support.calendars import CALM, CUP, Clock, host, looks
from support.dialling import until
from support.events import InProcessPool
from support.tables import House, open_house

FIRST, SECOND, THIRD = "cup-2026-11-20", "cup-2026-11-21", "cup-2026-11-22"


def seconds(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    clock.seconds = seconds("2026-11-20T12:00")
    monkeypatch.setattr(calendar_module, "wall_millis", clock)
    monkeypatch.setattr(calendar_module, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(calendar_module, "LocalPool", InProcessPool)
    return clock


def create(house: House, wall: Clock, **keys: Any) -> str:
    series = Series(
        **{
            "name": "cup",
            "manifest": CUP,
            "every": "every day at 18:00",
            "zone": "UTC",
            "done_millis": wall(),
            **keys,
        }
    )
    return house.calendar.create_series(series)


def states(house: House) -> dict[str, EventState]:
    return {event.name: event.state for event in house.registry.events()}


def in_state(house: House, name: str, state: EventState) -> Any:
    return lambda: states(house).get(name) is state


async def test_one_after_the_other(tmp_path: Path, wall: Clock) -> None:
    async with open_house(tmp_path, CALM) as house:
        host(house, "ann", "bob")
        name = create(house, wall, opens_before_millis=7_200_000, check_in_before_millis=900_000)
        assert name == FIRST
        event = house.registry.event(FIRST)
        assert event.start_millis == 1000 * seconds("2026-11-20T18:00")
        assert event.registration_millis == 1000 * seconds("2026-11-20T16:00")
        assert event.check_in_millis == 1000 * seconds("2026-11-20T17:45")
        assert house.calendar.schedule(FIRST) == ("UTC", "cup", "every day at 18:00 UTC")
        await looks()
        assert states(house) == {FIRST: EventState.ANNOUNCED}
        wall.seconds = seconds("2026-11-20T16:00")
        await until(in_state(house, FIRST, EventState.REGISTRATION))
        for bot in ("ann", "bob"):
            house.registry.enter(FIRST, bot)
        wall.seconds = seconds("2026-11-20T18:00")
        await until(in_state(house, FIRST, EventState.FINISHED))
        await until(in_state(house, SECOND, EventState.ANNOUNCED))
        assert [*house.registry.event(SECOND).entries] == ["ann", "bob"]  # who entered once is entered again
        wall.seconds = seconds("2026-11-21T18:00:01")
        await until(in_state(house, SECOND, EventState.FINISHED))
        await until(in_state(house, THIRD, EventState.ANNOUNCED))
        await until(lambda: not house.calendar.progress)
    kinds = [(kind, subject) for kind, subject, _ in house.news]
    for name in (FIRST, SECOND):
        assert [kind for kind, subject in kinds if subject == name] == [
            "event_opened",
            "event_started",
            "event_finished",
        ]
    assert house.registry.event(FIRST).manifest != house.registry.event(SECOND).manifest


async def test_a_missed_one_is_said_and_not_played_late(tmp_path: Path, wall: Clock) -> None:
    async with open_house(tmp_path, CALM) as house:
        host(house, "ann", "bob")
        create(house, wall)
        for bot in ("ann", "bob"):
            house.registry.enter(FIRST, bot)
    wall.seconds = seconds("2026-11-23T19:00")  # the server was down for three days
    async with open_house(tmp_path, CALM) as house:
        await until(in_state(house, "cup-2026-11-24", EventState.REGISTRATION))
        await until(in_state(house, FIRST, EventState.CANCELLED))
        assert states(house) == {FIRST: EventState.CANCELLED, "cup-2026-11-24": EventState.REGISTRATION}
        assert re.search("missed: .*2026-11-20 18:00 UTC.* 30 min", house.registry.event(FIRST).reason)
        said = [text for kind, _, text in house.news if kind == "event_cancelled"]
        assert any(re.search("cup .*missed.*: 2026-11-21, 2026-11-22, 2026-11-23$", text) for text in said)
        assert [*house.registry.event("cup-2026-11-24").entries] == ["ann", "bob"]


async def test_within_its_window_it_is_played_late(
    tmp_path: Path, wall: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calendar_module, "RETURN_SECONDS", 0.05)
    async with open_house(tmp_path, CALM) as house:
        host(house, "ann", "bob")
        create(house, wall)
        for bot in ("ann", "bob"):
            house.registry.enter(FIRST, bot)
    wall.seconds = seconds("2026-11-20T18:29")
    async with open_house(tmp_path, CALM) as house:
        for known in house.registry.bots():
            house.hall.add_hosted(known)
        await until(in_state(house, FIRST, EventState.FINISHED))
        await until(lambda: not house.calendar.progress)


async def test_a_repeat_waits_for_the_one_before_it_and_not_for_ever(tmp_path: Path, wall: Clock) -> None:
    async with open_house(tmp_path, CALM) as house:
        house.registry.pause(["pavillon_noir-2"])
        house.come("ann", "bob")
        create(house, wall)
        for bot in ("ann", "bob"):
            house.registry.enter(FIRST, bot)
        house.tables.gate.clear()
        wall.seconds = seconds("2026-11-20T18:00")
        await until(in_state(house, FIRST, EventState.RUNNING))
        wall.seconds = seconds("2026-11-21T18:00:01")
        await until(in_state(house, SECOND, EventState.REGISTRATION))
        await looks()
        assert states(house)[SECOND] is EventState.REGISTRATION
        wall.seconds = seconds("2026-11-21T18:31")
        await until(in_state(house, SECOND, EventState.CANCELLED))
        house.tables.gate.set()
        await until(in_state(house, FIRST, EventState.FINISHED))
        await until(lambda: not house.calendar.progress)


async def test_a_series_is_ended_and_a_single_one_cancelled(tmp_path: Path, wall: Clock) -> None:
    async with open_house(tmp_path, CALM) as house:
        create(house, wall)
        assert await house.calendar.cancel(FIRST, "storm") == FIRST
        wall.seconds = seconds("2026-11-20T18:00")
        await until(in_state(house, SECOND, EventState.REGISTRATION))
        assert await house.calendar.cancel("cup", "no more") == SECOND
        assert states(house)[SECOND] is EventState.CANCELLED
        wall.seconds = seconds("2026-11-25T18:00")
        await looks()
        assert set(states(house)) == {FIRST, SECOND}
        assert house.calendar.schedule(SECOND).repeats == ""
        with pytest.raises(AlreadyExists):
            create(house, wall)
    async with open_house(tmp_path, CALM) as house:
        await looks()
        assert set(states(house)) == {FIRST, SECOND}


async def test_what_is_refused(tmp_path: Path, wall: Clock) -> None:
    async with open_house(tmp_path, CALM, works=False) as house:
        refused: list[tuple[dict[str, Any], str]] = [
            ({"name": "../x"}, "cannot be called"),
            ({"name": "x" * 54}, "at most 53 characters"),
            ({"manifest": "no = "}, "the manifest"),
            ({"manifest": CUP + '\n[[bots]]\nspec = "nobody"\n'}, "no bot 'nobody'"),
            ({"opens_before_millis": 1000, "check_in_before_millis": 2000}, "check-in must begin after"),
            ({"late_millis": 1000}, "late: 120 s to 24 h"),
            ({"late_millis": 10**9}, "late: 120 s to 24 h"),
            ({"every": "every moonday at 18:00"}, "not a repeat time"),
        ]
        for keys, words in refused:
            with pytest.raises(ConfigError, match=words):
                create(house, wall, **keys)
        assert not house.registry.events()
        create(house, wall)
        for name in ("cup", "CUP"):
            with pytest.raises(AlreadyExists):
                create(house, wall, name=name)
        await house.calendar.cancel(FIRST, "")
        with pytest.raises(FailedPrecondition):
            await house.calendar.cancel(FIRST, "")


async def test_one_that_was_announced_but_not_noted_is_not_announced_twice(tmp_path: Path, wall: Clock) -> None:
    async with open_house(tmp_path, CALM, works=False) as house:
        create(house, wall)
        book = house.calendar._series
        book.put(replace(book.get("cup"), done_millis=wall()))  # as if it was killed before that
    async with open_house(tmp_path, CALM) as house:
        await looks()
        assert set(states(house)) == {FIRST}


async def test_a_repeat_that_cannot_be_announced_holds_nothing_else_up(
    tmp_path: Path, wall: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house(tmp_path, CALM) as house:
        create(house, wall)
        announce, tries = house.calendar._announce, list[int]()

        def fail(series: Series, now: int) -> Any:
            tries.append(now)
            if len(tries) <= 2:
                raise OSError("no space")
            return announce(series, now)

        monkeypatch.setattr(house.calendar, "_announce", fail)
        wall.seconds += 2 * 86_400
        house.calendar.create("single", CUP, (0, 0, 0))
        await until(in_state(house, "single", EventState.REGISTRATION))
        await until(lambda: len(tries) == 3)
