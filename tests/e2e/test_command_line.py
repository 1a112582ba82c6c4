"""The command line as a user meets it: matches, interruptions, wrong words, files that cannot be written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from referee.records.record import read_record
from support.command import (
    LIMIT_SECONDS,
    assert_nothing_left,
    environment,
    hostile,
    play_json,
    processes_of,
    start,
    tortuga,
)
from support.served import wait_for

QUICK = ("pavillon_noir", "--variant", "max_rounds=3")


@pytest.mark.smoke
def test_a_match_prints_one_json_document_and_leaves_a_record_that_holds(tmp_path: Path) -> None:
    report = play_json(tmp_path, *QUICK, "--bot", "gunner", "--bot", "random", "--seed", "x")
    assert set(report) == {"match_id", "game", "seed", "decisions", "reason", "void", "jail_level", "seats", "record"}
    assert (report["game"], report["seed"], report["void"]) == ("pavillon_noir", "x", False)
    for seat, name in enumerate(["gunner", "random"]):
        shown = report["seats"][seat]
        assert set(shown) == {"bot", "seat", "rank", "score", "faults", "time_used_seconds"}
        assert (shown["bot"], shown["seat"], shown["faults"]) == (name, seat, [])
    done = tortuga(tmp_path, "replay", "verify", report["record"])
    assert done.returncode == 0
    assert f"holds, {report['decisions']} decisions" in done.stdout
    assert_nothing_left(tmp_path)


def test_bots_may_dial_in_over_tcp(tmp_path: Path) -> None:
    words = ("--bot", "random", "--bot", "random", "--listen", "127.0.0.1:0", "--no-record")
    report = play_json(tmp_path, *QUICK, *words)
    assert [seat["faults"] for seat in report["seats"]] == [[], []]
    assert report["record"] is None
    assert not (tmp_path / "records").exists()


def test_the_same_seed_and_bots_give_the_same_story_in_another_process(tmp_path: Path) -> None:
    stories = []
    words = (*QUICK, "--bot", "gunner", "--bot", "random", "--seed", "s")
    for hash_seed in ("0", "4711"):
        path = tmp_path / f"{hash_seed}.tortuga"
        done = subprocess.run(
            [sys.executable, "-m", "server", "play", *words, "--record", str(path)],
            env={**environment(tmp_path), "PYTHONHASHSEED": hash_seed},
            cwd=tmp_path,
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        stories.append(read_record(path)[0].story.SerializeToString(deterministic=True))
    assert stories[0] == stories[1]


def test_a_match_whose_record_cannot_be_written_is_shown_and_its_path_is_named(tmp_path: Path) -> None:
    name = "x" * 250  # there may be a file of that name, but not its draft
    words = ("play", *QUICK, "--bot", "random", "--bot", "random", "--record", name)
    for form, shown in (([], "random"), (["--json"], '"record": null')):
        done = tortuga(tmp_path, *words, *form)
        assert done.returncode == 1
        assert shown in done.stdout
        assert f"{name} cannot be written: " in done.stderr
        assert "Traceback" not in done.stderr
    assert_nothing_left(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_match_ends_everything_and_says_so(number: signal.Signals, tmp_path: Path) -> None:
    command = start(tmp_path, "play", *QUICK, "--bot", hostile("hang"), "--bot", "random", "--no-clock")
    wait_until_it_hangs(tmp_path)
    os.killpg(command.pid, number)  # as a terminal does: to the whole foreground group
    out, err = command.communicate(timeout=LIMIT_SECONDS)
    assert (command.returncode, out) == (1, "")
    assert err.splitlines()[-1].startswith("tortuga: interrupted")
    assert "match counts for nobody" in err
    assert not (tmp_path / "records").exists() or not list((tmp_path / "records").iterdir())
    assert_nothing_left(tmp_path)


@pytest.mark.smoke
def test_nothing_survives_a_command_that_is_killed(tmp_path: Path) -> None:
    command = start(tmp_path, "play", *QUICK, "--bot", hostile("hang_with_children"), "--bot", "random", "--no-clock")
    wait_until_it_hangs(tmp_path)
    wait_for(lambda: any("time.sleep" in line for line in processes_of(tmp_path)))  # a child
    command.kill()
    command.communicate(timeout=LIMIT_SECONDS)
    assert_nothing_left(tmp_path)


def wait_until_it_hangs(folder: Path) -> None:
    """Until the match has begun and the bot that hangs was asked for the last time."""
    wait_for(lambda: any("it hangs now" in log.read_text() for log in (folder / "tmp").glob("*/logs/**/hostile*.log")))


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["play", "chess", "--bot", "random", "--bot", "random"], "'chess'; the games are: "),
        (["play", "pavillon_noir", "--bot", "random"], "by 2 seats, not 1"),
        (["play", *QUICK, "--bot", "nobody", "--bot", "random"], "there is no bot 'nobody'"),
        (["play", *QUICK, "--bot", "random", "--bot", "cmd: /no/such/program"], "/no/such/program"),
        (["play", *QUICK, "--bot", "random", "--bot", "random", "--variant", "variant=odd"], "expected one of base,"),
        (["play", *QUICK, "--bot", "random", "--bot", "random", "--variant", "colour=red"], "has no setting 'colour'"),
        (
            ["play", *QUICK, "--bot", "random", "--bot", "random", "--variant", "max_rounds=0"],
            "a whole number from 1 to",
        ),
        (["play", *QUICK, "--bot", "random", "--bot", "random", "--variant", "odd"], "expected NAME=VALUE"),
        (["play", *QUICK, "--bot", "random", "--bot", "random", "--clock", "fast"], "BANK+INCREMENT/CAP"),
        (["play", *QUICK, "--bot", "random", "--bot", "random", "--faults", "kind"], "strict or lenient:N"),
        (["play", *QUICK, "--bot", "random", "--bot", "random", "--listen", "nowhere:x"], "listen on nowhere:x"),
        (
            ["play", *QUICK, "--bot", "random", "--bot", "random", "--record", "blocked/x"],
            "create the folder blocked",
        ),
        (["simulate", "pavillon_noir", "--seats", "3"], "by 2 seats, not 3"),
        (["replay", "verify", "nothing.tortuga"], "nothing.tortuga"),
    ],
)
def test_wrong_usage_is_answered_in_one_line_with_what_to_do(words: list[str], answer: str, tmp_path: Path) -> None:
    (tmp_path / "blocked").touch()
    done = tortuga(tmp_path, *words)
    assert (done.returncode, done.stdout) == (2, "")
    last = done.stderr.strip().splitlines()[-1]
    assert answer in last
    assert "Traceback" not in done.stderr
    assert_nothing_left(tmp_path)


@pytest.mark.smoke
def test_a_file_that_is_no_record_does_not_hold(tmp_path: Path) -> None:
    (tmp_path / "x.tortuga").write_bytes(b"not a record")
    done = tortuga(tmp_path, "replay", "verify", "x.tortuga")
    assert done.returncode == 1
    assert "x.tortuga: DOES NOT HOLD" in done.stderr
    assert "not a record" in done.stderr


@pytest.mark.smoke
def test_a_simulation_speaks_json(tmp_path: Path) -> None:
    done = tortuga(tmp_path, "simulate", "pavillon_noir", "--games", "3", "--seed", "1", "--json")
    tally = json.loads(done.stdout)
    assert (tally["games"], tally["seats"]) == (3, 2)
    assert {"decisions_per_second", "games_per_second", "decisions", "lists", "ends", "wins_by_seat", "fired"} < set(
        tally
    )
    assert_nothing_left(tmp_path)


@pytest.mark.smoke
def test_help_is_quick_because_grpc_is_not_imported() -> None:
    code = "import sys; from server.cli.main import main; main(['--help'], standalone_mode=False); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"grpc", "google.protobuf", "rich", "uvloop"} & set(done.stdout.split())
