"""A bot from docs/protocol.md alone: no SDK, no generated code, only a gRPC library that carries bytes.

It shows how little a language without a kit needs. Protobuf by hand: a message is a row of fields, each a number and a
value; here the value is a whole number or bytes, and bytes may be a text or a message again. Plays any option.
"""

from __future__ import annotations

import os
import queue
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import grpc


def varint(raw: bytes, at: int) -> tuple[int, int]:
    """Return the whole number at that place, seven bits a byte, and the place after it."""
    value = shift = 0
    while True:
        value |= (raw[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if raw[at - 1] < 128:
            return value, at


def fields(raw: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the fields of a message. Ignore the numbers you do not know: the protocol grows."""
    at = 0
    while at < len(raw):
        tag, at = varint(raw, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(raw, at)
            yield tag >> 3, value
        else:
            size, at = varint(raw, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
            yield tag >> 3, raw[at : at + size]
            at += size


def field(number: int, value: int | bytes) -> bytes:
    """Return one field of a message."""

    def encoded(rest: int) -> bytes:
        return bytes([rest]) if rest < 128 else bytes([rest & 127 | 128]) + encoded(rest >> 7)

    if isinstance(value, int):
        return encoded(number << 3) + encoded(value)
    return encoded(number << 3 | 2) + encoded(len(value)) + value


def message(raw: int | bytes | None) -> dict[int, int | bytes]:
    """Return a message whose fields come once each; an absent number is 0, an absent message empty."""
    return dict(fields(raw)) if isinstance(raw, bytes) else {}


# FromBot { hello = 2 { protocol = 1, bot_name = 2, bot_version = 3, language = 5, slots = 7,
#                       omit_options = 8, omit_events = 9 } }
HELLO = field(
    2,
    field(1, 1) + field(2, b"bare") + field(3, b"1") + field(5, b"python") + field(7, 64) + field(8, 1) + field(9, 1),
)


class Talk:
    """One stream, and what the bot learnt on it."""

    def __init__(self, address: str, token: str) -> None:
        trust = os.environ.get("TORTUGA_TLS", "")
        if trust:
            roots = None if trust == "system" else Path(trust).read_bytes()
            channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(roots))
        else:
            channel = grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])
        self.saying: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        play: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream("/tortuga.v1.Referee/Play")
        self.hearing = play(iter(self.saying.get, None), metadata=(("authorization", f"Bearer {token}"),))
        self.welcome: dict[int, int | bytes] | None = None
        self.goodbye = False

    def run(self) -> grpc.StatusCode:
        """Talk from Hello to the end of the stream; return how it ended."""
        self.saying.put(field(1, HELLO))  # a batch is a message whose field 1 comes again and again
        try:
            for batch in self.hearing:
                answers = [self.answer(message(content)) for _, content in fields(batch)]
                if any(answers):
                    self.saying.put(b"".join(field(1, answer) for answer in answers if answer))
                if self.goodbye:
                    break
            self.saying.put(None)
            return grpc.StatusCode.OK
        except grpc.RpcError as error:
            print(f"the referee ended the stream: {error.code().name}: {error.details()}", file=sys.stderr, flush=True)
            return error.code()

    def answer(self, to_bot: dict[int, int | bytes]) -> bytes:
        """Return the answer to a ToBot; most kinds, and unknown ones, need none."""
        table = field(1, number) if isinstance(number := to_bot.get(1, 0), int) else b""
        if 2 in to_bot:
            self.welcome = message(to_bot[2])
        elif 3 in to_bot:  # MatchStart: Ready
            return table + field(3, b"")
        elif (
            4 in to_bot
        ):  # Question { question_id = 1, option_count = 2 }: Choice { question_id = 1, option_index = 2 }
            question = message(to_bot[4])
            count = question.get(2, 0)
            assert isinstance(count, int)
            return table + field(4, field(1, question.get(1, 0)) + field(2, random.randrange(count)))
        elif 7 in to_bot:
            self.goodbye = True
        return b""


def main() -> int:
    """Connect, talk, and reconnect as long as the referee keeps the seats. Returns the exit code."""
    address, token = os.environ.get("TORTUGA_ADDRESS", ""), os.environ.get("TORTUGA_TOKEN", "")
    if not address:
        print("TORTUGA_ADDRESS is not set: this bot is started by a referee", file=sys.stderr, flush=True)
        return 1
    until, wait = 0.0, 0.1
    while True:
        talk = Talk(address, token)
        status = talk.run()
        if talk.goodbye:
            return 0
        if talk.welcome is not None:  # Welcome { reconnect_millis = 4, resume_token = 5 }
            millis, fresh = talk.welcome.get(4, 0), talk.welcome.get(5, b"")
            assert isinstance(millis, int)
            assert isinstance(fresh, bytes)
            until, wait, token = time.monotonic() + millis / 1000, 0.1, fresh.decode() or token
        if status not in (grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE) or time.monotonic() + wait > until:
            return 1
        time.sleep(wait)
        wait = min(2 * wait, 2.0)


if __name__ == "__main__":
    os._exit(main())  # the threads of a synchronous gRPC client may hang at a normal exit
