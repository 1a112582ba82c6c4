"""An arena as people run it: a real `tortuga serve`, killed, stopped, locked out, and asked what it must not tell.

The numbers are those of the list of faults (reliability.md, section 3.2). 20 to 23 and 29 to 32 are tried at the door
(test_remote_door.py), 40 in the match (tests/referee/test_match.py), 38 at the calendar (tests/server/arena).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.replay import verify
from referee.wire.record import read_record
from server.arena.config import ArenaConfig
from server.tournament.event import rebuild
from server.tournament.folder import Folder
from server.tournament.journal import read
from server.tournament.store import Store
from support.command import assert_nothing_left
from support.dialling import Line, real, until
from support.events import dump
from support.ladders import LADDER, make_config
from support.served import PATIENCE_SECONDS, Served, dialled_in, wait_for
from tortuga.v1 import arena_pb2 as pb

pytestmark = pytest.mark.timeout(3 * PATIENCE_SECONDS)

KILLS = 5
START = 1_000_000_000


@contextmanager
def serving(folder: Path, config: ArenaConfig | None = None, *flags: str) -> Iterator[Served]:
    """An arena of its own."""
    served = Served(folder, config or make_config(), *flags)
    try:
        yield served.start()
    finally:
        served.close()


def wait_for_matches(served: Served, count: int) -> None:
    wait_for(lambda: served.status().matches >= count)


def check_ladder(path: Path, told: set[str]) -> None:
    """Everything that was told is there, once, and follows from the records."""
    folder = Folder(path / "ladder")
    with Store.look(folder.database) as store:
        matches = list(store.matches())
        assert told <= {match.match_id for match in matches}
        assert sorted(match.block for match in matches) == list(range(len(matches))), "no number twice, none left out"
        assert sum(elo - START for elo, _ in store.live(LADDER).values()) == 0
    finished = [line["match"] for line in read(folder.journal, ["match_finished"])]
    assert sorted(finished) == sorted(match.match_id for match in matches)
    records = list(folder.records.iterdir())
    assert {record.stem for record in records} == {*finished}
    for record in records:
        content, sealed = read_record(record)
        assert verify(content, sealed=sealed).messages_compared
    stored = dump(folder, measured=True)
    assert rebuild(folder).problems == []
    assert dump(folder, measured=True) == stored


def test_33_killed_at_any_moment_it_loses_nothing_and_counts_nothing_twice(tmp_path: Path) -> None:
    moment, told = random.Random(33), set[str]()
    served = Served(tmp_path, make_config(matches_at_once=6, suspend_faults=0)).start()
    try:
        tokens = served.add("ann", "bob", "cid")
        served.admin.HostBot(pb.HostBotRequest(spec="random"))
        for _ in range(KILLS):
            before = served.status().matches
            with dialled_in(served.bots, tokens):
                wait_for_matches(served, before + moment.randint(1, 12))
                told |= served.told()
                served.kill()
            served.start()
        began = {line["match"] for line in read(served.path / "ladder" / "events.jsonl", ["match_started"])}
        with dialled_in(served.bots, tokens):
            wait_for_matches(served, served.status().matches + 10)
            told |= served.told()
            served.signal()
            assert served.end() == 0
    finally:
        served.close()
    again = {line.get("again") for line in read(served.path / "ladder" / "events.jsonl", ["match_started"])}
    assert again & began, "what was running was played again"
    check_ladder(served.path, told)
    assert_nothing_left(tmp_path)


async def hold_a_match(served: Served, *tokens: str) -> list[Line]:
    """Bots that are called to a table and say nothing."""
    lines = [Line(served.bots, token) for token in tokens]
    for line in lines:
        await line.greet()
    await until(lambda: served.status().running > 0)
    return lines


PATIENT = {"matches_at_once": 1, "start_seconds": 3600.0, "drain_seconds": 3600.0}
"""One match at a time, for which a bot may take its time."""


def test_34_told_to_stop_it_finishes_what_runs_and_says_goodbye(tmp_path: Path) -> None:
    with serving(tmp_path, make_config(**PATIENT)) as served:
        ann, bob, cid = served.add("ann", "bob", "cid").values()

        @real
        async def scenario() -> None:
            lines = await hold_a_match(served, ann, bob)
            served.signal()
            await until(lambda: served.status().draining)
            assert await Line(served.bots, cid).refused() == ("PERMISSION_DENIED", "the server is stopping")
            ends = await asyncio.gather(*(line.play(stop_at="goodbye") for line in lines))
            assert {end.goodbye.reason for end in ends} == {"the server is stopping; come back in a while"}

        scenario()
        assert served.end() == 0
        assert not (served.path / "admin.sock").exists()
    with Store.look(served.path / "ladder" / "tortuga.db") as store:
        [match] = store.matches()
    check_ladder(served.path, {match.match_id})
    assert_nothing_left(tmp_path)


def test_34_told_twice_it_stops_at_once_and_plays_the_match_again_the_next_time(tmp_path: Path) -> None:
    with serving(tmp_path, make_config(**PATIENT)) as served:
        tokens = served.add("ann", "bob")
        served.admin.HostBot(pb.HostBotRequest(spec="random", name="hosted"))

        @real
        async def scenario() -> None:
            await hold_a_match(served, *tokens.values())
            served.signal()
            await until(lambda: served.status().draining)
            served.signal()

        scenario()
        assert served.end() == 0
        assert_nothing_left(tmp_path)
        journal = served.path / "ladder" / "events.jsonl"
        [lost] = read(journal, ["match_started"])
        served.start()
        with dialled_in(served.bots, tokens):
            wait_for_matches(served, 3)
        assert lost["match"] in [line.get("again") for line in read(journal, ["match_started"])]
        assert lost["match"] not in served.told()
