"""Decides which machines may play: those that would play every match like any other machine.

A machine checks itself before its first block, as far as it can. The process that runs the event compares its speed
(pool.py).
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Collection
from functools import cache
from pathlib import Path

from referee.rules.infos import INFOS, PLUGINS, find_info
from referee.rules.plugins import content_sha256
from referee.wire import find_wire
from server import __version__
from server.bots.spec import ROOT
from server.cluster.messages import MachineOrder
from server.jail.enclosure import FIRST_USER
from server.jail.level import JailLevel
from server.jail.machine import obstacle

FREE_BYTES = 256 << 20
"""What the temporary folder of a machine has to have free, for bots and their scratch folders."""
MOST_PIDS = 1 << 22
"""Linux numbers processes below this; the user of a bot is FIRST_USER plus such a number."""


def own_versions(games: Collection[str]) -> dict[str, str]:
    """Return all that has to be the same on every machine, as plain texts."""
    versions = {"Tortuga": __version__, "code": code_sha256(), "Python": ".".join(map(str, sys.version_info[:2]))}
    for game in sorted(games):
        if game not in INFOS:
            continue  # a game of another package, which is not installed here: as missing as its versions
        versions[f"rules of {game}"] = str(find_info(game).rules_version)
        versions[f"messages of {game}"] = str(find_wire(game).messages_version)
        if (plugin := PLUGINS[game]).package:
            versions[f"package of {game}"] = f"{plugin.origin}, content {content_sha256(plugin)[:16]}"
    return versions


@cache
def code_sha256() -> str:
    """Return the hash of our own code: a version number does not change with every change."""
    digest = hashlib.sha256()
    for top in ("referee", "server"):
        for path in sorted((ROOT / top).rglob("*.py")):
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0")
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def compare_versions(theirs: dict[str, str]) -> str:
    """Return why this machine cannot play for somebody of these versions; empty if it can."""
    prefix = "rules of "
    ours = own_versions([name.removeprefix(prefix) for name in theirs if name.startswith(prefix)])
    other = [
        f"{name} is {ours.get(name, 'missing')} here and {value} there"
        for name, value in theirs.items()
        if ours.get(name) != value
    ]
    if not other:
        return ""
    return f"{'; '.join(other)}: install the same Tortuga, and the same packages of games, on all machines"


def why_unfit(order: MachineOrder) -> str:
    """Return why this machine cannot play; empty if it can."""
    level = JailLevel(order.level)
    if reason := obstacle(level):
        return f"bots cannot be confined at the level {level} here: {reason}"
    if level is not JailLevel.NONE and os.getuid() == 0 and (reason := why_no_users()):
        return reason
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    if free < FREE_BYTES:
        return f"{folder} has {free >> 20} MiB free, and {FREE_BYTES >> 20} MiB are needed: make room, or set TMPDIR"
    return ""


def why_no_users(uid_map: str | None = None) -> str:
    """Return why bots cannot have users of their own, where we are root; empty if they can."""
    if platform.system() != "Linux":
        return ""
    text = Path("/proc/self/uid_map").read_text() if uid_map is None else uid_map
    ranges = [(int(first), int(count)) for first, _, count in map(str.split, text.splitlines())]
    if any(first <= FIRST_USER and first + count >= FIRST_USER + MOST_PIDS for first, count in ranges):
        return ""
    return (
        f"we are root in a container without the user ids from {FIRST_USER} on, which bots need: give it more user "
        "ids, or run the worker as an ordinary user"
    )
