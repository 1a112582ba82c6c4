"""A bot in one match: a Player for the match, a table number for the session.

When the stream of a remote bot breaks, its players wait: clocks keep running, and questions are kept. On a new stream
the bot is sent each MatchStart again, answers Ready, and is sent the open question once more.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Protocol

from referee.door.outbox import HOLD_SECONDS, Outbox
from referee.errors import BotFault, FaultKind
from referee.match import clock
from referee.match.match import Asker, Introduction, MatchResult
from referee.match.question import Question
from referee.rules.engine import Seat
from referee.wire import envelope
from tortuga.v1 import referee_pb2 as pb

MAX_UNSOLICITED = 16
"""Most messages nobody asked for that a bot may send in one match."""
MAX_DROPPED_NOTES = 10_000
"""Number of dropped notes in one match that count as a flood. The SDKs send none that would be dropped."""


class BotConnection(Protocol):
    """The part of a bot's session that its players share and ask."""

    @property
    def name(self) -> str:
        """Return the bot's name."""
        ...

    @property
    def hello(self) -> pb.Hello | None:
        """Return the bot's Hello."""
        ...

    @property
    def is_present(self) -> bool:
        """Check for a stream on which the bot has said Hello."""
        ...

    @property
    def outbox(self) -> Outbox[StreamPlayer]:
        """Return the outbox, which takes the questions to the bot."""
        ...

    def send(self, message: bytes) -> None:
        """Send a serialized ToBot."""
        ...

    def send_reliably(self, player: StreamPlayer, message: bytes) -> None:
        """Send a message that must not be lost when the stream breaks."""
        ...

    def close_table(self, number: int) -> None:
        """Note that the match at that table is over."""
        ...

    def end(self, kind: FaultKind, message: str) -> None:
        """End the session: the bot loses every match it plays in."""
        ...


class StreamPlayer:
    """A bot at one table for one match, as the match sees it: a Player."""

    def __init__(self, connection: BotConnection, table: int) -> None:
        self._connection = connection
        self._outbox = connection.outbox
        self._table = table
        self._seat = Seat(0)
        self._introduction: Introduction | None = None
        self._is_away = not connection.is_present
        """True if the stream broke and the bot has not said Ready on a new one."""
        self._start_was_sent = False
        self._final_fault: BotFault | None = None
        self._ready: asyncio.Future[None] | None = None
        self._question: Question | None = None
        """The open question."""
        self._asker: Asker | None = None
        self._question_id = 0
        """Number of the latest question."""
        self._asked_at = 0.0
        """Time when the clock of the latest question started, or when it will at the latest."""
        self._timer: asyncio.TimerHandle | None = None
        """Timer that runs out when the time to get ready does, or at the earliest moment at which an answer can be
        late."""
        self._timer_due = 0.0
        self._last_answer: tuple[int, int] | None = None
        """Number of the last question that was answered and the index, while one identical copy may still come. The
        next question may be open by then."""
        self._unsolicited = 0

    @property
    def name(self) -> str:
        """Return the bot's name."""
        return self._connection.name

    @property
    def is_awaited(self) -> bool:
        """Check that a question is open, or Ready has not come."""
        return self._question is not None or (self._ready is not None and not self._ready.done())

    @property
    def asked_at(self) -> float | None:
        """Return when the clock of the open question started; None if no question is open."""
        return None if self._question is None else self._asked_at

    def sit(self, introduction: Introduction) -> asyncio.Future[None]:
        """Send MatchStart and wait for Ready."""
        loop = asyncio.get_running_loop()
        self._ready = loop.create_future()
        self._introduction = introduction
        self._seat = introduction.seat
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
            hello = self._connection.hello
            rules = hello is not None and hello.want_rules
            self._connection.send(
                envelope.match_start(self._table, self._introduction, resumed=again, want_rules=rules)
            )

    def ask(self, question: Question, asker: Asker) -> None:
        """Send a question. Its clock starts when it is handed to the transport, or when it was held for long enough;
        for a bot that is away it starts at once."""
        now = clock.now()
        self._question, self._asker = question, asker
        self._question_id = question.question_id
        if self._final_fault:
            self._asked_at = now
            self._fail(self._final_fault)
            return
        if self._is_away:
            self._asked_at = now
        else:
            self._asked_at = now + HOLD_SECONDS
            self._outbox.put_question(self._table, now, partial(self._hand_over, question))
        if (seconds := question.time_left_seconds) is not None:
            self._watch_time(now, now + seconds)

    def _hand_over(self, question: Question, now: float) -> bytes:
        """Make the message of a question that leaves now, with the time that is left; if it is the open one, its clock
        runs from now on at the latest."""
        if question is self._question:
            self._asked_at = min(self._asked_at, now)
        hello, introduction = self._connection.hello, self._introduction
        assert hello is not None
        assert introduction is not None
        return envelope.question(
            self._table,
            question,
            introduction.terms.wire.field,
            omit_options=hello.omit_options,
            omit_events=hello.omit_events,
            want_model=hello.want_model,
            want_text=hello.want_text,
            used_seconds=now - self._asked_at,
        )

    def final_fault(self) -> BotFault | None:
        """Return why this bot can answer no more."""
        return self._final_fault

    def tell_fault(self, fault: BotFault, *, faults_left: int, substituted: int | None) -> None:
        """Send a Fault."""
        self._connection.send_reliably(self, envelope.fault(self._table, fault, faults_left, substituted))

    def end(self, result: MatchResult) -> None:
        """Send MatchEnd and free the table."""
        self._stop_timer()
        self._close_question()
        self._connection.send_reliably(self, envelope.match_end(self._table, result))
        self._connection.close_table(self._table)

    # The stream breaks

    def stream_broke(self) -> None:
        """Note that the bot's stream broke: what is asked from now on waits until it is back and Ready."""
        self._is_away = True
        self._asked_at = min(self._asked_at, clock.now())

    # What the bot says

    def receive_ready(self) -> None:
        """Note that the bot can be asked, for the first time or again."""
        was_away, self._is_away = self._is_away, False
        if self._ready is not None and not self._ready.done():
            self._stop_timer()
            self._ready.set_result(None)
        elif was_away:
            if self._question is not None:
                self._outbox.put_question(self._table, clock.now(), partial(self._hand_over, self._question))
        else:
            self.count_unsolicited("Ready, which was not waited for")

    def receive_choice(self, question_id: int, index: int, now: float) -> None:
        """Take the bot's choice. Old answers are dropped and counted; one identical copy of an answer is forgiven."""
        question, asker = self._question, self._asker
        if question is None or asker is None or question_id < self._question_id:
            if (question_id, index) == self._last_answer:
                self._last_answer = None
            else:
                self.count_unsolicited(f"a choice for question {question_id}, which is not open")
        elif question_id > self._question_id:
            self._illegal(f"an answer to question {question_id}, which was never asked", now)
        elif not 0 <= index < len(question.actions):
            self._illegal(f"option {index} of {len(question.actions)}", now)
        else:
            self._question = self._asker = None
            self._last_answer = question_id, index
            self._outbox.question_answered(self._table, now)
            asker.answered(self._seat, index, max(0.0, now - self._asked_at))

    def receive_note(self, question_id: int, text: bytes) -> None:
        """Take the bot's own words on a question it was asked. They change nothing in the match."""
        notebook = self._introduction.notebook if self._introduction else None
        if notebook is not None:
            notebook.write(question_id, text)
            if notebook.dropped > MAX_DROPPED_NOTES:
                many = f"more than {MAX_DROPPED_NOTES} notes in one match beyond the limits or on no question of it"
                self._connection.end(FaultKind.PROTOCOL, many)

    def count_unsolicited(self, what: str) -> None:
        """Count a message nobody asked for: it is ignored, until there are too many."""
        self._unsolicited += 1
        if self._unsolicited > MAX_UNSOLICITED:
            many = f"more than {MAX_UNSOLICITED} messages in one match that nobody asked for, the last: {what}"
            self._connection.end(FaultKind.PROTOCOL, many)

    def fail_finally(self, fault: BotFault) -> None:
        """Fail for the rest of this match. The first reason counts."""
        if self._final_fault is None:
            self._final_fault = fault
            self._fail(fault)

    # What goes wrong

    def _illegal(self, what: str, now: float) -> None:
        self._fail(BotFault(FaultKind.ILLEGAL, f"question {self._question_id}: {what}", now))

    def _not_ready(self, seconds: float) -> None:
        text = f"not Ready within {seconds:.3g} s of MatchStart"
        self._fail(BotFault(FaultKind.NO_SHOW, text, clock.now()))

    def _fail(self, fault: BotFault) -> None:
        """Fail whatever is waited for. The asker hears of it a moment later: others may fail together with this one."""
        self._last_answer = None
        if self._ready is not None and not self._ready.done():
            self._stop_timer()
            self._ready.set_exception(fault)
            self._ready.exception()  # marks it as retrieved: a match that was voided meanwhile may never await it
        if asker := self._close_question():
            asyncio.get_running_loop().call_soon(asker.failed, self._seat, fault, self._asked_at)

    def _close_question(self) -> Asker | None:
        """Close the question. Returns who asked it, if there was one."""
        asker, self._question, self._asker = self._asker, None, None
        if asker is not None:
            self._outbox.question_closed(self._table)
        return asker

    # The timer. It is not set anew for every question: when it runs out too early, it is set for the time that is left.

    def _watch_time(self, now: float, due: float) -> None:
        """See to it that `_check_time` is called then, or earlier."""
        if self._timer is not None:
            if self._timer_due <= due:
                return
            self._timer.cancel()
        self._timer_due = due
        self._timer = asyncio.get_running_loop().call_later(due - now, self._check_time)

    def _check_time(self) -> None:
        self._timer = None
        if self._question is None or (seconds := self._question.time_left_seconds) is None:
            return
        now = clock.now()
        if now < self._asked_at + seconds:
            self._watch_time(now, self._asked_at + seconds)
        else:
            text = f"question {self._question_id}: no answer within {seconds:.3g} s"
            self._fail(BotFault(FaultKind.TIMEOUT, text, now))

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
