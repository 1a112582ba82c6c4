"""Building bots: run each one's `build` command in its own folder, and report what the tool printed if it fails."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from server.bots.kits import missing_files, missing_tools, on_ci
from server.bots.spec import BotSpec

LAST_LINES = 12
"""How much of a failed build's output is shown where many bots are built."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Built:
    """The result of one bot's build."""

    bot: str
    verdict: str
    """`built`, `already built` (by the build of another bot), `nothing to build`, `failed` or `tools missing`."""
    detail: str = ""
    output: str = ""
    """What the tool printed, if it failed."""
    seconds: float = 0.0

    @property
    def usable(self) -> bool:
        """Whether the bot can be started now."""
        return self.verdict not in ("failed", "tools missing")

    def describe(self, *, whole_output: bool = True) -> str:
        """The result in one line, after the output of a build that failed."""
        took = f" in {self.seconds:.1f} s" if self.seconds else ""
        line = f"{self.bot}: {self.verdict}{f': {self.detail}' if self.detail else ''}{took}"
        output = self.output.rstrip().splitlines()
        return "\n".join([*(output if whole_output else output[-LAST_LINES:]), line])


def summarise(results: Sequence[Built]) -> str:
    """How many bots can be started now, and which were left out."""
    left_out = [f"{built.bot} ({built.verdict})" for built in results if not built.usable]
    usable = f"{len(results) - len(left_out)} of {len(results)} bots are built"
    return f"{usable}; left out: {', '.join(left_out)}" if left_out else usable


def exit_code(results: Sequence[Built], *, everything: bool) -> int:
    """1 if a bot was not built that had to be: each one that was named; with `--all`, each one on CI."""
    left_out = any(not built.usable for built in results)
    return 1 if left_out and (on_ci() or not everything) else 0


def build_bots(
    specs: Sequence[BotSpec], *, stream: bool = False, starting: Callable[[BotSpec], None] | None = None
) -> Iterator[Built]:
    """Build one bot after the other. The others are built even if one fails."""
    before = [write_times(spec) for spec in specs]
    for spec, times in zip(specs, before, strict=True):
        if spec.folder is None or not spec.build:
            yield Built(bot=spec.name, verdict="nothing to build")
        elif tools := missing_tools(spec.language):
            yield Built(bot=spec.name, verdict="tools missing", detail=f"{', '.join(tools)} not found")
        elif was_rewritten(spec, times):
            yield Built(bot=spec.name, verdict="already built", detail="by the build of another bot")
        else:
            if starting:
                starting(spec)
            yield build(spec, stream=stream)


def write_times(spec: BotSpec) -> dict[Path, int]:
    """When each file of the bot's own folder that its command names was written."""
    named = [Path(word) for word in spec.run if word.startswith(str(spec.folder)) and Path(word).is_file()]
    return {path: path.stat().st_mtime_ns for path in named}


def was_rewritten(spec: BotSpec, before: dict[Path, int]) -> bool:
    """Whether all files that the bot's command names were written since then, by the build of another bot."""
    now = write_times(spec)
    return bool(now) and not missing_files(spec) and all(before.get(path) != time for path, time in now.items())


def build(spec: BotSpec, *, stream: bool = False) -> Built:
    """Build one bot."""
    began = time.monotonic()
    output = None if stream else subprocess.PIPE
    try:
        done = subprocess.run(
            spec.build, cwd=spec.folder, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False
        )
    except OSError as error:
        detail = f"cannot run `{shlex.join(spec.build)}`: {os.strerror(error.errno or 0)}"
        return Built(bot=spec.name, verdict="failed", detail=detail)
    seconds = time.monotonic() - began
    printed = (done.stdout or b"").decode("utf-8", "backslashreplace")
    if done.returncode:
        detail = f"`{shlex.join(spec.build)}` in {spec.folder} exited with code {done.returncode}"
        return Built(bot=spec.name, verdict="failed", detail=detail, output=printed, seconds=seconds)
    if missing := missing_files(spec):
        detail = f"the build succeeded, but {missing[0]} does not exist"
        return Built(bot=spec.name, verdict="failed", detail=detail, output=printed, seconds=seconds)
    return Built(bot=spec.name, verdict="built", seconds=seconds)
