"""Finds out which levels of confinement work on this machine, and why the others do not.

Nothing is concluded from version numbers: a level is tried, once per process, by running a program in it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from referee.errors import ConfigError
from server.jail import enclosure
from server.jail.bubblewrap import find_tool
from server.jail.cgroup import find_place
from server.jail.confinement import Confinement
from server.jail.filter import LIBRARY, load_library
from server.jail.landlock import abi
from server.jail.level import JailLevel

TRIAL_SECONDS = 20.0
TRIAL = ("/bin/true",)
INSTALL = {
    "bwrap": "apt install bubblewrap, or dnf install bubblewrap",
    "setpriv": "apt install util-linux, or dnf install util-linux",
    "prlimit": "apt install util-linux, or dnf install util-linux",
    LIBRARY: "apt install libseccomp2, or dnf install libseccomp",
}


@cache
def obstacle(level: JailLevel) -> str:
    """Say why a level cannot be had here, and what to do about it; empty if it can."""
    if level is JailLevel.NONE:
        return ""
    if sys.platform != "linux":
        return "it needs Linux"
    if level.holds(JailLevel.FENCE) and load_library() is None:
        return _missing(LIBRARY)
    if level is JailLevel.FENCE and not abi():
        return "the kernel has no Landlock (Linux 5.13), or it is switched off: boot with lsm=landlock,…"
    if level.holds(JailLevel.JAIL):
        for tool in ("bwrap", "setpriv" if os.getuid() == 0 else "prlimit"):
            if not find_tool(tool):
                return _missing(tool)
    if level is JailLevel.JAIL_CGROUP and isinstance(place := find_place(), str):
        return place
    return _try(level)


def best_level() -> JailLevel:
    """Return the strongest level that works here."""
    return next(level for level in reversed(JailLevel) if not obstacle(level))


def choose_level(wanted: JailLevel | None) -> JailLevel:
    """Return the level wanted, or the best one for None. Never less than was asked for: ConfigError if it cannot be
    had."""
    if wanted is None:
        return best_level()
    if reason := obstacle(wanted):
        raise ConfigError(f"bots cannot be confined at the level {wanted} here: {reason}")
    return wanted


def require_level(level: JailLevel, required: JailLevel, who: str) -> None:
    """Refuse to go on, in the name of `who` requires it, if bots are confined at less than the level required."""
    if not level.holds(required):
        reason = obstacle(required)
        cure = f"which is not available here: {reason}" if reason else f"pass --jail {required}"
        raise ConfigError(f"{who} requires bots to be confined at the level {required}, not at {level}: {cure}")


def describe_level(level: JailLevel, *, chosen: bool) -> str:
    """Describe a level in one line. If we have `chosen` it, say also what keeps this machine from a better one."""
    if level is JailLevel.NONE:
        return "bots are NOT confined: they can do whatever you can do"
    description = f"bots are confined: {level}"
    better = next((level_above for level_above in JailLevel if not level.holds(level_above)), None)
    if not chosen or better is None:
        return description
    return f"{description}, the best this machine has; not {better}: {obstacle(better)} (see `tortuga doctor`)"


def _missing(tool: str) -> str:
    return f"{tool} is not installed ({INSTALL[tool]})"


def _try(level: JailLevel) -> str:
    """Run a program at that level. Empty if it ran, else what stood in its way and what to do about it."""
    with tempfile.TemporaryDirectory(prefix="tortuga-trial-") as folder:
        try:
            order = Confinement(level=level).order(TRIAL, sees=(), door=None, scratch=Path(folder))
            done = subprocess.run(
                [sys.executable, "-I", "-S", enclosure.__file__],
                input=json.dumps({"order": order, "argv": TRIAL, "cwd": folder}),
                capture_output=True,
                text=True,
                check=False,
                timeout=TRIAL_SECONDS,
            )
        except (OSError, subprocess.SubprocessError, ConfigError) as error:
            return str(error)
    if done.returncode == 0:
        return ""
    problem = (done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"])[-1]
    return f"{problem}{_cure(level, problem)}"


def _cure(level: JailLevel, problem: str) -> str:
    if level.holds(JailLevel.JAIL) and os.getuid() != 0 and ("namespace" in problem or "uid map" in problem):
        return (
            "; unprivileged user namespaces are switched off: sysctl kernel.unprivileged_userns_clone=1 (Debian), "
            "sysctl user.max_user_namespaces=10000 (Fedora), or a profile for bwrap in AppArmor (Ubuntu)"
        )
    if "Unknown option" in problem:
        return "; bubblewrap is too old: 0.8 is needed"
    return ""
