"""Bots on their way to a machine: what arrives is what was sent, and nothing else is played."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from referee.errors import ConfigError
from server.bots import bundle
from server.bots.bundle_store import BundleStore
from server.bots.spec import BotSpec, find_bot
from server.cluster import bundles
from server.cluster.bundles import PackedBots, ReceivedBots, as_sent, pack_bot
from server.cluster.trial import HomeTrial
from server.jail.confinement import Confinement
from server.jail.level import JailLevel


@pytest.fixture
def received(tmp_path: Path) -> ReceivedBots:
    return ReceivedBots(tmp_path / "run", tmp_path / "cache")


def test_a_bot_arrives_as_it_was_sent_and_is_kept_for_the_next_run(received: ReceivedBots, tmp_path: Path) -> None:
    spec = replace(find_bot("random"), name="ann")
    sha256, content = pack_bot(spec)
    assert received.cached == frozenset()
    assert received.take(sha256, content) == ""
    sent = as_sent(spec, sha256)
    assert (sent.run, sent.folder) == ((), None), "paths of one machine mean nothing on another"
    here = received.spec(sent)
    assert (here.name, here.version, here.bundle_hash.hex()) == ("ann", spec.version, sha256)
    assert here.folder == tmp_path / "run" / sha256
    assert (here.folder / "bot.py").read_bytes() == (Path(str(spec.folder)) / "bot.py").read_bytes()
    assert (here.folder / "bot.py").stat().st_mode & 0o222 == 0
    received.close()
    assert not (tmp_path / "run").exists()
    later = ReceivedBots(tmp_path / "later", tmp_path / "cache")
    assert later.cached == {sha256}
    assert later.take(sha256, None) == "", "it need not be sent again"


def test_bytes_that_are_not_the_bundle_are_refused(received: ReceivedBots) -> None:
    sha256, content = pack_bot(find_bot("random"))
    assert "expected" in received.take(sha256, content[:-1] + b"x")
    assert received.cached == frozenset()
    assert "there is no bundle" in received.take("ab" * 32, None)


def test_a_bundle_that_was_changed_in_the_cache_is_not_played(received: ReceivedBots, tmp_path: Path) -> None:
    sha256, content = pack_bot(find_bot("random"))
    received.take(sha256, content)
    (path,) = (tmp_path / "cache").glob("??/*.tar")
    os.chmod(path, 0o600)
    path.write_bytes(content.replace(b"random", b"rondam"))
    assert "is damaged" in ReceivedBots(tmp_path / "later", tmp_path / "cache").take(sha256, None)


def test_a_bundle_for_another_platform_is_refused_with_what_to_do(
    received: ReceivedBots, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha256, content = pack_bot(find_bot("random"))
    platform = bundle.this_platform()
    monkeypatch.setattr(bundle, "this_platform", lambda: "linux-pdp11")
    reason = received.take(sha256, content)
    assert f"was built for {platform}" in reason
    assert "linux-pdp11" in reason
    assert "build the bot" in reason


def test_a_command_cannot_travel() -> None:
    with pytest.raises(ConfigError, match=r"\bcmd\b.*command.*bot\.toml"):
        asyncio.run(PackedBots(HomeTrial(Confinement(level=JailLevel.NONE))).get(BotSpec(name="cmd", run=("true",))))


def test_a_bot_that_plays_from_a_bundle_travels_as_that_bundle(received: ReceivedBots, tmp_path: Path) -> None:
    """A record names the same program wherever it was played, in the version that the arena gave it."""
    store = BundleStore(tmp_path / "bundles")
    stored = store.add(replace(find_bot("random"), name="theirs", version="7"))
    spec = replace(store.spec(stored.sha256), name="ann-2", version="2")
    sha256, content = pack_bot(spec)
    assert sha256 == stored.sha256
    assert received.take(sha256, content) == ""
    here = received.spec(as_sent(spec, sha256))
    assert (here.name, here.version, here.bundle_hash.hex()) == ("ann-2", "2", stored.sha256)


def test_the_same_folder_gives_the_same_bundle_whatever_the_bot_is_called() -> None:
    ann, bob = (pack_bot(replace(find_bot("random"), name=name, version=name)) for name in ("ann", "bob"))
    assert ann == bob


def test_a_bot_that_changed_is_packed_again(tmp_path: Path) -> None:
    async def pack_twice() -> tuple[str, str, str]:
        packed, spec = PackedBots(HomeTrial(Confinement(level=JailLevel.NONE))), find_bot(str(tmp_path / "own"))
        first, _ = await packed.get(spec)
        (tmp_path / "own" / "more").write_text("more")
        second, _ = await packed.get(spec)
        packed.forget(tmp_path / "own")
        third, _ = await packed.get(spec)
        return first, second, third

    shutil.copytree(Path(str(find_bot("random").folder)), tmp_path / "own")
    first, second, third = asyncio.run(pack_twice())
    assert first == second != third


def test_a_full_cache_loses_what_was_not_used_for_long(
    received: ReceivedBots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = [pack_bot(find_bot(name)) for name in ("random", "gunner", "trader")]
    for sha256, content in bots:
        assert received.take(sha256, content) == ""
    sizes = [len(content) for _, content in bots]
    days = {sha256: at for (sha256, _), at in zip(bots, (5, 3, 0), strict=True)}
    for path in (tmp_path / "cache").glob("??/*.tar"):
        then = time.time() - 86400 * days[path.stem] - 60
        os.utime(path, (then, then))
    received.trim()
    assert len(received.cached) == 3, "there is room"
    monkeypatch.setattr(bundles, "CACHE_BYTES", sizes[1] + sizes[2])
    later = ReceivedBots(tmp_path / "later", tmp_path / "cache")
    later.trim()
    assert later.cached == {bots[1][0], bots[2][0]}, "the one that was used longest ago"
    assert later.take(bots[1][0], None) == ""  # used again
    monkeypatch.setattr(bundles, "CACHE_BYTES", 0)
    later.trim()
    assert later.cached == {bots[1][0], bots[2][0]}, "what was used today stays"


def test_a_bot_that_needs_what_lies_beside_its_folder_is_refused_before_it_is_sent(tmp_path: Path) -> None:
    """As a bot whose build copies it, and that was not built: it plays well from its folder, and from no bundle."""
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "tactics.py").write_text("")
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "bot.toml").write_text(
        'name = "own"\nlanguage = "python"\n'
        'build = ["cp", "../shared/tactics.py", "."]\nrun = ["python", "{dir}/bot.py"]\n'
    )
    (folder / "bot.py").write_text(
        "import sys\nsys.path.append(__file__.rsplit('/', 2)[0] + '/shared')\nimport tactics\n"
        "from tortuga_bot import play\nplay(lambda question: 0)\n"
    )
    packed, spec = PackedBots(HomeTrial(Confinement(level=JailLevel.NONE))), find_bot(str(folder))
    with pytest.raises(ConfigError, match=r"tactics.*bot build"):
        asyncio.run(packed.get(spec))
    packed.forget(folder)
    shutil.copy(tmp_path / "shared" / "tactics.py", folder)
    assert asyncio.run(packed.get(spec))[0]
