"""Tells whether a bot's folder is a stranger's, by who owns what is in it, and refuses to start it unconfined.

The bots of the user who plays an event, of root and our own sample bots are never a stranger's: authors play their own
folders without a question. A folder that somebody else put on this machine may hold anything, so its bot is started at
the level jail or better, unless the organiser chose a level. Whoever copies or unpacks a stranger's bot owns the copy:
that cannot be told here.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from referee.errors import ConfigError
from server.bots.spec import SAMPLE_BOTS, BotSpec
from server.jail.level import JailLevel
from server.jail.machine import obstacle


def is_sample(spec: BotSpec) -> bool:
    """Return whether it is one of our sample bots, which play from the folder where they are."""
    return spec.folder is not None and spec.folder.is_relative_to(SAMPLE_BOTS)


def own_users() -> frozenset[int]:
    """Return the users whose files are not a stranger's: this one, root, and who called sudo."""
    caller = os.environ.get("SUDO_UID", "") if os.getuid() == 0 else ""
    return frozenset({0, os.getuid(), *([int(caller)] if caller.isdecimal() else [])})


def find_stranger(spec: BotSpec, ours: Collection[int]) -> tuple[Path, int] | None:
    """Return a file in a bot's folder that belongs to somebody else, and to whom; None if there is none."""
    if spec.folder is None or is_sample(spec):
        return None
    for path in _all_below(spec.folder):
        try:
            owner = path.lstat().st_uid
        except OSError:
            continue  # it has just gone
        if owner not in ours:
            return path, owner
    return None


def refuse_strangers(specs: Iterable[BotSpec], level: JailLevel, ours: Collection[int] | None = None) -> None:
    """Refuse to start a stranger's bot at less than the level jail."""
    if level.holds(JailLevel.JAIL):
        return
    for spec in specs:
        if stranger := find_stranger(spec, own_users() if ours is None else ours):
            path, owner = stranger
            reason = obstacle(JailLevel.JAIL) or "ask for it with --jail jail"
            raise ConfigError(
                f"{path} belongs to {_name_user(owner)}, so the bot {spec.name} may be a stranger's, and bots would be "
                f"confined at the level {level} only, not in a jail: {reason}. If you trust its author, say so: pass "
                f'--jail {level}, or set jail = "{JailLevel.PROCESS}" or more in tournament.toml'
            )


def _all_below(folder: Path) -> Iterator[Path]:
    yield folder
    for here, folders, files in os.walk(folder):
        yield from (Path(here) / name for name in (*folders, *files))


def _name_user(number: int) -> str:
    try:
        return f"{pwd.getpwuid(number).pw_name} (user {number})"
    except KeyError:
        return f"user {number}"
