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
    """The level wanted, or the best one for None. Never less than what was wanted: ConfigError if it cannot be had."""
    if wanted is None:
        return best_level()
    if reason := obstacle(wanted):
        raise ConfigError(f"bots cannot be confined at the level {wanted} here: {reason}")
    return wanted
