"""The cores of this machine that we may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path


def available_cores() -> list[int]:
    """Their numbers. Where the system does not tell which are ours, as on macOS: all of them."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def core_count() -> int:
    """How many of them we can keep busy. A container sees every core, but may have a quota of processor time that pays
    for a few (`docker run --cpus`, the limit of a pod): whoever uses more is stopped for tenths of a second."""
    count = len(available_cores())
    return max(1, int(min([count, *own_quotas()])))


@cache
def own_quotas() -> tuple[float, ...]:
    """The quotas of this process: read once, because an arena asks for its limit at every table."""
    return tuple(cpu_quotas())


def cpu_quotas(root: Path = Path("/")) -> Iterator[float]:
    """The quotas of our cgroup and of those around it, in cores; none where nothing is limited."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:  # no Linux
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        tree = root / "sys/fs/cgroup"
        if controllers:  # cgroup v1: a tree for each controller
            if "cpu" not in controllers.split(","):
                continue
            tree /= "cpu"
        group = tree / path.lstrip("/")
        while group.is_relative_to(tree):
            with suppress(OSError, ValueError, ZeroDivisionError):  # in a container, folders of the host are not there
                yield _read_quota(group, is_v1=bool(controllers))
            group = group.parent


def _read_quota(group: Path, *, is_v1: bool) -> float:
    if is_v1:
        quota, period = ((group / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
    else:
        quota, period = (group / "cpu.max").read_text().split()
    if quota.strip() in {"-1", "max"}:
        raise ValueError("no limit")
    return int(quota) / int(period)


def pin_to_core(core: int) -> None:
    """Run this process, and all that it starts, on one core only, where the system supports it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
