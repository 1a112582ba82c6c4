"""tournament.toml: read, checked, written and compared."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import ConfigError
from server.bots.spec import find_bot
from server.cli.tournament.group import example_manifest
from server.tournament.manifest import (
    FORMATS,
    KEYS,
    RUNTIME_KEYS,
    Manifest,
    as_table,
    differences,
    find_bots,
    make_manifest,
    read_manifest,
    write_text,
)

GOOD: dict[str, Any] = {
    "name": "test",
    "seed": "s",
    "games": [{"id": "pavillon_noir"}],
    "bots": [{"spec": "gunner"}, {"spec": "random"}],
}


def problems(**keys: Any) -> str:
    """What is said of a manifest with these keys."""
    with pytest.raises(ConfigError) as caught:
        make_manifest({**GOOD, **keys})
    return str(caught.value)


def test_what_is_left_out_has_a_default() -> None:
    manifest = make_manifest(GOOD)
    assert (manifest.format, manifest.rounds, manifest.mirrored, manifest.restart) == ("round-robin", 10, True, "never")
    assert manifest.contests[0].id == "pavillon_noir-2"
    assert manifest.time_control.start_seconds == 10.0
    assert manifest.faults_allowed == 0


@pytest.mark.parametrize(
    ("keys", "facts"),
    [
        ({"rouns": 3}, ["'rouns' is not known", "name, seed, format,"]),
        ({"name": ""}, ["'name' is \"\"", "1 to 80"]),
        ({"seed": ""}, ["'seed' is \"\"", "a text"]),
        ({"seed": 7}, ["'seed' is 7", "a text"]),
        ({"format": "cup"}, ['"cup"', " | ".join(FORMATS)]),
        ({"rounds": -1}, ["'rounds' is -1", "0 to 1000000"]),
        ({"rounds": 1.5}, ["'rounds' is 1.5"]),
        ({"rounds": True}, ["'rounds' is true"]),
        ({"mirrored": 1}, ["'mirrored' is 1", "true | false"]),
        ({"clock": "fast"}, ["'clock' is \"fast\"", "BANK+INCREMENT/CAP"]),
        ({"faults": "kind"}, ["'faults' is \"kind\"", "strict or lenient:N"]),
        ({"restart": "always"}, ["'restart' is \"always\"", "never | match"]),
        ({"quarantine": 1.1}, ["'quarantine' is 1.1", "0 to 1"]),
        ({"quarantine": float("nan")}, ["'quarantine' is NaN", "0 to 1"]),
        ({"start_seconds": float("inf")}, ["'start_seconds'", "Infinity"]),
        ({"jail": "cage"}, ["'jail' is \"cage\"", "none | process | fence", "| jail | jail+cgroup"]),
        ({"concurrency": 2000}, ["'concurrency' is 2000", "0 to 1024"]),
        ({"games": []}, ["no [[games]]"]),
        ({"bots": {"spec": "x"}}, ["'bots'", "a list of tables", "[[bots]]"]),
        ({"games": [{"seats": 2}]}, ["[[games]] 1: 'id'", "missing"]),
        ({"games": [{"id": "chess"}]}, ["[[games]] 1:", "no game 'chess'"]),
        ({"games": [{"id": "pavillon_noir", "seats": 3}]}, ["[[games]] 1:", "pavillon_noir", "2 seats, not 3"]),
        ({"games": [{"id": "pavillon_noir", "variant": {"colour": "red"}}]}, ["no setting 'colour'"]),
        ({"games": [{"id": "pavillon_noir"}] * 2}, ["pavillon_noir-2", "twice"]),
        ({"bots": [{"spec": "gunner", "name": "../x"}]}, ["[[bots]] 1: 'name' is \"../x\""]),
        ({"bots": [{"name": "x"}]}, ["[[bots]] 1: 'spec'", "missing"]),
    ],
)
def test_a_wrong_value_is_named_with_what_is_expected(keys: dict[str, Any], facts: list[str]) -> None:
    said = problems(**keys)
    for fact in facts:
        assert fact in said


def test_every_problem_is_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "tournament.toml"
    path.write_text('rounds = -1\nspeed = 3\n[[games]]\nseats = "two"\n[[bots]]\nhero = "yes"\n')
    with pytest.raises(ConfigError) as caught:
        read_manifest(path)
    said = str(caught.value)
    assert said.startswith(f"{path}: ")
    for part in ("'speed'", "'name' is missing", "'seed' is missing", "'rounds'", "1: 'id'", "'seats'", "'hero'"):
        assert part in said, part
    assert "\n" not in said


@pytest.mark.parametrize("value", ["2026-11-16", "2026-11-16T08:00:00Z", "[1, 2]", "{ a = 1 }"])
def test_a_value_of_a_strange_kind_is_a_problem_and_no_accident(value: str, tmp_path: Path) -> None:
    """TOML has dates, which JSON does not."""
    path = tmp_path / "tournament.toml"
    path.write_text(f"seed = {value}\n")
    with pytest.raises(ConfigError, match=r"'seed' is .*a text"):
        read_manifest(path)


@pytest.mark.parametrize("content", [b"name = ", b"\xff\xfe", b"a = 1\na = 2", b"a = " + b"[" * 100_000])
def test_a_file_that_is_no_toml_is_named(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "tournament.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"tournament\.toml"):
        read_manifest(path)


def test_without_a_file_one_is_told_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"`tortuga tournament new {tmp_path}` writes one"):
        read_manifest(tmp_path / "tournament.toml")


def test_the_template_is_read_back_to_the_same_manifest(tmp_path: Path) -> None:
    manifest, path = example_manifest("an event"), tmp_path / "tournament.toml"
    text = write_text(manifest)
    path.write_text(text)
    assert read_manifest(path) == manifest
    for name, key in KEYS.items():
        assert f"\n# {key.meaning}" in text, "every key is explained"
        assert f"\n{name} = " in text
    assert set(find_bots(manifest, tmp_path)) == {"gunner", "random"}, "it runs as it is"


TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30)
MANIFESTS = st.builds(
    lambda **keys: make_manifest({**GOOD, **keys}),
    name=TEXTS,
    seed=TEXTS,
    format=st.sampled_from(FORMATS),
    rounds=st.integers(0, 1_000_000),
    mirrored=st.booleans(),
    quarantine=st.floats(0, 1) | st.integers(0, 1),
    start_seconds=st.floats(0.1, 3600),
    anchor=TEXTS,
    games=st.just([{"id": "pavillon_noir", "variant": {"max_rounds": 3}}, {"id": "pirates_cove", "seats": 4}]),
    bots=st.lists(
        st.fixed_dictionaries(
            {"spec": TEXTS}, optional={"hero": st.booleans(), "team": st.text("ab-", min_size=1, max_size=5)}
        ),
        min_size=1,
        max_size=3,
    ),
)


@settings(deadline=None, derandomize=True, max_examples=200)
@given(MANIFESTS)
def test_whatever_is_written_is_read_back(manifest: Manifest) -> None:
    import tomllib

    assert make_manifest(tomllib.loads(write_text(manifest))) == manifest
    assert make_manifest(as_table(manifest)) == manifest


def test_differences_name_what_was_and_what_is() -> None:
    old, new = as_table(make_manifest(GOOD)), as_table(make_manifest({**GOOD, "rounds": 3, "concurrency": 7}))
    assert differences(old, old) == []
    [rounds] = differences(old, new)
    assert (rounds.partition(":")[0], re.findall(r"\d+", rounds)) == ("rounds", ["10", "3"])
    [concurrency, again] = differences(old, new, frozenset())
    assert (concurrency.partition(":")[0], re.findall(r"\d+", concurrency)) == ("concurrency", ["0", "7"])
    assert again == rounds
    cluster = {"cluster", "cluster_replayed", "cluster_repeated"}
    assert {"jail", "concurrency", "pin", "anchor", "anchors", "rate_faults", "plugin_games"} | cluster == RUNTIME_KEYS


def test_a_version_may_differ_from_that_of_the_bot_toml(tmp_path: Path) -> None:
    manifest = make_manifest({**GOOD, "bots": [{"spec": "gunner", "version": "1-8"}, {"spec": "random"}]})
    found = find_bots(manifest, tmp_path)
    assert (found["gunner"].version, found["gunner"].identity.version) == ("1-8", "1-8")
    assert found["random"].version == find_bot("random").version
    with pytest.raises(ConfigError, match="'version' is \"1\\\\n2\""):
        make_manifest({**GOOD, "bots": [{"spec": "gunner", "version": "1\n2"}, {"spec": "random"}]})


def test_two_bots_of_the_same_name_are_refused_unless_one_is_renamed(tmp_path: Path) -> None:
    twice = {**GOOD, "bots": [{"spec": "random"}, {"spec": "random"}]}
    with pytest.raises(ConfigError, match=r"two bots.*random.*`name`"):
        find_bots(make_manifest(twice), tmp_path)
    renamed = make_manifest({**GOOD, "bots": [{"spec": "random"}, {"spec": "random", "name": "other"}]})
    assert {name: bot.name for name, bot in find_bots(renamed, tmp_path).items()} == {
        "random": "random",
        "other": "other",
    }


def test_a_game_with_too_few_bots_is_refused_with_those_who_play_it(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "bot.toml").write_text('name = "one"\nrun = ["true"]\ngames = ["broadsides"]\n')
    table = {**GOOD, "bots": [{"spec": "one"}, {"spec": "random"}]}
    with pytest.raises(ConfigError, match=r"pavillon_noir-2.*\b2\b.*\b1\b.*\(random\)"):
        find_bots(make_manifest(table), tmp_path)
    with pytest.raises(ConfigError, match=r"pirates_cove-4.*\b4 bots.*\b1\b"):
        find_bots(make_manifest({**GOOD, "games": [{"id": "pirates_cove", "seats": 4}]}), tmp_path)
