"""Builds an untrusted bot: runs its `build` command in the jail, without network and with its own limits."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from referee.errors import ConfigError, TortugaError
from server.bots.build import Built
from server.bots.kit_cache import NO_CACHE, KitCache
from server.bots.kits import PACKAGES, REQUIREMENTS, Offline, find_kits, missing_files, needs_packages
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
"""Limits of builds: compilers need more than bots."""
BUILD_SECONDS = 900.0


INSTALL = (
    'python=$1; wheels=$2; shift 2; "$python" -m pip install --disable-pip-version-check --no-input --no-cache-dir '
    f'--no-index --find-links "$wheels" --target {PACKAGES} --requirement {REQUIREMENTS} && "$@"'
)
"""A command that installs what a requirements.txt names, from a folder of wheels, and then builds."""


async def build_confined(
    spec: BotSpec,
    confinement: Confinement,
    *,
    seconds: float = BUILD_SECONDS,
    place: Path | None = None,
    cache: KitCache = NO_CACHE,
) -> Built:
    """Build one bot in the jail. What it printed is bounded, and kept in the result.

    `place` is an empty, private folder to work in, for a caller who removes it also after a crash. `cache` holds the
    packages that there are instead of a network.
    """
    if place is not None:
        return await _build_in(place, spec, confinement, seconds, cache)
    with tempfile.TemporaryDirectory(prefix="tortuga-build-") as scratch:
        return await _build_in(Path(scratch), spec, confinement, seconds, cache)


async def _build_in(folder: Path, spec: BotSpec, confinement: Confinement, seconds: float, cache: KitCache) -> Built:
    require_level(confinement.level, JailLevel.JAIL, f"the build of {spec.name}")
    assert spec.folder is not None
    began = time.monotonic()
    # A bot may name Python packages whatever its language is.
    language = "python" if needs_packages(spec) and not spec.language else spec.language
    tools, variables = await asyncio.to_thread(offline_tools, language, cache)
    build = spec.build or ("true",)
    if (kit := find_kits().get(language)) and kit.offline.before and cache.folder_of(language):
        build = ("/bin/sh", "-c", f'{kit.offline.before} && exec "$@"', "before", *build)
    if needs_packages(spec):
        wheels = cache.folder_of("python") or Path("/nowhere")
        build = ("/bin/sh", "-c", INSTALL, "install", sys.executable, str(wheels), *build)
        tools += [wheels] if wheels.is_dir() and wheels not in tools else []
    workplace = Workplace(folder=spec.folder, archive=folder / "built.tar")
    workplace.archive.touch()
    workplace.archive.chmod(0o666)  # for the jail's user; nobody else may enter the folder
    async with Launcher(folder / "run", confinement=replace(confinement, limits=BUILD_LIMITS)) as launcher:
        try:
            process = await launcher.start(
                f"build-{spec.name[:50]}", workplace.command(build), variables, sees=tools, workplace=workplace
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
    command = shlex.join(spec.build) if spec.build else f"pip install --requirement {REQUIREMENTS}"
    detail = f"`{command}`, without network at the level {confinement.level}, {how}" if how else ""
    if how:
        needed = {language, "python"} if needs_packages(spec) else {language}
        detail = "; ".join(filter(None, [detail, *(cache.explain(name, printed) for name in sorted(needed))]))
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
    return Built(bot=spec.name, verdict="built", output=printed, seconds=took)


def offline_tools(language: str, cache: KitCache = NO_CACHE) -> tuple[list[Path], dict[str, str]]:
    """Return the folders that a build of a language may see, and the variables that it gets."""
    kit = find_kits().get(language)
    offline = kit.offline if kit else Offline()
    environment = cache.environment(language)
    shown = filter(None, (evaluate(word, environment) for word in offline.shows))
    variables = {name: evaluate(word, environment) for name, word in offline.environment.items()}
    return [path for path in map(Path, shown) if path.is_dir()], {"CACHE": environment["CACHE"], **variables}


def evaluate(word: str, variables: Mapping[str, str]) -> str:
    """Evaluate a shell word of a kit.toml of ours, outside the jail."""
    command = ["sh", "-c", f'printf %s "{word}"']
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **variables}).stdout
