"""Bundles: the same files give the same bytes, and nothing but a bot's own files goes in or comes out."""

from __future__ import annotations

import io
import json
import os
import re
import socket
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from referee.errors import ConfigError
from server.bots import bundle, bundle_store
from server.bots.bundle import CACHE_SIGNATURE, Description, describe, hash_file, unpack, why_foreign
from server.bots.bundle_store import BundleStore, remove_tree
from server.bots.spec import BUNDLE_FILE, BotSpec, content_sha256, find_bot, read_manifest

MANIFEST = 'name = "ann"\nversion = "3"\nlanguage = "python"\nrun = ["python", "{dir}/bot.py"]\n'


def make_bot(folder: Path, manifest: str = MANIFEST) -> BotSpec:
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "empty").mkdir()
    (folder / "bot.toml").write_text(manifest)
    (folder / "bot.py").write_text("print('hello')\n")
    (folder / "deep" / "er" / "weights ö").write_bytes(bytes(range(256)) * 100)
    (folder / "go").write_text("#!/bin/sh\n")
    (folder / "go").chmod(0o750)
    (folder / "deep" / "link").symlink_to("../bot.py")
    return read_manifest(folder / "bot.toml")


def store_in(path: Path) -> BundleStore:
    return BundleStore(path / "bundles")


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    first, second = make_bot(tmp_path / "here"), make_bot(tmp_path / "there")
    for path in (tmp_path / "there").rglob("*"):
        os.utime(path, (1, 1), follow_symlinks=False)
    (tmp_path / "there" / "bot.py").chmod(0o600)
    a, b = (BundleStore(tmp_path / name).add(spec) for name, spec in (("a", first), ("b", second)))
    assert a.sha256 == b.sha256 == hash_file(a.path) == a.path.stem
    assert a.path.read_bytes() == b.path.read_bytes()
    (tmp_path / "there" / "bot.py").write_text("print('hullo')\n")
    assert BundleStore(tmp_path / "b").add(second).sha256 != a.sha256
    assert len([*BundleStore(tmp_path / "b").all()]) == 2


def test_every_byte_and_every_right_counts(tmp_path: Path) -> None:
    store, spec = store_in(tmp_path), make_bot(tmp_path / "ann")
    found = [store.add(spec).sha256]
    (tmp_path / "ann" / "go").chmod(0o640)
    found.append(store.add(spec).sha256)
    (tmp_path / "ann" / "deep" / "link").unlink()
    found.append(store.add(spec).sha256)
    (tmp_path / "ann" / "empty").rmdir()
    found.append(store.add(spec).sha256)
    found.append(store.add(replace(spec, language="")).sha256)
    assert len(set(found)) == 5


def test_what_is_unpacked_plays_and_cannot_be_changed(tmp_path: Path) -> None:
    store, spec = store_in(tmp_path), make_bot(tmp_path / "ann")
    sha256 = store.add(spec).sha256
    played = store.spec(sha256)
    assert played.folder is not None
    assert (played.name, played.version, played.identity.bundle_hash.hex()) == ("ann", "3", sha256)
    assert played.run == ("python", str(played.folder / "bot.py"))
    assert (played.folder / "deep" / "er" / "weights ö").read_bytes() == bytes(range(256)) * 100
    assert (played.folder / "deep" / "link").read_text() == "print('hello')\n"
    modes = {path.name: path.stat().st_mode & 0o777 for path in [played.folder, *played.folder.rglob("*")]}
    assert (modes["bot.py"], modes["go"], modes["deep"], modes[sha256]) == (0o444, 0o555, 0o555, 0o555)
    assert content_sha256(played) == content_sha256(spec), "it is the same bot"
    assert store.add(played).sha256 == sha256, "and the same bundle, made again"
    assert find_bot(store.resolve(f"bundle:{sha256}")).bundle_hash.hex() == sha256
    assert store.resolve("gunner") == "gunner"
    assert spec.identity.bundle_hash == b"", "the author's own folder is none"


def test_a_folder_that_only_looks_like_a_bundle_is_none(tmp_path: Path) -> None:
    assert make_bot(tmp_path / ("a" * 64)).bundle_hash == b""


def test_version_control_and_caches_stay_out_but_not_what_the_command_names(tmp_path: Path) -> None:
    spec = make_bot(tmp_path / "ann", MANIFEST.replace("bot.py", "target/release/bot"))
    for name in (".git/config", "__pycache__/x.pyc", "target/release/bot", "target/debug/big", "site-packages/p.py"):
        (tmp_path / "ann" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "ann" / name).write_text(name)
    (tmp_path / "ann" / "target" / "CACHEDIR.TAG").write_bytes(CACHE_SIGNATURE)
    store = store_in(tmp_path)
    with tarfile.open(store.add(spec).path) as archive:
        names = archive.getnames()
    assert names[0] == BUNDLE_FILE
    assert names[1:] == sorted(names[1:], key=str.encode)
    assert {"target/release/bot", "site-packages/p.py", "empty", "bot.toml"} < set(names)
    assert not [name for name in names if ".git" in name or "pycache" in name or "debug" in name or "CACHEDIR" in name]


def test_what_no_bundle_may_hold_is_refused_by_name(tmp_path: Path) -> None:
    spec, store = make_bot(tmp_path / "ann"), store_in(tmp_path)
    folder = tmp_path / "ann"
    (folder / "out").symlink_to("../../etc/passwd")
    with pytest.raises(ConfigError, match=r"'out'.*links.*'\.\./\.\./etc/passwd'"):
        store.add(spec)
    (folder / "out").unlink()
    (folder / "out").symlink_to("/etc/passwd")
    with pytest.raises(ConfigError, match=r"'out'.*links.*'/etc/passwd'"):
        store.add(spec)
    (folder / "out").unlink()
    os.mkfifo(folder / "pipe")
    with pytest.raises(ConfigError, match="'pipe' is neither"):
        store.add(spec)
    (folder / "pipe").unlink()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(os.path.relpath(folder / "s"))
        with pytest.raises(ConfigError, match="'s' is neither"):
            store.add(spec)
    assert [path.name for path in store.folder.iterdir()] == [], "no draft is left"
    with pytest.raises(ConfigError, match="has no folder"):
        store.add(find_bot("cmd: true"))


def test_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, store = make_bot(tmp_path / "ann"), store_in(tmp_path)
    monkeypatch.setattr(bundle, "MAX_BYTES", 1000)
    with pytest.raises(ConfigError, match=r"\bann\b.*too large"):
        store.add(spec)
    monkeypatch.setattr(bundle, "MAX_BYTES", 1 << 20)
    monkeypatch.setattr(bundle, "MAX_FILES", 3)
    with pytest.raises(ConfigError, match="more than 3 files"):
        store.add(spec)


def test_damage_is_noticed_whenever_a_bundle_is_read(tmp_path: Path) -> None:
    store, spec = store_in(tmp_path), make_bot(tmp_path / "ann")
    found = store.add(spec)
    content = bytearray(found.path.read_bytes())
    content[-20_000] ^= 1
    found.path.write_bytes(content)
    for ask in (store.find, store.unpacked, store.describe):
        with pytest.raises(ConfigError, match=r"damaged.*SHA-256"):
            ask(found.sha256)
    assert store.add(spec) == found, "the same bot mends it"
    assert store.unpacked(found.sha256).is_dir()
    for wrong in ("", "../../etc", "a" * 63, "A" * 64):
        with pytest.raises(ConfigError, match="is not a SHA-256"):
            store.unpacked(wrong)
    with pytest.raises(ConfigError, match="there is no bundle"):
        store.find("a" * 64)


def test_a_bundle_from_elsewhere_is_taken_only_as_what_it_is_said_to_be(tmp_path: Path) -> None:
    found = store_in(tmp_path).add(make_bot(tmp_path / "ann"))
    other = BundleStore(tmp_path / "other")
    with pytest.raises(ConfigError, match="expected bbbb"):
        other.add_file(found.path, "b" * 64)
    assert [*other.all()] == []
    assert other.add_file(found.path, found.sha256).sha256 == found.sha256
    assert other.spec(found.sha256).name == "ann"


def member(name: str, *, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


HOSTILE = {
    "dots": ([member("../out")], "leads out of its folder"),
    "absolute": ([member("/etc/passwd")], "leads out of its folder"),
    "inner dots": ([member("a/../../b")], "leads out of its folder"),
    "link out": ([member("l", kind=tarfile.SYMTYPE, link="/etc")], "a link out of its folder"),
    "link up": ([member("l", kind=tarfile.SYMTYPE, link="../..")], "a link out of its folder"),
    "through a link": (
        [member("d", kind=tarfile.DIRTYPE), member("d/h", kind=tarfile.SYMTYPE, link=".."), member("d/h/../../x")],
        "leads out of its folder",
    ),
    "hard link": ([member("h", kind=tarfile.LNKTYPE, link="bot.toml")], "'h'.* neither a file"),
    "device": ([member("d", kind=tarfile.CHRTYPE)], "'d'.* neither a file"),
    "pipe": ([member("p", kind=tarfile.FIFOTYPE)], "'p'.* neither a file"),
    "twice": ([member("bot.toml"), member("bot.toml")], "twice"),
    "no manifest": ([member("bot.py")], "holds no bot.toml"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_bundle_is_refused_though_its_hash_is_right(name: str, tmp_path: Path) -> None:
    members, verdict = HOSTILE[name]
    path = tmp_path / "x.tar"
    with tarfile.open(path, "w") as archive:
        text = json.dumps({"format": 1, **dict.fromkeys(("bot", "version", "language", "platform", "runtime"), "")})
        first = member(BUNDLE_FILE)
        first.size = len(text)
        archive.addfile(first, io.BytesIO(text.encode()))
        for info in members:
            archive.addfile(info, io.BytesIO())
    store = store_in(tmp_path)
    sha256 = store.add_file(path, hash_file(path)).sha256
    with pytest.raises(ConfigError, match=verdict):
        store.unpacked(sha256)
    assert [*(store.folder / bundle_store.UNPACKED).iterdir()] == [], "nothing is left"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["bundles", "x.tar"], "nothing got out"


def test_what_is_no_bundle_is_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        archive.addfile(member("bot.toml"), io.BytesIO())
    with pytest.raises(ConfigError, match=r"not a bundle.* 1\b"):
        unpack(tmp_path / "x.tar", tmp_path)


def test_a_bundle_for_another_machine_is_refused_with_what_to_do(tmp_path: Path) -> None:
    here = describe(make_bot(tmp_path / "ann"))
    assert why_foreign(here) == ""
    other = why_foreign(replace(here, platform="linux-riscv64"))
    assert re.search(rf"\bann\b.*linux-riscv64.*{here.platform}", other)
    assert "build the bot" in other
    assert re.search(r"\bann\b.*cpython-2\.7.*build", why_foreign(replace(here, runtime="cpython-2.7")))
    assert why_foreign(Description(bot="x", version="", language="klingon", platform=here.platform, runtime="")) == ""


def test_what_killed_processes_left_goes_and_what_plays_stays(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    kept, old = (store.add(make_bot(tmp_path / name, MANIFEST + f"#{name}")).sha256 for name in ("kept", "old"))
    store.unpacked(kept)
    store.unpacked(old)
    (store.folder / ".new.abc.1").write_text("half")
    (store.folder / bundle_store.UNPACKED / f".{old}.1").mkdir()
    store.sweep({kept})
    assert [path.name for path in (store.folder / bundle_store.UNPACKED).iterdir()] == [kept]
    assert sorted(store.all()) == sorted([kept, old]), "bundles are never removed"
    assert not (store.folder / ".new.abc.1").exists()
    assert store.spec(old).name == "ann", "it is unpacked again"
    remove_tree(store.folder)
    assert not store.folder.exists()
