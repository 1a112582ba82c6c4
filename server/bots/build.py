"""Builds bots: runs each one's `build` command in its own folder, and reports the tool's output if it fails."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from server.bots.kits import PACKAGES, REQUIREMENTS, has_build, missing_files, missing_tools, needs_packages, on_ci
from server.bots.spec import BotSpec

LAST_LINES = 12
"""Number of lines of a failed build's output shown where many bots are built."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Built:
    """The result of one bot's build."""

    bot: str
    verdict: str
    """`built`, `already built` (by the build of another bot), `nothing to build`, `failed` or `tools missing`."""
    detail: str = ""
    output: str = ""
    """Output of the tool, if it failed or ran in the jail."""
    seconds: float = 0.0

    @property
    def usable(self) -> bool:
        """Check that the bot can be started now."""
        return self.verdict not in ("failed", "tools missing")

    def describe(self, *, whole_output: bool = True) -> str:
        """Describe the result in one line, after the output of a build that failed."""
        took = f" in {self.seconds:.1f} s" if self.seconds else ""
        line = f"{self.bot}: {self.verdict}{f': {self.detail}' if self.detail else ''}{took}"
        output = [] if self.usable else self.output.rstrip().splitlines()
        return "\n".join([*(output if whole_output else output[-LAST_LINES:]), line])


def summarise(results: Sequence[Built]) -> str:
    """Say how many bots can be started now, and which were left out."""
    left_out = [f"{built.bot} ({built.verdict})" for built in results if not built.usable]
    usable = f"{len(results) - len(left_out)} of {len(results)} bots are built"
    return f"{usable}; left out: {', '.join(left_out)}" if left_out else usable


def exit_code(results: Sequence[Built], *, everything: bool) -> int:
    """Return 1 if a bot was not built that had to be: each one that was named; with `--all`, each one on CI."""
    left_out = any(not built.usable for built in results)
    return 1 if left_out and (on_ci() or not everything) else 0


def build_bots(
    specs: Sequence[BotSpec],
    *,
    starting: Callable[[BotSpec], None] | None = None,
    printed: Callable[[str], None] | None = None,
) -> Iterator[Built]:
    """Build one bot after the other, the others even if one fails. `printed` hears every line of the tools."""
    before = [write_times(spec) for spec in specs]
    for spec, times in zip(specs, before, strict=True):
        if not has_build(spec):
            yield Built(bot=spec.name, verdict="nothing to build")
        elif tools := missing_tools(spec.language):
            yield Built(bot=spec.name, verdict="tools missing", detail=f"{', '.join(tools)} not found")
        elif was_rewritten(spec, times):
            yield Built(bot=spec.name, verdict="already built", detail="by the build of another bot")
        else:
            if starting:
                starting(spec)
            yield build(spec, printed)


def write_times(spec: BotSpec) -> dict[Path, int]:
    """Return when each file of the bot's own folder that its command names was written."""
    named = [Path(word) for word in spec.run if word.startswith(str(spec.folder)) and Path(word).is_file()]
    return {path: path.stat().st_mtime_ns for path in named}


def was_rewritten(spec: BotSpec, before: dict[Path, int]) -> bool:
    """Check whether all files that the bot's command names were written since then, by the build of another bot."""
    now = write_times(spec)
    return bool(now) and not missing_files(spec) and all(before.get(path) != time for path, time in now.items())


def build(spec: BotSpec, printed: Callable[[str], None] | None = None) -> Built:
    """Build one bot: the packages of its requirements.txt, then its own command."""
    assert spec.folder is not None
    began, lines, detail = time.monotonic(), list[str](), ""
    if needs_packages(spec):
        detail = install_packages(spec.folder, lines, printed)
    if spec.build and not detail:
        detail = run_command(spec.build, spec.folder, lines, printed)
    if not detail and (missing := missing_files(spec)):
        detail = f"the build succeeded, but {missing[0]} does not exist"
    seconds = time.monotonic() - began
    if detail:
        # What was streamed need not be shown again.
        output = "" if printed else "".join(f"{line}\n" for line in lines)
        return Built(bot=spec.name, verdict="failed", detail=detail, output=output, seconds=seconds)
    return Built(bot=spec.name, verdict="built", seconds=seconds)


def install_packages(folder: Path, lines: list[str], printed: Callable[[str], None] | None) -> str:
    """Install what a requirements.txt names into the bot's own folder. Returns what went wrong; empty if nothing did.

    Installed beside it first: a failure leaves the packages of the last build.
    """
    with tempfile.TemporaryDirectory(prefix=f".{PACKAGES}-", dir=folder) as temporary:
        command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
        target = Path(temporary) / PACKAGES
        arguments = ["--target", str(target), "--requirement", str(folder / REQUIREMENTS)]
        if detail := run_command([*command, *arguments], folder, lines, printed):
            return detail
        target.mkdir(exist_ok=True)  # nothing was asked for
        shutil.rmtree(folder / PACKAGES, ignore_errors=True)
        target.rename(folder / PACKAGES)
    return ""


def run_command(command: Sequence[str], folder: Path, lines: list[str], printed: Callable[[str], None] | None) -> str:
    """Run a command and pass on each line as it comes. Returns what went wrong; empty if nothing did."""
    try:
        with subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as process:
            assert process.stdout is not None
            for raw in process.stdout:
                line = raw.decode("utf-8", "backslashreplace").rstrip("\r\n")
                lines.append(line)
                if printed:
                    printed(line)
    except OSError as error:
        return f"cannot run `{shlex.join(command)}`: {os.strerror(error.errno or 0)}"
    return f"`{shlex.join(command)}` in {folder} exited with code {process.returncode}" if process.returncode else ""
