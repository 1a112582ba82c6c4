"""An arena as people run it: a real `tortuga serve`, killed, stopped, locked out, and asked what it must not tell.

The numbers are those of the list of faults (reliability.md, section 3.2). 20 to 23 and 29 to 32 are tried at the door
(test_remote_door.py), 40 in the match (tests/referee/test_match.py), 38 at the calendar (tests/server/arena).
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import shutil
import socket
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import grpc
import grpc.aio
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest
from grpc_reflection.v1alpha.reflection_pb2_grpc import ServerReflectionStub

from server.arena.config import ArenaConfig
from server.arena.keys import HEADER, read_admin_key
from server.bots.spec import SAMPLE_BOTS
from server.ratings import live
from server.tournament.folder import Folder
from server.tournament.journal import read_journal
from server.tournament.store import Store
from support import sizes
from support.arena import code_of
from support.certificates import make_certificate
from support.command import assert_nothing_left, environment, tortuga
from support.dialling import Line, until
from support.ladders import DUEL, LADDER, make_config
from support.served import PATIENCE_SECONDS, Served, check_ladder, dialled_in, wait_for, wait_for_matches
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import referee_pb2
from tortuga.v1.arena_pb2_grpc import ArenaAdminStub, ArenaStub

pytestmark = pytest.mark.timeout(3 * PATIENCE_SECONDS)

KILLS = sizes.pick(quick=2, ci=5, full=50)
SERVING = HealthCheckResponse.SERVING
RUNNING = pb.ListMatchesRequest(state=pb.MATCH_STATE_RUNNING)


@contextmanager
def serving(folder: Path, config: ArenaConfig | None = None, *flags: str) -> Iterator[Served]:
    """An arena of its own; by default one whose ladders leave the machine time for other things."""
    served = Served(folder, config or make_config(reconnect_seconds=1.0, rest_seconds=0.1), *flags)
    try:
        yield served.start()
    finally:
        served.close()


@sizes.sized
def test_33_killed_at_any_moment_it_loses_nothing_and_counts_nothing_twice(tmp_path: Path) -> None:
    moment, told = random.Random(33), set[str]()
    served = Served(tmp_path, make_config(matches_at_once=6, suspend_faults=0, reconnect_seconds=1.0)).start()
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
        began = {line["match"] for line in read_journal(served.path / "ladder" / "events.jsonl", ["match_started"])}
        with dialled_in(served.bots, tokens):
            wait_for_matches(served, served.status().matches + 10)
            told |= served.told()
            served.signal()
            assert served.end() == 0
    finally:
        served.close()
    again = {line.get("again") for line in read_journal(served.path / "ladder" / "events.jsonl", ["match_started"])}
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


async def come_and_go(served: Served, token: str) -> None:
    """This token is good."""
    line = Line(served.bots, token)
    assert (await line.greet()).resume_token
    await line.hang_up()


PATIENT = {"matches_at_once": 1, "start_seconds": 3600.0, "drain_seconds": 3600.0, "reconnect_seconds": 1.0}
"""One match at a time, for which a bot may take its time."""


@pytest.mark.smoke
def test_34_told_to_stop_it_finishes_what_runs_and_says_goodbye(tmp_path: Path) -> None:
    with serving(tmp_path, make_config(**PATIENT)) as served:
        ann, bob, cid = served.add("ann", "bob", "cid").values()

        async def scenario() -> None:
            lines = await hold_a_match(served, ann, bob)
            served.signal()
            await until(lambda: served.status().draining)
            code, words = await Line(served.bots, cid).status()
            assert code == "UNAVAILABLE"
            assert "server is stopping" in words
            ends = await asyncio.gather(*(line.play(stop_at="goodbye") for line in lines))
            assert {end.goodbye.reason for end in ends} == {words}

        asyncio.run(scenario())
        assert served.end() == 0
        assert not (served.path / "admin.sock").exists()
        assert not (served.path / "admin.key").exists()
    with Store.read_only(served.path / "ladder" / "tortuga.db") as store:
        [match] = store.matches()
    check_ladder(served.path, {match.match_id})
    assert_nothing_left(tmp_path)


def test_34_told_twice_it_stops_at_once_and_plays_the_match_again_the_next_time(tmp_path: Path) -> None:
    with serving(tmp_path, make_config(**PATIENT)) as served:
        tokens = served.add("ann", "bob")
        served.admin.HostBot(pb.HostBotRequest(spec="random", name="hosted"))

        async def scenario() -> None:
            await hold_a_match(served, *tokens.values())
            served.signal()
            await until(lambda: served.status().draining)
            served.signal()

        asyncio.run(scenario())
        assert served.end() == 0
        assert_nothing_left(tmp_path)
        journal = served.path / "ladder" / "events.jsonl"
        [lost] = read_journal(journal, ["match_started"])
        served.start()
        with dialled_in(served.bots, tokens):
            wait_for_matches(served, 3)
        assert lost["match"] in [line.get("again") for line in read_journal(journal, ["match_started"])]
        assert lost["match"] not in served.told()


# Refused at the start, in one line


def refused(folder: Path, *words: str) -> str:
    """What `tortuga serve` says when it does not start."""
    done = tortuga(folder, "serve", *words)
    assert done.returncode == 2, done.stderr
    [line] = done.stderr.splitlines()
    return line


def test_37_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("a file where a folder should be")
    assert "plain" in refused(tmp_path, "plain/arena", "--listen", "127.0.0.1:0", "--public", "")
    (tmp_path / "arena").mkdir()
    (tmp_path / "arena" / "ladder").write_text("the same further down")
    words = refused(tmp_path, "arena", "--listen", "127.0.0.1:0", "--public", "")
    assert words.startswith("tortuga: ")
    assert "ladder" in words
    assert_nothing_left(tmp_path)


def test_plain_text_beyond_this_machine_is_refused_unless_insisted_on(tmp_path: Path) -> None:
    for door in ("--listen", "--public"):
        words = refused(tmp_path, "arena", "--listen", "127.0.0.1:0", "--public", "", door, "0.0.0.0:0")
        assert "0.0.0.0:0 can be reached" in words
        assert "--tls-cert" in words
    served = Served(tmp_path, make_config(), "--listen", "0.0.0.0:0", "--insecure")
    try:
        served.start()
    finally:
        served.close()
    assert "WARNING: 0.0.0.0:0 speaks" in served.log()


def fetch(url: str) -> str:
    """A page."""
    with urlopen(url, timeout=PATIENCE_SECONDS) as page:
        return bytes(page.read()).decode()


# One arena for all that leave it as it was


@pytest.fixture(scope="module")
def metrics() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, metrics: str) -> Iterator[Served]:
    config = make_config(
        DUEL,
        {"id": "marauders", "seats": 2},
        matches_per_bot=1,
        commentator_delay_seconds=0.0,
        reconnect_seconds=1.0,
        drain_seconds=0.0,
    )
    with serving(tmp_path_factory.mktemp("shared"), config, "--metrics", metrics) as served:
        yield served


def test_39_a_second_server_on_the_folder_is_refused_with_the_process(served: Served) -> None:
    words = refused(served.folder, str(served.path), "--listen", "127.0.0.1:0", "--public", "")
    assert words == f"tortuga: {served.path} is being run by process {served.process.pid}"
    assert served.status().bots_address == served.bots


async def test_30_a_token_that_was_rotated_or_revoked_closes_the_stream_and_is_worth_nothing(served: Served) -> None:
    tokens = served.add("rotated", "revoked")
    with dialled_in(served.bots, tokens, games=("broadsides",)) as plays:
        wait_for(lambda: served.status().connected == 2)
        done = tortuga(served.folder, "server", "bot", "rotate", "rotated", "--dir", str(served.path), "--json")
        new = json.loads(done.stdout)["token"]
        assert plays["rotated"].result(PATIENCE_SECONDS) == "this bot has a new token"
        done = tortuga(served.folder, "server", "bot", "revoke", "revoked", "--dir", str(served.path))
        assert done.returncode == 0, done.stderr
        assert plays["revoked"].result(PATIENCE_SECONDS) == "this bot was revoked"

    for token in tokens.values():
        assert (await Line(served.bots, token).status())[0] == "UNAUTHENTICATED"
    await come_and_go(served, new)
    assert not any(token in served.log() for token in (*tokens.values(), new)), "29: no token in the log"


async def test_a_suspended_bot_is_told_why_when_it_dials(served: Served) -> None:
    [token] = served.add("naughty").values()
    served.admin.SuspendBot(pb.SuspendBotRequest(name="naughty", reason="it swears"))
    code, words = await Line(served.bots, token).status()
    assert code == "PERMISSION_DENIED"
    assert "suspended: it swears" in words
    served.admin.LiftSuspension(pb.LiftSuspensionRequest(name="naughty"))
    await come_and_go(served, token)


def test_32_orders_need_a_token_and_health_and_reflection_are_on_the_admin_socket_alone(served: Served) -> None:
    looks = ServerReflectionRequest(list_services="")
    for address, code in (
        (served.bots, grpc.StatusCode.UNIMPLEMENTED),
        (served.public, grpc.StatusCode.UNAUTHENTICATED),
    ):
        with grpc.insecure_channel(address) as channel:
            order = partial(ArenaAdminStub(channel).GetStatus, pb.GetStatusRequest(), timeout=30)
            assert code_of(order)[0] is code
            for call in (
                lambda channel=channel: HealthStub(channel).Check(HealthCheckRequest(), timeout=30),
                lambda channel=channel: list(
                    ServerReflectionStub(channel).ServerReflectionInfo(iter([looks]), timeout=30)
                ),
            ):
                assert code_of(call)[0] is grpc.StatusCode.UNIMPLEMENTED
    with grpc.insecure_channel(served.bots) as channel:
        assert code_of(lambda: ArenaStub(channel).ListGames(pb.ListGamesRequest()))[0] is grpc.StatusCode.UNIMPLEMENTED
    for name in ("admin.sock", "admin.key"):
        assert stat.S_IMODE((served.path / name).stat().st_mode) == 0o600
    with grpc.insecure_channel(served.socket) as channel:
        assert HealthStub(channel).Check(HealthCheckRequest(service="tortuga.v1.ArenaAdmin")).status == SERVING
        for keyless in (
            lambda: ArenaAdminStub(channel).GetStatus(pb.GetStatusRequest(), timeout=30),
            lambda: ArenaStub(channel).ListGames(pb.ListGamesRequest(), timeout=30),
            lambda: list(ServerReflectionStub(channel).ServerReflectionInfo(iter([looks]), timeout=30)),
        ):
            assert code_of(keyless)[0] is grpc.StatusCode.UNAUTHENTICATED
        key = [(HEADER, read_admin_key(served.path))]
        [answer] = ServerReflectionStub(channel).ServerReflectionInfo(iter([looks]), metadata=key, timeout=30)
    names = {service.name for service in answer.list_services_response.service}
    assert {"tortuga.v1.Arena", "tortuga.v1.ArenaAdmin", "grpc.health.v1.Health"} <= names


async def test_48_a_match_is_watched_and_no_secret_is_told_before_its_end(served: Served, metrics: str) -> None:
    """Also not by metrics or status: they tell of no single match."""
    tokens = served.add("starboard", "larboard")
    wait_for(lambda: served.status().connected + served.status().reconnecting == 0)
    lines = [Line(served.bots, token) for token in tokens.values()]
    for line in lines:
        await line.greet(games=["marauders"])
    starts = await asyncio.gather(*(line.play(stop_at="match_start") for line in lines))
    [match] = served.api.ListMatches(RUNNING).matches
    assert {seat.entry for seat in match.seats} == {*tokens}
    async with grpc.aio.insecure_channel(served.public) as channel:
        api: Any = ArenaStub(channel)
        wrong = api.WatchMatch(pb.WatchMatchRequest(match_id=match.match_id, commentator_key="guessed"))
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await wrong.read()
        assert failure.value.code() is grpc.StatusCode.UNAUTHENTICATED
        kind = pb.TOKEN_KIND_COMMENTATOR
        token = served.admin.NewToken(pb.NewTokenRequest(kind=kind)).token
        public, full = [
            api.WatchMatch(pb.WatchMatchRequest(match_id=match.match_id, commentator_key=key)) for key in ("", token)
        ]
        sights = [await public.read()]
        assert sights[0].HasField("start")
        assert (await full.read()).HasField("start")
        for line, start in zip(lines, starts, strict=True):
            await line.say(referee_pb2.FromBot(table=start.table, ready=referee_pb2.Ready()))
        sights.append(await public.read())
        assert sights[1].HasField("scene")
        text = await asyncio.to_thread(fetch, f"http://{metrics}/metrics")
        for words in (text, str(served.status())):
            assert match.match_id not in words
        assert "tortuga_running " in text
        assert {*re.findall(r"[{,](\w+)=", text)} == {"ladder"}
        plays = [asyncio.create_task(line.play()) for line in lines]
        while not (sight := await full.read()).secrets:
            assert sight.HasField("scene"), "a commentator sees what is hidden, and not only at the end"
        await asyncio.gather(*plays)
        while (sight := await public.read()) is not grpc.aio.EOF:
            sights.append(sight)
    assert sights[-1].HasField("end")
    assert all(not sight.secrets for sight in sights[:-1])
    assert sights[-1].secrets
    assert [sight.number for sight in sights] == sorted({sight.number for sight in sights})
    for line in lines:
        await line.hang_up()


def test_36_while_another_program_holds_the_database_matches_wait_and_nothing_is_lost(served: Served) -> None:
    tokens = served.add("fore", "aft")
    with dialled_in(served.bots, tokens, games=("pavillon_noir",)):
        wait_for_matches(served, 1)
        held = sqlite3.connect(served.path / "ladder" / "tortuga.db", isolation_level=None)
        held.execute("BEGIN IMMEDIATE")
        trouble = wait_for(lambda: served.status().trouble)
        assert "locked by another program" in trouble
        wait_for(lambda: served.status().running == 0)
        before = served.status().matches
        told = served.told()
        held.execute("ROLLBACK")
        held.close()
        wait_for_matches(served, before + 10)
        assert told <= served.told()
        assert served.status().trouble == ""


# TLS, with a bot as its author starts it


def test_a_bot_of_the_sdk_plays_over_tls(tmp_path: Path) -> None:
    cert, key = make_certificate(tmp_path)
    flags = ("--listen", "localhost:0", "--public", "localhost:0", "--tls-cert", str(cert), "--tls-key", str(key))
    with serving(tmp_path, None, *flags) as served:
        served.admin.HostBot(pb.HostBotRequest(spec="random", name="hosted"))
        [token] = served.add("far").values()
        bot = subprocess.Popen(
            [sys.executable, str(SAMPLE_BOTS / "python" / "random" / "bot.py")],
            env={
                **environment(tmp_path),
                "TORTUGA_ADDRESS": served.bots,
                "TORTUGA_TOKEN": token,
                "TORTUGA_TLS": str(cert),
            },
        )
        try:
            wait_for_matches(served, 3)
            words = tortuga(tmp_path, "client", "ladders", "--server", served.public)
            assert words.returncode != 0, "plain text gets nowhere"
        finally:
            bot.terminate()
            bot.wait(PATIENCE_SECONDS)
        [row] = [row for row in served.api.GetLadder(pb.GetLadderRequest(name=LADDER)).rows if row.entry == "far"]
        assert row.matches >= 3


# Events

CUP = """
name = "cup"
seed = "s"
format = "round-robin"
rounds = 2
concurrency = 2
clock = "3600+60/600"
start_seconds = 60
[[games]]
id = "pavillon_noir"
variant = { max_rounds = 1 }
"""
PLANNED = 2 * 2 * 3


def play_cup(served: Served, tokens: dict[str, str]) -> None:
    """Kill the server in the middle of the event, start it again, and wait for its end."""
    folder = Folder(served.path / "events" / "cup")
    with dialled_in(served.bots, tokens):
        wait_for(lambda: served.status().connected == len(tokens))
        served.admin.StartEvent(pb.StartEventRequest(name="cup"))
        wait_for(lambda: len([*read_journal(folder.journal, ["match_finished"])]) >= 3)
        served.kill()
    told = {line["match"] for line in read_journal(folder.journal, ["match_finished"])}
    served.start()
    with dialled_in(served.bots, tokens):
        wait_for(lambda: cup(served).event.state == pb.EVENT_STATE_FINISHED)
        wait_for(folder.report.is_file)
    finished = [line["match"] for line in read_journal(folder.journal, ["match_finished"])]
    assert len(finished) == len({*finished}) == PLANNED
    assert told <= {*finished}
    with Store.read_only(folder.database) as store:
        assert {match.match_id for match in store.matches()} == {*finished}
        assert sum(elo - live.START for elo, _ in store.live_elo(LADDER).values()) == 0
    [table] = cup(served).tables
    assert len(table.rows) == 3


def cup(served: Served) -> Any:
    return served.api.GetEvent(pb.GetEventRequest(name="cup"))


def test_a_mixed_event_from_its_announcement_to_its_results_through_a_kill(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        tokens = served.add("ann", "bob")
        served.admin.HostBot(pb.HostBotRequest(spec="random"))
        (tmp_path / "cup.toml").write_text(CUP)
        order = ("--dir", str(served.path))
        done = tortuga(tmp_path, "server", "event", "create", "cup.toml", "--name", "cup", *order)
        assert done.returncode == 0, done.stderr
        wait_for(lambda: cup(served).event.state == pb.EVENT_STATE_REGISTRATION)
        for token in tokens.values():
            done = tortuga(tmp_path, "client", "enter", "cup", "--server", served.public, TORTUGA_TOKEN=token)
            assert done.returncode == 0, done.stderr
        served.admin.EnterBot(pb.EnterBotRequest(event="cup", bot="random"))
        play_cup(served, tokens)
        served.signal()
        assert served.end() == 0
    assert_nothing_left(tmp_path)


def test_an_event_of_hosted_bots_through_a_kill(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        served.admin.PauseLadder(pb.PauseLadderRequest())
        for name in ("ann", "bob", "cid"):
            served.admin.HostBot(pb.HostBotRequest(spec="random", name=name))
        served.admin.CreateEvent(pb.CreateEventRequest(name="cup", manifest=CUP))
        for name in ("ann", "bob", "cid"):
            served.admin.EnterBot(pb.EnterBotRequest(event="cup", bot=name))
        play_cup(served, {})
        served.signal()
        assert served.end() == 0
    assert_nothing_left(tmp_path)


# The disk is full

FULL = """
import subprocess, sys
from pathlib import Path
from support.ladders import make_config
from support.served import Served, check_ladder, dialled_in, wait_for, wait_for_matches
base = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", base / "arena"], check=True)
served, ballast = Served(base, make_config(matches_at_once=4)).start(), base / "arena" / "ballast"
try:
    with dialled_in(served.bots, served.add("ann", "bob", "cid")):
        wait_for_matches(served, 5)
        try:
            with ballast.open("ab", buffering=0) as file:
                while True: file.write(bytes(1024))
        except OSError: pass
        print(wait_for(lambda: served.status().trouble))
        wait_for(lambda: served.status().running == 0)
        told, before = served.told(), served.status().matches
        ballast.unlink()
        wait_for_matches(served, before + 10)
        assert served.status().trouble == ""
        served.signal()
        assert served.end() == 0
finally:
    served.close()
check_ladder(served.path, told)
print("everything is there")
"""


@pytest.mark.skipif(
    not shutil.which("unshare") or subprocess.run(["unshare", "-rm", "true"], check=False).returncode != 0,
    reason="needs a mount namespace",
)
def test_35_on_a_full_disk_matches_wait_and_nothing_is_lost(tmp_path: Path) -> None:
    (tmp_path / "arena").mkdir()
    tests = Path(__file__).parents[1]
    done = subprocess.run(
        ["unshare", "-rm", sys.executable, "-c", FULL, str(tmp_path)],
        env={**environment(tmp_path), "PYTHONPATH": os.pathsep.join([str(tests), str(tests.parent)])},
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "disk is full: waiting" in done.stdout
    assert "everything is there" in done.stdout
    assert_nothing_left(tmp_path)
