"""What a bot asks for in `[limits]`, what an organiser caps, and what is said when the two do not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from referee.errors import ConfigError
from server.arena.config import default_config, read_config
from server.arena.config import write_text as write_arena
from server.bots.spec import find_bot
from server.jail.limits import ResourceLimits, caps_for, grant, name_size, read_caps, read_limits, write_limits
from server.tournament.manifest import find_bots, make_manifest, read_manifest, write_text

MANIFEST = 'name = "mine"\nrun = ["python", "{dir}/bot.py"]\n'
EVENT = {"name": "e", "seed": "s", "games": [{"id": "pavillon_noir"}], "bots": [{"spec": "random"}, {"spec": "mine"}]}


def test_a_table_of_limits_is_read() -> None:
    table = {"memory": "2 GiB", "tasks": 64, "open_files": 128, "file_size": "1 MiB", "scratch": "512 KiB", "cpu": 2}
    assert grant(read_limits(table)) == ResourceLimits(
        memory_bytes=2 << 30, tasks=64, open_files=128, file_bytes=1 << 20, scratch_bytes=512 << 10, cpu_cores=2.0
    )
    assert grant(read_limits({})) == ResourceLimits()
    assert grant(read_limits({"cpu": 0.5})).cpu_cores == 0.5


def test_what_is_written_is_read_as_the_same() -> None:
    limits = ResourceLimits(memory_bytes=1536 << 20, tasks=7, cpu_cores=1.5)
    assert read_caps(write_limits(limits)) == limits
    assert write_limits(limits)["memory"] == "1536 MiB"


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({"memory": 512}, "'memory' is 512,.* MiB to"),
        ({"memory": "512MiB"}, "'memory' is \"512MiB\","),
        ({"memory": "1 GB"}, "'memory' is \"1 GB\","),
        ({"memory": "1 MiB"}, "from 16 MiB to 1024 GiB"),
        ({"memory": "9999999 GiB"}, "from 16 MiB to 1024 GiB"),
        ({"tasks": "64"}, "'tasks' is \"64\",.* 4 to 32768"),
        ({"tasks": 64.0}, r"'tasks' is 64\.0,"),
        ({"tasks": True}, "'tasks' is true,"),
        ({"tasks": 0}, "'tasks' is 0"),
        ({"cpu": float("nan")}, r"'cpu' is NaN,.* 0\.1 .*1024"),
        ({"memroy": "1 GiB"}, "'memroy'.*known.*memory,.*tasks,.*cpu"),
        ({"network": True}, "'network':.*never"),
    ],
)
def test_what_cannot_be_read_is_named(table: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        read_limits(table)


def test_every_problem_is_reported_at_once() -> None:
    with pytest.raises(ConfigError, match=r"'memory'.*\b1,.*'tasks'.*\b0,"):
        read_limits({"memory": 1, "tasks": 0})


def test_a_bot_gets_what_it_asks_for_up_to_the_cap() -> None:
    caps = ResourceLimits(memory_bytes=512 << 20, tasks=1000)
    granted = grant(read_limits({"memory": "256 MiB", "tasks": 1000}), caps)
    assert (granted.memory_bytes, granted.tasks) == (256 << 20, 1000)


def test_a_bot_that_asks_for_nothing_gets_the_default_or_the_cap() -> None:
    caps = ResourceLimits(memory_bytes=512 << 20, tasks=1000)
    granted = grant((), caps)
    assert (granted.memory_bytes, granted.tasks) == (512 << 20, 256)


def test_a_bot_that_asks_for_more_than_the_cap_is_refused_with_words() -> None:
    facts = ("mine", "2 GiB", "memory", "1 GiB", r"\b4\b", "cpu", r"\b1\b", r"bot\.toml", r"\[limits\]", r"arena\.toml")
    with pytest.raises(ConfigError, match=".*".join(facts)):
        grant(read_limits({"memory": "2 GiB", "cpu": 4}), ResourceLimits(), bot="mine", capped_by="arena.toml")


def test_caps_for_ones_own_bots_allow_what_they_ask_for() -> None:
    asked = [read_limits({"memory": "2 GiB"}), read_limits({"memory": "3 GiB", "tasks": 8}), ()]
    caps = caps_for(asked)
    assert (caps.memory_bytes, caps.tasks) == (3 << 30, 256)
    for one in asked:
        grant(one, caps)


def test_sizes_in_words() -> None:
    assert [name_size(size) for size in (64 << 20, 1 << 30, 1536 << 20, 1000, 0)] == [
        *("64 MiB", "1 GiB", "1536 MiB", "1000 bytes", "0 bytes")
    ]


def bot(folder: Path, limits: str) -> None:
    (folder / "mine").mkdir()
    (folder / "mine" / "bot.toml").write_text(f"{MANIFEST}\n{limits}")


def test_a_manifest_asks(tmp_path: Path) -> None:
    bot(tmp_path, '[limits]\nmemory = "256 MiB"\ntasks = 32\n')
    found = find_bot("mine", tmp_path)
    assert (found.limits.memory_bytes, found.limits.tasks, found.limits.open_files) == (256 << 20, 32, 1024)


@pytest.mark.parametrize(
    ("limits", "problem"),
    [
        ("limits = 3", "'limits' must be a table"),
        ("[limits]\nmemory = 3", "[limits] 'memory' is 3,"),
        ("[limits]\nnetwork = true", "never have network access"),
    ],
)
def test_a_manifest_that_asks_badly_is_refused(tmp_path: Path, limits: str, problem: str) -> None:
    bot(tmp_path, limits)
    with pytest.raises(ConfigError) as caught:
        find_bot("mine", tmp_path)
    assert problem in str(caught.value)
    assert "mine/bot.toml" in str(caught.value)


def test_an_event_caps_its_bots(tmp_path: Path) -> None:
    bot(tmp_path, '[limits]\nmemory = "2 GiB"\n')
    with pytest.raises(ConfigError, match=".*".join(("mine", "2 GiB", "memory", "1 GiB", r"tournament\.toml"))):
        find_bots(make_manifest(EVENT), tmp_path)
    found = find_bots(make_manifest({**EVENT, "limits": {"memory": "2 GiB", "tasks": 64}}), tmp_path)
    assert (found["mine"].limits.memory_bytes, found["mine"].limits.tasks) == (2 << 30, 64)
    assert (found["random"].limits.memory_bytes, found["random"].limits.tasks) == (1 << 30, 64)


def test_a_manifest_of_an_event_shows_its_caps(tmp_path: Path) -> None:
    manifest = make_manifest({**EVENT, "limits": {"memory": "2 GiB"}})
    (tmp_path / "tournament.toml").write_text(write_text(manifest))
    assert read_manifest(tmp_path / "tournament.toml") == manifest
    assert manifest.caps == ResourceLimits(memory_bytes=2 << 30)
    with pytest.raises(ConfigError, match=r"\[limits\] 'memory' is 2,"):
        make_manifest({**EVENT, "limits": {"memory": 2}})


def test_an_arena_caps_too(tmp_path: Path) -> None:
    path = tmp_path / "arena.toml"
    text = write_arena(default_config())
    path.write_text(text)
    assert read_config(path, {}).caps == ResourceLimits()
    path.write_text(text.replace('memory = "1 GiB"', 'memory = "300 MiB"'))
    assert read_config(path, {}).caps == ResourceLimits(memory_bytes=300 << 20)
    path.write_text(text.replace('memory = "1 GiB"', "memory = 1"))
    with pytest.raises(ConfigError, match=r"arena\.toml:.*\[limits\].*'memory'.*\b1,"):
        read_config(path, {})
