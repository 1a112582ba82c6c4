"""What each level promises: which tries succeed at it. docs/security.md tells the same, and tests compare both."""

from __future__ import annotations

from collections.abc import Container

from server.jail.level import JailLevel


class Everything:
    """Contains everything."""

    def __contains__(self, name: object) -> bool:
        return True


OPEN_IN_FENCE: frozenset[str] = frozenset()
OPEN_IN_JAIL: frozenset[str] = frozenset()


def promised_open(level: JailLevel) -> Container[str]:
    """The tries that are known to succeed at a level."""
    match level:
        case JailLevel.NONE | JailLevel.PROCESS:
            return Everything()
        case JailLevel.FENCE:
            return OPEN_IN_FENCE
        case JailLevel.JAIL:
            return OPEN_IN_JAIL
        case JailLevel.JAIL_CGROUP:
            return frozenset()
