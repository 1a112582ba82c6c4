"""Remote bots over real sockets: broken streams, stolen and guessed tokens, floods, TLS.

The numbers are those of the list of faults (reliability.md, section 3.2).
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import resource
import socket
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from referee.door.service import Door
from referee.door.session import Session
from referee.door.tls import server_credentials
from referee.door.tokens import hash_token, new_token
from referee.errors import FaultKind
from referee.games import find_game
from referee.match.clock import TimeControl
from referee.match.match import Match, MatchResult, Player, Terms
from referee.rules.chance import derive_secret
from referee.wire import make_terms
from support import tortoise
from support.certificates import make_certificate
from support.dialling import PATIENCE_SECONDS, Cable, Line, open_door, until
from support.fake_accounts import FakeAccounts
from support.players import QuietHost, ScriptedPlayer
from tortuga.v1 import arena_pb2, referee_pb2
from tortuga.v1 import referee_pb2 as pb

# isort: split
import grpc
import grpc.aio

ROOT = Path(__file__).parents[2]
TOKEN = "account-token-of-ann"
OTHER = "account-token-of-bob"
CUTS = (10, 20, 40)
"""At which moments of its match a bot of the SDK is cut off."""


def race(rounds: int = 4, cap_seconds: float = 60.0) -> Terms:
    return tortoise.terms(rounds=rounds, clock=TimeControl(cap_seconds=cap_seconds), seed="s")


def begin(terms: Terms, session: Session, other: Player | None = None) -> asyncio.Task[MatchResult]:
    """A match of a remote bot against another or a scripted one."""
    players = [session.open_table(), other or ScriptedPlayer(lambda question: 0)]
    return asyncio.create_task(Match(terms, players, QuietHost()).play())


async def ended(match: asyncio.Task[MatchResult]) -> MatchResult:
    return await asyncio.wait_for(match, PATIENCE_SECONDS)


# 20: the stream breaks


@pytest.mark.parametrize("step", ["match_start", "question", "answered", "match_end"])
async def test_20_cut_off_at_a_step_of_the_match_a_bot_comes_back_and_loses_nothing(step: str) -> None:
    accounts = FakeAccounts(ann=TOKEN)
    async with open_door(accounts) as door, Cable(door.address) as cable:
        line = Line(cable.address, TOKEN)
        await line.greet()
        session = accounts.sessions["ann"]
        match = begin(race(), session)
        await line.play(stop_at=step)
        if step == "match_end":
            assert (await ended(match)).faults == ()
            match = begin(race(), session)
        cable.cut()
        await until(lambda: not session.is_present)
        back = Line(cable.address, line.welcome.resume_token)
        assert (await back.greet()).resume_token not in ("", line.welcome.resume_token)
        start = await back.play(stop_at="match_start")
        assert start.match_start.resumed or step == "match_end", "then it is the next match"
        await back.say(pb.FromBot(table=start.table, ready=pb.Ready()))
        end = await back.play()
        result = await ended(match)
        assert (list(end.match_end.ranks), list(result.faults)) == (list(result.ranks), [])
        assert session.ended is None
        assert accounts.heard == [("ann", "arrived"), ("ann", "away"), ("ann", "back")]


async def test_20_cut_off_before_hello_or_before_welcome_a_bot_starts_anew() -> None:
    accounts = FakeAccounts(ann=TOKEN)
    async with open_door(accounts) as door, Cable(door.address) as cable:
        line = Line(cable.address, TOKEN)
        await until(lambda: len(door._streams) == 1)  # it is connected and has said nothing
        cable.cut()
        await until(lambda: not door._streams)
        line = Line(cable.address, TOKEN)
        await line.say(pb.FromBot(hello=pb.Hello(protocol=1)))
        await until(lambda: "ann" in accounts.sessions)
        first = accounts.sessions["ann"]
        cable.cut()  # whatever became of Welcome: the bot has not read it
        await until(lambda: not first.is_present)
        line = Line(cable.address, TOKEN)
        await line.greet()
        assert first.ended is not None
        second = accounts.sessions["ann"]
        match = begin(race(), second)
        await line.play()
        assert (await ended(match)).faults == ()


async def test_20_cut_off_while_coming_back_a_bot_comes_back_by_the_same_token() -> None:
    accounts = FakeAccounts(ann=TOKEN)
    async with open_door(accounts) as door, Cable(door.address) as cable:
        line = Line(cable.address, TOKEN)
        token = (await line.greet()).resume_token
        session = accounts.sessions["ann"]
        match = begin(race(), session)
        await line.play(stop_at="question")
        cable.cut()
        await until(lambda: not session.is_attached)
        Line(cable.address, token)  # dials, and is cut off before Hello
        await until(lambda: session.is_attached)
        cable.cut()
        await until(lambda: not session.is_attached)
        line = Line(cable.address, token)  # and again before it has read Welcome
        await line.say(pb.FromBot(hello=pb.Hello(protocol=1)))
        await until(lambda: session.is_present)
        cable.cut()
        await until(lambda: not session.is_attached)
        line = Line(cable.address, token)
        await line.greet()
        await line.play()
        assert (await ended(match)).faults == ()


async def test_20_the_end_of_a_match_is_told_after_coming_back() -> None:
    accounts = FakeAccounts(ann=TOKEN)
    async with open_door(accounts) as door, Cable(door.address) as cable:
        line = Line(cable.address, TOKEN)
        await line.greet()
        session = accounts.sessions["ann"]
        opponent = ScriptedPlayer(lambda question: 0, delay=0.2)
        match = begin(race(rounds=1), session, opponent)
        await line.play(stop_at="answered")
        await until(lambda: session._players[1]._last_answer is not None)
        cable.cut()
        assert (await ended(match)).faults == ()
        assert not session.is_present
        line = Line(cable.address, line.welcome.resume_token)
        await line.greet()
        assert (await line.play(stop_at="match_start")).match_start.resumed
        assert (await line.play()).match_end.reason == "finish"


async def test_20_a_bot_that_does_not_come_back_in_time_has_crashed() -> None:
    accounts = FakeAccounts(reconnect_seconds=0.3, ann=TOKEN)
    async with open_door(accounts) as door, Cable(door.address) as cable:
        line = Line(cable.address, TOKEN)
        await line.greet()
        match = begin(race(), accounts.sessions["ann"])
        await line.play(stop_at="question")
        cable.cut()
        [fault] = (await ended(match)).faults
        assert fault.kind is FaultKind.CRASH
        assert "come back within 0.3 s" in fault.message
        assert (await Line(cable.address, line.welcome.resume_token).status())[0] == "UNAUTHENTICATED"
        await Line(cable.address, TOKEN).greet()


async def test_20_a_bot_behind_a_dead_line_takes_its_seat_over_before_we_have_noticed() -> None:
    accounts = FakeAccounts(ann=TOKEN)
    async with open_door(accounts) as door, Cable(door.address) as cable:
        line = Line(cable.address, TOKEN)
        await line.greet()
        session = accounts.sessions["ann"]
        match = begin(race(), session)
        await line.play(stop_at="question")
        cable.clog()
        cable.loosen()
        assert session.is_present, "nobody has told us"
        back = Line(cable.address, line.welcome.resume_token)
        await back.greet()
        await back.play()
        assert (await ended(match)).faults == ()
        assert len(door._streams) == 1


async def test_20_half_closing_without_goodbye_is_a_broken_stream_too() -> None:
    accounts = FakeAccounts(ann=TOKEN)
    async with open_door(accounts) as door:
        line = Line(door.address, TOKEN)
        await line.greet()
        session = accounts.sessions["ann"]
        await line._stream.done_writing()
        assert await line.status() == ("OK", "")
        await until(lambda: not session.is_attached)
        await Line(door.address, line.welcome.resume_token).greet()
        assert session.is_present


async def test_a_program_that_is_started_anew_loses_the_match_it_forgot() -> None:
    accounts = FakeAccounts(ann=TOKEN)
    async with open_door(accounts) as door:
        line = Line(door.address, TOKEN)
        await line.greet()
        match = begin(race(), accounts.sessions["ann"])
        await line.play(stop_at="question")
        first = accounts.sessions["ann"]
        await line.hang_up()
        await until(lambda: not first.is_attached)
        await Line(door.address, TOKEN).greet()
        [fault] = (await ended(match)).faults
        assert (fault.kind, "started anew" in fault.message) == (FaultKind.CRASH, True)


# 21: who may be here


async def test_21_of_fifty_dials_at_once_exactly_one_wins() -> None:
    accounts = FakeAccounts(ann=TOKEN)
    async with open_door(accounts) as door:
        lines = [Line(door.address, TOKEN) for _ in range(50)]

        async def come_in(line: Line) -> str:
            try:
                await line.greet()
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                return (await line.status())[0]
            return "in"

        outcomes = await asyncio.gather(*map(come_in, lines))
        assert Counter(outcomes) == {"in": 1, "ALREADY_EXISTS": 49}
        winner = lines[outcomes.index("in")]
        match = begin(race(), accounts.sessions["ann"])
        await winner.play()
        assert (await ended(match)).faults == ()


async def test_a_bot_is_refused_with_the_reason() -> None:
    accounts = FakeAccounts(ann=TOKEN, bob=OTHER)
    accounts.suspended["ann"] = "suspended: 5 faults in 20 matches; write to the organiser"
    accounts.unwelcome["bob"] = "there is no game 'chess' here"
    async with open_door(accounts) as door:
        assert await Line(door.address, TOKEN).status() == ("PERMISSION_DENIED", accounts.suspended["ann"])
        assert await Line(door.address, OTHER).refused_after_hello() == (
            "FAILED_PRECONDITION",
            accounts.unwelcome["bob"],
        )
        del accounts.suspended["ann"]
        line = Line(door.address, TOKEN)
        with pytest.raises(grpc.aio.AioRpcError):
            await line.greet(bot_version="<script>")
        code, text = await line.status()
        assert code == "FAILED_PRECONDITION"
        assert re.search(r"bot_version.*'<script>'.* 64 ", text)


async def test_one_address_has_only_so_many_places_and_a_bot_that_comes_back_keeps_its_own() -> None:
    accounts = FakeAccounts(ann=TOKEN, bob=OTHER, cid="account-token-of-cid")
    async with open_door(accounts, max_per_network=2) as door, Cable(door.address) as cable:
        ann, bob = Line(cable.address, TOKEN), Line(door.address, OTHER)
        await ann.greet()
        await bob.greet()
        status, words = await Line(door.address, "account-token-of-cid").status()
        assert (status, "2 bots are connected" in words) == ("RESOURCE_EXHAUSTED", True)
        status, _ = await Line(door.address, "nobody's").status()
        assert status == "UNAUTHENTICATED", "who does not know a token learns nothing"
        back = Line(door.address, ann.welcome.resume_token)
        await back.greet()
        await back.say(pb.FromBot(goodbye=pb.Goodbye()))
        await until(lambda: len(door._streams) == 1)
        await Line(door.address, "account-token-of-cid").greet()


async def test_who_is_shown_out_hears_goodbye_and_its_match_loses_it() -> None:
    accounts = FakeAccounts(ann=TOKEN)
    async with open_door(accounts) as door:
        line = Line(door.address, TOKEN)
        await line.greet()
        match = begin(race(), accounts.sessions["ann"])
        await line.play(stop_at="question")
        door.disconnect("ann", "the organiser suspended you")
        assert "organiser suspended you" in (await line.play(stop_at="goodbye")).goodbye.reason
        assert await line.status() == ("OK", "")
        [fault] = (await ended(match)).faults
        assert fault.kind is FaultKind.CRASH
        assert "organiser suspended you" in fault.message
        assert accounts.sessions == {}


async def test_a_door_that_closes_lets_everybody_know_also_of_those_who_are_away() -> None:
    accounts = FakeAccounts(ann=TOKEN, bob=OTHER)
    async with open_door(accounts) as door:
        ann, bob = Line(door.address, TOKEN), Line(door.address, OTHER)
        await ann.greet()
        await bob.greet()
        away = accounts.sessions["bob"]
        await bob.hang_up()
        await until(lambda: not away.is_attached)
    assert accounts.sessions == {}
    assert (await ann.play(stop_at="goodbye")).goodbye.reason == "the test is over"


# 22, 23: slow and many


@pytest.mark.parametrize("tls", [False, True])
async def test_22_a_socket_that_never_becomes_a_connection_is_closed(tls: bool, tmp_path: Path) -> None:
    credentials = server_credentials(*make_certificate(tmp_path)) if tls else None
    async with open_door(FakeAccounts(), credentials=credentials, server_handshake_timeout_ms=300) as door:
        host, _, port = door.address.rpartition(":")
        for opening in (b"", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"PRI * HT", b"\x16\x03", b"GET / HTTP/1.1\r\n"):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(opening)
            with suppress(ConnectionResetError):
                await asyncio.wait_for(reader.read(), PATIENCE_SECONDS)  # up to the end
            writer.close()


async def test_22_a_connection_without_a_stream_is_closed() -> None:
    async with open_door(FakeAccounts(), max_connection_idle_ms=300) as door:
        host, _, port = door.address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        settings = bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
        writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings)
        assert b"idle" in await asyncio.wait_for(reader.read(), PATIENCE_SECONDS)
        writer.close()


async def test_22_a_stream_without_hello_is_closed_with_the_reason() -> None:
    async with open_door(FakeAccounts(ann=TOKEN), hello_seconds=0.2) as door:
        code, text = await Line(door.address, TOKEN).status()
        assert code == "FAILED_PRECONDITION"
        assert re.search(r"no Hello.* 0\.2 s", text)
        await until(lambda: not door._streams)


async def test_22_a_seat_that_does_not_read_is_out_of_time_and_can_be_shown_out() -> None:
    accounts = FakeAccounts(ann=TOKEN)
    # or gRPC would find out by itself
    patient: dict[str, Any] = dict.fromkeys(
        ("keepalive_time_ms", "keepalive_timeout_ms", "http2.ping_timeout_ms"), 600_000
    )
    async with open_door(accounts, **patient) as door, Cable(door.address) as cable:
        line = Line(cable.address, TOKEN)
        await line.greet()
        session = accounts.sessions["ann"]
        match = begin(race(cap_seconds=0.5), session)
        start = await line.play(stop_at="match_start")
        await line.say(pb.FromBot(table=start.table, ready=pb.Ready()))
        await until(lambda: session._players[1]._ready is not None and session._players[1]._ready.done())
        cable.clog()
        [fault] = (await ended(match)).faults
        assert fault.kind is FaultKind.TIMEOUT
        for _ in range(64):  # far more than the line takes in
            session.send(pb.ToBot(match_end=pb.MatchEnd(reason="x" * 200_000)).SerializeToString())
            await asyncio.sleep(0)
        door.disconnect("ann", "you do not read")
        await until(lambda: not door._streams)
        await Line(door.address, TOKEN).greet()


async def test_23_two_thousand_idle_sockets_do_not_trouble_a_match() -> None:
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(2000, (limit - 200) // 2)  # both ends of each are in this process
    accounts = FakeAccounts(ann=TOKEN, bob=OTHER)
    async with open_door(accounts) as door:
        host, _, port = door.address.rpartition(":")
        lines = [Line(door.address, TOKEN), Line(door.address, OTHER)]
        for line in lines:
            await line.greet()
        match = begin(race(rounds=99), accounts.sessions["ann"], accounts.sessions["bob"].open_table())
        playing = asyncio.gather(*(line.play() for line in lines))
        idle = []
        for _ in range(count):
            one = socket.socket()
            one.setblocking(False)
            idle.append(one)
            await asyncio.get_running_loop().sock_connect(one, (host, int(port)))
        assert len(idle) == count
        await playing
        result = await ended(match)
        assert (result.faults, result.reason) == ((), "finish")
        for one in idle:
            one.close()
        match = begin(race(), accounts.sessions["ann"], accounts.sessions["bob"].open_table())
        await asyncio.gather(*(line.play() for line in lines))
        assert (await ended(match)).faults == ()


# 29 to 32: tokens


async def test_30_a_resume_token_is_good_once_for_one_session_of_one_bot() -> None:
    accounts = FakeAccounts(ann=TOKEN, bob=OTHER)
    async with open_door(accounts) as door:
        ann, bob = Line(door.address, TOKEN), Line(door.address, OTHER)
        await ann.greet()
        await bob.greet()
        stolen = ann.welcome.resume_token
        session = accounts.sessions["ann"]
        await ann.hang_up()
        await until(lambda: not session.is_attached)
        back = Line(door.address, stolen)
        await back.greet()
        assert (await Line(door.address, stolen).status())[0] == "UNAUTHENTICATED", "used, and the stream is up"
        assert session.is_present
        await back.say(pb.FromBot(table=1, ready=pb.Ready()))
        await until(lambda: session._unsolicited == 1)
        await back.hang_up()
        await until(lambda: not session.is_attached)
        assert (await Line(door.address, stolen).status())[0] == "UNAUTHENTICATED", "used, and the bot was heard since"
        again = Line(door.address, bob.welcome.resume_token)
        await again.greet()
        assert not session.is_attached, "bob's token leads to bob"
        assert (await bob.status())[0] == "ABORTED"
        door.disconnect("ann", "your token was changed")
        del accounts.names[hash_token(TOKEN)]
        assert (await Line(door.address, back.welcome.resume_token).status())[0] == "UNAUTHENTICATED", "after rotate"
        assert (await Line(door.address, TOKEN).status())[0] == "UNAUTHENTICATED"
        await again.say(pb.FromBot(goodbye=pb.Goodbye()))
        assert (await again.play(stop_at="goodbye")).goodbye.reason == "said Goodbye"
        ended_session = Line(door.address, again.welcome.resume_token)
        assert (await ended_session.status())[0] == "UNAUTHENTICATED"


async def test_31_who_guesses_has_to_wait_and_who_knows_does_not() -> None:
    async with open_door(FakeAccounts(ann=TOKEN)) as door:
        for number in range(5):
            code, text = await Line(door.address, f"guess {number}").status()
            assert code == "UNAUTHENTICATED"
            assert "TOKEN is not valid here" in text
            assert "start it again" in text
        code, text = await Line(door.address, "guess").status()
        assert code == "RESOURCE_EXHAUSTED"
        assert re.search(r"wrong tokens.* wait \d+ s$", text)
        await Line(door.address, TOKEN).greet()


async def test_32_a_bots_token_reaches_the_bots_service_and_nothing_else() -> None:
    arena = [
        f"/{service.full_name}/{method.name}"
        for service in arena_pb2.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    ]
    common = [
        "/grpc.health.v1.Health/Check",
        "/grpc.health.v1.Health/Watch",
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        "/grpc.channelz.v1.Channelz/GetServers",
        "/tortuga.v1.Referee/play",
        "/tortuga.v1.Referee/",
        "/",
    ]
    async with open_door(FakeAccounts(ann=TOKEN)) as door:
        async with grpc.aio.insecure_channel(door.address) as channel:
            for path in [*arena, *common]:
                method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(path)
                call = method(b"", metadata=(("authorization", f"Bearer {TOKEN}"),))
                assert await call.code() is grpc.StatusCode.UNIMPLEMENTED, path
        [service] = referee_pb2.DESCRIPTOR.services_by_name.values()
        assert [method.name for method in service.methods] == ["Play"]
        await Line(door.address, TOKEN).greet()


# Real bots


def environment(address: str, **more: str) -> dict[str, str]:
    return {**os.environ, "TORTUGA_ADDRESS": address, "TORTUGA_TOKEN": TOKEN, **more}


async def start_random(env: Mapping[str, str]) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        ROOT / "sample_bots/python/random/bot.py",
        env=env,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )


def command_line(pid: int) -> str:
    path = Path(f"/proc/{pid}/cmdline")
    return path.read_text() if path.exists() else ""


def duel() -> Terms:
    game = find_game("pavillon_noir")
    variant, clock = game.info.read_variant({}), TimeControl(cap_seconds=10.0)
    return make_terms(game, variant, derive_secret("s"), match_id="duel", clock=clock)


async def test_a_match_over_tls_with_a_bot_of_the_sdk(tmp_path: Path) -> None:
    cert, key = make_certificate(tmp_path)
    accounts = FakeAccounts(ann=TOKEN)
    door = Door("test", accounts)
    await door.open("127.0.0.1:0", server_credentials(cert, key))
    far = door.address.replace("127.0.0.1", "localhost")
    bot = await start_random(environment(far, TORTUGA_TLS=str(cert)))
    await until(lambda: "ann" in accounts.sessions)
    result = await ended(begin(duel(), accounts.sessions["ann"]))
    assert (result.faults, result.void) == ((), False)
    line = Line(door.address, TOKEN)
    assert (await line.status())[0] == "UNAVAILABLE", "plain text"
    await door.close("enough")
    out, _ = await asyncio.wait_for(bot.communicate(), PATIENCE_SECONDS)
    assert (bot.returncode, out) == (0, b"goodbye: enough\n")


async def test_29_a_bot_of_the_sdk_survives_cuts_and_no_log_holds_a_token(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    tokens, told, moments = [TOKEN], list[str](), list[object]()

    def note_token() -> str:
        tokens.append(new_token())
        return tokens[-1]

    monkeypatch.setattr("referee.door.session.new_token", note_token)
    accounts = FakeAccounts(ann=TOKEN)
    async with open_door(accounts) as door, Cable(door.address) as cable:
        bot = await start_random(environment(cable.address))
        await until(lambda: "ann" in accounts.sessions)
        session = accounts.sessions["ann"]

        def cut_now_and_then(*_: object) -> None:
            moments.append(None)
            if len(moments) in CUTS:
                cable.cut()

        players: list[Player] = [session.open_table(), ScriptedPlayer(lambda question: 0)]
        result = await ended(asyncio.create_task(Match(duel(), players, QuietHost(), cut_now_and_then).play()))
        assert (result.faults, result.void) == ((), False)
        assert len(moments) > max(CUTS)
        await until(lambda: accounts.heard.count(("ann", "back")) == len(CUTS))
        await until(lambda: session.is_present)
        told.append(command_line(bot.pid))
        door.disconnect("ann", "enough")
        out, _ = await asyncio.wait_for(bot.communicate(), PATIENCE_SECONDS)
        assert bot.returncode == 0, out
        invitation = door.invite("x")
        tokens.append(invitation.token)
        told.extend([out.decode(), repr(session), repr(invitation)])
    printed = capfd.readouterr()
    everything = "\n".join([*told, caplog.text, printed.out, printed.err])
    assert len(tokens) > 4
    assert not [token for token in tokens if token in everything]
