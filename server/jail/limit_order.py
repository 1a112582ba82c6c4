"""Instructions for a keeper to enforce its bot's limits: rlimits, and who counts the rest."""

from __future__ import annotations

from typing import Any

from referee.errors import ConfigError
from server.jail.bubblewrap import find_tool
from server.jail.cgroup import find_place
from server.jail.level import JailLevel
from server.jail.limits import ResourceLimits

SHARED_USER_TASKS = 4096
"""Where bots run as our own user, the kernel counts the tasks of all of them and of ours together."""
HARD_TASKS_FACTOR = 4
"""The kernel refuses a bot new tasks only at this multiple of its limit, so that the keeper's next look finds it above
the limit. With little room, a bot that was refused a thread fell below its limit again before anybody looked."""


def limit_order(level: JailLevel, limits: ResourceLimits, *, own_user: bool) -> dict[str, Any]:
    """The part of a keeper's order that is about limits, fit for JSON. `own_user`: nobody else runs as its user."""
    if level is JailLevel.NONE:
        return {}
    rlimits = {"CORE": 0, "NOFILE": limits.open_files, "FSIZE": limits.file_bytes}
    if level is JailLevel.JAIL_CGROUP:
        place = find_place()
        if isinstance(place, str):
            raise ConfigError(f"bots cannot be confined at the level {level} here: {place}")
        return {"rlimits": rlimits, "group": place.order(limits)}
    rlimits["DATA"] = limits.memory_bytes
    if own_user:
        rlimits["NPROC"] = limits.tasks * HARD_TASKS_FACTOR
    elif not level.holds(JailLevel.JAIL):  # there it is set inside, where the kernel counts each jail by itself
        rlimits["NPROC"] = SHARED_USER_TASKS
    counted = {name: getattr(limits, name) for name in ("memory_bytes", "tasks", "scratch_bytes")}
    return {"rlimits": rlimits, "counted": counted}


def limit_tasks_inside(level: JailLevel, limits: ResourceLimits) -> list[str]:
    """The words before a command that limit its tasks from inside a jail with a user namespace of its own: there the
    kernel counts them apart from those of the same user outside."""
    if level is JailLevel.JAIL_CGROUP:
        return []
    return [find_tool("prlimit"), f"--nproc={limits.tasks * HARD_TASKS_FACTOR}", "--"]
