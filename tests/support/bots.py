"""Bots made for tests, real processes all of them, and ways to watch them without measuring time.

What has to happen is waited for, up to a limit that only a broken launcher reaches.
"""

from __future__ import annotations

import asyncio
import os
import sys
import textwrap
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from server.hosting import keeper
from server.hosting.launcher import BotExit, BotProcess, Launcher, OutputLimits

PATIENCE_SECONDS = 180.0

# Every bot begins so. A child that is left is an orphan in a session of its own, hard of hearing; it has said its pid.
PREAMBLE = """
import os, resource, signal, sys, time

def say(*words):
    print(*words, flush=True)

def leave_a_child():
    said, saying = os.pipe()
    if os.fork():
        os.read(said, 1)
        os.wait()
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say(os.getpid())
    os.write(saying, b".")
    time.sleep(1000)

def wait_for_the_cue():
    while not os.path.exists("cue"):
        time.sleep(0.01)
"""


def program(code: str) -> list[str]:
    """The command of a bot that runs this code."""
    return [sys.executable, "-I", "-S", "-c", PREAMBLE + textwrap.dedent(code)]


def play(folder: Path, script: Callable[[Launcher], Awaitable[None]], limits: OutputLimits | None = None) -> None:
    """Run a script with a launcher, close it, and see that it left no process, no zombie and no scratch folder."""

    async def act() -> None:
        async with Launcher(folder / "run", limits) as the_launcher:
            await script(the_launcher)
            await the_launcher.close(grace_seconds=0)
            await the_launcher.close(grace_seconds=0)

    before = children_of(os.getpid())
    asyncio.run(act())
    assert children_of(os.getpid()) <= before
    assert list((folder / "run" / "scratch").iterdir()) == []


async def until(happened: Callable[[], bool]) -> None:
    """Wait for something that has to happen."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        await asyncio.sleep(0.01)


async def ending(bot: BotProcess) -> BotExit:
    """How a bot ends by itself."""
    return await asyncio.wait_for(asyncio.shield(bot.ended), PATIENCE_SECONDS)


async def words(bot: BotProcess, count: int) -> list[str]:
    """What a bot said, when it has said that many words."""
    await until(lambda: len(bot.log.read_text().split()) >= count and bot.log.read_text().endswith("\n"))
    return bot.log.read_text().split()


def give_cue(bot: BotProcess) -> None:
    """Let a bot go on that waits for it."""
    (bot.log.parents[1] / "scratch" / bot.name / "cue").touch()


def children_of(parent: int) -> set[int]:
    """The children of a process, zombies too."""
    return {pid for pid, (its, _, _) in keeper.read_processes().items() if its == parent}


def state_of(pid: int) -> str:
    """R, S, T, Z and so on; X if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def is_dead(pid: int) -> bool:
    """No such process, or only its zombie."""
    return state_of(pid) in "XZ"
