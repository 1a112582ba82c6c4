"""The Python SDK where the conformance check cannot look: what a bot remembers after a broken stream, and TLS."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from grpc.aio._call import StreamStreamCall  # type: ignore[import-not-found, unused-ignore]

from tortuga.v1 import referee_pb2 as pb
from tortuga_bot import Match, Question
from tortuga_bot.client import Client, Refused

HELLO = pb.Hello(protocol=1, bot_name="remembers")


class FakeReferee:
    """Plays one match over two streams: the first breaks off after one answer."""

    def __init__(self) -> None:
        self.tokens: list[str] = []
        self.indices: list[int] = []

    async def play(self, requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        first = not self.tokens
        metadata = dict(context.invocation_metadata() or ())
        self.tokens.append(str(metadata["authorization"]).removeprefix("Bearer "))

        async def say(**message: object) -> None:
            to_bot = pb.ToBot(table=1 if first else 4, **message)  # type: ignore[arg-type]
            await context.write(pb.ToBotBatch(messages=[to_bot]).SerializeToString())

        async def hear() -> pb.FromBot:
            return pb.FromBotBatch.FromString(await anext(requests)).messages[0]

        assert (await hear()).hello.bot_name == "remembers"
        await say(welcome=pb.Welcome(protocol=1, reconnect_millis=5000, resume_token="again"))
        await say(match_start=pb.MatchStart(match_id="m", game="broadsides", resumed=not first))
        assert (await hear()).HasField("ready")
        await say(question=pb.Question(question_id=1 if first else 2, option_count=9))
        self.indices.append((await hear()).choice.option_index)
        if first:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "broken")
        await say(goodbye=pb.Goodbye())


async def serve(referee: FakeReferee, credentials: grpc.ServerCredentials | None = None) -> tuple[grpc.aio.Server, int]:
    server = grpc.aio.server()
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(referee.play)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("tortuga.v1.Referee", {"Play": handler}),))
    address = "localhost:0"
    port = server.add_secure_port(address, credentials) if credentials else server.add_insecure_port(address)
    await server.start()
    return server, port


def counting(started: list[str]) -> Client:
    """A bot whose answer is how many questions it remembers of the match."""

    def choose(question: Question) -> int:
        memory = question.match.memory
        memory["asked"] = memory.get("asked", 0) + 1
        return int(memory["asked"])

    def begin(match: Match) -> None:
        started.append(match.match_id)

    return Client(choose, begin, None, None)


async def talk(referee: FakeReferee, credentials: grpc.ServerCredentials | None = None) -> list[str]:
    server, port = await serve(referee, credentials)
    started: list[str] = []
    try:
        await counting(started).talk(f"localhost:{port}", "first", HELLO)
    finally:
        await server.stop(0)
    return started


def test_a_bot_keeps_what_it_knew_of_a_match_when_it_comes_back() -> None:
    referee = FakeReferee()
    started = asyncio.run(talk(referee))
    assert referee.tokens == ["first", "again"]
    assert referee.indices == [1, 2]
    assert started == ["m"]  # it began once


def test_a_referee_that_is_not_there_is_said_in_one_line() -> None:
    with pytest.raises(Refused, match="UNAVAILABLE"):
        asyncio.run(counting([]).talk("localhost:1", "t", HELLO))


def test_a_refusal_that_arrives_while_the_bot_writes_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop stands still between the head of the call and the Hello, so that the refusal overtakes the Hello."""
    write = StreamStreamCall.write

    def stand_still() -> None:
        time.sleep(0.3)

    async def late(call: Any, batch: pb.FromBotBatch) -> None:
        await call._metadata_sent.wait()
        stand_still()
        await write(call, batch)

    with refusing_process() as port:  # a process of its own, since this one stands still
        monkeypatch.setattr(StreamStreamCall, "write", late)
        with pytest.raises(Refused, match="UNAUTHENTICATED: not you"):
            asyncio.run(counting([]).talk(f"localhost:{port}", "t", HELLO))


REFUSING = """
import asyncio, grpc.aio
async def play(requests, context):
    await context.abort(grpc.StatusCode.UNAUTHENTICATED, "not you")
async def main():
    server = grpc.aio.server()
    handler = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("tortuga.v1.Referee", {"Play": handler}),))
    port = server.add_insecure_port("localhost:0")
    await server.start()
    print(port, flush=True)
    await server.wait_for_termination()
asyncio.run(main())
"""


@contextmanager
def refusing_process() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", REFUSING], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield int(process.stdout.readline())
        finally:
            process.kill()


def test_a_bot_speaks_tls_where_it_is_told_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate of this test and is not on PATH")
    key, certificate = tmp_path / "key.pem", tmp_path / "roots.pem"
    words = f"req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout {key} -out {certificate}"
    command = ["openssl", *words.split(), "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(command, check=True, capture_output=True)
    credentials = grpc.ssl_server_credentials([(key.read_bytes(), certificate.read_bytes())])
    monkeypatch.setenv("TORTUGA_TLS", str(certificate))
    referee = FakeReferee()
    asyncio.run(talk(referee, credentials))
    assert referee.indices == [1, 2]
    monkeypatch.setenv("TORTUGA_TLS", "system")  # does not know this certificate
    with pytest.raises(Refused, match="UNAVAILABLE"):
        asyncio.run(talk(FakeReferee(), credentials))
    monkeypatch.setenv("TORTUGA_TLS", str(tmp_path / "nowhere.pem"))
    with pytest.raises(SystemExit, match="its roots cannot be read: No such file"):
        asyncio.run(talk(FakeReferee(), credentials))
