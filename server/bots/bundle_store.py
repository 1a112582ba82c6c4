"""The store of bundles: each under its own hash, written once, checked whenever it is read.

AB/ABCDEF….tar     a bundle; AB are the first two digits of its SHA-256
unpacked/ABCDEF…/  the same, unpacked, for reading only: what bots are played from. Can be made again at any time.

Nothing is ever changed in place: a bundle gets its name when it is whole and on the disk.
"""

from __future__ import annotations

import os
import re
import shutil
import tarfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from referee.errors import ConfigError
from referee.records.files import sync_folder
from server.bots.bundle import Description, hash_file, pack, read_description, unpack
from server.bots.spec import MANIFEST, BotSpec, read_manifest

FOLDER = "bundles"
UNPACKED = "unpacked"
PREFIX = "bundle:"
"""Prefix of the name of a bot that plays from a bundle, wherever the store may be: bundle:HASH."""
HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Bundle:
    """A bundle of the store."""

    sha256: str
    path: Path
    size: int


class BundleStore:
    """The bundles in a folder. One process writes to it; any number may read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    def add(self, spec: BotSpec) -> Bundle:
        """Bundle a bot's folder. The same files give the same bundle, which is then stored once."""
        with self._draft() as draft:
            with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                sha256 = pack(spec, file)
                file.flush()
                os.fsync(file.fileno())
            return self._keep(draft, sha256)

    def add_file(self, path: Path, sha256: str) -> Bundle:
        """Store a bundle that came from elsewhere, if it is the one that it is said to be."""
        with self._draft() as draft:
            shutil.copyfile(path, draft)
            draft.chmod(0o600)
            if (actual := hash_file(draft)) != sha256:
                raise ConfigError(f"{path} has the SHA-256 {actual}, expected {sha256}")
            with draft.open("rb") as file:
                os.fsync(file.fileno())
            return self._keep(draft, sha256)

    def _keep(self, draft: Path, sha256: str) -> Bundle:
        place = self._place(sha256)
        if not (place.is_file() and hash_file(place) == sha256):  # a damaged one is replaced
            place.parent.mkdir(mode=0o700, exist_ok=True)
            draft.replace(place)
            sync_folder(place.parent)
        return Bundle(sha256=sha256, path=place, size=place.stat().st_size)

    def find(self, sha256: str) -> Bundle:
        """Return a bundle by its hash, after comparing its bytes with the hash."""
        if not HASH.fullmatch(sha256):
            raise ConfigError(f"{sha256[:80]!a} is not a SHA-256: expected 64 hexadecimal digits")
        place = self._place(sha256)
        if not place.is_file():
            raise ConfigError(f"there is no bundle {sha256} in {self.folder}")
        if (actual := hash_file(place)) != sha256:
            raise ConfigError(f"{place} is damaged: its SHA-256 is {actual}; restore it from a backup")
        return Bundle(sha256=sha256, path=place, size=place.stat().st_size)

    def describe(self, sha256: str) -> Description:
        """Return the description in a bundle."""
        with tarfile.open(self.find(sha256).path, "r:") as archive:
            return read_description(archive)

    def unpacked(self, sha256: str) -> Path:
        """Return the folder of a bundle; unpack it now if it is not unpacked yet."""
        folder = self.folder / UNPACKED / sha256
        if HASH.fullmatch(sha256) and (folder / MANIFEST).is_file():
            return folder
        bundle = self.find(sha256)
        folder.parent.mkdir(mode=0o700, exist_ok=True)
        draft = folder.with_name(f".{sha256}.{os.getpid()}")
        remove_tree(draft)
        draft.mkdir()
        try:
            unpack(bundle.path, draft)
            remove_tree(folder)
            draft.chmod(0o755)  # where we are not root, a folder that cannot be written to cannot be renamed
            draft.replace(folder)
            folder.chmod(0o555)
        except ConfigError as error:
            raise ConfigError(f"the bundle {sha256}: {error}") from None
        finally:
            remove_tree(draft)
        return folder

    def spec(self, sha256: str) -> BotSpec:
        """Return the bot of a bundle, as it is played."""
        return read_manifest(self.unpacked(sha256) / MANIFEST)

    def resolve(self, spec: str) -> str:
        """Return the SPEC of a bot that is named by the hash of its bundle (`spec_of`); any other stays as it is."""
        sha256 = spec.removeprefix(PREFIX)
        return spec if sha256 == spec else str(self.unpacked(sha256))

    def all(self) -> Iterator[str]:
        """Yield the hashes of all bundles."""
        for path in sorted(self.folder.glob("??/*.tar")):
            if HASH.fullmatch(path.stem) and path.parent.name == path.stem[:2]:
                yield path.stem

    def sweep(self, needed: Collection[str]) -> None:
        """Remove what killed processes left, and all unpacked bundles but these. For the one process that writes."""
        for path in self.folder.glob(".new.*"):
            path.unlink(missing_ok=True)
        unpacked = self.folder / UNPACKED
        for path in sorted(unpacked.iterdir()) if unpacked.is_dir() else ():
            if path.name not in needed:
                remove_tree(path)

    def trim(self, most_bytes: int, unused_since: float) -> None:
        """Remove bundles above a size in all, those first that were used longest ago; none that was used since a time.

        The time of a file says when its bundle was used: `touch` it. For a cache: elsewhere nothing can make it again.
        """
        by_age = sorted(((path.stat().st_mtime, path) for path in map(self._place, self.all())), key=itemgetter(0))
        total = sum(path.stat().st_size for _, path in by_age)
        for used, path in by_age:
            if total <= most_bytes or used >= unused_since:
                return
            total -= path.stat().st_size
            path.unlink(missing_ok=True)

    def touch(self, sha256: str) -> None:
        """Note that a bundle is used."""
        os.utime(self._place(sha256))

    def _place(self, sha256: str) -> Path:
        return self.folder / sha256[:2] / f"{sha256}.tar"

    def _draft(self) -> _Draft:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _Draft(self.folder / f".new.{os.urandom(4).hex()}.{os.getpid()}")


class _Draft:
    """A file that is gone at the end, unless it was renamed."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> Path:
        return self._path

    def __exit__(self, *_: object) -> None:
        self._path.unlink(missing_ok=True)


def remove_tree(folder: Path) -> None:
    """Remove a folder, even if it is for reading only."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
        return
    for here, _, _ in os.walk(folder):
        os.chmod(here, 0o700)
    shutil.rmtree(folder, ignore_errors=True)
