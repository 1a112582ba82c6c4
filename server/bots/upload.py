"""Zip files of bots: packs a bot's folder for an arena that builds it, and unpacks an untrusted one.

A folder is packed without build products and without secrets.

An untrusted zip file is refused with a plain message unless every member is harmless. All names are judged before a
byte is written, and what is written is counted: sizes in an archive are claims. Files go into a new folder that nobody
else may enter, none through a link: links are not unpacked at all.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from referee.errors import ConfigError
from server.bots.bundle import LEFT_OUT, is_cache
from server.bots.kits import PACKAGES, REQUIREMENTS
from server.bots.spec import BUILT, MANIFEST, read_manifest

BLOCK = 1 << 18
END_RECORD = struct.Struct("<4s4H2LH")
END_SIGN = b"PK\x05\x06"
LONGEST_COMMENT = 1 << 16
ENCRYPTED = 0x1 | 0x40
UTF8 = 0x800
UNICODE_PATH = 0x7075
"""The field of a member that holds its name once more, in UTF-8."""
ALPHABETS = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "COPTIC", "CHEROKEE"})
"""Alphabets that have letters of the same look: a word is written in one of them."""
LIKE_LATIN = str.maketrans(
    "асԁеһіјӏкмоԛрѕтѵԝхуαγικνορτυχ",
    "acdehijlkmoqpstvwxyayiknoptux",
)
"""Small Cyrillic and Greek letters, and the Latin ones that they look like."""
DIFFERENCES = "case, accents or letters of the same look"
IGNORED = "__MACOSX/"
"""Folder that macOS adds to archives."""
RESEMBLING = {
    b"\x1f\x8b": "a gzip file",
    b"BZh": "a bzip2 file",
    b"\xfd7zX": "an xz file",
    b"7z\xbc\xaf": "a 7z file",
    b"Rar!": "a rar file",
}


class BadUpload(ConfigError):
    """The archive is refused; the message says why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UploadLimits:
    """How much an archive may hold."""

    archive_bytes: int = 32 << 20
    files: int = 5000
    total_bytes: int = 128 << 20
    ratio: int = 200
    """A large member may be at most this many times larger than its compressed form."""
    ratio_from_bytes: int = 1 << 20
    depth: int = 16
    path_bytes: int = 200
    directory_bytes: int = 2 << 20
    """Longest list of members."""


def unpack_upload(path: Path, folder: Path, limits: UploadLimits | None = None) -> None:
    """Unpack an archive into a new folder. Raises BadUpload; the folder is then incomplete and of no use."""
    limits = limits or UploadLimits()
    _check_shape(path, limits)
    try:
        with zipfile.ZipFile(path) as archive:
            members = _check_members(archive.infolist(), limits)
            top = _top_folder(members)
            folder.mkdir(mode=0o755)
            left = limits.total_bytes
            for info in members:
                left -= _write(archive, info, folder / info.filename.removeprefix(top), left)
    except (zipfile.BadZipFile, zlib.error, EOFError, struct.error) as error:
        raise BadUpload(f"the archive is damaged: {error}") from None
    except (NotImplementedError, RuntimeError, UnicodeError, ValueError) as error:
        raise BadUpload(f"the archive cannot be read: {error}") from None


def _check_shape(path: Path, limits: UploadLimits) -> None:
    """Check that it is a zip file, and that its list of members is short enough to be read."""
    size = path.stat().st_size
    if size > limits.archive_bytes:
        raise BadUpload(f"the archive has {size} bytes, at most {limits.archive_bytes} are allowed")
    with path.open("rb") as file:
        start = file.read(8)
        file.seek(max(0, size - END_RECORD.size - LONGEST_COMMENT))
        tail = file.read()
    # As Python's own reader finds it: at the very end, or before a comment.
    at = len(tail) - END_RECORD.size
    if at < 0 or tail[at : at + 4] != END_SIGN or tail[-2:] != b"\0\0":
        at = tail.rfind(END_SIGN)
    if at < 0 or len(tail) - at < END_RECORD.size:
        looks = next((name for sign, name in RESEMBLING.items() if start.startswith(sign)), "")
        if start.startswith(b"PK"):
            raise BadUpload("the archive is cut short: its end is missing")
        raise BadUpload(f"this is not a zip file{f' but {looks}' if looks else ''}: send a zip, or name a folder")
    _, disk, _, _, count, directory_bytes, offset, _ = END_RECORD.unpack(tail[at : at + END_RECORD.size])
    if disk or count == 0xFFFF or directory_bytes == 0xFFFFFFFF:
        raise BadUpload("the archive is in several parts, or of the kind for huge files (zip64)")
    if count > limits.files or directory_bytes > limits.directory_bytes:
        raise BadUpload(f"the archive lists more than {limits.files} members")
    if offset + directory_bytes != size - len(tail) + at:
        raise BadUpload(
            "the archive is two archives in one, or has something else before it: others may read it otherwise"
        )


def _check_members(infos: list[zipfile.ZipInfo], limits: UploadLimits) -> list[zipfile.ZipInfo]:
    """Return the members to unpack; refuse the archive unless all of them are harmless."""
    if len(infos) > limits.files:
        raise BadUpload(f"the archive holds {len(infos)} members, at most {limits.files} are allowed")
    seen: dict[str, str] = {}
    folders: dict[str, str] = {}
    total = 0
    for info in infos:
        name = info.orig_filename  # `filename` ends at a NUL
        _check_name(name, limits)
        _check_second_name(info)
        _check_kind(info)
        total += info.file_size
        if total > limits.total_bytes:
            raise BadUpload(f"the archive unpacks to more than {limits.total_bytes >> 20} MiB")
        if info.file_size > limits.ratio_from_bytes and info.file_size > limits.ratio * max(1, info.compress_size):
            raise BadUpload(
                f"{name!a} is {info.compress_size} bytes that unpack to {info.file_size}: more than "
                f"{limits.ratio} times as many, as a bomb does"
            )
        if info.filename != name:  # Python from 3.12 on: the same bytes, read as UTF-8
            _check_name(name := info.filename, limits)
        plain, is_folder = name.rstrip("/"), name.endswith("/")
        key = _looks(plain)
        if not is_folder and key in seen:
            twice = seen[key]
            how = "twice" if twice == plain else f"and {twice!a}, which differ in {DIFFERENCES} only"
            raise BadUpload(f"the archive holds {plain!a} {how}")
        if not is_folder:
            seen[key] = plain
        parts = plain.split("/")
        for depth in range(1, len(parts) + is_folder):
            folder = "/".join(parts[:depth])
            other = folders.setdefault(_looks(folder), folder)
            if other != folder:
                raise BadUpload(f"the archive holds {folder!a} and {other!a}, which differ in {DIFFERENCES} only")
    if both := next((folders[key] for key in folders if key in seen), ""):
        raise BadUpload(f"the archive holds {both!a} both as a file and as a folder")
    return [info for info in infos if not info.filename.startswith(IGNORED)]


def _check_name(name: str, limits: UploadLimits) -> None:
    if "\0" in name:
        raise BadUpload(f"a name has a NUL in it: {name[:60]!a}")
    if not name.isprintable():
        raise BadUpload(f"a name has control characters in it: {name[:60]!a}")
    if "\\" in name:
        raise BadUpload(f"a name has a backslash in it: {name[:60]!a}; pack it with forward slashes")
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        raise BadUpload(f"a name is absolute: {name[:60]!a}")
    parts = name.rstrip("/").split("/")
    if ".." in parts:
        raise BadUpload(f"a name leads out of the folder: {name[:60]!a}")
    if "" in parts or "." in parts:
        raise BadUpload(f"a name is not plain: {name[:60]!a}")
    if any(part != part.strip(" ") or part.endswith(".") for part in parts):
        raise BadUpload(f"a part of a name begins or ends with a space, or ends with a dot: {name[:60]!a}")
    if unicodedata.normalize("NFKC", name) != unicodedata.normalize("NFC", name):
        raise BadUpload(f"a name has full-width or other look-alike characters in it: {name[:60]!a}")
    for word in re.findall(r"[^\W\d_]+", name):
        alphabets = {unicodedata.name(letter, "").partition(" ")[0] for letter in word} & ALPHABETS
        if len(alphabets) > 1:
            raise BadUpload(f"a name mixes {' and '.join(sorted(alphabets))} letters in one word: {name[:60]!a}")
    if len(name.encode("utf-8", "surrogatepass")) > limits.path_bytes:
        raise BadUpload(f"a name is longer than {limits.path_bytes} bytes: {name[:60]!a}...")
    if len(parts) > limits.depth:
        raise BadUpload(f"folders are nested more than {limits.depth} deep: {name[:60]!a}...")


def _check_second_name(info: zipfile.ZipInfo) -> None:
    """Refuse a member that other readers, and Python from 3.12 on, unpack under another name than the one we judge."""
    written = info.orig_filename.encode("utf-8" if info.flag_bits & UTF8 else "cp437")
    extra = info.extra
    while len(extra) >= 4:
        kind, size = struct.unpack("<HH", extra[:4])
        field, extra = extra[4 : 4 + size], extra[4 + size :]
        other = field[5:]  # after its version and a checksum
        if kind == UNICODE_PATH and other != written:
            raise BadUpload(f"{info.orig_filename!a} has a second name, {other[:60]!r}: pack it with one")


def _check_kind(info: zipfile.ZipInfo) -> None:
    name, kind = info.orig_filename, stat.S_IFMT(info.external_attr >> 16)
    if info.flag_bits & ENCRYPTED:
        raise BadUpload(f"{name!a} is encrypted")
    if kind == stat.S_IFLNK:
        raise BadUpload(f"{name!a} is a symbolic link; put the file itself there")
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise BadUpload(f"{name!a} is neither a file nor a folder")
    if (kind == stat.S_IFDIR) != name.endswith("/") and kind:
        raise BadUpload(f"{name!a} says both that it is a file and that it is a folder")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadUpload(f"{name!a} is packed by a method other than deflate")


def _looks(name: str) -> str:
    """Return a name's form that is the same for all names that a file system or a reader may take for one."""
    return unicodedata.normalize("NFC", name).casefold().translate(LIKE_LATIN)


def _top_folder(members: list[zipfile.ZipInfo]) -> str:
    """Return the one folder that everything lies in, if somebody packed the bot's folder and not its files; else
    nothing."""
    names = [info.filename for info in members]
    if MANIFEST in names:
        return ""
    tops = {name.partition("/")[0] for name in names}
    if len(tops) == 1 and f"{(top := tops.pop())}/{MANIFEST}" in names:
        return f"{top}/"
    where = next((name for name in names if name.endswith(f"/{MANIFEST}")), "")
    raise BadUpload(f"the archive has no {MANIFEST} at its top{f', only {where!a}' if where else ''}")


def _write(archive: zipfile.ZipFile, info: zipfile.ZipInfo, place: Path, most_bytes: int) -> int:
    """Write one member; returns its true size."""
    if info.is_dir():
        place.mkdir(parents=True, exist_ok=True)
        return 0
    place.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    executable = info.external_attr >> 16 & stat.S_IXUSR
    with archive.open(info) as source, open(os.open(place, flags, 0o600), "wb") as file:
        while block := source.read(BLOCK):
            written += len(block)
            if written > most_bytes:
                raise BadUpload(f"{info.filename!a} unpacks to more than the archive may hold")
            file.write(block)
    if written != info.file_size:
        raise BadUpload(f"{info.filename!a} has {written} bytes, and the archive says {info.file_size}")
    place.chmod(0o755 if executable else 0o644)
    return written


PRIVATE = frozenset({".env", ".venv", "venv", ".idea", ".vscode", ".DS_Store"})
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip file knows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Packed:
    """A packed folder."""

    files: int
    left_out: tuple[str, ...]
    """Folders and files that were not packed."""


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
    packed: list[Path] = []
    for here, folders, files in os.walk(root):
        place = Path(here)
        wanted = [name for name in sorted(folders) if name not in skipped and not is_cache(place / name)]
        left_out += [f"{(place / name).relative_to(root)}/" for name in folders if name not in wanted]
        folders[:] = wanted
        for name in sorted(files):
            if name in skipped:
                left_out.append(str((place / name).relative_to(root)))
            else:
                packed.append(_harmless(root, place / name))
        packed += [_refuse_link(root, place / name) for name in wanted if (place / name).is_symlink()]
    if len(packed) > limits.files:
        raise ConfigError(f"{folder} holds {len(packed)} files, at most {limits.files} can be sent")
    total = sum(path.stat().st_size for path in packed)
    if total > limits.total_bytes:
        raise ConfigError(f"{folder} holds {total >> 20} MiB, at most {limits.total_bytes >> 20} can be sent")
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(packed, key=lambda file: file.relative_to(root).as_posix()):
            info = zipfile.ZipInfo(path.relative_to(root).as_posix(), EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100755 if os.access(path, os.X_OK) else 0o100644) << 16
            archive.writestr(info, path.read_bytes())
    return Packed(files=len(packed), left_out=tuple(sorted(left_out)))


def _harmless(root: Path, path: Path) -> Path:
    """Return a file to pack; for a link in the folder, the file that it links to."""
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
