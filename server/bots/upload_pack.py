"""Packs a bot's folder for an arena that builds it: its own files, without build products and without secrets."""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from pathlib import Path

from referee.errors import ConfigError
from server.bots.bundle import LEFT_OUT, is_cache
from server.bots.content import BUILT
from server.bots.kits import PACKAGES, REQUIREMENTS
from server.bots.spec import MANIFEST, read_manifest
from server.bots.upload import UploadLimits

PRIVATE = frozenset({".env", ".venv", "venv", ".idea", ".vscode", ".DS_Store"})
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip file knows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Packed:
    """What was packed."""

    files: int
    left_out: tuple[str, ...]
    """Folders and files that were not."""


def pack_folder(folder: Path, output: Path, limits: UploadLimits | None = None) -> Packed:
    """Write a zip file of a bot's folder, always the same for the same files."""
    limits = limits or UploadLimits()
    if not (folder / MANIFEST).is_file():
        raise ConfigError(f"the folder {folder} has no {MANIFEST}")
    spec = read_manifest(folder / MANIFEST)
    assert spec.folder is not None
    root = spec.folder
    skipped = LEFT_OUT | PRIVATE | (BUILT if spec.build else frozenset())
    if (root / REQUIREMENTS).is_file():
        skipped |= {PACKAGES}
    left_out: list[str] = []
    found: list[Path] = []
    for here, folders, files in os.walk(root):
        place = Path(here)
        kept = [name for name in sorted(folders) if name not in skipped and not is_cache(place / name)]
        left_out += [f"{(place / name).relative_to(root)}/" for name in folders if name not in kept]
        folders[:] = kept
        for name in sorted(files):
            if name in skipped:
                left_out.append(str((place / name).relative_to(root)))
            else:
                found.append(_harmless(root, place / name))
        found += [_refuse_link(root, place / name) for name in kept if (place / name).is_symlink()]
    if len(found) > limits.files:
        raise ConfigError(f"{folder} holds {len(found)} files, at most {limits.files} can be sent")
    total = sum(path.stat().st_size for path in found)
    if total > limits.total_bytes:
        raise ConfigError(f"{folder} holds {total >> 20} MiB, at most {limits.total_bytes >> 20} can be sent")
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(found, key=lambda one: one.relative_to(root).as_posix()):
            info = zipfile.ZipInfo(path.relative_to(root).as_posix(), EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100755 if os.access(path, os.X_OK) else 0o100644) << 16
            archive.writestr(info, path.read_bytes())
    return Packed(files=len(found), left_out=tuple(sorted(left_out)))


def _harmless(root: Path, path: Path) -> Path:
    """A file to pack; a link in the folder is packed as the file that it links to."""
    if not path.resolve().is_relative_to(root):
        raise _leads_out(root, path)
    if not path.is_file():
        raise ConfigError(f"{path} is not a file; remove it from the bot's folder")
    return path


def _refuse_link(root: Path, path: Path) -> Path:
    if not path.resolve().is_relative_to(root):
        raise _leads_out(root, path)
    raise ConfigError(f"{path} is a link to a folder; put the folder itself there")


def _leads_out(root: Path, path: Path) -> ConfigError:
    return ConfigError(f"{path} leads out of {root}: copy what the bot needs into its folder")
