"""Players for tests of the match: they live in the same process and do as they are told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from referee.errors import BotFault, FaultKind
from referee.match.clock import excuse_by_lag
from referee.match.match import Asker, Introduction, MatchResult
from referee.match.question import Question
from referee.rules.engine import Seat

Script = Callable[[Question], "int | BotFault | None"]
"""The index to answer, a fault to commit, or None to say nothing."""


class ScriptedPlayer:
    """Answers after `delay` seconds what its script says. Enforces the deadline as a session would."""

    def __init__(
        self,
        script: Script,
        *,
        name: str = "scripted",
        delay: float = 0.0,
        ready: bool = True,
        note: Callable[[Question], bytes] | None = None,
    ) -> None:
        self.name = name
        self._note = note
        self.asked: list[Question] = []
        self.faults: list[tuple[FaultKind, int, int | None]] = []
        self.result: MatchResult | None = None
        self.introduction: Introduction | None = None
        self._script = script
        self._delay = delay
        self._ready = ready
        self._fallen: BotFault | None = None
        self._open: Question | None = None
        self._asked_at = 0.0

    def sit(self, introduction: Introduction) -> asyncio.Future[None]:
        self.introduction = introduction
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        if self._ready:
            ready.set_result(None)
        else:
            loop.call_later(
                introduction.terms.clock.start_seconds,
                lambda: ready.set_exception(BotFault(FaultKind.NO_SHOW, "not there", loop.time())),
            )
        return ready

    def ask(self, question: Question, asker: Asker) -> None:
        loop = asyncio.get_running_loop()
        self.asked.append(question)
        if self._note and self.introduction and self.introduction.notebook:
            self.introduction.notebook.write(question.question_id, self._note(question))
        self._open, self._asked_at = question, loop.time()
        if (seconds := question.time_left_seconds) is not None:
            loop.call_later(seconds, self._fail, question, asker, BotFault(FaultKind.TIMEOUT, "too late", 0.0))
        loop.call_later(self._delay, self._answer, question, asker)

    def _answer(self, question: Question, asker: Asker) -> None:
        if question is not self._open:
            return
        choice = self._script(question)
        if isinstance(choice, BotFault):
            if choice.kind not in (FaultKind.TIMEOUT, FaultKind.ILLEGAL):
                self._fallen = choice
            self._fail(question, asker, choice)
        elif choice is not None:
            self._open = None
            asker.answered(self._seat, choice, asyncio.get_running_loop().time() - self._asked_at)

    def _fail(self, question: Question, asker: Asker, fault: BotFault) -> None:
        if question is self._open:
            self._open = None
            fault.at = asyncio.get_running_loop().time()
            asker.failed(self._seat, fault, self._asked_at)

    @property
    def _seat(self) -> Seat:
        assert self.introduction is not None
        return self.introduction.seat

    def fall(self, kind: FaultKind) -> None:
        """Fail without being asked."""
        self._fallen = BotFault(kind, "fell", asyncio.get_running_loop().time())

    def final_fault(self) -> BotFault | None:
        return self._fallen

    def tell_fault(self, fault: BotFault, *, faults_left: int, substituted: int | None) -> None:
        self.faults.append((fault.kind, faults_left, substituted))

    def end(self, result: MatchResult) -> None:
        assert self.result is None, "a match ends once"
        self.result = result


class QuietHost:
    """A machine that is never late, or always as late as told."""

    def __init__(self, lag: float = 0.0) -> None:
        self.lag = lag

    def excuse_overrun(self, seat: Seat, asked_at: float) -> str:
        return excuse_by_lag(self.lag)
