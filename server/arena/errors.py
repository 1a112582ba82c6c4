"""Errors for callers of the arena. interceptor.py turns each into a gRPC status code with its message.

ConfigError              INVALID_ARGUMENT: the request makes no sense
|- NotFound              NOT_FOUND
|- AlreadyExists         ALREADY_EXISTS
|- FailedPrecondition    FAILED_PRECONDITION: it would make sense at another time
|- Unauthenticated       UNAUTHENTICATED: no token, or an invalid one
|- PermissionDenied      PERMISSION_DENIED: a valid token, but not for this
`- RateLimited           RESOURCE_EXHAUSTED
"""

from __future__ import annotations

from referee.errors import ConfigError


class NotFound(ConfigError):
    """There is nothing of this name."""


class AlreadyExists(ConfigError):
    """The name is taken."""


class FailedPrecondition(ConfigError):
    """Too early, too late, or not in this state."""


class Unauthenticated(ConfigError):
    """No token, or an invalid one."""


class PermissionDenied(ConfigError):
    """A valid token, but not for this."""


class RateLimited(ConfigError):
    """Too many calls, or too many at once."""
