"""The five levels of confinement, each stronger than the one before."""

from __future__ import annotations

from enum import StrEnum

from referee.errors import ConfigError

AUTO = "auto"
"""The word for the best level that this machine has."""


class JailLevel(StrEnum):
    """Levels from no confinement to the strongest. docs/security.md says what each one holds."""

    NONE = "none"
    PROCESS = "process"
    """Own session and rlimits; own uid where we are root."""
    FENCE = "fence"
    """Landlock, a filter of system calls and rlimits: needs neither root nor namespaces."""
    JAIL = "jail"
    """bubblewrap, with the same filter inside."""
    JAIL_CGROUP = "jail+cgroup"
    """The jail, with limits that the kernel counts for all processes of a bot together."""

    def holds(self, other: JailLevel) -> bool:
        """Check that this level holds at least as much as another one."""
        levels = list(JailLevel)
        return levels.index(self) >= levels.index(other)


def read_level(text: str) -> JailLevel | None:
    """Return a level by its name; None for `auto`."""
    if text == AUTO:
        return None
    try:
        return JailLevel(text)
    except ValueError:
        known = ", ".join([AUTO, *JailLevel])
        raise ConfigError(f"--jail is {text!r}, expected one of {known}") from None
