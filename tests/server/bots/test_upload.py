"""Archives that strangers send: what is refused, in which words, and that nothing of it gets out."""

from __future__ import annotations

import io
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from referee.errors import ConfigError
from server.bots.bundle import CACHE_SIGNATURE
from server.bots.upload import BadUpload, UploadLimits, pack_folder, unpack_upload

MANIFEST = b'name = "ann"\nrun = ["python", "{dir}/bot.py"]\n'
LIMITS = UploadLimits(archive_bytes=1 << 20, files=50, total_bytes=4 << 20, ratio_from_bytes=1 << 16)
Change = Callable[[zipfile.ZipFile], None]


def entry(name: str, mode: int = 0o100644) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def packed(*more: tuple[zipfile.ZipInfo | str, bytes], manifest: str = "bot.toml") -> bytes:
    """A zip file of a sound bot, and more."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(manifest, MANIFEST)
        archive.writestr("bot.py", b"print(1)\n")
        for name, data in more:
            archive.writestr(name, data)
    return content.getvalue()


def renamed(name: bytes) -> bytes:
    """With a name that Python itself would not write: in the list of members and at the member."""
    return packed(("x" * len(name), b"1")).replace(b"x" * len(name), name)


def named_twice(name: str, other: bytes) -> zipfile.ZipInfo:
    """A member with a Unicode Path (0x7075), the name that some readers, Python from 3.12 on too, unpack it under."""
    info = entry(name)
    field = struct.pack("<BL", 1, zlib.crc32(name.encode())) + other
    info.extra = struct.pack("<HH", 0x7075, len(field)) + field
    return info


def flagged() -> bytes:
    """Encrypted, as its flags say."""
    content = bytearray(packed())
    for sign, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(sign)
        content[at + offset] |= 1
    return bytes(content)


def lying(size: int) -> bytes:
    """Its list of members states another size for bot.py."""
    content = bytearray(packed(("z.txt", os.urandom(3000))))
    at = content.rfind(b"PK\x01\x02")
    content[at + 24 : at + 28] = struct.pack("<L", size)
    return bytes(content)


def damaged() -> bytes:
    content = bytearray(packed((entry("z.bin"), os.urandom(5000))))
    at = content.find(b"z.bin") + 2500
    content[at] ^= 0xFF
    return bytes(content)


def bomb() -> bytes:
    return packed(("zeros", bytes(3 << 20)))


def overlapping() -> bytes:
    """Fifty members that are the same bytes of the file: each claims what they unpack to."""
    kernel = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = kernel.compress(os.urandom(1000) * 100) + kernel.flush()
    crc, size = zlib.crc32(b"x"), 100_000
    local = struct.pack("<4s5H3L2H", b"PK\x03\x04", 20, 0, 8, 0, 33, crc, len(data), size, 1, 0) + b"a" + data
    names = [b"bot.toml", *(f"f{number}".encode() for number in range(48))]
    listed = b"".join(
        struct.pack(
            "<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 8, 0, 33, crc, len(data), size, len(name), 0, 0, 0, 0, 0, 0
        )
        + name
        for name in names
    )
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, len(names), len(names), len(listed), len(local), 0)
    return local + listed + end


def as_tar(mode: Literal["w", "w:gz"]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode=mode) as archive:
        info = tarfile.TarInfo("bot.toml")
        info.size = len(MANIFEST)
        archive.addfile(info, io.BytesIO(MANIFEST))
    return content.getvalue()


def zip64() -> bytes:
    content = bytearray(packed())
    at = content.rfind(b"PK\x05\x06")
    content[at + 8 : at + 20] = b"\xff" * 12
    return bytes(content)


def two_ends() -> bytes:
    """A second end of the archive, in the comment of the first, hides what the first lists."""
    evil = packed(("../out", b"1"))
    inner = packed()
    at = evil.rfind(b"PK\x05\x06")
    return evil[: at + 20] + struct.pack("<H", len(inner)) + inner


def with_method(method: int) -> bytes:
    info = entry("m")
    info.compress_type = method
    return packed((info, b"m" * 100))


HOSTILE: dict[str, tuple[bytes, str]] = {
    "zip slip": (packed(("../out", b"1")), r"leads out.*'\.\./out'"),
    "zip slip inside": (packed(("a/../../out", b"1")), r"leads out.*'a/\.\./\.\./out'"),
    "absolute": (packed(("/etc/cron.d/x", b"1")), r"absolute.*'/etc/cron\.d/x'"),
    "drive": (packed(("C:/x", b"1")), "absolute.*'C:/x'"),
    "backslashes": (packed(("..\\out", b"1")), "backslash"),
    "empty part": (packed(("a//b", b"1")), "not plain.*'a//b'"),
    "dot part": (packed(("a/./b", b"1")), r"not plain.*'a/\./b'"),
    "NUL": (renamed(b"a\0b"), r"NUL.*'a\\x00b'"),
    "escape sequence": (renamed(b"\x1b[31mred"), r"control characters.*'\\x1b\[31mred'"),
    "new line": (renamed(b"a\nb"), r"control characters.*'a\\nb'"),
    "right to left": (packed(("a\u202ey.pyt", b"1")), "control characters"),
    "second name": (packed((named_twice("x", b"../out"), b"1")), r"'x'.*second name.*b'\.\./out'"),
    "absolute second name": (packed((named_twice("x", b"/etc/cron.d/x"), b"1")), "'x'.*second name"),
    "second name twice": (packed((named_twice("x", b"bot.py"), b"1")), r"'x'.*second name.*b'bot\.py'"),
    "second name cut": (packed((named_twice("x", b""), b"1")), "'x'.*second name.*b''"),
    "long name": (packed(("n" * 201, b"1")), "is longer than 200 bytes"),
    "deep": (packed(("/".join("d" * 17), b"1")), "more than 16 deep"),
    "symbolic link": (packed((entry("l", 0o120777), b"/etc/passwd")), "'l' is a symbolic link"),
    "link to a folder": (packed((entry("l", 0o120777), b".."), ("l/x", b"1")), "'l' is a symbolic link"),
    "device": (packed((entry("d", 0o020666), b"")), "'d' is neither"),
    "block device": (packed((entry("d", 0o060666), b"")), "'d' is neither"),
    "pipe": (packed((entry("p", 0o010666), b"")), "'p' is neither"),
    "socket": (packed((entry("s", 0o140666), b"")), "'s' is neither"),
    "file called folder": (packed((entry("f/", 0o100644), b"1")), "'f/?' says both"),
    "bomb": (bomb(), "'zeros'.*bomb"),
    "bomb of many": (packed(*((f"{n}", os.urandom(9) + bytes(200_000 - 9)) for n in range(30))), "bomb"),
    "too much": (packed(*((f"{n}", bytes(60_000)) for n in range(40)), ("z", os.urandom(9) * 250_000)), "than 4 MiB"),
    "overlapping members": (overlapping(), "than 4 MiB"),
    "too many files": (packed(*((f"{n}", b"") for n in range(49))), "more than 50 members"),
    "twice": (renamed(b"bot.py"), r"'bot\.py' twice"),
    "case": (packed(("BOT.py", b"1")), r"'BOT\.py' and 'bot\.py'.*case"),
    "case of folders": (packed(("Lib/a", b"1"), ("lib/b", b"1")), "'lib' and 'Lib'.*case"),
    "accents": (packed(("\u00e9", b"1"), ("e\u0301", b"1")), "accents"),
    "Cyrillic o": (packed(("b\u043et.py", b"1")), r"mixes CYRILLIC and LATIN.*'b\\u043et\.py'"),
    "Greek o": (packed(("lib/m\u03bfdel.bin", b"1")), "mixes GREEK and LATIN"),
    "all Cyrillic": (
        packed(("\u0441\u043e\u0440\u0443", b"1"), ("copy", b"1")),
        "'copy' and .*letters of the same look",
    ),
    "full-width": (packed(("b\uff4ft.py", b"1")), "full-width"),
    "ligature": (packed(("\ufb01le.py", b"1")), "full-width"),
    "no-break space": (packed(("bot.py\u00a0", b"1")), "control characters|full-width"),
    "trailing dot": (packed(("bot.py.", b"1")), "ends with a dot"),
    "trailing space": (packed(("bot.py ", b"1")), "space"),
    "trailing space of a folder": (packed(("lib /a", b"1")), "space"),
    "file as folder": (packed(("a", b"1"), ("a/b", b"1")), "'a' both as a file"),
    "encrypted": (flagged(), "is encrypted"),
    "bad checksum": (damaged(), "is damaged"),
    "states less": (lying(5), "is damaged"),
    "states more": (lying(2_000_000), "3000 bytes.*2000000|bomb"),
    "cut short": (packed(("z", os.urandom(5000)))[:-40], "cut short"),
    "cut in the middle": (packed(("z", os.urandom(5000)))[:2000], "cut short"),
    "two ends": (two_ends(), "two archives in one"),
    "empty": (b"", "not a zip file"),
    "random bytes": (bytes(range(256)) * 50, "not a zip file"),
    "tar.gz": (as_tar("w:gz"), "not a zip file.*gzip.*folder"),
    "tar": (as_tar("w"), "not a zip file"),
    "zip64": (zip64(), "zip64"),
    "other method": (with_method(zipfile.ZIP_LZMA), "'m'.*method.*deflate"),
    "no manifest": (packed(manifest="boat.toml"), r"no bot\.toml"),
    "manifest too deep": (packed(manifest="a/b/bot.toml"), r"no bot\.toml.*'a/b/bot\.toml'"),
    "too large": (packed(("z", os.urandom(1 << 20))), "at most 1048576"),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_refused_in_plain_words_and_nothing_gets_out(name: str, tmp_path: Path) -> None:
    content, verdict = HOSTILE[name]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "upload").write_bytes(content)
    with pytest.raises(BadUpload) as refusal:
        unpack_upload(tmp_path / "in" / "upload", tmp_path / "in" / "source", LIMITS)
    said = str(refusal.value)
    assert re.search(verdict, said), said
    assert said.isprintable()
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    left = {path.name for path in (tmp_path / "in").iterdir()}
    assert left <= {"upload", "source"}
    written = sum(path.stat().st_size for path in (tmp_path / "in").rglob("*") if path.name != "upload")
    assert written <= LIMITS.total_bytes


def test_a_sound_archive_is_unpacked_with_the_rights_it_needs(tmp_path: Path) -> None:
    content = packed(
        (entry("go", 0o100755), b"#!/bin/sh\n"),
        (entry("deep/", 0o040755), b""),
        ("deep/er/x", b"1"),
        ("__MACOSX/y", b""),
    )
    (tmp_path / "upload").write_bytes(content)
    unpack_upload(tmp_path / "upload", tmp_path / "source", LIMITS)
    found = {str(path.relative_to(tmp_path / "source")) for path in (tmp_path / "source").rglob("*")}
    assert found == {"bot.toml", "bot.py", "go", "deep", "deep/er", "deep/er/x"}
    assert stat.S_IMODE((tmp_path / "source" / "go").stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "source" / "bot.py").stat().st_mode) == 0o644


def test_rights_that_no_bot_needs_are_left_out(tmp_path: Path) -> None:
    modes = {"setuid": 0o104755, "setgid": 0o102755, "sticky": 0o101666, "none": 0o100000, "all": 0o107777}
    (tmp_path / "upload").write_bytes(packed(*((entry(name, mode), b"1") for name, mode in modes.items())))
    unpack_upload(tmp_path / "upload", tmp_path / "source", LIMITS)
    found = {name: stat.S_IMODE((tmp_path / "source" / name).stat().st_mode) for name in modes}
    assert found == {"setuid": 0o755, "setgid": 0o755, "sticky": 0o644, "none": 0o644, "all": 0o755}


def test_a_second_name_that_is_the_same_is_no_second_name(tmp_path: Path) -> None:
    """Info-ZIP writes one for each name that is not ASCII."""
    (tmp_path / "upload").write_bytes(packed((named_twice("x", b"x"), b"1")))
    unpack_upload(tmp_path / "upload", tmp_path / "source", LIMITS)
    assert (tmp_path / "source" / "x").read_bytes() == b"1"


@pytest.mark.parametrize(
    "name", ["модель.py", "données/café.txt", "cafe\u0301.txt", "東京.py", "μοντέλο.bin", ".env.d/x"]
)
def test_names_of_other_languages_are_sound(name: str, tmp_path: Path) -> None:
    (tmp_path / "upload").write_bytes(packed((name, b"1")))
    unpack_upload(tmp_path / "upload", tmp_path / "source", LIMITS)
    assert (tmp_path / "source" / name).read_bytes() == b"1"


def test_a_folder_that_was_packed_whole_loses_its_name(tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("mine/bot.toml", MANIFEST)
        archive.writestr("mine/deep/x", b"1")
    (tmp_path / "upload").write_bytes(content.getvalue())
    unpack_upload(tmp_path / "upload", tmp_path / "source")
    assert (tmp_path / "source" / "bot.toml").read_bytes() == MANIFEST
    assert (tmp_path / "source" / "deep" / "x").is_file()


# What the client sends


def make_folder(folder: Path, build: str = "") -> Path:
    for name in (
        *("bot.py", ".git/config", "__pycache__/x.pyc", ".env", "bin/bot", "target/x", "deep/node_modules/y"),
        *("deep/.npmrc", "cache/x", "site-packages/z.py", "requirements.txt"),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder / "cache" / "CACHEDIR.TAG").write_bytes(CACHE_SIGNATURE)
    (folder / "bot.toml").write_bytes(MANIFEST + build.encode())
    return folder


def sent(folder: Path, out: Path) -> set[str]:
    pack_folder(folder, out)
    with zipfile.ZipFile(out) as archive:
        return set(archive.namelist())


def test_a_folder_is_sent_without_what_a_build_makes_and_without_secrets(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "mine", 'build = ["make"]\n')
    assert sent(folder, tmp_path / "a.zip") == {"bot.toml", "bot.py", "deep/.npmrc", "requirements.txt"}
    for path in folder.rglob("*"):
        os.utime(path, (10**9, 10**9))
    sent(folder, tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    left_out = pack_folder(folder, tmp_path / "a.zip").left_out
    assert {".git/", ".env", "bin/", "target/", "deep/node_modules/", "cache/", "site-packages/"} <= set(left_out)
    (folder / "bot.toml").write_bytes(MANIFEST)
    assert "bin/bot" in sent(folder, tmp_path / "c.zip"), "without a build, what is there is the bot"
    unpack_upload(tmp_path / "c.zip", tmp_path / "source")
    assert (tmp_path / "source" / "bin" / "bot").read_text() == "bin/bot"


def test_what_cannot_be_sent_is_told_here(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "mine")
    (folder / "out").symlink_to("/etc/passwd")
    with pytest.raises(ConfigError, match="out leads out of"):
        pack_folder(folder, tmp_path / "a.zip")
    (folder / "out").unlink()
    (folder / "out").symlink_to("bot.py")
    pack_folder(folder, tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert archive.read("out") == b"bot.py", "a link in the folder is sent as what it links to"
    (folder / "out").unlink()
    (folder / "out").symlink_to("deep")
    with pytest.raises(ConfigError, match="is a link to a folder"):
        pack_folder(folder, tmp_path / "a.zip")
    (folder / "out").unlink()
    with pytest.raises(ConfigError, match="holds 7 files, at most 2"):
        pack_folder(folder, tmp_path / "a.zip", UploadLimits(files=2))
    (folder / "bot.toml").unlink()
    with pytest.raises(ConfigError, match=r"has no bot.toml"):
        pack_folder(folder, tmp_path / "a.zip")
