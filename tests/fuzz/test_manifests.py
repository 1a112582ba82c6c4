"""Files of settings that somebody damaged or wrote by hand, of events, bots and arenas: read, or refused in words."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.errors import ConfigError
from server.arena.config import default_config, read_config
from server.arena.config import write_text as write_config
from server.bots.spec import SAMPLE_BOTS
from server.bots.spec import read_manifest as read_bot
from server.tournament.manifest import make_manifest, read_manifest, write_text
from support.corpus import saved, with_saved
from support.sizes import pick, sized

READERS: dict[str, Callable[[Path], object]] = {
    "tournament.toml": read_manifest,
    "bot.toml": read_bot,
    "arena.toml": lambda path: read_config(path, {}),
}
EVENT = {
    "name": "test",
    "seed": "s",
    "format": "round-robin",
    "games": [{"id": "pavillon_noir", "seats": 2, "variant": {"max_rounds": 1}}],
    "bots": [{"spec": "cmd: true", "name": "ann"}, {"spec": "cmd: true", "name": "ben"}],
}
SOUND = {
    "tournament.toml": write_text(make_manifest(EVENT)).encode(),
    "bot.toml": (SAMPLE_BOTS / "python" / "random" / "bot.toml").read_bytes(),
    "arena.toml": write_config(default_config()).encode(),
}

fuzz = settings(
    deadline=None,
    max_examples=pick(quick=60, ci=1000, full=20_000),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
pieces = (
    st.binary(max_size=10)
    | st.text(max_size=10).map(str.encode)
    | st.sampled_from([b"[", b"{", b'"', b"[[", b"=", b"\n"])
)


@sized
@pytest.mark.parametrize("name", READERS)
@fuzz
@given(st.data())
def test_a_file_with_changed_bytes_is_read_or_refused(name: str, tmp_path: Path, data: st.DataObject) -> None:
    content, path = SOUND[name], tmp_path / name
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, min(len(content), start + 30)))
        content = content[:start] + data.draw(pieces) + content[end:]
    path.write_bytes(content)
    with suppress(ConfigError):
        READERS[name](path)


@sized
@pytest.mark.parametrize("name", READERS)
@fuzz
@with_saved("manifests")
@given(st.binary(max_size=60) | st.lists(pieces, max_size=8).map(b"".join))
def test_a_file_of_any_bytes_is_read_or_refused(name: str, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with suppress(ConfigError):
        READERS[name](path)


@pytest.mark.parametrize("name", READERS)
def test_what_is_sound_is_read_and_what_is_saved_is_not(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(SOUND[name])
    READERS[name](path)
    for content in saved("manifests"):
        path.write_bytes(content)
        with pytest.raises(ConfigError, match=name):
            READERS[name](path)
