"""Building bots: each one's own `build` command, in its own folder, with the tool's own words when it fails."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from server.bots.kits import missing_files, missing_tools
from server.bots.spec import BotSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class Built:
    """What came of one bot's build."""

    bot: str
    verdict: str
    """`built`, `built along` (with another bot of its kit), `nothing to build`, `failed` or `tools missing`."""
    detail: str = ""
    output: str = ""
    """What the tool printed, if it failed."""
    seconds: float = 0.0

    @property
    def usable(self) -> bool:
        """Whether the bot can be started now."""
        return self.verdict not in ("failed", "tools missing")


def build_bots(
    specs: Iterable[BotSpec], *, stream: bool = False, starting: Callable[[BotSpec], None] | None = None
) -> Iterator[Built]:
    """Build one bot after the other. A build that fails does not keep the others from theirs."""
    began: dict[Path, float] = {}  # per kit folder, when its last build began
    for spec in specs:
        if spec.folder is None or not spec.build:
            yield Built(bot=spec.name, verdict="nothing to build")
        elif tools := missing_tools(spec.language):
            yield Built(bot=spec.name, verdict="tools missing", detail=f"{', '.join(tools)} not found on PATH")
        elif came_along(spec, began.get(spec.folder.parent)):
            yield Built(bot=spec.name, verdict="built along", detail="with the bot before")
        else:
            if starting:
                starting(spec)
            began[spec.folder.parent] = time.time()
            yield build(spec, stream=stream)


def came_along(spec: BotSpec, began: float | None) -> bool:
    """Whether the build of another bot of the same kit has just made this one, too: all that its command names in its
    folder was written since that build began."""
    if began is None or missing_files(spec):
        return False
    named = [Path(word) for word in spec.run if word.startswith(str(spec.folder)) and Path(word).is_file()]
    return bool(named) and all(path.stat().st_mtime >= began for path in named)


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
        detail = f"the build went well, but {missing[0]} is still not there"
        return Built(bot=spec.name, verdict="failed", detail=detail, output=printed, seconds=seconds)
    return Built(bot=spec.name, verdict="built", seconds=seconds)
