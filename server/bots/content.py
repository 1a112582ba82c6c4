"""The SHA-256 of a bot's files, so that a changed bot is not mistaken for the same one.

Files that its build writes do not count: they follow from the rest, and differ from machine to machine.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from server.bots.spec import BotSpec

BUILT = frozenset({"target", "build", "bin", "obj", "node_modules", "dist", "__pycache__"})


def content_sha256(spec: BotSpec) -> str:
    """In hexadecimal digits. Of a bot without a folder its command's files count; empty: it dials in by itself."""
    if spec.remote:
        return ""
    found = hashlib.sha256()
    if spec.folder is None:
        found.update("\0".join(spec.run).encode())
    for name, path in sorted(_files(spec)):
        content = path.read_bytes()
        found.update(f"{name}\0{len(content)}\0".encode())
        found.update(content)
    return found.hexdigest()


def _files(spec: BotSpec) -> Iterator[tuple[str, Path]]:
    if spec.folder is None:
        yield from ((word, Path(word)) for word in spec.run[1:] if Path(word).is_file())
        return
    for here, folders, files in os.walk(spec.folder):
        folders[:] = [name for name in folders if name not in BUILT and not name.startswith(".")]
        for name in files:
            path = Path(here, name)
            if path.is_file() and not name.startswith("."):
                yield path.relative_to(spec.folder).as_posix(), path
