"""A bot's stream seen from the referee: one `Session` per bot process, one `Table` (a Player) per match it sits in.

Nothing here touches gRPC: bytes come in by `receive`, bytes go out by `next_batch`. Whatever is ready for the bot at
one moment leaves as one batch, because a streamed message costs far more than the bytes in it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from google.protobuf.message import DecodeError

from referee import clock
from referee.errors import BotFault, FaultKind
from referee.match import Introduction, MatchResult, Question, Reply
from referee.wire import envelope
from tortuga.v1 import referee_pb2 as pb

MAX_MESSAGE_BYTES = 64 * 1024
MAX_UNSOLICITED = 16
MAX_SLOTS = 64
HOLD_SECONDS = 0.002
"""How long a question may wait for company while the bot is busy with others. The deadline moves by as much."""
LIMITS = pb.Limits(max_message_bytes=MAX_MESSAGE_BYTES, max_unsolicited=MAX_UNSOLICITED)


class Session:
    """One bot's stream, from Hello to Goodbye."""

    def __init__(self, name: str, server_version: str) -> None:
        self.name = name
        self.hello: pb.Hello | None = None
        self.ended: BotFault | None = None
        """Why nothing more can come from this bot; None while it can."""
        self.refusal = ""
        """Why the bot was not even greeted; empty if it was."""
        self._server_version = server_version
        self._tables: dict[int, Table] = {}
        self._outbox: list[bytes] = []
        self._queued: list[int] = []
        """Tables with a question in the outbox."""
        self._thinking: set[int] = set()
        """Tables with a question that was sent and is not answered."""
        self._released = False
        self._wake: asyncio.Future[None] | None = None
        self.is_closing = False
        self._strays = 0

    # What goes out

    def send(self, message: bytes) -> None:
        """Put a serialized ToBot into the next batch. After the goodbye nothing is sent any more."""
        if not self.is_closing:
            self._outbox.append(message)
            self._stir()

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
        while not self._outbox or (self._thinking and not self._released and not self.is_closing):
            if self.is_closing:
                return None
            timer = loop.call_later(HOLD_SECONDS, self._release) if self._outbox else None
            self._wake = loop.create_future()
            await self._wake
            self._wake = None
            if timer is not None:
                timer.cancel()
        messages, self._outbox = self._outbox, []
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
        if self.hello is None and kind != "hello":
            self._break(f"the first message has to be Hello, {kind or 'an empty one'} came")
        elif kind == "hello":
            self._greet(message.hello)
        elif kind == "goodbye":
            self.end(
                FaultKind.RESIGN,
                "said Goodbye" + (f": {message.goodbye.reason[:200]}" if message.goodbye.reason else ""),
            )
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

    def _greet(self, hello: pb.Hello) -> None:
        if self.hello is not None:
            self._break("Hello came a second time")
            return
        if hello.protocol != envelope.PROTOCOL:  # the day there are two numbers, the lower of both is spoken
            self.refusal = f"the bot speaks protocol {hello.protocol}, this referee speaks {envelope.PROTOCOL}"
            self._break(self.refusal)
            return
        self.hello = hello
        self.send(envelope.welcome(envelope.PROTOCOL, self._server_version, LIMITS))

    @property
    def slots(self) -> int:
        """How many tables the bot can play at once."""
        return min(MAX_SLOTS, max(1, self.hello.slots)) if self.hello else 1

    def _stray(self, what: str) -> None:
        self._strays += 1
        if self._strays > MAX_UNSOLICITED:
            self._break(f"more than {MAX_UNSOLICITED} messages that nobody asked for, the last: {what}")

    def _break(self, message: str) -> None:
        self.end(FaultKind.PROTOCOL, message)

    # The end

    def end(self, kind: FaultKind, message: str, at: float | None = None) -> None:
        """The bot is gone or has to go: every match it sits in loses it. The first reason counts."""
        if self.ended:
            return
        moment = clock.now() if at is None else at
        self.ended = BotFault(kind, message, moment)
        for table in list(self._tables.values()):
            table.fall(self.ended)
        self._close_if_broken()

    def close(self, reason: str) -> None:
        """Say goodbye and let the stream end once everything is sent.

        A bot that was not even greeted hears the status of the stream instead: a Goodbye would send it off contented.
        """
        if not self.refusal:
            self.send(envelope.goodbye(reason))
        self.is_closing = True
        self._stir()

    def _close_if_broken(self) -> None:
        """A bot that broke the protocol is shown the door, but only after it was told what its matches came to."""
        if self.ended and self.ended.kind is FaultKind.PROTOCOL and not self._tables:
            self.close(f"the protocol was broken: {self.ended.message}")

    # The tables

    def open_table(self) -> Table:
        """A free table for one more match."""
        number = next(number for number in range(1, MAX_SLOTS + 2) if number not in self._tables)
        table = Table(self, number)
        self._tables[number] = table
        if self.ended:
            table.fall(self.ended)
        return table

    def drop_table(self, number: int) -> None:
        """The match at that table is over."""
        self._tables.pop(number, None)
        self._close_if_broken()


class Table:
    """A bot at one table for one match: what the match knows as a Player."""

    def __init__(self, session: Session, number: int) -> None:
        self._session = session
        self._number = number
        self._field = 0
        self._fallen: BotFault | None = None
        self._ready: asyncio.Future[None] | None = None
        self._pending: asyncio.Future[Reply] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._question_id = 0
        self._option_count = 0
        self._last_index: int | None = None
        """The answer to the last question, as long as one identical copy of it may still come."""
        self._unsolicited = 0

    @property
    def name(self) -> str:
        """The bot's name."""
        return self._session.name

    def sit(self, introduction: Introduction) -> asyncio.Future[None]:
        """Send MatchStart and wait for Ready."""
        loop = asyncio.get_running_loop()
        self._ready = loop.create_future()
        self._field = introduction.terms.wire.field
        control = introduction.terms.clock
        if self._fallen:
            self._ready.set_exception(self._fallen)
            return self._ready
        self._session.send(envelope.match_start(self._number, introduction))
        if not control.unlimited:
            self._timer = loop.call_later(control.start_seconds, self._not_ready, control.start_seconds)
        return self._ready

    def ask(self, question: Question) -> asyncio.Future[Reply]:
        """Send a question and wait for its answer."""
        loop = asyncio.get_running_loop()
        pending: asyncio.Future[Reply] = loop.create_future()
        if self._fallen:
            pending.set_exception(self._fallen)
            return pending
        self._pending = pending
        self._question_id = question.question_id
        self._option_count = len(question.actions)
        hello = self._session.hello
        assert hello is not None
        self._session.send_question(
            self._number,
            envelope.question(
                self._number, question, self._field, omit_options=hello.omit_options, omit_events=hello.omit_events
            ),
        )
        if (seconds := question.time_left_seconds) is not None:
            self._timer = loop.call_later(seconds + HOLD_SECONDS, self._too_late, seconds)
        return pending

    def fallen(self) -> BotFault | None:
        """Why this bot can answer no more."""
        return self._fallen

    def tell_fault(self, fault: BotFault, *, faults_left: int, substituted: int | None) -> None:
        """Send a Fault."""
        self._session.send(envelope.fault(self._number, fault, faults_left, substituted))

    def end(self, result: MatchResult) -> None:
        """Send MatchEnd and give the table back."""
        self._stop_timer()
        self._session.send(envelope.match_end(self._number, result))
        self._session.drop_table(self._number)

    # What the bot says

    def receive_ready(self) -> None:
        """The bot can be asked."""
        if self._ready is None or self._ready.done():
            self.stray("Ready, which was not waited for")
        else:
            self._stop_timer()
            self._ready.set_result(None)

    def receive_choice(self, question_id: int, index: int, now: float) -> None:
        """The bot chose. Old answers are dropped and counted; one identical copy of an answer is forgiven."""
        if self._pending is None or self._pending.done() or question_id < self._question_id:
            if question_id == self._question_id and index == self._last_index:
                self._last_index = None
            else:
                self.stray(f"a choice for question {question_id}, which is not open")
        elif question_id > self._question_id:
            self._misspeak(f"an answer to question {question_id}, which was never asked", now)
        elif not 0 <= index < self._option_count:
            self._misspeak(f"option {index} of {self._option_count}", now)
        else:
            self._stop_timer()
            self._last_index = index
            self._pending.set_result(Reply(index, now))
            # Afterwards: the match that was waiting goes on before the writer does, and its next question shares the
            # batch.
            self._session.settle(self._number)

    def stray(self, what: str) -> None:
        """A message nobody asked for: ignored, but not for ever."""
        self._unsolicited += 1
        if self._unsolicited > MAX_UNSOLICITED:
            many = f"more than {MAX_UNSOLICITED} messages in one match that nobody asked for, the last: {what}"
            self._session.end(FaultKind.PROTOCOL, many)

    def fall(self, fault: BotFault) -> None:
        """The bot can answer no more in this match. The first reason counts."""
        if self._fallen is None:
            self._fallen = fault
            self._fail(fault)

    # What goes wrong

    def _misspeak(self, what: str, now: float) -> None:
        self._fail(BotFault(FaultKind.ILLEGAL, f"question {self._question_id}: {what}", now))

    def _too_late(self, seconds: float) -> None:
        text = f"question {self._question_id}: no answer within {seconds:.3g} s"
        self._fail(BotFault(FaultKind.TIMEOUT, text, clock.now()))

    def _not_ready(self, seconds: float) -> None:
        text = f"not Ready within {seconds:.3g} s of MatchStart"
        self._fail(BotFault(FaultKind.NO_SHOW, text, clock.now()))

    def _fail(self, fault: BotFault) -> None:
        self._stop_timer()
        self._session.settle(self._number)
        self._last_index = None
        for waiting in self._waiting():
            waiting.set_exception(fault)
            waiting.exception()  # looked at: a match that was voided meanwhile may never await it

    def _waiting(self) -> Iterable[asyncio.Future[None] | asyncio.Future[Reply]]:
        return [future for future in (self._ready, self._pending) if future is not None and not future.done()]

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
