"""What a caller of the arena can be told, as exceptions; guard.py turns each into a status code with its sentence.

ConfigError    INVALID_ARGUMENT: what was asked makes no sense
|- NotFound     NOT_FOUND
|- AlreadyExists       ALREADY_EXISTS
|- FailedPrecondition      FAILED_PRECONDITION: it made sense at another time
|- Unauthenticated    UNAUTHENTICATED: no token, or one that is worth nothing
`- RateLimited     RESOURCE_EXHAUSTED
"""

from __future__ import annotations

from collections.abc import Iterable

from referee.errors import ConfigError

SHOWN = 60
"""So many characters of a name that we do not know are repeated: it may be anything, and of any length."""
LISTED = 20


class NotFound(ConfigError):
    """There is no such thing."""


class AlreadyExists(ConfigError):
    """The name is somebody else's."""


class FailedPrecondition(ConfigError):
    """Too early, too late, or not in this state."""


class Unauthenticated(ConfigError):
    """The caller is nobody we know."""


class RateLimited(ConfigError):
    """Too many calls, or too many at once."""


def quote(name: str) -> str:
    """A caller's own word, safe to repeat: escaped, plain ASCII, and short."""
    return ascii(name) if len(name) <= SHOWN else f"{name[:SHOWN]!a}..."


def listed(names: Iterable[str]) -> str:
    """What there is, for somebody who asked for something else."""
    found = list(names)
    more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
    return ", ".join(found[:LISTED]) + more if found else "nothing"
