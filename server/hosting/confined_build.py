"""Building a stranger's bot: its `build` command runs in the jail, without network and with limits of its own."""

from __future__ import annotations

import asyncio
import shlex
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from referee.errors import ConfigError, TortugaError
from server.bots.build import Built
from server.bots.kits import Offline, find_kits, missing_files
from server.bots.spec import BotSpec
from server.hosting.launcher import ExitKind, Launcher
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.jail.limits import ResourceLimits
from server.jail.machine import require_level
from server.jail.workplace import Workplace

BUILD_LIMITS = ResourceLimits(
    memory_bytes=4 << 30, tasks=1024, open_files=4096, file_bytes=1 << 30, scratch_bytes=2 << 30
)
"""Compilers take more than bots."""
BUILD_SECONDS = 900.0


async def build_confined(spec: BotSpec, confinement: Confinement, *, seconds: float = BUILD_SECONDS) -> Built:
    """Build one bot in the jail. What it printed is bounded, and kept in the result if it fails."""
    require_level(confinement.level, JailLevel.JAIL, f"the build of {spec.name}")
    assert spec.folder is not None
    began = time.monotonic()
    kit = find_kits().get(spec.language)
    offline = kit.offline if kit else Offline()
    tools = [path for path in map(Path, map(evaluate, offline.shows)) if path.is_dir()]
    told = {name: evaluate(word) for name, word in offline.environment.items()}
    with tempfile.TemporaryDirectory(prefix="tortuga-build-") as place:
        folder = Path(place)
        workplace = Workplace(folder=spec.folder, archive=folder / "built.tar")
        workplace.archive.touch()
        workplace.archive.chmod(0o666)  # for the jail's user; nobody else may enter the folder
        async with Launcher(folder / "run", confinement=replace(confinement, limits=BUILD_LIMITS)) as launcher:
            try:
                process = await launcher.start(
                    f"build-{spec.name[:50]}", workplace.command(spec.build), told, sees=tools, workplace=workplace
                )
            except TortugaError as error:
                return Built(bot=spec.name, verdict="failed", detail=str(error))
            await asyncio.wait([process.ended], timeout=seconds)
            if not process.ended.done():
                await process.stop(0)
                how = f"was stopped after {seconds:g} s"
            else:
                ending = process.ended.result()
                how = "" if ending.kind is ExitKind.EXITED and ending.detail.endswith("code 0") else ending.detail
            printed = process.printed().decode("utf-8", "backslashreplace")
        detail = f"`{shlex.join(spec.build)}`, without network at the level {confinement.level}, {how}" if how else ""
        if not how:
            try:
                await asyncio.to_thread(workplace.fetch)
            except ConfigError as error:
                detail = str(error)
    if not detail and (missing := missing_files(spec)):
        detail = f"the build succeeded, but {missing[0]} does not exist"
    took = time.monotonic() - began
    if detail:
        return Built(bot=spec.name, verdict="failed", detail=detail, output=printed, seconds=took)
    return Built(bot=spec.name, verdict="built", seconds=took)


def evaluate(word: str) -> str:
    """A shell word of a kit.toml of ours, evaluated outside of the jail."""
    done = subprocess.run(["sh", "-c", f'printf %s "{word}"'], capture_output=True, text=True, check=False)
    return done.stdout
