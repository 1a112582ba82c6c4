"""The calendar: what is due happens, whichever way the clock is set, and what was begun is finished, once."""

from __future__ import annotations

import asyncio
import errno
import re
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from referee.errors import ConfigError, MatchVoid, TortugaError
from referee.match.match import Terms
from server.arena.errors import FailedPrecondition
from server.arena.events import calendar as calendar_module
from server.arena.registry_schema import BEFORE_START, CalendarEvent, EventState
from server.standings.messages import make_listing
from server.tournament.folder import Folder
from server.tournament.journal import read_journal
from server.tournament.standings import read_contest
from server.tournament.status import read_status
from server.tournament.store import Store
from support.calendars import CALM, CUP, Clock, host, looks
from support.dialling import until
from support.events import InProcessPool
from support.ladders import LADDER
from support.logged import captured
from support.tables import House, open_house

PLANNED = 2 * 2 * 3
"""Matches of three bots in two rounds, each pair on both seats."""


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(calendar_module, "wall_millis", clock)
    monkeypatch.setattr(calendar_module, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(calendar_module, "LocalPool", InProcessPool)
    return clock


def create(
    house: House, *bots: str, name: str = "cup", times: tuple[int, int, int] = (0, 0, 0), manifest: str = CUP
) -> None:
    """An event with these bots; times in milliseconds."""
    house.calendar.create(name, manifest, times)
    for bot in bots:
        house.registry.enter(name, bot)


def state(house: House, name: str = "cup") -> EventState:
    return house.registry.event(name).state


def is_in(house: House, wanted: EventState) -> Callable[[], bool]:
    return lambda: state(house) is wanted


def check_whole(path: Path, planned: int = PLANNED) -> None:
    """Everything was played, once."""
    folder = Folder(path / "events" / "cup")
    assert read_status(folder).matches_done == planned
    told = [line["match"] for line in read_journal(folder.journal, ["match_finished"])]
    assert len(told) == len({*told}) == planned
    with Store.read_only(folder.database) as store:
        assert {match.match_id for match in store.matches()} == {*told}
    assert folder.report.is_file()


async def test_an_event_goes_through_its_states_when_it_is_time(tmp_path: Path, wall: Clock) -> None:
    async with open_house(tmp_path, CALM) as house:
        host(house, "ann", "bob", "cid")
        create(house, "ann", "bob", "cid", times=(10_000, 20_000, 30_000))
        await looks()
        assert state(house) is EventState.ANNOUNCED
        wall.seconds = 10
        await until(is_in(house, EventState.REGISTRATION))
        wall.seconds = 20
        await until(is_in(house, EventState.CHECK_IN))
        wall.seconds = 30
        await until(is_in(house, EventState.FINISHED))
        await until(lambda: not house.calendar.progress)
    check_whole(tmp_path)


async def test_38_a_clock_that_is_set_back_undoes_nothing(tmp_path: Path, wall: Clock) -> None:
    async with open_house(tmp_path, CALM) as house:
        house.tables.gate.clear()
        house.registry.pause(["pavillon_noir-2"])
        house.come("ann", "bob", "cid")
        create(house, "ann", "bob", "cid", times=(10_000, 20_000, 30_000))
        wall.seconds = 25
        await until(is_in(house, EventState.CHECK_IN))
        wall.seconds = -100_000
        await looks()
        assert state(house) is EventState.CHECK_IN
        wall.seconds = 31
        await until(lambda: bool(house.tables.played))
        wall.seconds = 0
        await looks()
        assert state(house) is EventState.RUNNING
        house.tables.gate.set()
        await until(is_in(house, EventState.FINISHED))
        wall.seconds = 1_000_000
        await looks()
        assert state(house) is EventState.FINISHED
    check_whole(tmp_path)


async def test_38_a_clock_that_jumps_ahead_skips_nothing(tmp_path: Path, wall: Clock) -> None:
    async with open_house(tmp_path, CALM) as house:
        host(house, "ann", "bob", "cid")
        create(house, "ann", "bob", "cid", times=(10_000, 20_000, 30_000))
        wall.seconds = 2 * 86_400
        await until(is_in(house, EventState.FINISHED))
        assert set(house.registry.event("cup").entries.values()) == {True}


async def test_too_few_bots_cancel_it_with_the_reason(tmp_path: Path, wall: Clock) -> None:
    async with open_house(tmp_path, CALM) as house:
        house.come("ann", "bob")
        house.lobby.remove("bob")
        create(house, "ann", "bob", times=(0, 0, 5000))
        wall.seconds = 5
        await until(is_in(house, EventState.CANCELLED))
        event = house.registry.event("cup")
        assert re.search(f"{LADDER}.* 2 bots.* 1 checked in", event.reason)
        assert event.entries == {"ann": True, "bob": False}
        assert not (tmp_path / "events" / "cup" / "event.json").exists()


async def test_the_organiser_hears_why_it_cannot_start_and_cannot_start_it_twice(tmp_path: Path, wall: Clock) -> None:
    async with open_house(tmp_path, CALM) as house:
        house.come("ann", "bob")
        create(house, "ann", "bob")
        house.lobby.remove("bob")
        with pytest.raises(FailedPrecondition, match=rf"{LADDER}.* 2 bots.* 1 checked in"):
            await house.calendar.start("cup")
        assert house.registry.event("cup").state in BEFORE_START
        house.lobby.remove("ann")
        with pytest.raises(FailedPrecondition, match=rf"{LADDER}.* 2 bots.* 0 checked in"):  # they have left since
            await house.calendar.start("cup")
        house.come("ann", "bob")
        first, second = await asyncio.gather(
            house.calendar.start("cup"), house.calendar.start("cup"), return_exceptions=True
        )
        assert first is None
        assert isinstance(second, FailedPrecondition)
        await until(is_in(house, EventState.FINISHED))
        with pytest.raises(FailedPrecondition, match="is finished already"):
            await house.calendar.cancel("cup", "")


async def test_too_few_bots_for_one_of_its_games_are_told_before_it_starts(tmp_path: Path, wall: Clock) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "bot.toml").write_text('name = "bob"\nrun = ["true"]\ngames = ["broadsides"]\n')

    async with open_house(tmp_path, CALM, works=False) as house:
        host(house, "ann")
        house.hall.add_hosted(house.registry.host("bob", "", str(other)))
        create(house, "ann", "bob", manifest=f"{CUP}[[games]]\nid = 'broadsides'\n")
        with pytest.raises(FailedPrecondition, match=rf"{LADDER}.* 2 bots.* 1 play it"):
            await house.calendar.start("cup")
        assert house.registry.event("cup").state in BEFORE_START


async def test_an_event_that_is_just_finished_cannot_be_called_off(
    tmp_path: Path, wall: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    finishing, may_finish = threading.Event(), threading.Event()

    async with open_house(tmp_path, CALM) as house:
        set_state = house.registry.set_state

        def slowly(name: str, state: EventState, reason: str = "") -> CalendarEvent:
            if state is EventState.FINISHED:
                finishing.set()
                may_finish.wait()
            return set_state(name, state, reason)

        monkeypatch.setattr(house.registry, "set_state", slowly)
        house.come("ann", "bob")
        create(house, "ann", "bob")
        await house.calendar.start("cup")
        await until(finishing.is_set)
        cancelling = asyncio.create_task(house.calendar.cancel("cup", ""))
        await asyncio.sleep(0.05)
        may_finish.set()
        with pytest.raises(FailedPrecondition, match="is finished already"):
            await cancelling
        assert house.registry.event("cup").state is EventState.FINISHED


async def test_hosted_bots_play_an_event_beside_the_ladders(tmp_path: Path, wall: Clock) -> None:
    async with open_house(tmp_path, CALM) as house:
        host(house, "ann", "bob", "cid")
        create(house, "ann", "bob", "cid")
        await house.calendar.start("cup")
        assert all(member.event == "" for member in house.lobby.members)
        await until(is_in(house, EventState.FINISHED))
        await until(lambda: house.matches() > 0)
        assert all(match.event == "" for match in house.hall.running.values())
    check_whole(tmp_path)


async def test_a_mixed_event_is_played_at_the_tables_and_its_bots_nowhere_else(tmp_path: Path, wall: Clock) -> None:
    async with open_house(tmp_path, CALM) as house:
        host(house, "ann")
        house.tables.gate.clear()
        house.registry.pause(["pavillon_noir-2"])
        house.come("bob", "cid")
        create(house, "ann", "bob", "cid")
        await house.calendar.start("cup")
        house.registry.resume(["pavillon_noir-2"])
        await until(lambda: any(match.event == "cup" for match in house.hall.running.values()))
        assert {member.event for member in house.lobby.members} == {"cup"}
        house.come("dan", "eve")
        await until(lambda: any({"dan", "eve"} == {*names} for _, _, names, _ in house.tables.played))
        house.tables.gate.set()
        await until(lambda: not house.calendar.progress)
        assert state(house) is EventState.FINISHED
        assert {member.event for member in house.lobby.members} == {""}
        secrets = [secret for _, secret, _, _ in house.tables.played]
        assert len({*secrets}) == len(secrets), "remote bots never meet the same luck twice"
    check_whole(tmp_path)
    contest = read_contest(Folder(tmp_path / "events" / "cup"), LADDER)
    assert contest is not None
    table = make_listing(contest.standings)
    assert {row.entry: row.version for row in table.rows} == {"ann": "1", "bob": "1", "cid": "1"}


async def test_a_watchable_event_of_hosted_bots_is_played_at_the_tables_through_a_restart(
    tmp_path: Path, wall: Clock
) -> None:
    secrets: list[bytes] = []

    async with open_house(tmp_path, CALM) as house:
        house.registry.pause(["pavillon_noir-2"])
        house.tables.gate.clear()
        host(house, "ann", "bob", "cid")
        create(house, "ann", "bob", "cid", manifest=f"watchable = true{CUP}")
        await house.calendar.start("cup")
        house.registry.resume(["pavillon_noir-2"])
        await until(lambda: any(match.event == "cup" for match in house.hall.running.values()))
        assert {member.event for member in house.lobby.members} == {"cup"}
        await until(lambda: len(house.hall.running) >= 2)
        await looks()
        assert len(house.hall.running) == 2, "as many at once as its manifest says"
        await house.calendar.drain(0.0)
    async with open_house(tmp_path, CALM) as house:
        house.registry.pause(["pavillon_noir-2"])
        host(house, "ann", "bob", "cid")
        await until(is_in(house, EventState.FINISHED))
        await until(lambda: not house.calendar.progress)
        secrets.extend(secret for _, secret, _, _ in house.tables.played)
    check_whole(tmp_path)
    assert len({*secrets}) == len(secrets) == PLANNED, "no process meets the same luck twice"


async def test_who_leaves_in_the_middle_of_an_event_forfeits_and_the_others_go_on(tmp_path: Path, wall: Clock) -> None:
    async with open_house(tmp_path, CALM) as house:
        house.tables.gate.clear()
        house.registry.pause(["pavillon_noir-2"])
        house.come("ann", "bob", "cid")
        create(house, "ann", "bob", "cid")
        await house.calendar.start("cup")
        await until(lambda: len(house.tables.played) >= 1)
        house.lobby.remove("cid")
        house.tables.gate.set()
        await until(is_in(house, EventState.FINISHED))
        absent = [names for _, _, names, there in house.tables.played if not all(there)]
        assert absent
        assert all("cid" in names for names in absent)


@pytest.mark.parametrize("mixed", [False, True])
async def test_what_was_being_played_is_gone_on_with_after_a_restart(mixed: bool, tmp_path: Path, wall: Clock) -> None:
    async with open_house(tmp_path, CALM) as house:
        house.registry.pause(["pavillon_noir-2"])
        if not mixed:
            host(house, "ann", "bob", "cid")
        else:
            house.come("ann", "bob", "cid")

            def stop_after_four(terms: Terms) -> bool:
                if len(house.tables.played) >= 4:
                    house.tables.gate.clear()
                return False

            house.tables.spoil = stop_after_four
        create(house, "ann", "bob", "cid")
        await house.calendar.start("cup")
        await until(lambda: house.calendar.progress["cup"].done > 0 if "cup" in house.calendar.progress else True)
        await house.calendar.drain(0.0)
        done = read_status(Folder(tmp_path / "events" / "cup")).matches_done
        assert (state(house), done < PLANNED) in ((EventState.RUNNING, True), (EventState.FINISHED, False))
    async with open_house(tmp_path, CALM) as house:
        if mixed:
            house.come("ann", "bob", "cid")
            assert {member.event for member in house.lobby.members} <= {"", "cup"}
        else:
            host(house, "ann", "bob", "cid")
        await until(is_in(house, EventState.FINISHED))
        await until(lambda: not house.calendar.progress)
    check_whole(tmp_path)


async def test_an_event_that_came_due_during_a_restart_waits_for_those_who_entered(
    tmp_path: Path, wall: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They have to notice that the server is back. Nobody is waited for for ever."""
    async with open_house(tmp_path, CALM, works=False) as house:
        house.come("ann", "bob", "cid")
        create(house, "ann", "bob", times=(0, 0, 5000))
        create(house, "ann", "cid", name="other", times=(0, 0, 5000))
    wall.seconds = 5
    async with open_house(tmp_path, CALM) as house:
        await looks()
        house.come("ann")
        await looks()
        assert state(house) is state(house, "other") is EventState.REGISTRATION
        house.come("bob")
        await until(is_in(house, EventState.FINISHED))
        assert state(house, "other") is EventState.REGISTRATION
    monkeypatch.setattr(calendar_module, "RETURN_SECONDS", 0.0)
    async with open_house(tmp_path, CALM) as house:
        house.come("ann")
        await until(lambda: state(house, "other") is EventState.CANCELLED)


async def test_nothing_begins_while_the_server_stops(tmp_path: Path, wall: Clock) -> None:
    """Its bots may have gone already: it would be called off for want of them, or be played by nobody."""
    async with open_house(tmp_path, CALM) as house:
        house.come("ann", "bob")
        create(house, "ann", "bob", times=(0, 0, 5000))
        create(house, "ann", "bob", name="other")
        await until(is_in(house, EventState.REGISTRATION))
        await house.calendar.drain(0.0)
        wall.seconds = 5
        await looks()
        assert state(house) is EventState.REGISTRATION
        await house.calendar.start("other")
        assert (state(house, "other"), house.calendar.progress) == (EventState.RUNNING, {})
    async with open_house(tmp_path, CALM) as house:
        house.come("ann", "bob")
        await until(lambda: state(house) is state(house, "other") is EventState.FINISHED)


async def test_a_running_event_can_be_called_off(tmp_path: Path, wall: Clock) -> None:
    async with open_house(tmp_path, CALM) as house:
        house.tables.gate.clear()
        house.registry.pause(["pavillon_noir-2"])
        house.come("ann", "bob")
        create(house, "ann", "bob")
        await house.calendar.start("cup")
        house.registry.resume(["pavillon_noir-2"])
        await until(lambda: any(match.event for match in house.hall.running.values()))
        await house.calendar.cancel("cup", "the hall is on fire")
        await until(lambda: not house.calendar.progress)
        event = house.registry.event("cup")
        assert (event.state, event.reason) == (EventState.CANCELLED, "the hall is on fire")
        assert not any(match.event for match in house.hall.running.values())
        assert all(member.event == "" for member in house.lobby.members)
        house.tables.gate.set()
        await until(lambda: house.matches() > 0)


@pytest.mark.parametrize("hosted", [False, True])
async def test_what_the_machine_could_not_play_is_void_and_played_again(
    tmp_path: Path, wall: Clock, hosted: bool
) -> None:
    async with open_house(tmp_path, CALM) as house:
        house.registry.pause(["pavillon_noir-2"])
        failures: list[Exception] = [MatchVoid("bot ann: the host could not start it"), RuntimeError("our bug")]
        house.tables.fail = lambda terms: failures.pop() if failures else None
        come = partial(host, house) if hosted else house.come
        come("ann", "bob", "cid")
        create(house, "ann", "bob", "cid", manifest=f"watchable = true{CUP}")
        await house.calendar.start("cup")
        await until(is_in(house, EventState.FINISHED))
        await until(lambda: not house.calendar.progress)
        secrets = [secret for _, secret, _, _ in house.tables.played]
        assert len({*secrets}) == len(secrets) > PLANNED, "the processes play on, so no luck is used again"
    check_whole(tmp_path)
    voids = [line["reason"] for line in read_journal(Folder(tmp_path / "events" / "cup").journal, ["match_void"])]
    assert len(voids) == 2


async def test_a_block_that_we_stumbled_over_is_not_played_on_beside_its_repetition(
    tmp_path: Path, wall: Clock
) -> None:
    async with open_house(tmp_path, CALM) as house:
        house.registry.pause(["pavillon_noir-2"])
        house.tables.gate.clear()
        house.tables.fail = lambda terms: RuntimeError("our bug") if len(house.tables.played) == 2 else None
        house.come("ann", "bob", "cid")
        create(house, "ann", "bob", "cid", manifest=CUP.replace("concurrency = 2", "concurrency = 4"))
        await house.calendar.start("cup")
        await until(lambda: len(house.tables.played) == 6)
        assert house.tables.now[""] == 4, "two blocks of two"


async def test_36_a_register_that_is_locked_holds_the_calendar_up_and_does_not_end_it(
    tmp_path: Path, wall: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house(tmp_path, CALM) as house:
        host(house, "ann", "bob", "cid")
        create(house, "ann", "bob", "cid", times=(0, 0, 5000))
        set_state, tries = house.registry.set_state, list[EventState]()

        def locked(name: str, state: EventState, reason: str = "") -> Any:
            tries.append(state)
            if tries.count(state) <= 2:
                raise sqlite3.OperationalError("database is locked")
            return set_state(name, state, reason)

        monkeypatch.setattr(house.registry, "set_state", locked)
        wall.seconds = 5
        await until(is_in(house, EventState.FINISHED))
        await until(lambda: not house.calendar.progress)
        wanted = [EventState.REGISTRATION, EventState.RUNNING, EventState.FINISHED]
        assert [one for one in tries if one in wanted] == [state for state in wanted for _ in range(3)]
    check_whole(tmp_path)


async def test_an_unexpected_error_of_one_event_is_logged_and_the_next_look_tries_again(
    tmp_path: Path, wall: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with captured() as lines:
        async with open_house(tmp_path, CALM) as house:
            create(house, name="cup", times=(5000, 0, 0))
            create(house, name="other", times=(5000, 0, 0))
            set_state, tries = house.registry.set_state, Counter[str]()

            def fail(name: str, state: EventState, reason: str = "") -> Any:
                tries[name] += 1
                if name == "cup" and tries[name] <= 2:
                    raise OSError(errno.ENOSPC, "No space left on device")
                return set_state(name, state, reason)

            monkeypatch.setattr(house.registry, "set_state", fail)
            wall.seconds = 5
            await until(is_in(house, EventState.REGISTRATION))
            assert state(house, "other") is EventState.REGISTRATION
            assert tries == {"cup": 3, "other": 1}
    failed = [line for line in lines if line["event"] == "calendar"]
    assert [(line["name"], line["log_level"], line["exc_info"]) for line in failed] == [("cup", "error", True)] * 2
    assert all("No space left on device" in line["reason"] for line in failed)


async def test_a_look_that_fails_as_a_whole_is_repeated_in_its_time_and_can_be_cancelled(
    tmp_path: Path, wall: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house(tmp_path, CALM, works=False) as house:
        looked: list[float] = []

        def fail() -> Any:
            looked.append(asyncio.get_running_loop().time())
            raise RuntimeError("our bug")

        monkeypatch.setattr(house.registry, "events", fail)
        with captured() as lines:
            task = asyncio.create_task(house.calendar.run())
            await until(lambda: len(looked) >= 3 or task.done())
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert all(later - before >= 0.9 * calendar_module.LOOK_SECONDS for before, later in pairwise(looked))
        assert {line["reason"] for line in lines if line["event"] == "calendar"} == {"RuntimeError('our bug')"}


async def test_an_event_that_fails_says_why_in_one_line(
    tmp_path: Path, wall: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*words: Any, **keys: Any) -> None:
        raise TortugaError("five workers died:\n\x1b[31mout of memory" + "!" * 500)

    monkeypatch.setattr(calendar_module, "run_event", fails)
    async with open_house(tmp_path, CALM) as house:
        house.come("ann", "bob")
        create(house, "ann", "bob")
        await house.calendar.start("cup")
        await until(is_in(house, EventState.CANCELLED))
        assert re.search(r"failed: .*died:  \[31mout", house.registry.event("cup").reason)


async def test_an_event_that_makes_no_sense_is_refused_when_it_is_made(tmp_path: Path, wall: Clock) -> None:
    async with open_house(tmp_path, works=False) as house:
        for manifest, times, words in [
            ("name = ", (0, 0, 0), "the manifest: "),
            (CUP.replace("round-robin", "brawl"), (0, 0, 0), "format"),
            (CUP, (0, 2000, 1000), "check-in .*before the start"),
            (CUP + '[[bots]]\nspec = "remote: nobody"\n', (0, 0, 0), "there is no bot 'nobody'"),
        ]:
            with pytest.raises(ConfigError, match=words):
                house.calendar.create("cup", manifest, times)
        assert house.registry.events() == []
