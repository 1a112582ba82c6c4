"""Players for tests of the match: they live in the same process and do as they are told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from referee.errors import BotFault, FaultKind
from referee.match import Introduction, MatchResult, Question, Reply

Script = Callable[[Question], "int | BotFault | None"]
"""The index to answer, a fault to commit, or None to say nothing."""


class ScriptedPlayer:
    """Answers after `delay` seconds what its script says. Enforces the deadline as a session would."""

    def __init__(self, script: Script, *, name: str = "scripted", delay: float = 0.0, ready: bool = True) -> None:
        self.name = name
        self.asked: list[Question] = []
        self.faults: list[tuple[FaultKind, int, int | None]] = []
        self.result: MatchResult | None = None
        self.introduction: Introduction | None = None
        self._script = script
        self._delay = delay
        self._ready = ready
        self._fallen: BotFault | None = None

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

    def ask(self, question: Question) -> asyncio.Future[Reply]:
        self.asked.append(question)
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Reply] = loop.create_future()
        if question.time_left_seconds is not None:
            loop.call_later(question.time_left_seconds, self._expire, answered)
        loop.call_later(self._delay, self._answer, answered, question)
        return answered

    def _answer(self, answered: asyncio.Future[Reply], question: Question) -> None:
        if answered.done():
            return
        choice, now = self._script(question), asyncio.get_running_loop().time()
        if isinstance(choice, BotFault):
            choice.at = now
            if choice.kind not in (FaultKind.TIMEOUT, FaultKind.ILLEGAL):
                self._fallen = choice
            answered.set_exception(choice)
        elif choice is not None:
            answered.set_result(Reply(choice, now))

    def _expire(self, answered: asyncio.Future[Reply]) -> None:
        if not answered.done():
            answered.set_exception(BotFault(FaultKind.TIMEOUT, "too late", asyncio.get_running_loop().time()))

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

    def longest_stall_since(self, moment: float) -> float:
        return self.lag
