"""The hall: who is free is seated, nobody is over his limits, and what goes wrong is played again or told."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from referee.door.tokens import hash_token
from referee.errors import MatchVoid
from referee.match import clock
from referee.match.match import Terms
from server.arena.ladders import hall as hall_module
from server.arena.ladders.lobby import Member
from server.play.summary import MatchSummary
from server.tournament.journal import read_journal
from server.tournament.status import read_status
from server.tournament.store import Store
from support.dialling import until
from support.ladders import COVE, DUEL, LADDER, make_config, play_finished
from support.tables import Stream, open_house

BOTS = ["ann", "bob", "cid", "dan", "eve"]
NOT_STARTED = "bot ann: the host could not start it"


async def settle() -> None:
    """Let everything happen that can happen without any time passing."""
    for _ in range(50):
        await asyncio.sleep(0)


@pytest.mark.system
async def test_whoever_is_free_is_seated_within_every_limit(tmp_path: Path) -> None:
    """Two matches for each bot, one for who has one slot, and three in all."""
    async with open_house(tmp_path, make_config(matches_per_bot=2, matches_at_once=3)) as house:
        house.come(*BOTS)
        house.come("one", slots=1)
        await until(lambda: house.matches() >= 40)
        most = house.tables.most
        assert most[""] == 3
        assert most["one"] == 1
        assert max(most[bot] for bot in BOTS) == 2
        assert all(len({*names}) == 2 for _, _, names, _ in house.tables.played), "nobody plays with himself"
        played = [house.hall.ladder.states[LADDER].played(bot) for bot in (*BOTS, "one")]
        assert min(played) > 0, "nobody starves"


async def test_partners_who_end_their_match_together_wait_a_moment_for_others(tmp_path: Path) -> None:
    """With four bots, two pairs once met 221 times in 225 matches: they ended, rested and were free together."""
    async with open_house(tmp_path, make_config(rest_seconds=0.005)) as house:
        house.come(*BOTS[:4], slots=1)
        await until(lambda: house.matches() >= 60)
        field = house.hall.ladder.states[LADDER].field
        met = [field.meetings(one, other) for one in BOTS[:4] for other in BOTS[:4] if one < other]
        assert min(met) >= 5
        assert max(met) <= 20


async def test_bots_of_one_owner_are_kept_apart_if_the_organiser_says_so(tmp_path: Path) -> None:
    async with open_house(tmp_path, make_config(owners_apart=True)) as house:
        for name in ("ann", "bob", "cid"):
            house.registry.add(name, "mary" if name != "cid" else "", hash_token(f"token of {name}"))
        house.come("ann", "bob", "cid")
        await until(lambda: house.matches() >= 10)
        field = house.hall.ladder.states[LADDER].field
        assert field.meetings("ann", "bob") == 0
        assert min(field.meetings("ann", "cid"), field.meetings("bob", "cid")) > 0


async def test_every_match_has_luck_of_its_own_and_is_kept_once(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.come(*BOTS)
        await until(lambda: house.matches() >= 20)
    secrets = [secret for _, secret, _, _ in house.tables.played]
    assert len({*secrets}) == len(secrets)
    with Store.read_only(house.folder.database) as store:
        assert store.counts()[0] == house.matches() == len(secrets)
    told = [line["match"] for line in read_journal(house.folder.journal, ["match_finished"])]
    assert len(told) == len({*told}) == house.matches()
    assert all(member.busy == 0 for member in house.lobby.members)


async def test_bots_rest_between_their_matches(tmp_path: Path) -> None:
    async with open_house(tmp_path, make_config(rest_seconds=3600.0)) as house:
        ann, bob = house.come("ann", "bob", slots=1)
        await until(lambda: house.matches() == 1 and not house.hall.running)
        house.hall.wake()
        await settle()
        assert len(house.tables.played) == 1
        ann.rests_until = 0.0
        house.hall.wake()
        await settle()
        assert len(house.tables.played) == 1, "bob rests"
        bob.rests_until = 0.0
        house.hall.wake()
        await until(lambda: len(house.tables.played) == 2)


async def test_after_its_rest_a_bot_plays_without_anybody_coming_or_going(tmp_path: Path) -> None:
    async with open_house(tmp_path, make_config(rest_seconds=0.02)) as house:
        house.come("ann", "bob", slots=1)
        await until(lambda: house.matches() >= 3)


async def test_a_paused_ladder_begins_nothing_until_it_is_resumed(tmp_path: Path) -> None:
    async with open_house(tmp_path, make_config(DUEL, {"id": "broadsides", "seats": 2})) as house:
        house.registry.pause([LADDER])
        house.tables.gate.clear()
        house.come("ann", "bob")
        await until(lambda: len(house.tables.played) == 4)
        assert {game for game, *_ in house.tables.played} == {"broadsides"}
        house.registry.resume([LADDER])
        house.tables.gate.set()
        await until(lambda: any(game == "pavillon_noir" for game, *_ in house.tables.played))


async def test_a_larger_table_is_not_starved_by_smaller_ones(tmp_path: Path) -> None:
    """Four bots with one slot each: as long as two are free, a duel could begin, and the table for four never would."""
    async with open_house(tmp_path, make_config(DUEL, COVE)) as house:
        house.tables.gate.clear()
        house.come(*BOTS[:4], slots=1)
        await until(lambda: len(house.tables.played) > 0)
        await settle()
        house.tables.gate.set()
        await until(lambda: house.matches() >= 4)
        games = [game for game, *_ in house.tables.played]
        assert games[:3] == ["pavillon_noir", "pirates_cove", "pavillon_noir"], "the free ones waited for the others"


async def test_bots_are_not_kept_for_a_table_that_cannot_be_filled(tmp_path: Path) -> None:
    async with open_house(tmp_path, make_config(COVE, DUEL)) as house:
        house.come(*BOTS[:3], slots=1)
        await until(lambda: house.matches() >= 5)
        assert {game for game, *_ in house.tables.played} == {"pavillon_noir"}


async def test_a_void_match_is_played_again_by_the_same_bots_with_other_luck(tmp_path: Path) -> None:
    async with open_house(tmp_path, make_config(matches_at_once=1)) as house:
        spoilt: list[str] = []

        def first(terms: Terms) -> bool:
            spoilt.append(terms.match_id)
            return len(spoilt) == 1

        house.tables.spoil = first
        house.come("ann", "bob", "cid", slots=1)
        await until(lambda: house.matches() >= 1)
    (_, luck, names, _), (_, other, again, _) = house.tables.played[:2]
    assert (names, luck != other) == (again, True)
    assert house.hall.voided == 1
    lines = [*read_journal(house.folder.journal, ["match_started", "match_void"])]
    assert [line["event"] for line in lines[:3]] == ["match_started", "match_void", "match_started"]
    assert lines[1]["late"] == [lines[0]["bots"][0]]
    assert read_status(house.folder).void_for == {lines[0]["bots"][0]: 1}
    assert lines[2]["again"] == spoilt[0]
    with Store.read_only(house.folder.database) as store:
        assert store.match(spoilt[0]) is None


async def test_what_was_running_when_the_server_was_killed_is_played_first(tmp_path: Path) -> None:
    async with open_house(tmp_path, works=False) as house:
        for name in ("ann", "bob", "cid"):
            house.hall.ladder.enter(name, "1", ())
        house.hall.ladder.begin("lost", LADDER, ["cid", "ann"])
        await house.hall.ladder.store([await play_finished(house.hall.ladder, "m", ["ann", "bob"])], pytest.fail)
    async with open_house(tmp_path, make_config(matches_at_once=1)) as house:
        house.come("ann", "bob", "cid", slots=1)
        await until(lambda: house.matches() >= 4)
    started = [line for line in read_journal(house.folder.journal, ["match_started"]) if line.get("again") == "lost"]
    assert [line["bots"] for line in started] == [["cid", "ann"]], "the same seats, and once"
    async with open_house(tmp_path, works=False) as house:
        assert house.hall.ladder.unfinished == []


async def test_a_machine_that_cannot_start_a_bot_tries_again_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hall_module, "HOST_SECONDS", 0.05)
    async with open_house(tmp_path) as house:
        failures = [MatchVoid(NOT_STARTED), RuntimeError("our bug")]
        house.tables.fail = lambda terms: failures.pop() if failures else None
        house.come("ann", "bob", slots=1)
        await until(lambda: house.matches() >= 3)
        assert all(member.busy <= 1 for member in house.lobby.members)
    voids = [line["reason"] for line in read_journal(house.folder.journal, ["match_void"])]
    assert voids == [f"void: {NOT_STARTED}"]
    assert not house.hall.running
    assert all(member.busy == 0 for member in house.lobby.members)


# Who fails


async def test_who_fails_too_often_is_suspended_with_the_reason_until_it_is_lifted(tmp_path: Path) -> None:
    config = make_config(suspend_faults=3, suspend_matches=5)
    async with open_house(tmp_path, config) as house:
        house.come("ann", "crash", slots=1)
        await until(lambda: bool(house.door.shown))
        [(name, told)] = house.door.shown
        reason = house.registry.bot("crash").suspended
        assert re.search(r"\b3 of .*\b3\b.*: it always", reason)
        assert (name, told) == ("crash", f"this bot is suspended: {reason}")
        assert house.lobby.refusal("crash") == told, "also when it dials again"
        assert house.registry.bot("ann").suspended == ""
        await until(lambda: house.matches() == 3)
        house.registry.lift("crash")
        assert house.lobby.refusal("crash") == ""
        house.come("crash", slots=1)
        await until(lambda: len(house.door.shown) == 2)
        await until(lambda: house.matches() == 6)  # it began anew: its old faults were forgiven
        assert house.hall.faults == {"crash": 6}


async def test_nobody_is_suspended_after_a_match_in_which_it_did_not_fail(tmp_path: Path) -> None:
    """As when it was let in again while matches of before were still running."""
    async with open_house(tmp_path, make_config(suspend_faults=2)) as house:
        house.hall._suspensions._failed["ann"] = deque([True, True], maxlen=20)
        [ann, bob] = house.come("ann", "bob", slots=1)
        await until(lambda: house.matches() >= 3)
        assert house.registry.bot("ann").suspended == ""
        assert max(ann.rests_until, bob.rests_until) <= clock.now(), "nothing went wrong"


async def test_nobody_is_suspended_where_that_is_switched_off(tmp_path: Path) -> None:
    async with open_house(tmp_path, make_config(suspend_faults=0)) as house:
        house.come("ann", "crash", slots=1)
        await until(lambda: house.matches() >= 10)
        assert house.door.shown == []


async def test_a_bot_that_cannot_be_suspended_now_is_at_its_next_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """36: the register is locked by another program."""
    async with open_house(tmp_path, make_config(suspend_faults=2)) as house:
        suspend, errors = house.registry.suspend, [sqlite3.OperationalError("database is locked")]

        def locked(name: str, reason: str) -> Any:
            if errors:
                raise errors.pop()
            return suspend(name, reason)

        monkeypatch.setattr(house.registry, "suspend", locked)
        house.come("ann", "crash", slots=1)
        await until(lambda: bool(house.registry.bot("crash").suspended))
        await until(lambda: house.matches() == 3)


# Who is elsewhere


async def test_who_is_kept_for_an_event_does_not_play_on_ladders(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.lobby.reserved_for = lambda bot: "cup" if bot == "ann" else ""
        [ann, *_] = house.come("ann", "bob", "cid", slots=1)
        assert ann.event == "cup"
        await until(lambda: house.matches() >= 5)
        assert all("ann" not in names for _, _, names, _ in house.tables.played)
        ann.event = ""
        house.hall.wake()
        await until(lambda: any("ann" in names for _, _, names, _ in house.tables.played))


async def test_who_is_away_for_a_moment_is_not_seated(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.tables.gate.clear()
        stream: Any = Stream()
        stream.is_present = False
        house.registry.add("ann", "", b"hash")
        house.lobby.add(Member(name="ann", version="1", session=stream))
        house.come("bob", slots=1)
        await settle()
        assert house.tables.played == []
        stream.is_present = True
        house.lobby.presence_changed("ann", stream)
        await until(lambda: len(house.tables.played) == 1)


async def test_a_new_version_is_a_new_entry_beside_the_old_one(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.come("ann", "bob", slots=1)
        await until(lambda: house.matches() >= 2)
        house.lobby.add(Member(name="ann", version="2"))
        await until(lambda: house.hall.ladder.states[LADDER].played("ann-2") >= 2)
    agreement = house.folder.require_agreement()
    assert agreement.entry("ann-2").ancestor == "ann"


# Trouble, and the end


async def test_while_results_cannot_be_written_nothing_begins_and_nothing_is_lost(tmp_path: Path) -> None:
    """35 and 36: the ladder says what is wrong, waits, and goes on."""
    async with open_house(tmp_path, make_config(matches_at_once=2)) as house:
        keep, mended = house.hall.ladder.store, asyncio.Event()

        async def troubled(finished: Any, warn: Any, label: str = "ladder") -> list[MatchSummary]:
            if not mended.is_set():
                warn("the disk is full: waiting for space")
                await mended.wait()
            return await keep(finished, warn, label)

        house.hall.ladder.store = troubled  # type: ignore[method-assign]
        house.come(*BOTS)
        await until(lambda: bool(house.hall.trouble) and not house.hall.running)
        before = len(house.tables.played)
        house.hall.wake()
        await settle()
        assert (len(house.tables.played), house.matches()) == (before, 0)
        mended.set()
        await until(lambda: house.matches() > before)
        assert house.hall.trouble == ""


async def test_a_drain_begins_nothing_more_and_finishes_what_runs(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.tables.gate.clear()
        house.come("ann", "bob", slots=1)
        await until(lambda: len(house.tables.played) == 1)
        drain = asyncio.create_task(house.hall.drain(60.0))
        await settle()
        assert not drain.done()
        assert house.door.closed.startswith("the server is stopping")
        house.tables.gate.set()
        await drain
        assert (house.matches(), len(house.tables.played), house.hall.voided) == (1, 1, 0)


async def test_what_does_not_end_within_the_grace_is_played_again_at_the_next_start(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.tables.gate.clear()
        house.come("ann", "bob", slots=1)
        await until(lambda: len(house.tables.played) == 1)
        await house.hall.drain(0.01)
        assert (house.matches(), house.hall.running) == (0, {})
    async with open_house(tmp_path, works=False) as house:
        assert len(house.hall.ladder.unfinished) == 1


async def test_a_server_that_cannot_write_can_still_be_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is finished and cannot be kept is played again at the next start."""
    monkeypatch.setattr(hall_module, "STORE_SECONDS", 0.05)
    async with open_house(tmp_path) as house:

        async def troubled(finished: Any, warn: Any, label: str = "ladder") -> list[MatchSummary]:
            warn("the disk is full: waiting for space")
            await asyncio.Event().wait()
            raise AssertionError

        house.hall.ladder.store = troubled  # type: ignore[method-assign]
        house.come("ann", "bob", slots=1)
        await until(lambda: bool(house.hall.trouble))
        await asyncio.wait_for(house.hall.drain(0.0), 20)
        monkeypatch.setattr(house.hall, "drain", lambda seconds: asyncio.sleep(0))
    async with open_house(tmp_path, works=False) as house:
        assert len(house.hall.ladder.unfinished) == 1
