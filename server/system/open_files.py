"""Divides the files this process may open between the server itself and incoming connections.

A connection uses a file handle even if nothing is ever sent on it. Without a limit, a thousand idle connections would
use up all handles, and no record could be written. gRPC closes connections above its limit; running matches are not
affected.
"""

from __future__ import annotations

import resource

WANTED_FILES = 65_536
"""More are of no use, and our bots inherit the limit: some programs prepare for every file they may open."""
OWN_FILES = 512
"""Kept for our own: databases, records, logs, the bots we host."""
MOST_CONNECTIONS = 8192
"""At one door. Each takes some 16 kB."""


def raise_open_files_limit() -> int:
    """Raise the limit as far as we may and need; returns it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED_FILES if hard == resource.RLIM_INFINITY else min(hard, WANTED_FILES)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft if soft != resource.RLIM_INFINITY else WANTED_FILES
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def connections_per_door(open_files: int, doors: int = 2) -> int:
    """How many connections each public door may have."""
    return max(16, min(MOST_CONNECTIONS, (open_files - OWN_FILES) // doors))
