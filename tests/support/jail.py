"""Levels of confinement in tests: a machine without one of them leaves its tests out, a CI machine may not."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from server.bots.kits import on_ci
from server.hosting.launcher import BotExit, Launcher
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.jail.machine import obstacle

CONFINED = [level for level in JailLevel if level is not JailLevel.NONE]
FENCE_AND_JAIL = [JailLevel.FENCE, JailLevel.JAIL]
END_SECONDS = 60.0


def need(level: JailLevel) -> None:
    """Leave a test out where a level cannot be had, and say why."""
    if reason := obstacle(level):
        # Tools can be installed; whether we may make cgroups is up to whoever made the machine.
        if on_ci() and level is not JailLevel.JAIL_CGROUP:
            pytest.fail(f"the level {level} cannot be had on this CI machine: {reason}")
        pytest.skip(f"the level {level} cannot be had here: {reason}")


@contextmanager
def public_folder() -> Iterator[Path]:
    """A folder that every user may enter: those of pytest are private, and as root a bot is a user of its own."""
    with tempfile.TemporaryDirectory(prefix="tortuga-test-") as name:
        os.chmod(name, 0o755)
        yield Path(name)


async def run_confined(
    confinement: Confinement,
    argv: Sequence[str],
    *,
    sees: Sequence[Path] = (),
    door: Path | None = None,
    environment: dict[str, str] | None = None,
) -> tuple[BotExit, str]:
    """Run a command as a bot at a level, to its end: how it ended, and what it printed."""
    with tempfile.TemporaryDirectory(prefix="tortuga-test-") as name:
        async with Launcher(Path(name), confinement=confinement) as launcher:
            bot = await launcher.start("probe", argv, environment or {}, sees=sees, door=door)
            how = await asyncio.wait_for(asyncio.shield(bot.ended), END_SECONDS)
            return how, bot.printed().decode()


async def run_python(confinement: Confinement, code: str, *arguments: str, **options: object) -> str:
    """Run a few lines of Python as a bot at a level; gives what they printed. They have to end well."""
    how, printed = await run_confined(confinement, [sys.executable, "-c", code, *arguments], **options)  # type: ignore[arg-type]
    assert how.detail == "exited with code 0", printed
    return printed
