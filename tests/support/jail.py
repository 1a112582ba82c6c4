"""Levels of confinement in tests: a machine without one of them leaves its tests out, a CI machine may not."""

from __future__ import annotations

import os

import pytest

from server.bots.kits import on_ci
from server.jail.level import JailLevel
from server.jail.machine import obstacle

CONFINED = [level for level in JailLevel if level is not JailLevel.NONE]


def need(level: JailLevel) -> None:
    """Leave a test out where a level cannot be had, and say why."""
    if reason := obstacle(level):
        # An ordinary user of a CI machine has no cgroups that are delegated to it; root has its own.
        if on_ci() and not (level is JailLevel.JAIL_CGROUP and os.getuid() != 0):
            pytest.fail(f"the level {level} cannot be had on this CI machine: {reason}")
        pytest.skip(f"the level {level} cannot be had here: {reason}")
