"""Bundles: deterministic archives of a bot's built folder, named by their SHA-256.

It says which program played a match, byte for byte: its hash stands in the record, and its bytes are in a store
(bundle_store.py). `content_sha256` asks something else, whether a bot is still the same one, and leaves out what a
build makes, which differs from machine to machine.

The archive is a tar: sorted names, no times, no owners, two modes. Its first member, BUNDLE_FILE, says what the bundle
is and which machines can run it. Version control, caches of tools (folders with a CACHEDIR.TAG, such as cargo's
target/) and __pycache__ are left out, except files that the bot's command names.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import stat
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from referee.errors import ConfigError
from server.bots.kits import find_kits
from server.bots.spec import BUNDLE_FILE, MANIFEST, BotSpec
from server.jail.workplace import MAX_FILES

FORMAT = 1
MAX_BYTES = 256 << 20
"""Longest bundle, in bytes of files."""
LEFT_OUT = frozenset({".git", ".hg", ".svn", "__pycache__"})
CACHE_TAG, CACHE_SIGNATURE = "CACHEDIR.TAG", b"Signature: 8a477f597d28d172789f06886806bc55"
BLOCK = 1 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Description:
    """The description that a bundle holds of itself."""

    bot: str
    version: str
    language: str
    platform: str
    """Operating system and processor it was built for: linux-x86_64."""
    runtime: str
    """Runtime that its language needs, in the version it was built with. Empty: none."""
    format: int = FORMAT


@dataclass(frozen=True, kw_only=True, slots=True)
class BundleMember:
    """A file, folder or link to be packed."""

    name: str
    path: Path
    status: os.stat_result
    link: str = ""


def this_platform() -> str:
    """Return the operating system and processor of this machine."""
    return f"{sys.platform}-{platform.machine()}"


def this_runtime(language: str) -> str:
    """Return the runtime that a language needs, in the version that this machine has. Empty: none, or not known."""
    if language == "python":
        return f"{sys.implementation.name}-{sys.version_info.major}.{sys.version_info.minor}"
    kit = find_kits().get(language)
    if kit is None or not kit.runtime:
        return ""
    done = subprocess.run(["sh", "-c", kit.runtime], capture_output=True, text=True, check=False)
    return " ".join((done.stdout.splitlines() or [""])[0].split())[:64]


def describe(spec: BotSpec) -> Description:
    """Describe the bundle of a bot that was built here."""
    return Description(
        bot=spec.name,
        version=spec.version,
        language=spec.language,
        platform=this_platform(),
        runtime=this_runtime(spec.language),
    )


def why_foreign(its: Description) -> str:
    """Say why a bundle cannot be played on this machine, and what to do. Empty: it can."""
    cure = "build the bot on a machine like this one and bundle it there"
    if its.platform != this_platform():
        return f"the bundle of {its.bot} was built for {its.platform}, and this is {this_platform()}: {cure}"
    here = this_runtime(its.language)
    if its.runtime != here:
        has = here or f"nothing for {its.language}"
        return f"the bundle of {its.bot} was built with {its.runtime or 'no runtime'}, and here is {has}: {cure}"
    return ""


def pack(spec: BotSpec, output: BinaryIO) -> str:
    """Write the bundle of a bot's folder. Returns its SHA-256 in hexadecimal digits."""
    if spec.folder is None:
        raise ConfigError(f"the bot {spec.name} has no folder, so there is nothing to bundle")
    target = _Hashed(output)
    total = 0
    with tarfile.open(fileobj=target, mode="w|", format=tarfile.PAX_FORMAT) as archive:  # type: ignore[call-overload]
        text = json.dumps(asdict(describe(spec)), indent=1, sort_keys=True).encode()
        archive.addfile(_header(BUNDLE_FILE, size=len(text)), io.BytesIO(text))
        for number, member in enumerate(sorted(_members(spec), key=lambda entry: entry.name.encode())):
            total += member.status.st_size if stat.S_ISREG(member.status.st_mode) else 0
            if number >= MAX_FILES or total > MAX_BYTES:
                raise ConfigError(
                    f"the folder of {spec.name} is too large for a bundle: more than {MAX_FILES} files or "
                    f"{MAX_BYTES >> 20} MiB; let its build remove what it does not need to run"
                )
            _add(archive, member)
    return target.hash.hexdigest()


def _members(spec: BotSpec) -> Iterator[BundleMember]:
    assert spec.folder is not None
    root = spec.folder.resolve()
    named = [Path(word) for word in spec.run if word.startswith(f"{root}/")]
    caches: set[Path] = set()
    for here, folders, files in os.walk(root):
        place = Path(here)
        if place.parent in caches or (place != root and is_cache(place)):
            caches.add(place)
        if place in caches:  # of a cache, only what the command names
            folders[:] = [name for name in folders if any(path.is_relative_to(place / name) for path in named)]
            files = [name for name in files if place / name in named]
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        if place != root and (place not in caches or any(path.is_relative_to(place) for path in named)):
            yield _member(root, place)
        links = [name for name in folders if (place / name).is_symlink()]
        yield from (_member(root, place / name) for name in [*files, *links] if place / name != root / BUNDLE_FILE)


def is_cache(place: Path) -> bool:
    """Check whether a tool has marked a folder as its cache (bford.info/cachedir)."""
    try:
        with (place / CACHE_TAG).open("rb") as file:
            return file.read(len(CACHE_SIGNATURE)) == CACHE_SIGNATURE
    except OSError:
        return False


def _member(root: Path, path: Path) -> BundleMember:
    name, status = path.relative_to(root).as_posix(), path.lstat()
    link = ""
    if stat.S_ISLNK(status.st_mode):
        link = os.readlink(path)
        if os.path.isabs(link) or not (path.parent / link).resolve().is_relative_to(root):
            raise ConfigError(f"{name!a} links to {link!a}, out of the bot's folder: copy what it needs into it")
    elif not (stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)):
        raise ConfigError(f"{name!a} is neither a file nor a folder: remove it from the bot's folder")
    return BundleMember(name=name, path=path, status=status, link=link)


def _add(archive: tarfile.TarFile, member: BundleMember) -> None:
    mode = member.status.st_mode
    if member.link:
        archive.addfile(_header(member.name, kind=tarfile.SYMTYPE, link=member.link))
    elif stat.S_ISDIR(mode):
        archive.addfile(_header(member.name, kind=tarfile.DIRTYPE, executable=True))
    else:
        with open(os.open(member.path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            header = _header(member.name, size=member.status.st_size, executable=bool(mode & stat.S_IXUSR))
            try:
                archive.addfile(header, file)
            except OSError:
                raise ConfigError(f"{member.path} changed while it was read; try again") from None


def _header(
    name: str, *, kind: bytes = tarfile.REGTYPE, size: int = 0, link: str = "", executable: bool = False
) -> tarfile.TarInfo:
    """Make a member's header without anything that differs from one machine or day to another."""
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname = kind, size, link
    info.mode = 0o755 if executable else 0o644
    info.mtime = info.uid = info.gid = 0
    return info


class _Hashed:
    """A file that is only written to, with the hash of what went into it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.hash = hashlib.sha256()

    def write(self, data: bytes) -> int:
        """Write and count."""
        self.hash.update(data)
        return self._file.write(data)


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_description(archive: tarfile.TarFile) -> Description:
    """Read the description in a bundle. Raises ConfigError if it is none, or one of a later version of tortuga."""
    try:
        first = archive.next()
        file = archive.extractfile(first) if first and first.isreg() and first.name == BUNDLE_FILE else None
        table: dict[str, Any] = json.loads(file.read(BLOCK)) if file else {}
        if table.get("format") != FORMAT:
            raise ConfigError(f"it is not a bundle of the format {FORMAT}, or one of a later version of tortuga")
        return Description(**table)
    except (tarfile.TarError, ValueError, TypeError, AttributeError, EOFError, OSError) as error:
        raise ConfigError(f"it is not a bundle: {error}") from None


def unpack(path: Path, folder: Path) -> Description:
    """Unpack a bundle into an empty folder, for reading only. Refuses whatever `pack` does not write."""
    with tarfile.open(path, "r:") as archive:
        description = read_description(archive)
        (folder / BUNDLE_FILE).write_text(json.dumps(asdict(description), indent=1, sort_keys=True))
        try:
            total = 0
            for number, member in enumerate(iter(archive.next, None)):
                total += member.size
                if number > MAX_FILES or total > MAX_BYTES:
                    raise ConfigError(f"it holds more than {MAX_FILES} files or {MAX_BYTES >> 20} MiB")
                _take_out(archive, member, folder)
        except (tarfile.TarError, EOFError) as error:
            raise ConfigError(f"it is damaged: {error}") from None
    if not (folder / MANIFEST).is_file():
        raise ConfigError(f"it holds no {MANIFEST}")
    make_read_only(folder)
    return description


def _take_out(archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    place = folder / member.name
    parts = member.name.split("/")
    if any(part in ("", ".", "..") for part in parts) or "\0" in member.name:
        raise ConfigError(f"it holds {member.name!a}, which leads out of its folder")
    if not place.parent.resolve().is_relative_to(folder.resolve()):
        raise ConfigError(f"it holds {member.name!a}, which lies behind a link")
    if os.path.lexists(place):
        raise ConfigError(f"it holds {member.name!a} twice")
    if member.isdir():
        place.mkdir()
    elif member.issym():
        if os.path.isabs(member.linkname) or not (place.parent / member.linkname).resolve().is_relative_to(
            folder.resolve()
        ):
            raise ConfigError(f"it holds {member.name!a}, a link out of its folder")
        place.symlink_to(member.linkname)
    elif member.isreg():
        source = archive.extractfile(member)
        assert source is not None
        with open(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
            while block := source.read(BLOCK):
                file.write(block)
        place.chmod(0o755 if member.mode & stat.S_IXUSR else 0o644)
    else:
        raise ConfigError(f"it holds {member.name!a}, which is neither a file, a folder nor a symbolic link")


def make_read_only(folder: Path) -> None:
    """Take the right to write from everybody, and let everybody read: in the jail a bot is a user of its own."""
    for here, _, files in os.walk(folder, topdown=False):
        for name in files:
            path = Path(here, name)
            if not path.is_symlink():
                path.chmod(0o555 if path.stat().st_mode & stat.S_IXUSR else 0o444)
        Path(here).chmod(0o555)
