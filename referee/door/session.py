"""A bot seen from the referee: one `Session` from Hello to Goodbye, one `StreamPlayer` (a Player) per match it sits in.

Nothing here touches gRPC: bytes come in by `receive`, bytes go out by `next_batch`. Whatever is ready for the bot at
one moment leaves as one batch, because a streamed message costs far more than the bytes in it.

The session of a bot that we started lives and dies with its stream. That of a remote bot (one with an account)
outlives a broken stream for the grace: `detach` when it breaks, `attach` when the bot dials again, and the next Hello
brings everything back.
"""

from __future__ import annotations

import asyncio
import re

from google.protobuf.message import DecodeError

from referee import clock
from referee.door.accounts import Accounts
from referee.door.player import HOLD_SECONDS, MAX_UNSOLICITED, StreamPlayer
from referee.door.tokens import hash_token, new_token
from referee.errors import BotFault, FaultKind
from referee.wire import envelope
from tortuga.v1 import referee_pb2 as pb

MAX_MESSAGE_BYTES = 64 * 1024
MAX_SLOTS = 64
MAX_WORDS = 200
"""Of a bot's Goodbye so many characters are kept."""
LIMITS = pb.Limits(max_message_bytes=MAX_MESSAGE_BYTES, max_unsolicited=MAX_UNSOLICITED)

_TEXT = re.compile(r"[A-Za-z0-9._+ -]{0,64}")
"""What a remote bot may call itself: it is printed in tables and logs."""


class Session:
    """One bot, from Hello to Goodbye."""

    def __init__(self, name: str, server_version: str, accounts: Accounts | None = None) -> None:
        self.name = name
        self.hello: pb.Hello | None = None
        """The first Hello: who is back says it again, but is still the same."""
        self.ended: BotFault | None = None
        """Why nothing more can come from this bot; None while it can."""
        self.refusal = ""
        """Why the bot was not even greeted; empty if it was."""
        self.is_attached = True
        """Whether there is a stream."""
        self.is_present = False
        """Whether the bot has said Hello on it."""
        self.closing = asyncio.Event()
        self._server_version = server_version
        self._accounts = accounts
        self._has_arrived = False
        self._tables: dict[int, StreamPlayer] = {}
        self._outbox: list[bytes] = []
        self._news: list[tuple[StreamPlayer, bytes]] = []
        """What the bot has to hear even if its stream breaks, until it was handed to the transport."""
        self._news_leaving = 0
        """How many of the news are in the batch that is being handed over."""
        self._queued: list[int] = []
        """Tables with a question in the outbox."""
        self._thinking: set[int] = set()
        """Tables with a question that was sent and is not answered."""
        self._released = False
        self._wake: asyncio.Future[None] | None = None
        self._strays = 0
        self._patience: asyncio.TimerHandle | None = None
        """Runs while a Hello is waited for: the first one, or that of a bot that should come back."""
        self._resume_hash = b""
        """Of the token in the latest Welcome."""
        self._spent_hash = b""
        """Of the token the present stream came in with, as long as the bot may not have heard the Welcome to it."""

    # What goes out

    def send(self, message: bytes) -> None:
        """Put a serialized ToBot into the next batch. Nothing is sent after the goodbye, nor to who is not there."""
        if self.is_present and not self.is_closing:
            self._outbox.append(message)
            self._stir()

    def send_news(self, table: StreamPlayer, message: bytes) -> None:
        """Put a message into the next batch that is not to be lost with the stream."""
        self._news.append((table, message))
        self.send(message)

    def send_question(self, table: int, message: bytes) -> None:
        """Put a question into the next batch, until `settle` says that it is answered."""
        self._queued.append(table)
        self.send(message)

    def settle(self, table: int) -> None:
        """The question of that table is no longer open."""
        self._thinking.discard(table)
        if not self._thinking and self._outbox:
            self._stir()

    async def next_batch(self) -> bytes | None:
        """All that is ready for the bot, as soon as it can use it; None when the conversation is over.

        A bot that still thinks about earlier questions would let a new one wait anyway. Holding it back for a moment
        lets the tables fall into step, so that they share batches; a table that thinks long holds nobody back for
        longer.
        """
        loop = asyncio.get_running_loop()
        del self._news[: self._news_leaving]  # the last batch was handed over
        self._news_leaving = 0
        while not self._outbox or (self._thinking and not self._released and not self.is_closing):
            if self.is_closing:
                return None
            timer = loop.call_later(HOLD_SECONDS, self._release) if self._outbox else None
            self._wake = loop.create_future()
            await self._wake
            if timer is not None:
                timer.cancel()
        messages, self._outbox = self._outbox, []
        self._news_leaving = len(self._news)
        self._thinking.update(self._queued)
        self._queued.clear()
        self._released = False
        return envelope.batch(messages)

    def _release(self) -> None:
        self._released = True
        self._stir()

    def _stir(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    # What comes in

    def receive(self, raw: bytes) -> None:
        """One batch as it came off the wire."""
        if self.ended:
            return
        if len(raw) > MAX_MESSAGE_BYTES:
            self._break(f"a message of {len(raw)} bytes came, at most {MAX_MESSAGE_BYTES} are allowed")
            return
        try:
            messages = pb.FromBotBatch.FromString(raw).messages
        except DecodeError:
            self._break(f"{len(raw)} bytes came that are no FromBotBatch")
            return
        now = clock.now()
        if not messages:
            self._stray("an empty batch")
        for message in messages:
            self._receive(message, now)
            if self.ended:
                return

    def _receive(self, message: pb.FromBot, now: float) -> None:
        kind = message.WhichOneof("message")
        if kind == "hello":
            self._greet(message.hello)
            return
        if not self.is_present:
            self._break(f"the first message has to be Hello, {kind or 'an empty one'} came")
            return
        if kind == "goodbye":
            reason = one_line(message.goodbye.reason)
            self.end(FaultKind.RESIGN, f"said Goodbye: {reason}" if reason else "said Goodbye")
        elif (table := self._tables.get(message.table)) is None:
            self._stray(f"{kind or 'an empty message'} for table {message.table}, where no match is played")
        elif kind == "choice":
            table.receive_choice(message.choice.question_id, message.choice.option_index, now)
        elif kind == "ready":
            table.receive_ready()
        elif kind == "resign":
            table.fall(BotFault(FaultKind.RESIGN, "resigned", now))
        else:
            table.stray("an empty message")
        self._spent_hash = b""  # it talks, so it has heard Welcome and has the next token

    def _greet(self, hello: pb.Hello) -> None:
        if self.is_present:
            self._break("Hello came a second time")
        elif hello.protocol != envelope.PROTOCOL:  # the day there are two numbers, the lower of both is spoken
            self._refuse(f"the bot speaks protocol {hello.protocol}, this referee speaks {envelope.PROTOCOL}")
        elif self.hello is not None:
            self._welcome_back()
        elif self._accounts and (odd := odd_text(hello)):
            self._refuse(odd)
        else:
            self.hello = hello
            self._welcome()
            self._check_in()

    def _welcome(self) -> None:
        self._stop_waiting()
        self.is_present = True
        if self._accounts is None:
            self.send(envelope.welcome(envelope.PROTOCOL, self._server_version, LIMITS))
            return
        token = new_token()
        self._resume_hash = hash_token(token)
        self.send(
            envelope.welcome(
                envelope.PROTOCOL,
                self._server_version,
                LIMITS,
                reconnect_seconds=self._accounts.reconnect_seconds,
                resume_token=token,
            )
        )

    def _check_in(self) -> None:
        """Let the accounts have a look at Hello. Nothing has left yet: the Welcome can still be taken back."""
        if self._accounts is None:
            return
        self._has_arrived = True
        if refusal := self._accounts.arrived(self.name, self):
            self._has_arrived = self.is_present = False
            self.hello = None
            self._outbox.clear()
            self._refuse(refusal)

    @property
    def slots(self) -> int:
        """How many tables the bot can play at once."""
        return min(MAX_SLOTS, max(1, self.hello.slots)) if self.hello else 1

    def _stray(self, what: str) -> None:
        self._strays += 1
        if self._strays > MAX_UNSOLICITED:
            self._break(f"more than {MAX_UNSOLICITED} messages that nobody asked for, the last: {what}")

    def _refuse(self, reason: str) -> None:
        self.refusal = reason
        self._break(reason)

    def _break(self, message: str) -> None:
        self.end(FaultKind.PROTOCOL, message)

    # The stream breaks

    def expect_hello(self, seconds: float) -> None:
        """Do not wait for Hello for ever: nobody else looks after a remote bot."""
        self._wait(seconds, f"no Hello came within {seconds:.3g} s")

    def detach(self) -> None:
        """The stream broke. A remote bot may come back: its clocks run on, and what it has to hear is kept."""
        self.is_attached = False
        if self.ended or self.is_closing:
            return
        if self._accounts is None or not self._accounts.reconnect_seconds or self.hello is None:
            self.end(FaultKind.CRASH, "the stream ended without Goodbye")
            return
        if not self.is_present:
            return  # it dialled again and broke off before Hello: it is still the same absence
        self.is_present = False
        self._outbox.clear()
        self._queued.clear()
        self._thinking.clear()
        self._news_leaving = 0
        for table in self._tables.values():
            table.miss()
        seconds = self._accounts.reconnect_seconds
        self._wait(seconds, f"the stream ended and did not come back within {seconds:.3g} s")
        self._accounts.presence_changed(self.name, self)

    def returns_with(self, token_hash: bytes) -> bool:
        """Whether this is the token for coming back to this session.

        Every Welcome brings a new one and ends the old one; but a bot whose stream broke before it heard that Welcome
        has only the old one, and may show it once more.
        """
        if self.ended or self.is_closing or self.hello is None:
            return False
        return token_hash == self._resume_hash or (not self.is_attached and token_hash == self._spent_hash)

    def attach(self, token_hash: bytes) -> None:
        """The bot is on a new stream, by this token. It has to say Hello within what is left of the grace."""
        self.is_attached = True
        self._spent_hash = token_hash

    def _welcome_back(self) -> None:
        """Welcome, then every table anew, each with what the bot has not heard of it; also those of matches that ended
        meanwhile."""
        self._welcome()
        for table in dict.fromkeys([*(table for table, _ in self._news), *self._tables.values()]):
            table.introduce()
            for message in [message for about, message in self._news if about is table]:
                self.send(message)
        if self._accounts:
            self._accounts.presence_changed(self.name, self)

    def _wait(self, seconds: float, else_: str) -> None:
        self._patience = asyncio.get_running_loop().call_later(seconds, self._lose_patience, else_)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _lose_patience(self, message: str) -> None:
        self.refusal = message  # for a stream that is there, but has not said Hello
        self.end(FaultKind.CRASH, message)

    # The end

    def end(self, kind: FaultKind, message: str, at: float | None = None) -> None:
        """The bot is gone or has to go: every match it sits in loses it. The first reason counts."""
        if self.ended:
            return
        moment = clock.now() if at is None else at
        self.ended = BotFault(kind, message, moment)
        self._check_out()
        for table in list(self._tables.values()):
            table.fall(self.ended)
        self._close_if_over()

    @property
    def is_closing(self) -> bool:
        """Whether everything has been said that will ever be."""
        return self.closing.is_set()

    @property
    def is_over(self) -> bool:
        """Whether the bot can play no further match in this session."""
        return self.ended is not None or self.is_closing

    def close(self, reason: str) -> None:
        """Say goodbye and let the stream end once everything is sent.

        A bot that was not even greeted hears the status of the stream instead: a Goodbye would send it off contented.
        """
        if not self.refusal and not self.is_closing:
            self._outbox.append(envelope.goodbye(reason))
        self.closing.set()
        self._check_out()
        self._stir()

    def _check_out(self) -> None:
        self._stop_waiting()
        if self._has_arrived and self._accounts:
            self._has_arrived = False
            self._accounts.left(self.name, self)

    def _close_if_over(self) -> None:
        """A bot that broke the protocol is shown the door, but only after it was told what its matches came to. So is
        any remote bot that is done: there is no process of it that we could end."""
        if self.ended and not self._tables and (self._accounts or self.ended.kind is FaultKind.PROTOCOL):
            broken = self.ended.kind is FaultKind.PROTOCOL
            self.close(f"the protocol was broken: {self.ended.message}" if broken else self.ended.message)

    # The tables

    def open_table(self) -> StreamPlayer:
        """A free table for one more match."""
        number = next(number for number in range(1, MAX_SLOTS + 2) if number not in self._tables)
        table = StreamPlayer(self, number)
        self._tables[number] = table
        self._strays = 0  # they are counted per match: a session may last for weeks
        if self.ended:
            table.fall(self.ended)
        return table

    def drop_table(self, number: int) -> None:
        """The match at that table is over."""
        self._tables.pop(number, None)
        self._close_if_over()


def one_line(text: str) -> str:
    """A bot's own words, fit for tables, logs and terminals: short, and nothing in them that moves a cursor."""
    return "".join(sign if sign.isprintable() else " " for sign in text[:MAX_WORDS]).strip()


def odd_text(hello: pb.Hello) -> str:
    """What is wrong with the words of a Hello; empty if nothing is."""
    for field in ("bot_name", "bot_version", "sdk", "language"):
        text = getattr(hello, field)
        if not _TEXT.fullmatch(text):
            return (
                f"Hello.{field} is {text[:64]!a}: at most 64 characters out of A-Z a-z 0-9 . _ + - and space "
                "are allowed"
            )
    return ""
