"""Builds an untrusted bot in the jail: a copy of its folder is built there and returned as an archive.

A build runs the author's code (`build.rs`, `postinstall`, any shell line), so it sees what a bot sees: its own folder,
the tools, no network. The folder itself stays read-only; the build works on a copy at the same path, because build
tools write absolute paths into what they make. What it made is checked before it replaces the folder's files.
"""

from __future__ import annotations

import os
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from referee.errors import ConfigError

SOURCE = Path("/run/tortuga/source")
"""The folder as it is, inside the jail."""
BUILT = Path("/run/tortuga/built")
"""The archive of the built folder, inside the jail."""

MAX_FILES = 20_000
MAX_BYTES = 1 << 30
"""Largest built folder, in bytes."""

# Compilers take all cores they find: bots that play meanwhile come first.
SCRIPT = (
    f'folder=$1; shift; cp -R "{SOURCE}/." "$folder" && cd "$folder" && nice -n 10 "$@" && '
    f'exec tar -cf "{BUILT}" -C "$folder" .'
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Workplace:
    """A folder that is built in the jail."""

    folder: Path
    archive: Path
    """An empty file, which the jail writes the built folder into. It must be in a folder that nobody else may enter."""

    def command(self, build: tuple[str, ...]) -> tuple[str, ...]:
        """Return the command that runs in the jail: copy the folder, build it, pack it."""
        return ("/bin/sh", "-c", SCRIPT, "build", str(self.folder), *build)

    def fetch(self) -> None:
        """Bring what was built into the folder. Raises ConfigError if the archive holds what no build may make."""
        with tarfile.open(self.archive) as archive:
            # Python 3.11.4 has this filter; before it, only what is checked here holds.
            archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, path: member)
            for member in _checked(archive):
                _check_way(self.folder, member)  # first: making room must not remove anything elsewhere
                _make_room(self.folder, member)
                archive.extract(member, self.folder)


def _checked(archive: tarfile.TarFile) -> list[tarfile.TarInfo]:
    """Return the files and folders of an archive; refuse it if it is too large or leads out of its folder."""
    members: list[tarfile.TarInfo] = []
    total = 0
    try:
        for member in archive:
            total += member.size
            if len(members) >= MAX_FILES or total > MAX_BYTES:
                raise ConfigError(f"the build makes more than {MAX_FILES} files or {MAX_BYTES >> 20} MiB")
            if member.isdir() or member.isreg() or member.issym():
                members.append(_inside(member))
    except tarfile.TarError as error:
        raise ConfigError(f"the build leaves no archive of its folder: {error}") from None
    return members


def _inside(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Return the member, if it and what it links to lie in the folder; otherwise refuse it."""
    place = PurePosixPath(member.name)
    target = PurePosixPath(member.linkname)
    depth = len(place.parent.parts)
    leaves = member.issym() and (target.is_absolute() or target.parts.count("..") > depth)
    if place.is_absolute() or ".." in place.parts or leaves:
        raise ConfigError(f"the build makes {member.name!a}, which leads out of the bot's folder")
    member.mode = 0o755 if member.isdir() else (member.mode | 0o600) & 0o755
    member.uid, member.gid, member.uname, member.gname = os.getuid(), os.getgid(), "", ""
    return member


def _check_way(folder: Path, member: tarfile.TarInfo) -> None:
    """Refuse a member that lies behind a link which leads out of the folder, or is such a link by way of others."""
    way = folder / PurePosixPath(member.name).parent  # of "." that is the folder itself
    places = [way, way / member.linkname] if member.issym() else [way]
    if not all(place.resolve().is_relative_to(folder.resolve()) for place in places):
        raise ConfigError(f"the build makes {member.name!a}, which leads out of the bot's folder")


def _make_room(folder: Path, member: tarfile.TarInfo) -> None:
    """Remove what is there under a member's name if it is a link, or of another kind: nothing is written through it."""
    path = folder / member.name
    if path.is_symlink() or (path.exists() and path.is_dir() != member.isdir()):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
