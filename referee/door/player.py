"""A bot in one match: a Player for the match, a table number for the session.

When the stream of a remote bot breaks, its players wait: clocks run on, and what is asked meanwhile is kept. Back on a
new stream the bot is sent each MatchStart again, says Ready, and is sent the open question once more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from referee import clock
from referee.door.outbox import HOLD_SECONDS
from referee.errors import BotFault, FaultKind
from referee.match import Introduction, MatchResult, Question, Reply
from referee.wire import envelope
from tortuga.v1 import referee_pb2 as pb

MAX_UNSOLICITED = 16
"""Messages nobody asked for that a bot may send in one match."""
SHORTEST_SECONDS = 0.001
"""Shortest time left that is sent with a question: 0 on the wire means that there is no clock."""


class BotConnection(Protocol):
    """What the players of one bot share, and ask of its session."""

    @property
    def name(self) -> str:
        """The bot's name."""
        ...

    @property
    def hello(self) -> pb.Hello | None:
        """What the bot said of itself."""
        ...

    @property
    def is_present(self) -> bool:
        """Whether there is a stream on which the bot has said Hello."""
        ...

    def send(self, message: bytes) -> None:
        """Send a serialized ToBot."""
        ...

    def send_reliably(self, player: StreamPlayer, message: bytes) -> None:
        """Send a message that must not be lost when the stream breaks."""
        ...

    def send_question(self, table: int, message: bytes) -> None:
        """Send a question. It is open until `question_closed`."""
        ...

    def question_closed(self, table: int) -> None:
        """The question of that table is no longer open."""
        ...

    def close_table(self, number: int) -> None:
        """The match at that table is over."""
        ...

    def end(self, kind: FaultKind, message: str) -> None:
        """The bot has to go: every match it plays in loses it."""
        ...


class StreamPlayer:
    """A bot at one table for one match: what the match knows as a Player."""

    def __init__(self, connection: BotConnection, table: int) -> None:
        self._connection = connection
        self._table = table
        self._introduction: Introduction | None = None
        self._is_away = not connection.is_present
        """Whether the stream broke and the bot has not said Ready on a new one."""
        self._start_was_sent = False
        self._final_fault: BotFault | None = None
        self._ready: asyncio.Future[None] | None = None
        self._pending: asyncio.Future[Reply] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._question: Question | None = None
        self._question_id = 0
        self._option_count = 0
        self._asked_at = 0.0
        self._last_index: int | None = None
        """The answer to the last question, as long as one identical copy of it may still come."""
        self._unsolicited = 0

    @property
    def name(self) -> str:
        """The bot's name."""
        return self._connection.name

    def sit(self, introduction: Introduction) -> asyncio.Future[None]:
        """Send MatchStart and wait for Ready."""
        loop = asyncio.get_running_loop()
        self._ready = loop.create_future()
        self._introduction = introduction
        control = introduction.terms.clock
        if self._final_fault:
            self._ready.set_exception(self._final_fault)
            return self._ready
        if not self._is_away:
            self.send_match_start()
        if not control.unlimited:
            self._timer = loop.call_later(control.start_seconds, self._not_ready, control.start_seconds)
        return self._ready

    def send_match_start(self) -> None:
        """Send MatchStart, for the first time or once more on a new stream."""
        if self._introduction is not None:
            again, self._start_was_sent = self._start_was_sent, True
            self._connection.send(envelope.match_start(self._table, self._introduction, resumed=again))

    def ask(self, question: Question) -> asyncio.Future[Reply]:
        """Send a question and wait for its answer."""
        loop = asyncio.get_running_loop()
        pending: asyncio.Future[Reply] = loop.create_future()
        if self._final_fault:
            pending.set_exception(self._final_fault)
            return pending
        self._pending = pending
        self._question = question
        self._question_id = question.question_id
        self._option_count = len(question.actions)
        self._asked_at = clock.now()
        if not self._is_away:
            self._send_question(question)
        if (seconds := question.time_left_seconds) is not None:
            self._timer = loop.call_later(seconds + HOLD_SECONDS, self._too_late, seconds)
        return pending

    def _send_question(self, question: Question) -> None:
        hello, introduction = self._connection.hello, self._introduction
        assert hello is not None
        assert introduction is not None
        self._connection.send_question(
            self._table,
            envelope.question(
                self._table,
                question,
                introduction.terms.wire.field,
                omit_options=hello.omit_options,
                omit_events=hello.omit_events,
            ),
        )

    def final_fault(self) -> BotFault | None:
        """Why this bot can answer no more."""
        return self._final_fault

    def tell_fault(self, fault: BotFault, *, faults_left: int, substituted: int | None) -> None:
        """Send a Fault."""
        self._connection.send_reliably(self, envelope.fault(self._table, fault, faults_left, substituted))

    def end(self, result: MatchResult) -> None:
        """Send MatchEnd and free the table."""
        self._stop_timer()
        self._connection.send_reliably(self, envelope.match_end(self._table, result))
        self._connection.close_table(self._table)

    # The stream breaks

    def stream_broke(self) -> None:
        """The bot's stream broke: what is asked from now on waits until it is back and Ready."""
        self._is_away = True

    def _repeat_question(self) -> None:
        """Send the open question once more, with the time that is left now."""
        if self._question is None or self._pending is None or self._pending.done():
            return
        question = self._question
        if (seconds := question.time_left_seconds) is not None:
            used = clock.now() - self._asked_at
            question = replace(
                question,
                time_left_seconds=max(SHORTEST_SECONDS, seconds - used),
                bank_left_seconds=max(0.0, question.bank_left_seconds - used),
            )
        self._send_question(question)

    # What the bot says

    def receive_ready(self) -> None:
        """The bot can be asked, for the first time or again."""
        was_away, self._is_away = self._is_away, False
        if self._ready is not None and not self._ready.done():
            self._stop_timer()
            self._ready.set_result(None)
        elif was_away:
            self._repeat_question()
        else:
            self.count_unsolicited("Ready, which was not waited for")

    def receive_choice(self, question_id: int, index: int, now: float) -> None:
        """The bot chose. Old answers are dropped and counted; one identical copy of an answer is forgiven."""
        if self._pending is None or self._pending.done() or question_id < self._question_id:
            if question_id == self._question_id and index == self._last_index:
                self._last_index = None
            else:
                self.count_unsolicited(f"a choice for question {question_id}, which is not open")
        elif question_id > self._question_id:
            self._illegal(f"an answer to question {question_id}, which was never asked", now)
        elif not 0 <= index < self._option_count:
            self._illegal(f"option {index} of {self._option_count}", now)
        else:
            self._stop_timer()
            self._last_index = index
            self._pending.set_result(Reply(index, now))
            # After set_result: the match goes on before the writer does, and its next question shares the batch.
            self._connection.question_closed(self._table)

    def count_unsolicited(self, what: str) -> None:
        """A message nobody asked for: ignored, until there are too many."""
        self._unsolicited += 1
        if self._unsolicited > MAX_UNSOLICITED:
            many = f"more than {MAX_UNSOLICITED} messages in one match that nobody asked for, the last: {what}"
            self._connection.end(FaultKind.PROTOCOL, many)

    def fail_finally(self, fault: BotFault) -> None:
        """The bot can answer no more in this match. The first reason counts."""
        if self._final_fault is None:
            self._final_fault = fault
            self._fail(fault)

    # What goes wrong

    def _illegal(self, what: str, now: float) -> None:
        self._fail(BotFault(FaultKind.ILLEGAL, f"question {self._question_id}: {what}", now))

    def _too_late(self, seconds: float) -> None:
        text = f"question {self._question_id}: no answer within {seconds:.3g} s"
        self._fail(BotFault(FaultKind.TIMEOUT, text, clock.now()))

    def _not_ready(self, seconds: float) -> None:
        text = f"not Ready within {seconds:.3g} s of MatchStart"
        self._fail(BotFault(FaultKind.NO_SHOW, text, clock.now()))

    def _fail(self, fault: BotFault) -> None:
        self._stop_timer()
        self._connection.question_closed(self._table)
        self._last_index = None
        for future in self._open_futures():
            future.set_exception(fault)
            future.exception()  # marks it as retrieved: a match that was voided meanwhile may never await it

    def _open_futures(self) -> Iterable[asyncio.Future[None] | asyncio.Future[Reply]]:
        return [future for future in (self._ready, self._pending) if future is not None and not future.done()]

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
