"""Runs the attempts as real bots, started by a BotHost under a confinement, and judges what they reached."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from referee.errors import BotFault, ConfigError
from server.bots.build import build
from server.doctor.attempt_list import Attempt, AttemptKind
from server.doctor.attempts.tries import start_time
from server.doctor.setting import Setting, setting
from server.hosting.bot_host import BotHost
from server.hosting.bot_process import BotExit, ExitKind
from server.hosting.confined_build import build_confined
from server.hosting.hosted_bot import HostedBot
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.jail.limits import ResourceLimits

LIMITS = ResourceLimits(memory_bytes=256 << 20, tasks=64, open_files=256, file_bytes=8 << 20, scratch_bytes=16 << 20)
"""Small limits: without a jail an attempt takes a little more than this for a moment."""
SYSTEM_PYTHON = "/usr/bin/python3"
PROGRAM_SECONDS = 60.0
WAITING_SECONDS = 10.0
SECRET = "TORTUGA_DOCTOR"
"""A variable of our own environment that no build may see."""
LOG_BYTES = 1 << 20
"""Largest log of a bot."""


class AttemptOutcome(StrEnum):
    """The end of one part of an attempt."""

    REACHED = "reached"
    REFUSED = "refused"
    ABSENT = "absent"
    """This machine has nothing to try it on."""
    BROKEN = "broken"
    """The program itself failed: this says nothing."""


class AttemptVerdict(StrEnum):
    """The judgement on an attempt at a level."""

    HELD = "held"
    OPEN = "open"
    NOT_TESTABLE = "not testable"


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """The result of one part of an attempt."""

    name: str
    outcome: AttemptOutcome
    detail: str


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedAttempt:
    """An attempt at a level, with its results and the judgement on it."""

    attempt: Attempt
    verdict: AttemptVerdict
    tries: tuple[AttemptResult, ...]

    @property
    def open_tries(self) -> list[AttemptResult]:
        """Return the results that reached something."""
        return [result for result in self.tries if result.outcome is AttemptOutcome.REACHED]


END_WELL = "end well"
"""Name of the result of a program that was ended for crossing a limit."""
BY_THE_KEEPER = {"outlive its bot", "fill the disk by its log"}
"""Attempts held at every level, so there is no control to compare with: whoever started the bot sees to it."""

Results = dict[int, list[AttemptResult]]
"""Results by the number of the attempt."""


def judge(attempt: Attempt, tries: Sequence[AttemptResult], control: Sequence[AttemptResult]) -> JudgedAttempt:
    """Compare with the control, the same attempt without any confinement.

    Held is only what succeeds without confinement. What fails there, too, shows nothing: the kernel lacks it, or this
    user may not do it anyway.
    """
    possible = {result.name for result in control if result.outcome is AttemptOutcome.REACHED}
    refused = {result.name for result in tries if result.outcome is AttemptOutcome.REFUSED}
    if any(name.startswith(END_WELL) for name in refused):  # it was ended before it had told of all that it tried
        refused |= possible - {result.name for result in tries}
    if any(result.outcome is AttemptOutcome.REACHED for result in tries):
        verdict = AttemptVerdict.OPEN
    elif any(result.outcome is AttemptOutcome.BROKEN for result in tries):
        verdict = AttemptVerdict.NOT_TESTABLE
    elif refused & (possible | BY_THE_KEEPER):
        verdict = AttemptVerdict.HELD
    else:
        verdict = AttemptVerdict.NOT_TESTABLE
    return JudgedAttempt(attempt=attempt, verdict=verdict, tries=tuple(tries))


async def run_attempts(
    level: JailLevel, attempts: Iterable[Attempt], done: Callable[[], None] = lambda: None
) -> Results:
    """Make the attempts at a level, one after the other."""
    results: Results = {}
    async with setting(LIMITS) as scene:
        scene.python = python_for(level)
        confinement = Confinement(level=level, limits=LIMITS, hidden=scene.hidden)
        async with BotHost(confinement=confinement) as host:
            runner = AttemptRunner(host, scene)
            async with runner.waiting("sibling") as (sibling, _):
                scene.tell(**{f"sibling{name}": value for name, value in describe(sibling).items()})
                for attempt in attempts:
                    results[attempt.number] = await runner.make(attempt)
                    done()
    return results


def python_for(level: JailLevel) -> str:
    """Return how the programs' Python is named: our own comes first on a bot's PATH, as for all bots. It may lie
    where only root may look, and a process under its own user needs another one then."""
    if level is JailLevel.PROCESS and os.getuid() == 0 and os.path.exists(SYSTEM_PYTHON):
        return SYSTEM_PYTHON
    return "python"


def describe(bot: HostedBot) -> dict[str, Any]:
    """Return what an attempt may know of another process."""
    return {
        "": identify(bot.process.pid),
        "_keeper": identify(parent_of(bot.process.pid)),
        "_scratch": str(scratch_of(bot)),
        "_log": str(log_of(bot)),
    }


def identify(pid: int) -> list[int]:
    """Return facts that tell a process from others with the same number elsewhere."""
    return [pid, start_time(pid)]


def parent_of(pid: int) -> int:
    """Return the keeper of a bot."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def folder_of(bot: HostedBot) -> Path:
    """Return the folder of a bot's launcher, which every bot knows: the door is in it."""
    return next(path.parent for path in bot.process.log.parents if path.name == "logs")


def scratch_of(bot: HostedBot) -> Path:
    """Return where another bot would look for a bot's scratch folder. In a fence its name has a part that nobody can
    guess."""
    return folder_of(bot) / "scratch" / bot.process.name


def log_of(bot: HostedBot) -> Path:
    """Return where another bot would look for a bot's log."""
    return folder_of(bot) / "logs" / f"{bot.process.name}.log"


class AttemptRunner:
    """Runs programs as bots of one host."""

    def __init__(self, host: BotHost, scene: Setting) -> None:
        self._host = host
        self._scene = scene

    async def make(self, attempt: Attempt) -> list[AttemptResult]:
        """Make one attempt."""
        tries: list[AttemptResult] = []
        for kind in attempt.kinds:
            match kind:
                case AttemptKind.ALONE:
                    for program in attempt.programs:
                        tries += await self._run(program)
                case AttemptKind.NEXT_MATCH:
                    tries += await self._find_marker(keep_running=False)
                case AttemptKind.OTHER_ROTATION:
                    tries += await self._find_marker(keep_running=True)
                case AttemptKind.BITS:
                    tries += await self._pass_bits()
                case AttemptKind.BUILD:
                    tries += await self._build("hostile_build")
        for names in ("", "-marker", "-bits"):
            self._scene.sweep(names)
        return tries

    async def _run(self, program: str) -> list[AttemptResult]:
        """Run a program to its end."""
        bot = await self._host.start_bot(self._scene.spec(program))
        with contextlib.suppress(OSError):
            self._scene.tell_running(keeper=identify(parent_of(bot.process.pid)))
        if program == "burn":  # a host looks only after bots that it knows to have arrived
            with contextlib.suppress(BotFault):
                await bot.arrive(WAITING_SECONDS)
        await asyncio.wait([bot.process.ended], timeout=PROGRAM_SECONDS)
        how = bot.process.ended.result() if bot.process.ended.done() else None
        printed = bot.process.printed()
        await self._host.stop_bot(bot)
        self._scene.forget_running()
        return self._read(program, printed, how) + self._look_around(program, printed, how)

    def _read(self, program: str, printed: bytes, how: BotExit | None) -> list[AttemptResult]:
        """Read the results that a program printed."""
        tries, ended = [], False
        for line in printed.split(b"\n"):
            with contextlib.suppress(ValueError):
                printed_line = json.loads(line)
                if isinstance(printed_line, dict):
                    ended |= "end" in printed_line
                    if "try" in printed_line:
                        tries.append(self._read_try(printed_line))
        if not ended and how is not None and how.kind is ExitKind.RESOURCE:
            tries.append(AttemptResult(f"{END_WELL} ({program})", AttemptOutcome.REFUSED, how.detail))
        elif not ended:
            reason = how.detail if how else "did not report its end"
            tries.append(
                AttemptResult(f"{END_WELL} ({program})", AttemptOutcome.BROKEN, f"{reason}: {printed[-300:]!r}")
            )
        return tries

    def _read_try(self, printed: dict[str, str]) -> AttemptResult:
        outcome, detail = printed["outcome"], printed["detail"]
        if outcome == "left":
            seen = self._scene.is_left(detail)
            outcome, detail = ("reached", f"wrote {detail}") if seen else ("refused", "not seen outside")
        # Names of folders and numbers differ from run to run, and from inside to outside.
        return AttemptResult(printed["try"], AttemptOutcome(outcome), detail)

    def _look_around(self, program: str, printed: bytes, how: BotExit | None) -> list[AttemptResult]:
        """Return what only those outside can see."""
        if program == "daemon":
            left = find_processes(f"{self._scene.nonce}-daemon")
            if left:
                return [AttemptResult("outlive its bot", AttemptOutcome.REACHED, f"process {left[0]} is left")]
            return [AttemptResult("outlive its bot", AttemptOutcome.REFUSED, "no process is left")]
        if program == "log_bomb" and how is not None:
            if len(printed) > LOG_BYTES:
                return [AttemptResult("fill the disk by its log", AttemptOutcome.REACHED, f"{len(printed)} bytes")]
            return [
                AttemptResult(
                    "fill the disk by its log", AttemptOutcome.REFUSED, f"{how.detail}; {len(printed)} bytes were kept"
                )
            ]
        return []

    @asynccontextmanager
    async def waiting(self, program: str) -> AsyncIterator[tuple[HostedBot, dict[str, Any]]]:
        """Run a program that says when it is ready and then waits; yield it with what it said."""
        bot = await self._host.start_bot(self._scene.spec(program))
        try:
            for _ in range(round(WAITING_SECONDS / 0.02)):
                if said := re.search(rb'^\{"waiting".*\}$', bot.process.printed(), flags=re.MULTILINE):
                    yield bot, json.loads(said[0])
                    return
                await asyncio.sleep(0.02)
            raise RuntimeError(f"the program {program} did not get ready: {bot.process.tail(20)}")
        finally:
            await self._host.stop_bot(bot)

    async def _find_marker(self, *, keep_running: bool) -> list[AttemptResult]:
        self._scene.tell(wait=keep_running, marker_home="/nowhere")
        async with self.waiting("leave_marker") as (bot, _):
            if not keep_running:
                await asyncio.wait([bot.process.ended], timeout=WAITING_SECONDS)
                await self._host.stop_bot(bot)
            self._scene.tell(marker_home=str(scratch_of(bot)))
            return await self._run("find_marker")

    async def _build(self, program: str) -> list[AttemptResult]:
        spec, confinement = self._scene.build_spec(program), self._host.confinement
        os.environ[SECRET] = self._scene.nonce
        try:
            if confinement.level is JailLevel.NONE:
                built = await asyncio.to_thread(build, spec)
            else:
                built = await build_confined(spec, confinement)
        except ConfigError as refusal:
            return [AttemptResult(f"{END_WELL} ({program})", AttemptOutcome.REFUSED, str(refusal))]
        finally:
            del os.environ[SECRET]
        return self._read(program, (built.output or built.detail).encode(), None)

    async def _pass_bits(self) -> list[AttemptResult]:
        async with self.waiting("send_bits") as (bot, said):
            self._scene.tell(sender_scratch=str(scratch_of(bot)), sender_log=str(log_of(bot)))
            heard = await self._run("receive_bits")
        return [compare_bits(result, said["bits"]) for result in heard]


def compare_bits(result: AttemptResult, sent: str) -> AttemptResult:
    """Count as heard only what was sent."""
    if result.name.startswith("64 bits") and result.outcome is AttemptOutcome.REACHED and result.detail != sent:
        return AttemptResult(result.name, AttemptOutcome.REFUSED, f"sent {sent}, heard {result.detail}")
    return result


def find_processes(word: str) -> list[int]:
    """Return the processes with a word in their command lines."""
    pids = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if word.encode() in Path(f"/proc/{name}/cmdline").read_bytes():
                pids.append(int(name))
    return pids
