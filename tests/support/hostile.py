"""Bots that hang, crash, flood, lie and cheat: `python hostile.py MODE`, one function a mode.

They speak gRPC with raw bytes, so that they can say what the SDK never would. A mode plays honestly (always option 0)
until its own question comes, then misbehaves.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import grpc

from tortuga.v1 import referee_pb2 as pb

MISBEHAVE_AT = 3
"""The question at which a mode shows what it is."""

Raw = bytes


class Line:
    """A stream of raw bytes in both directions."""

    def __init__(self, token: str | None = None) -> None:
        channel = grpc.insecure_channel(os.environ["TORTUGA_ADDRESS"], options=[("grpc.max_send_message_length", -1)])
        call: grpc.StreamStreamMultiCallable[Raw, Raw] = channel.stream_stream("/tortuga.v1.Referee/Play")
        self._out: queue.SimpleQueue[Raw | None] = queue.SimpleQueue()
        bearer = f"Bearer {os.environ['TORTUGA_TOKEN'] if token is None else token}"
        self._in = call(iter(self._out.get, None), metadata=(("authorization", bearer),))

    def send(self, raw: Raw) -> None:
        """Say anything at all."""
        self._out.put(raw)

    def say(self, *messages: pb.FromBot) -> None:
        """Say something that can be understood."""
        self.send(pb.FromBotBatch(messages=messages).SerializeToString())

    def hear(self) -> Iterator[pb.ToBot]:
        """Everything the referee says."""
        for raw in self._in:
            for message in pb.ToBotBatch.FromString(raw).messages:
                if message.HasField("fault"):
                    print("told:", message.fault.message, flush=True)
                if message.HasField("goodbye"):
                    print("goodbye:", message.goodbye.reason, flush=True)
                yield message

    def greet(self) -> None:
        """Hello."""
        self.say(pb.FromBot(hello=pb.Hello(protocol=1, bot_name="hostile")))


def choice(question: pb.ToBot, index: int, shift: int = 0) -> pb.FromBot:
    """An answer, perhaps to another question."""
    made = pb.Choice(question_id=max(0, question.question.question_id + shift), option_index=index)
    return pb.FromBot(table=question.table, choice=made)


def at_question(message: pb.ToBot) -> bool:
    """When most modes misbehave."""
    return message.question.question_id == MISBEHAVE_AT


def play(
    misbehave: Callable[[Line, pb.ToBot], None],
    *,
    when: Callable[[pb.ToBot], bool] = at_question,
    always: bool = False,
) -> None:
    """Play option 0 everywhere, and misbehave once (or from then on always)."""
    began = False
    line = Line()
    line.greet()
    for message in line.hear():
        if message.HasField("match_start"):
            line.say(pb.FromBot(table=message.table, ready=pb.Ready()))
        elif message.HasField("question"):
            if when(message) or (always and began):
                began = True
                misbehave(line, message)
            else:
                line.say(choice(message, 0))
        elif message.HasField("goodbye"):
            os._exit(0)  # a synchronous client that is not drained would hang here
    os._exit(0)


def in_month(month: int) -> Callable[[pb.ToBot], bool]:
    """A month of Pirate's Cove."""
    return lambda message: message.question.pirates_cove.observation.month == month


def spin() -> None:
    """Busy for ever."""
    while True:
        pass


def with_children(line: Line, question: pb.ToBot) -> None:
    """Children that leave the session and forget their parent; then go on playing."""
    if question.question.question_id == MISBEHAVE_AT:
        make_children()
    line.say(choice(question, 0))


def hang_with_children(line: Line, question: pb.ToBot) -> None:
    make_children()
    hang(line, question)


def make_children() -> None:
    """Three of them, which sleep."""
    script = "import os,time\nos.fork() and os._exit(0)\nos.setsid()\nos.fork() and os._exit(0)\ntime.sleep(600)"
    for _ in range(3):
        subprocess.Popen([sys.executable, "-c", script], start_new_session=True)


def second_stream(line: Line, question: pb.ToBot) -> None:
    """Try to come in twice, then go on playing on the first stream."""
    other = Line()
    other.greet()
    try:
        next(other.hear())
        print("the second stream was let in", flush=True)
    except grpc.RpcError as error:
        print("refused:", error.code().name, flush=True)
    line.say(choice(question, 0))


def wrong_token() -> None:
    """Guess a token."""
    line = Line(token="guess")
    line.greet()
    try:
        next(line.hear())
    except grpc.RpcError as error:
        print("refused:", error.code().name, flush=True)
    os._exit(0)


def never_read() -> None:
    """Say hello and never take anything off the wire."""
    line = Line()
    line.greet()
    time.sleep(600)


def no_hello() -> None:
    """Open a stream and stay silent."""
    line = Line()
    time.sleep(600)
    line.greet()


def crash_after_hello() -> None:
    """Leave as soon as the referee is friendly."""
    line = Line()
    line.greet()
    next(line.hear())
    os._exit(4)


def flood(line: Line, question: pb.ToBot) -> None:
    """A thousand batches in one breath."""
    for _ in range(1000):
        line.say(choice(question, 0, shift=-1))


def hang(line: Line, question: pb.ToBot) -> None:
    print("it hangs now", flush=True)
    time.sleep(600)


def print_much(line: Line, question: pb.ToBot) -> None:
    """A hundred megabytes of noise."""
    for _ in range(1600):
        os.write(1, b"\x1b[31m" + b"x" * 65531)
    line.say(choice(question, 0))


def late(line: Line, question: pb.ToBot) -> None:
    """Answer after the time is over."""
    time.sleep(question.question.time_left_millis / 1000 + 0.3)
    line.say(choice(question, 0))


def eat_heap(line: Line, question: pb.ToBot) -> None:
    """More and more memory of its own."""
    eaten = []
    while True:
        eaten.append(bytearray(b"x" * (8 << 20)))


def eat_shared(line: Line, question: pb.ToBot) -> None:
    """More and more memory that it could share with others."""
    eaten = []
    while True:
        eaten.append(mmap.mmap(-1, 8 << 20))
        eaten[-1].write(b"x" * (8 << 20))
        time.sleep(0.01)


def eat_in_children(line: Line, question: pb.ToBot) -> None:
    """Every child keeps to the limit; together they do not."""
    for _ in range(6):
        if os.fork() == 0:
            eaten = bytearray(40 << 20)
            eaten[::4096] = b"x" * (len(eaten) // 4096)
            time.sleep(600)
            os._exit(0)
    time.sleep(600)


def eat_disk(name: str, size: int) -> Callable[[Line, pb.ToBot], None]:
    """Files of that size, one after the other, in every folder that takes them."""

    def misbehave(line: Line, question: pb.ToBot) -> None:
        number, failed = 0, 0
        while failed < 3:
            folder = (".", "/tmp", "/dev/shm")[failed]
            try:
                with open(f"{folder}/{name}{number}", "wb") as file:
                    file.write(b"x" * size)
                number += 1
            except OSError as error:
                print(folder, error, flush=True)
                failed += 1
        os._exit(1)

    return misbehave


def one_large_file(line: Line, question: pb.ToBot) -> None:
    """One file that grows and grows."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it
    with open("large", "wb") as file:
        while True:
            file.write(b"x" * (1 << 20))


def sparse_file(line: Line, question: pb.ToBot) -> None:
    """A file that is large and empty."""
    with open("sparse", "wb") as file:
        file.truncate(1 << 40)


def fork_bomb(line: Line, question: pb.ToBot) -> None:
    """Children and their children, again and again."""
    while True:
        with contextlib.suppress(OSError):
            os.fork()


def many_descriptors(line: Line, question: pb.ToBot) -> None:
    """As many open files as there are."""
    opened = []
    while True:
        opened.append(os.open(os.devnull, os.O_RDONLY))


def burn_after_match() -> None:
    """Play honestly, and work on when the match is over."""
    line = Line()
    line.greet()
    for message in line.hear():
        if message.HasField("match_start"):
            line.say(pb.FromBot(table=message.table, ready=pb.Ready()))
        elif message.HasField("question"):
            line.say(choice(message, 0))
        elif message.HasField("match_end"):
            threading.Thread(target=spin, daemon=True).start()
        elif message.HasField("goodbye"):
            os._exit(0)


MODES: dict[str, Callable[[], None]] = {
    "crash_before_hello": lambda: os._exit(3),
    "crash_after_hello": crash_after_hello,
    "crash_mid_match": lambda: play(lambda line, question: os._exit(5)),
    "exit_0_mid_match": lambda: play(lambda line, question: os._exit(0)),
    "segfault_mid_match": lambda: play(lambda line, question: os.kill(os.getpid(), signal.SIGSEGV)),
    "raise_mid_match": lambda: play(lambda line, question: (_ for _ in ()).throw(ValueError("boom in my bot"))),
    "crash_in_month_3": lambda: play(lambda line, question: os._exit(5), when=in_month(3)),
    "hang_in_month_6": lambda: play(lambda line, question: time.sleep(600), when=in_month(6)),
    "never_connects": lambda: time.sleep(600),
    "no_hello": no_hello,
    "hang": lambda: play(hang),
    "hang_with_children": lambda: play(hang_with_children),
    "spin": lambda: play(lambda line, question: spin()),
    "stop_itself": lambda: play(lambda line, question: os.kill(os.getpid(), signal.SIGSTOP)),
    "late": lambda: play(late),
    "twice": lambda: play(lambda line, q: line.say(choice(q, 0), choice(q, 0)), always=True),
    "more_answers": lambda: play(lambda line, q: line.say(choice(q, 0), *[choice(q, 1)] * 4), always=True),
    "stale": lambda: play(lambda line, q: line.say(choice(q, 0, shift=-1)), always=True),
    "future": lambda: play(lambda line, q: line.say(choice(q, 0, shift=5))),
    "out_of_range": lambda: play(lambda line, q: line.say(choice(q, q.question.option_count))),
    "negative": lambda: play(lambda line, q: line.say(choice(q, -1))),
    "garbage": lambda: play(lambda line, q: line.send(b"\xff\xfe\xfd not protobuf")),
    "empty": lambda: play(lambda line, q: line.say(pb.FromBot(table=q.table))),
    "ten_megabytes": lambda: play(lambda line, q: line.send(b"\x00" * 10_000_000)),
    "flood": lambda: play(flood),
    "second_stream": lambda: play(second_stream),
    "wrong_token": wrong_token,
    "print_much": lambda: play(print_much),
    "children": lambda: play(with_children, always=True),
    "eat_heap": lambda: play(eat_heap),
    "eat_shared": lambda: play(eat_shared),
    "eat_in_children": lambda: play(eat_in_children),
    "eat_tmpfs": lambda: play(eat_disk("part", 1 << 20)),
    "many_files": lambda: play(eat_disk("small", 1)),
    "one_large_file": lambda: play(one_large_file),
    "sparse_file": lambda: play(sparse_file),
    "fork_bomb": lambda: play(fork_bomb),
    "many_descriptors": lambda: play(many_descriptors),
    "burn_after_match": burn_after_match,
    "never_read": never_read,
    "resign": lambda: play(lambda line, q: line.say(pb.FromBot(table=q.table, resign=pb.Resign()))),
    "goodbye": lambda: play(lambda line, q: line.say(pb.FromBot(goodbye=pb.Goodbye(reason="I am off")))),
}

if __name__ == "__main__":
    MODES[sys.argv[1]]()
