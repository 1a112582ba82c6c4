"""Private folders of a machine of a cluster, and the removal of those that killed machines have left."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from server.bots.bundle_store import remove_tree


def scratch_name(pid: int, luck: str) -> str:
    """Name the private folder of a worker on a machine. The name tells whose it is, so that others can remove it."""
    return f"tortuga-m{pid}_{luck}"


def owner_of_scratch(path: Path) -> int | None:
    """Return the process that made a private folder; None if it is not one of ours."""
    name = path.name
    if not name.startswith("tortuga-m") or "_" not in name:
        return None
    digits = name.removeprefix("tortuga-m").partition("_")[0]
    return int(digits) if digits.isascii() and digits.isdigit() else None


def scratch_path() -> Path:
    """Return a new private folder."""
    return Path(tempfile.gettempdir()) / scratch_name(os.getpid(), os.urandom(6).hex())


def remove_stale_scratch() -> None:
    """Remove what machines that were killed have left in the temporary folder."""
    for path in Path(tempfile.gettempdir()).glob("tortuga-m*_*"):
        owner = owner_of_scratch(path)
        with suppress(OSError):
            if owner is not None and path.stat().st_uid == os.getuid() and not is_running(owner):
                remove_tree(path)


def is_running(pid: int) -> bool:
    """Check whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
