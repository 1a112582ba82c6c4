"""The check itself: one step after the other, each with a verdict.

The steps of a conversation share one process as long as all goes well; after a failure the next step gets a fresh one,
so that a bot that is broken in one way fails in one step. The steps about processes have one each and run three at
a time.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from referee.door.session import MAX_SLOTS
from referee.errors import ConfigError
from referee.games import GAMES, find_game
from referee.wire.envelope import PROTOCOL
from server.bots.spec import BotSpec
from server.conformance.conversation_steps import Conversation, conversation_steps
from server.conformance.process_steps import ProcessStarter, process_steps
from server.conformance.questions import samples
from server.conformance.scripted_door import AbortStream, BotStream
from server.conformance.step import CheckStep, Dubious, NotApplicable, Unsound
from server.conformance.tested_bot import TestedBot, slots_of
from server.hosting.launcher import Launcher
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from tortuga.v1 import referee_pb2 as pb

AT_ONCE = 3
"""How many process steps are played at the same time."""
PRINTABLE = re.compile(r"[A-Za-z0-9._+ -]{0,64}")
"""What the texts of a Hello may hold."""


class Verdict(StrEnum):
    """How a step went."""

    PASS = "pass"
    WARN = "warn"  # it follows the protocol, but its author surely means something else
    FAIL = "fail"
    SKIP = "skip"


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One step and how it went."""

    id: str
    title: str
    verdict: Verdict
    detail: str = ""
    """What was seen, what went wrong, or why the step was skipped."""
    exchange: tuple[str, ...] = ()
    """Of a step that failed, the last messages."""
    aftermath: str = ""
    """Of a step that failed, what became of the process and what it printed last."""
    seconds: float = 0.0


async def check(
    spec: BotSpec,
    games: Sequence[str] = (),
    only: Collection[str] = (),
    *,
    tell: Callable[[Finding], None] = lambda _: None,
    confinement: Confinement | None = None,
) -> list[Finding]:
    """Try a bot in the games named, or in all it claims; `tell` is called after each step.

    `only` names the steps to play, besides Hello; empty: all of them.
    """
    for game in games or spec.games:
        find_game(game)
    known = [HELLO.id, *(step.id for step in conversation_steps(tuple(GAMES))), *(step.id for step in process_steps())]
    for step_id in only:
        if step_id not in known:
            raise ConfigError(f"there is no step {step_id!r}; the steps are {', '.join(known)}")
    folder = Path(tempfile.mkdtemp(prefix="tortuga-"))
    try:
        confinement = confinement or Confinement()
        async with Launcher(folder, confinement=confinement) as launcher:
            running = CheckRun(spec, tuple(games), set(only or known), launcher, folder, tell, confinement.level)
            return await running.run()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class CheckRun:
    """One run of the check."""

    def __init__(
        self,
        spec: BotSpec,
        games: tuple[str, ...],
        only: set[str],
        launcher: Launcher,
        folder: Path,
        tell: Callable[[Finding], None],
        level: JailLevel,
    ) -> None:
        self._spec = spec
        self._only = only
        self._asked_for = games
        self._games = games or spec.games
        self._launcher = launcher
        self._folder = folder
        self._tell = tell
        self._level = level
        self._numbers = count(1)
        self._bot: TestedBot | None = None
        self._shared: Conversation | None = None
        self._slots = 1
        self._findings: list[Finding] = []

    async def run(self) -> list[Finding]:
        """Play all steps."""
        try:
            await self._play_conversation()
        finally:
            await self._drop()
        limit = asyncio.Semaphore(AT_ONCE)
        tasks = [
            asyncio.create_task(self._play_process_step(step, limit))
            for step in process_steps()
            if step.id in self._only
        ]
        try:
            for task in tasks:
                self._note(await task)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return self._findings

    async def _play_conversation(self) -> None:
        """Play the steps on one stream."""
        self._note(await finding(HELLO, lambda: HELLO.script(self)))
        for step in conversation_steps(self._games or tuple(GAMES)):
            if step.id in self._only:
                why = self._why_skip(step.id)
                self._note(skipped(step, why) if why else await finding(step, partial(self._play, step)))

    def _why_skip(self, step_id: str) -> str:
        """Return why a step is not worth playing, or nothing: a bot that only hangs then costs seconds, not minutes."""
        if self._findings[0].verdict is Verdict.FAIL:
            return "the bot did not say Hello as it should"
        if step_id == "tcp" and self._level.holds(JailLevel.FENCE):
            return f"a bot has no network at the level {self._level}"
        if step_id == "sigterm" and self._level.holds(JailLevel.JAIL):
            return "no signals are sent into a jail: a bot there is told through its stream, and then killed"
        matches = [finding.verdict for finding in self._findings if finding.id.startswith("match-")]
        if step_id.startswith("match-") or not matches or {Verdict.PASS, Verdict.WARN}.intersection(matches):
            return ""
        return "the bot could not even play a match"

    async def hello(self) -> str:
        """Play the first step: the bot says Hello. It finds out what the other steps need to know of the bot."""
        stream = await self._fresh_stream()
        assert self._bot is not None
        async with self._explaining(self._bot):
            judge_hello(stream, self._spec, self._asked_for, self._bot.token)
        self._games = self._games or tuple(game for game in stream.hello.games if game in GAMES) or tuple(GAMES)
        self._slots = slots_of(stream.hello, self._spec)
        self._shared = self._converse_on(stream)
        for game in self._games:  # now, and in a thread: no step has to wait for them
            await asyncio.to_thread(samples, game)
        return describe(stream.hello, self._games)

    async def _play(self, step: CheckStep[Conversation]) -> str:
        """Play a step of the conversation, on the stream there is or on a new one."""
        if self._shared is None:
            self._shared = self._converse_on(await self._fresh_stream())
        assert self._bot is not None
        self._bot.transcript.clear()
        async with self._explaining(self._bot):
            return await step.script(self._shared)

    async def _fresh_stream(self) -> BotStream:
        """Start a fresh process and give its stream, after Welcome."""
        self._bot = await self._start()
        async with self._explaining(self._bot):
            return await self._bot.welcome()

    @asynccontextmanager
    async def _explaining(self, bot: TestedBot) -> AsyncIterator[None]:
        """Explain a failure of the shared process, and drop the process."""
        try:
            yield
        except Unsound as error:
            await bot.explain(error)
            await self._drop()
            raise

    async def _drop(self) -> None:
        if self._bot is not None:
            await self._bot.close()
        self._bot = self._shared = None

    def _converse_on(self, stream: BotStream) -> Conversation:
        return Conversation(stream, self._spec.name, self._slots, self._games)

    async def _start(
        self, *, refusal: AbortStream | None = None, tcp: bool = False, with_address: bool = True
    ) -> TestedBot:
        bot = TestedBot(self._spec)
        bot.door.refusal = refusal
        name = f"{self._spec.name[:56]}-{next(self._numbers)}"
        await bot.start(self._launcher, self._folder, name, tcp=tcp, with_address=with_address)
        return bot

    @asynccontextmanager
    async def _fresh(self, **how: Any) -> AsyncIterator[TestedBot]:
        """Start a process for one step."""
        bot = await self._start(**how)
        try:
            yield bot
        except Unsound as error:
            await bot.explain(error)
            raise
        finally:
            await bot.close()

    async def _play_process_step(self, step: CheckStep[ProcessStarter], limit: asyncio.Semaphore) -> Finding:
        if why := self._why_skip(step.id):
            return skipped(step, why)
        async with limit:
            return await finding(step, lambda: step.script(ProcessStarter(self._fresh, self._converse_on)))

    def _note(self, finding: Finding) -> None:
        self._findings.append(finding)
        self._tell(finding)


HELLO = CheckStep("hello", "says Hello", CheckRun.hello)


async def finding(step: CheckStep[Any], play: Callable[[], Coroutine[Any, Any, str]]) -> Finding:
    """Play a step and judge it."""
    began = time.monotonic()
    verdict, exchange, aftermath = Verdict.PASS, tuple[str, ...](), ""
    try:
        detail = await play()
    except NotApplicable as reason:
        verdict, detail = Verdict.SKIP, str(reason)
    except Dubious as reason:
        verdict, detail = Verdict.WARN, str(reason)
    except Unsound as error:
        verdict, detail, exchange, aftermath = Verdict.FAIL, str(error), tuple(error.exchange), error.aftermath
    return Finding(
        id=step.id,
        title=step.title,
        verdict=verdict,
        detail=detail,
        exchange=exchange,
        aftermath=aftermath,
        seconds=time.monotonic() - began,
    )


def skipped(step: CheckStep[Any], why: str) -> Finding:
    """Report a step that was not played."""
    return Finding(id=step.id, title=step.title, verdict=Verdict.SKIP, detail=why)


def judge_hello(stream: BotStream, spec: BotSpec, asked_for: Sequence[str], token: str) -> None:
    """Check whether a bot introduces itself as it should."""
    hello = stream.hello
    if stream.token != f"Bearer {token}":
        raise Unsound(f"its call metadata holds `authorization: {stream.token[:60]}`, expected `Bearer TORTUGA_TOKEN`")
    if hello.protocol != PROTOCOL:
        raise Unsound(f"Hello.protocol is {hello.protocol}, expected {PROTOCOL}")
    if not hello.bot_name:
        raise Unsound("Hello.bot_name is empty")
    for name in ("bot_name", "bot_version", "sdk", "language"):
        if not PRINTABLE.fullmatch(getattr(hello, name)):
            raise Unsound(f"Hello.{name} is {getattr(hello, name)!r}: at most 64 of A-Z a-z 0-9 . _ + - and space")
    if hello.slots > MAX_SLOTS:
        raise Unsound(f"Hello.slots is {hello.slots}, at most {MAX_SLOTS} are used")
    lacking = [game for game in asked_for or spec.games if hello.games and game not in hello.games]
    if lacking:
        raise Unsound(f"Hello.games is {', '.join(hello.games)} and lacks {', '.join(lacking)}")


def describe(hello: pb.Hello, games: Sequence[str]) -> str:
    """Return what a bot says of itself, in a line."""
    spoken = " ".join(word for word in (hello.bot_name, hello.bot_version) if word)
    with_what = ", ".join(word for word in (hello.language, hello.sdk) if word)
    plays = "every game" if len(games) == len(GAMES) else ", ".join(games)
    omits = "".join(f", without {what}" for what in ("options", "events") if getattr(hello, f"omit_{what}"))
    return f"{spoken}{f' ({with_what})' if with_what else ''}, slots {max(1, hello.slots)}, {plays}{omits}"
