"""A bot at one table: what the match knows as a Player, and what the session knows as a number.

When the stream of a remote bot breaks, its tables wait: clocks run on, and what is asked meanwhile is kept. Back on a
new stream the bot is told of each table again, says Ready, and hears the open question once more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from referee import clock
from referee.errors import BotFault, FaultKind
from referee.match import Introduction, MatchResult, Question, Reply
from referee.wire import envelope

if TYPE_CHECKING:
    from referee.door.session import Session

MAX_UNSOLICITED = 16
HOLD_SECONDS = 0.002
"""How long a question may wait for company while the bot is busy with others. The deadline moves by as much."""
SHORTEST_SECONDS = 0.001
"""The least that is ever said to be left of a question's time: 0 on the wire means that there is no clock."""


class StreamPlayer:
    """A bot at one table for one match: what the match knows as a Player."""

    def __init__(self, session: Session, number: int) -> None:
        self._session = session
        self._number = number
        self._introduction: Introduction | None = None
        self._is_away = not session.is_present
        """Whether the stream broke and the bot has not said Ready on a new one."""
        self._was_introduced = False
        self._fallen: BotFault | None = None
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
        return self._session.name

    def sit(self, introduction: Introduction) -> asyncio.Future[None]:
        """Send MatchStart and wait for Ready."""
        loop = asyncio.get_running_loop()
        self._ready = loop.create_future()
        self._introduction = introduction
        control = introduction.terms.clock
        if self._fallen:
            self._ready.set_exception(self._fallen)
            return self._ready
        if not self._is_away:
            self.introduce()
        if not control.unlimited:
            self._timer = loop.call_later(control.start_seconds, self._not_ready, control.start_seconds)
        return self._ready

    def introduce(self) -> None:
        """Send MatchStart, for the first time or once more on a new stream."""
        if self._introduction is not None:
            again, self._was_introduced = self._was_introduced, True
            self._session.send(envelope.match_start(self._number, self._introduction, resumed=again))

    def ask(self, question: Question) -> asyncio.Future[Reply]:
        """Send a question and wait for its answer."""
        loop = asyncio.get_running_loop()
        pending: asyncio.Future[Reply] = loop.create_future()
        if self._fallen:
            pending.set_exception(self._fallen)
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
        hello, introduction = self._session.hello, self._introduction
        assert hello is not None
        assert introduction is not None
        self._session.send_question(
            self._number,
            envelope.question(
                self._number,
                question,
                introduction.terms.wire.field,
                omit_options=hello.omit_options,
                omit_events=hello.omit_events,
            ),
        )

    def final_fault(self) -> BotFault | None:
        """Why this bot can answer no more."""
        return self._fallen

    def tell_fault(self, fault: BotFault, *, faults_left: int, substituted: int | None) -> None:
        """Send a Fault."""
        self._session.send_news(self, envelope.fault(self._number, fault, faults_left, substituted))

    def end(self, result: MatchResult) -> None:
        """Send MatchEnd and give the table back."""
        self._stop_timer()
        self._session.send_news(self, envelope.match_end(self._number, result))
        self._session.drop_table(self._number)

    # The stream breaks

    def miss(self) -> None:
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
            self.stray("Ready, which was not waited for")

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
