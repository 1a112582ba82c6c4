"""What this machine can do: which levels of confinement work here, and why the others do not."""

from __future__ import annotations

from functools import cache

from referee.errors import ConfigError
from server.jail.level import JailLevel


@cache
def obstacle(level: JailLevel) -> str:
    """Why a level cannot be had here, with what to do about it; empty if it can."""
    if level in (JailLevel.NONE, JailLevel.PROCESS):
        return ""
    return f"the level {level} is not built yet"


def best_level() -> JailLevel:
    """The strongest level that works here."""
    return [level for level in JailLevel if not obstacle(level)][-1]


def choose_level(wanted: JailLevel | None) -> JailLevel:
    """The level wanted, or the best one for None. Never less than was asked for: ConfigError if it cannot be had."""
    if wanted is None:
        return best_level()
    if reason := obstacle(wanted):
        raise ConfigError(f"bots cannot be confined at the level {wanted} here: {reason}")
    return wanted


def require_level(level: JailLevel, required: JailLevel, who: str) -> None:
    """Refuse to go on, in the name of `who` requires it, if bots are confined at less than the level required."""
    if not level.holds(required):
        reason = obstacle(required)
        cure = f"which cannot be had here: {reason}" if reason else f"pass --jail {required}"
        raise ConfigError(f"{who} requires that bots are confined at the level {required}, not at {level}: {cure}")


def describe_level(level: JailLevel, *, chosen: bool) -> str:
    """A level in one line. If we have `chosen` it, with what keeps this machine from a better one."""
    if level is JailLevel.NONE:
        return "bots are NOT confined: they can do whatever you can do"
    words = f"bots are confined: {level}"
    better = next((one for one in JailLevel if not level.holds(one)), None)
    if not chosen or better is None:
        return words
    return f"{words}, the best this machine has; not {better}: {obstacle(better)} (see `tortuga doctor`)"
