"""arena.toml: what is written is what is read, what is wrong is named, and flags go before it."""

from __future__ import annotations

import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from referee.errors import ConfigError
from server.arena.config import KEYS, ArenaConfig, default_config, read_config, write_text
from support.ladders import COVE, DUEL, make_config

WRONG: list[tuple[str, Any]] = [
    ("listen", 7071),
    ("public", False),
    ("admin", ""),
    ("web", "everywhere"),
    ("metrics", 9100),
    ("tls_cert", 1),
    ("tls_key", []),
    ("tls_ca", 4),
    ("host_name", "a b"),
    ("insecure", "yes"),
    ("clock", "soon"),
    ("start_seconds", 0),
    ("faults", "lenient"),
    ("jail", "cage"),
    ("trust_hosted", "yes"),
    ("matches_at_once", -1),
    ("matches_per_bot", 0),
    ("rest_seconds", -0.1),
    ("owners_apart", "yes"),
    ("reconnect_seconds", 601),
    ("drain_seconds", "long"),
    ("suspend_faults", 1001),
    ("suspend_matches", 0),
    ("versions_per_day", -1),
    ("challenges_per_day", 10_001),
    ("submissions_per_day", -1),
    ("builds_at_once", 0),
    ("build_seconds", 0),
    ("bots_per_team", 0),
    ("anchor", 3),
    ("rate_faults", "yes"),
    ("commentator_delay_seconds", -1),
    ("notes", "friends"),
    ("plugin_games", "no"),
    ("keep_logs_days", 0.5),
    ("keep_records_days", True),
    ("zone", "Mars/Olympus"),
    ("cluster", "tcp://10.0.0.5:8786"),
    ("cluster_certificates", 3),
    ("cluster_min_speed", 1.5),
    ("limits", 3),
]


def write(folder: Path, config: ArenaConfig, **changes: Any) -> Path:
    """A file with a configuration in which some lines read otherwise."""
    lines = write_text(config).splitlines()
    for name, value in changes.items():
        text = str(value).lower() if isinstance(value, bool) else repr(value)
        lines = [f"{name} = {text}" if line.startswith(f"{name} = ") else line for line in lines]
    path = folder / "arena.toml"
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize(
    "config",
    [
        default_config(),
        make_config(DUEL, COVE),
        replace(
            default_config(),
            listen="0.0.0.0:1",
            insecure=True,
            anchor='a "quoted" \\ name',
            rest_seconds=1.5,
            tls_cert="c",
            tls_key="k",
        ),
    ],
)
def test_what_is_written_is_what_is_read(config: ArenaConfig, tmp_path: Path) -> None:
    assert read_config(write(tmp_path, config), {}) == config


def test_every_setting_stands_in_the_file_with_its_meaning() -> None:
    text = write_text(default_config())
    assert {*tomllib.loads(text)} == {*KEYS, "ladders"}
    assert {field.name for field in fields(ArenaConfig)} == {*KEYS, "ladders", "anchors", "webhooks"}
    for name, key in KEYS.items():
        assert f"# {key.meaning}" in text[: text.index(f"\n{name} = ")]


def test_the_defaults_play_every_game() -> None:
    names = {contest.id for contest in default_config().ladders}
    assert names == {
        *("broadsides-2", "marauders-2", "marauders-4", "pavillon_noir-2", "pirates_cove-2", "pirates_cove-4")
    }


def test_there_is_a_wrong_value_for_every_key() -> None:
    assert [name for name, _ in WRONG] == [*KEYS]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_value_is_named_with_what_was_expected(name: str, value: Any, tmp_path: Path) -> None:
    path = write(tmp_path, default_config(), **{name: value})
    with pytest.raises(ConfigError) as failure:
        read_config(path, {})
    words = str(failure.value)
    assert words.startswith(f"{path}: ")
    assert name in words
    assert KEYS[name].wanted in words
    assert "\n" not in words


ADDRESSES = ["foo", "foo:http", ":7071", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:-1", "::1:7", "a b:1"]


@pytest.mark.parametrize("door", ["listen", "public", "metrics"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_a_door_has_a_host_and_a_port(door: str, address: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected HOST:PORT"):
        read_config(write(tmp_path, default_config(), **{door: address}), {})
    with pytest.raises(ConfigError, match=r"^on the .* HOST:PORT"):
        read_config(write(tmp_path, default_config()), {door: address})
    for fine in ("localhost:0", "0.0.0.0:65535", "[::1]:7071", "arena.example.org:443"):
        assert getattr(read_config(write(tmp_path, default_config()), {door: fine}), door) == fine


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, default_config(), matches_per_bot=0, clock="soon")
    path.write_text('lsten = "127.0.0.1:0"\n' + path.read_text())
    with pytest.raises(ConfigError) as failure:
        read_config(path, {})
    assert all(word in str(failure.value) for word in ("matches_per_bot", "clock", "lsten"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("listen = ", "arena.toml: "),
        ("listen = " + "[" * 100_000, "arena.toml: "),
        ("", "there is no [[ladders]]"),
        ('[[ladders]]\nid = "chess"', "chess"),
        ('[[ladders]]\nid = "pavillon_noir"\nseats = 3', "seats"),
        ('[[ladders]]\nid = "pavillon_noir"\n[[ladders]]\nid = "pavillon_noir"', "twice"),
        ('[[ladders]]\nid = "pavillon_noir"\nvariant = { rounds = 1 }', "has no setting 'rounds'"),
    ],
)
def test_wrong_ladders_are_named(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "arena.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as failure:
        read_config(path, {})
    assert words in str(failure.value)
    assert str(path) in str(failure.value)


def test_flags_go_before_the_file_and_those_not_given_do_not(tmp_path: Path) -> None:
    path = write(tmp_path, default_config(), listen="127.0.0.1:1", public="127.0.0.1:2")
    config = read_config(path, {"listen": "127.0.0.1:3", "public": None, "metrics": "", "insecure": None})
    assert (config.listen, config.public, config.insecure) == ("127.0.0.1:3", "127.0.0.1:2", False)
    assert read_config(path, {"public": ""}).public == "", "none at all is something else than not said"


@pytest.mark.parametrize("half", ["tls_cert", "tls_key"])
def test_half_of_tls_is_refused(half: str, tmp_path: Path) -> None:
    path = write(tmp_path, default_config())
    with pytest.raises(ConfigError, match="needs both a certificate"):
        read_config(path, {half: "x.pem"})
    other = "tls_key" if half == "tls_cert" else "tls_cert"
    path = write(tmp_path, default_config(), **{half: "x.pem"})
    assert getattr(read_config(path, {other: "y.pem"}), half) == "x.pem", "the other may come as a flag"
