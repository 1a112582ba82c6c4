"""The Python SDK where the conformance check cannot look: what a bot remembers after a broken stream, what it notes,
how much time it has, and TLS."""

from __future__ import annotations

import asyncio
import io
import math
import re
import shutil
import subprocess
import sys
import threading
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
from tortuga_bot.arrivals import Arrivals
from tortuga_bot.client import Choose, Client, Refused
from tortuga_bot.log_marks import LogMarks

HELLO = pb.Hello(protocol=1, bot_name="remembers")
LOG_MARK = "[tortuga cove-7 seat 1 {}]"


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


Batches = list[list[pb.ToBot]]


class ScriptedReferee(FakeReferee):
    """Welcomes a bot, says a batch after the other, and keeps what it hears."""

    def __init__(self, batches: Batches, limits: pb.Limits) -> None:
        super().__init__()
        self.heard: list[list[pb.FromBot]] = []
        self._batches = batches
        self._limits = limits

    async def play(self, requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        async def say(batch: list[pb.ToBot]) -> None:
            await context.write(pb.ToBotBatch(messages=batch).SerializeToString())

        for batch in [[pb.ToBot(welcome=pb.Welcome(protocol=1, limits=self._limits))], *self._batches]:
            await say(batch)
        for _ in range(1 + len(self._batches)):  # Hello, and an answer to each
            self.heard.append(list(pb.FromBotBatch.FromString(await anext(requests)).messages))
        await say([pb.ToBot(goodbye=pb.Goodbye())])


def start(table: int, match_id: str, *, unlimited: bool = False) -> pb.ToBot:
    clock = pb.Clock(unlimited=unlimited)
    return pb.ToBot(table=table, match_start=pb.MatchStart(match_id=match_id, game="broadsides", clock=clock))


def ask(table: int, question_id: int, millis: int = 0) -> pb.ToBot:
    question = pb.Question(question_id=question_id, option_count=2, time_left_millis=millis)
    return pb.ToBot(table=table, question=question)


def converse(choose: Choose, batches: Batches, limits: pb.Limits | None = None) -> list[list[pb.FromBot]]:
    """What a bot says to these batches, from its first Ready on. The referee has a thread of its own, since `choose`
    holds up the bot's."""
    referee = ScriptedReferee(batches, limits or pb.Limits())
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server, port = asyncio.run_coroutine_threadsafe(serve(referee), loop).result(20)
    try:
        asyncio.run(Client(choose, None, None, None).talk(f"localhost:{port}", "t", HELLO))
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(0), loop).result(20)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
    return referee.heard[1:]


def noted(messages: list[pb.FromBot]) -> list[tuple[int, int, bytes] | str | None]:
    """Notes in full, and the kinds of everything else."""
    return [
        (one.table, one.note.question_id, one.note.text) if one.HasField("note") else one.WhichOneof("message")
        for one in messages
    ]


def test_notes_leave_with_the_answer_and_before_it_cut_to_the_limits(capsys: pytest.CaptureFixture[str]) -> None:
    def choose(question: Question) -> int | None:
        if question.message.question_id == 1:
            for text in ("first", "", "é" * 20, "half of a pair: \ud800"):
                question.note(text)
            return 0
        for _ in range(9):
            question.note("x")  # counts as 16
        return None

    limits = pb.Limits(max_note_bytes=21, max_notes_bytes=100)
    ready, first, second = converse(choose, [[start(1, "m")], [ask(1, 1)], [ask(1, 2)]], limits)
    assert noted(ready) == ["ready"]
    cut = "é".encode() * 10
    assert noted(first) == [(1, 1, b"first"), (1, 1, cut), (1, 1, b"half of a pair: ?"), "choice"]
    assert noted(second) == [(1, 2, b"x")] * 2 + ["resign"]  # 16 + 20 + 17 + 2 * 16 = 85
    assert re.fullmatch("match m: .*100 bytes.*dropped\n", capsys.readouterr().err), "said once"


def test_a_referee_that_takes_no_notes_is_sent_none() -> None:
    def choose(question: Question) -> int:
        question.note("nobody will read this")
        return 0

    said = converse(choose, [[start(1, "m")], [ask(1, 1)]], pb.Limits(max_message_bytes=1000))
    assert [noted(batch) for batch in said] == [["ready"], ["choice"]]


def test_the_time_a_question_waited_is_gone() -> None:
    slow, given = 0.3, 10.0
    left: dict[str, float] = {}

    def choose(question: Question) -> int:
        left[question.match.match_id] = question.time_left()
        if question.match.match_id == "slow":
            time.sleep(slow)
        return 0

    millis = int(1000 * given)
    starts = [start(1, "slow"), start(2, "same batch"), start(3, "free", unlimited=True)]
    converse(choose, [starts, [ask(1, 1, millis), ask(2, 1, millis), ask(3, 1)]])
    assert left["slow"] > given - slow
    assert left["same batch"] <= given - slow
    assert left["free"] == math.inf


class Thinker:
    """A bot at some tables on a clock of its own. `read` and `answer` are the only things that take it time."""

    def __init__(self, tables: int) -> None:
        self.clock = 100.0
        self._tables = tables
        self._arrivals = Arrivals(lambda: self.clock)
        for table in range(tables):
            self._arrivals.ready(table)
        self._arrivals.done()

    def read(self, waited: float) -> None:
        """A batch, after that time."""
        self.clock += waited
        self._arrivals.read(self._tables)

    def answer(self, table: int, seconds: float) -> float:
        """Think so long about a question. Gives how long it seems to have waited before."""
        waited = self.clock - self._arrivals.ask(table)
        self.clock += seconds
        self._arrivals.answered(table)
        self._arrivals.done()
        return round(waited, 6)


def test_a_question_that_nobody_could_read_has_waited_since_the_bot_began_to_think() -> None:
    bot = Thinker(4)
    bot.read(1.0)
    assert [bot.answer(0, 0.5), bot.answer(1, 0.2)] == [0.0, 0.5]
    bot.read(0.001)  # it was there, nobody knows since when
    assert bot.answer(2, 0.1) == pytest.approx(0.7, abs=0.01)
    bot.read(0.001)
    assert bot.answer(3, 0.1) == pytest.approx(0.8, abs=0.01)


def test_a_bot_that_was_idle_has_all_its_time_however_long_it_thought_before() -> None:
    bot = Thinker(8)
    bot.read(1.0)
    bot.answer(0, 5.0)
    bot.read(0.1)
    assert bot.answer(1, 0.0) == 0.0


def test_a_question_did_not_wait_before_the_last_answer_at_its_table_nor_behind_more_than_the_other_tables() -> None:
    bot = Thinker(2)
    bot.read(1.0)
    bot.answer(0, 0.5)
    bot.answer(1, 0.3)
    bot.read(0.001)
    assert bot.answer(1, 0.0) == pytest.approx(0.0, abs=0.01)  # it answered at table 1 a moment ago
    bot.read(0.001)
    assert bot.answer(0, 0.0) == pytest.approx(0.0, abs=0.01)  # only the last answer, at table 1, can have held it up


def test_a_bot_at_one_table_never_keeps_its_question_waiting() -> None:
    bot = Thinker(1)
    for _ in range(3):
        bot.read(0.001)
        assert bot.answer(0, 0.5) == 0.0


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
    with pytest.raises(SystemExit, match=r"nowhere\.pem.*roots.*read"):
        asyncio.run(talk(FakeReferee(), credentials))


def test_the_log_names_the_question_before_its_first_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is printed between questions belongs to none, on whichever stream: both go to one log."""
    log = io.StringIO()
    monkeypatch.setattr(sys, "stdout", log)
    monkeypatch.setattr(sys, "stderr", log)
    marks = LogMarks()
    marks.install()
    with marks.question("cove-7", 1, 1):
        print("one")
        print("two")
    with marks.question("cove-7", 1, 2):
        pass  # prints nothing: no mark
    print("between questions", file=sys.stderr)
    with marks.question("cove-7", 1, 3):
        print("three")
    assert log.getvalue().splitlines() == [
        LOG_MARK.format("question 1"),
        "one",
        "two",
        LOG_MARK.format("aside"),
        "between questions",
        LOG_MARK.format("question 3"),
        "three",
    ]
