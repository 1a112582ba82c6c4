"""Bots that are unsound in one way each: `python unsound.py MODE`. The conformance check has to find out which.

They are the Python SDK with one thing broken, and so sound in everything else.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any
from unittest import mock

import grpc
from google.protobuf.unknown_fields import UnknownFieldSet

import tortuga_bot
from tortuga.v1 import broadsides_pb2, marauders_pb2
from tortuga.v1 import referee_pb2 as pb
from tortuga_bot import Match, Question, client

Says = list[pb.FromBot]
Bot = client.Client


class Broken(Exception):
    """What a mode dies of."""


def first(question: Question) -> int:
    """Always the first option: quick, and legal everywhere."""
    return 0


def hears(wrong: Callable[[Bot, pb.ToBot], Says | None]) -> None:
    """Play with a bot that is asked first what it makes of a message; None: what the SDK makes of it."""
    sound = Bot._handle

    def hear(self: Bot, message: pb.ToBot) -> Says:
        said = wrong(self, message)
        return sound(self, message) if said is None else said

    with mock.patch.object(Bot, "_handle", hear):
        tortuga_bot.play(first)


def dies_if(sign: Callable[[Bot, pb.ToBot], bool]) -> Callable[[], None]:
    """A bot that cannot bear some message."""

    def wrong(self: Bot, message: pb.ToBot) -> None:
        if sign(self, message):
            raise Broken(str(message)[:100])

    return lambda: hears(wrong)


def out_of_range() -> None:
    """A bot whose SDK does not look at its answers."""
    with mock.patch.object(client, "check_answer", lambda answer, option_count: answer):
        tortuga_bot.play(lambda q: q.option_count if q.message.question_id == 20 else 0)


def chooses(choose: Callable[[Question], int]) -> Callable[[], None]:
    """A bot with a choice of its own."""
    return lambda: tortuga_bot.play(choose)


def with_hello(**changes: Any) -> Callable[[], None]:
    """A bot that introduces itself otherwise."""
    real = pb.Hello

    def hello(**fields: Any) -> pb.Hello:
        return real(**{**fields, **changes})

    def run() -> None:
        with mock.patch.object(pb, "Hello", hello):
            tortuga_bot.play(first)

    return run


def hang(question: Question) -> int:
    """Think for ever."""
    time.sleep(600)
    return 0


def no_pardon(question: Question) -> int:
    """Knows every decision but a rare one."""
    if question.match.game == "marauders" and question.position.decision == marauders_pb2.Marauders.DECISION_PARDON:
        raise Broken("what is a pardon?")
    return 0


def two_at_a_time() -> None:
    """Answers two questions of a batch and forgets the others."""
    answered: Counter[int] = Counter()

    def wrong(self: Bot, message: pb.ToBot) -> Says | None:
        # All messages of a batch come within one turn; a new turn begins when the SDK has read again.
        if not message.HasField("question"):
            return None
        turn = turns[0]
        answered[turn] += 1
        return [] if answered[turn] > 2 else None

    turns = [0]
    real = pb.ToBotBatch.FromString

    def parsed(raw: bytes) -> pb.ToBotBatch:
        turns[0] += 1
        return real(raw)

    with mock.patch.object(client, "referee_pb2_grpc", mock.Mock(RefereeStub=lambda channel: Stub(channel, parsed))):
        hears(wrong)


class Stub:
    """The generated stub with another parser."""

    def __init__(self, channel: grpc.aio.Channel, parse: Callable[[bytes], pb.ToBotBatch]) -> None:
        self.Play = channel.stream_stream(
            "/tortuga.v1.Referee/Play",
            request_serializer=pb.FromBotBatch.SerializeToString,
            response_deserializer=parse,
        )


def last_table() -> None:
    """Thinks that there is one table only: that of the last MatchStart."""
    table = [0]

    def wrong(self: Bot, message: pb.ToBot) -> Says | None:
        if message.HasField("match_start"):
            table[0] = message.table
        if message.HasField("question"):
            choice = pb.Choice(question_id=message.question.question_id)
            return [pb.FromBot(table=table[0], choice=choice)]
        return None

    hears(wrong)


def mid_question() -> None:
    """Dies when a match is over whose last question it is still thinking about, that is: two messages on."""
    asked: list[int] = []

    def wrong(self: Bot, message: pb.ToBot) -> Says | None:
        if message.HasField("match_end") and message.table in asked[-1:]:
            raise Broken("I was still thinking")
        asked.append(message.table if message.question.question_id > 70 else 0)
        return None

    hears(wrong)


def twice_in_a_row(self: Bot, message: pb.ToBot) -> bool:
    """Whether a question comes again before anything else does."""
    question = message.question.question_id if message.HasField("question") else None
    again = question is not None and getattr(self, "last", None) == (message.table, question)
    self.last = (message.table, question)  # type: ignore[attr-defined]
    return again


def tired() -> None:
    """Falls asleep over the ninth short match in a row."""
    short = [0]
    asked: Counter[str] = Counter()

    def choose(question: Question) -> int:
        asked[question.match.match_id] += 1
        return 0

    def ended(match: Match, _: pb.MatchEnd) -> None:
        short[0] = short[0] + 1 if asked[match.match_id] == 3 else 0
        if short[0] == 9:
            time.sleep(60)

    tortuga_bot.play(choose, on_end=ended)


def reads_stdin() -> None:
    """Takes the end of its stdin for the end of its work."""
    sys.stdin.read()


def after_play(do: Callable[[], None]) -> Callable[[], None]:
    """Something to do after Goodbye."""

    def run() -> None:
        tortuga_bot.play(first)
        do()

    return run


def unix_only() -> None:
    """Cannot dial a host and a port."""
    if not os.environ.get("TORTUGA_ADDRESS", "unix:").startswith("unix:"):
        raise Broken("what is a port?")
    tortuga_bot.play(first)


def streams(wrong: Callable[[client.End, Bot], client.End]) -> Callable[[], None]:
    """A bot with ideas of its own about how a stream ended."""
    sound = Bot._stream

    async def stream(self: Bot, address: str, token: str, hello: pb.Hello) -> client.End:
        return wrong(await sound(self, address, token, hello), self)

    def run() -> None:
        with mock.patch.object(Bot, "_stream", stream):
            tortuga_bot.play(first)

    return run


def forgets_the_token(end: client.End, self: Bot) -> client.End:
    """Comes back with the token it began with."""
    if self._welcome:
        self._welcome.resume_token = ""
    return end


def never_gives_up(end: client.End, self: Bot) -> client.End:
    """Thinks that its seats are kept for ever, if at all."""
    if self._welcome and self._welcome.reconnect_millis:
        self._welcome.reconnect_millis = 3_600_000
    return end


def takes_no_refusal(end: client.End, self: Bot) -> client.End:
    """Dials again whatever it is told, once it has been in."""
    return client.End(end.reason, True)


def exits_with_0(on: str) -> Callable[[client.End, Bot], client.End]:
    """Thinks that some end is a good one."""

    def wrong(end: client.End, self: Bot) -> client.End:
        if on in end.reason and self._welcome and not self._welcome.reconnect_millis:
            os._exit(0)
        return end

    return wrong


def refused(code: str, words: str) -> Callable[[], None]:
    """Leaves with these words when refused, and keeps the referee's to itself."""

    def wrong(end: client.End, self: Bot) -> client.End:
        if code in end.reason and not self._away:
            print(words, end="", file=sys.stderr, flush=True)
            os._exit(1)
        return end

    return streams(wrong)


def no_address() -> None:
    """Is content when nobody wants it."""
    if "TORTUGA_ADDRESS" in os.environ:
        tortuga_bot.play(first)


def deaf() -> None:
    """Does not hear SIGTERM."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    tortuga_bot.play(first)


def says_twice() -> None:
    """Says every answer twice: strange, but sound."""
    sound = Bot._handle
    with mock.patch.object(Bot, "_handle", lambda self, message: sound(self, message) * 2):
        tortuga_bot.play(first)


DECISIONS = broadsides_pb2.Broadsides.Decision.values()

MODES: dict[str, Callable[[], None]] = {
    "sound": lambda: tortuga_bot.play(first),
    "says_twice": says_twice,
    "one_slot": lambda: tortuga_bot.play(first, slots=1),
    "wrong_protocol": with_hello(protocol=2),
    "no_name": with_hello(bot_name=""),
    "other_games": with_hello(games=["pavillon_noir"]),
    "wrong_token": lambda: tortuga_bot.play(first, token="guess"),
    "reads_stdin": reads_stdin,
    "no_hello": lambda: time.sleep(600),
    "hangs": chooses(hang),
    "out_of_range": out_of_range,
    "no_pardon": chooses(no_pardon),
    "two_at_a_time": two_at_a_time,
    "last_table": last_table,
    "mid_question": mid_question,
    "strange_table": dies_if(lambda self, m: m.HasField("question") and m.table not in self._matches),
    "repeated": dies_if(twice_in_a_row),
    "tired": tired,
    "fault": dies_if(lambda self, m: m.HasField("fault") and m.table in self._matches),
    "hurried": chooses(lambda question: int(0 * 1 / question.time_left_seconds)),
    "strict_fields": dies_if(lambda self, m: m.HasField("question") and len(UnknownFieldSet(m.question)) > 0),
    "strict_kinds": dies_if(lambda self, m: m.WhichOneof("message") is None),
    "strict_values": chooses(lambda q: 0 if q.position.decision in DECISIONS else int("a new decision!")),
    "lingers": after_play(lambda: time.sleep(600)),
    "exits_with_3": after_play(lambda: sys.exit(3)),
    "unix_only": unix_only,
    "never_returns": streams(lambda end, self: client.End(end.reason, False)),
    "forgets_the_token": streams(forgets_the_token),
    "never_gives_up": streams(never_gives_up),
    "takes_no_refusal": streams(takes_no_refusal),
    "content_when_broken": streams(exits_with_0("UNAVAILABLE")),
    "content_when_ended": streams(exits_with_0("without Goodbye")),
    "mumbles_when_refused": refused("UNAUTHENTICATED", "something went wrong"),
    "silent_when_refused": refused("FAILED_PRECONDITION", ""),
    "no_address": no_address,
    "deaf": deaf,
}

if __name__ == "__main__":
    MODES[sys.argv[1]]()
