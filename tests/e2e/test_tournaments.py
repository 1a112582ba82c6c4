"""Events as a user runs them: real processes, real bots, and a look at what they leave behind."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from server.bots.spec import SAMPLE_BOTS
from server.cli.main import main
from server.hosting.cores import available_cores
from server.tournament.folder import Folder, lock_holder
from server.tournament.journal import read_journal
from server.tournament.manifest import Manifest, make_manifest, write_text
from server.tournament.status import read_status
from server.tournament.store import Store
from support import sizes
from support.command import assert_nothing_left, hostile, processes_of, start
from support.events import dump

CALM = ("--clock", "3600+60/600")
"""Nobody is late on this clock, however busy the machine is."""
TINY = ("--variant", "max_rounds=1")
PATIENCE_SECONDS = 300.0

pytestmark = pytest.mark.timeout(3 * PATIENCE_SECONDS)


def make_event(base: Path, **keys: Any) -> Folder:
    """A folder `event` with a manifest of two sample bots."""
    table = {
        "name": "real",
        "seed": "s",
        "clock": CALM[1],
        "start_seconds": 600,
        "concurrency": 2,
        "games": [{"id": "pavillon_noir", "variant": {"max_rounds": 1}}],
        "bots": [{"spec": "gunner"}, {"spec": "random"}],
        **keys,
    }
    folder = Folder(base / "event")
    folder.path.mkdir(exist_ok=True)
    folder.manifest.write_text(write_text(make_manifest(table)))
    return folder


def until(happened: Callable[[], bool]) -> None:
    """Wait for something that has to happen."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)


def has_results(folder: Folder, count: int) -> Callable[[], bool]:
    """Whether so many matches were told."""
    return lambda: folder.journal.exists() and folder.journal.read_text().count('"match_finished"') >= count


def told(done: subprocess.CompletedProcess[str]) -> Any:
    """The one JSON document that a command printed."""
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def command_of(base: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`tortuga …` in a process of its own, with all the time that a busy machine may take."""
    command = start(base, *words)
    out, err = command.communicate(timeout=PATIENCE_SECONDS)
    return subprocess.CompletedProcess(words, command.returncode, out, err)


def here(base: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command in this process, since starting one is slow."""
    with contextlib.chdir(base):
        done = CliRunner().invoke(main, list(words))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A quick event from flags, over; `event` in it."""
    base = tmp_path_factory.mktemp("played")
    bots = ("--bot", "gunner", "--bot", "random", "--bot", "random")
    words = ("run", "event", "--game", "pavillon_noir", *TINY, *CALM, *bots, "--rounds", "1", "--seed", "s")
    found = told(command_of(base, "tournament", *words, "--concurrency", "2", "--json"))
    assert (found["folder"], found["status"]["matches_done"], found["status"]["matches_planned"]) == ("event", 6, 6)
    assert [row["bot"] for row in found["ladders"][0]["table"]]
    assert_nothing_left(base)
    return base


def make_new_event(tmp_path: Path) -> Path:
    """The manifest that `tournament new` writes, cut to two short matches."""
    done = here(tmp_path, "tournament", "new", "event")
    assert (done.returncode, "tournament run event" in done.stdout) == (0, True)
    path = tmp_path / "event" / "tournament.toml"
    text = path.read_text().replace("rounds = 10", "rounds = 1").replace("60+0.1/1", CALM[1])
    path.write_text(text.replace("seats = 2", "seats = 2\nvariant = { max_rounds = 1 }"))
    return path


@pytest.mark.smoke
def test_new_writes_a_manifest_that_runs(tmp_path: Path) -> None:
    make_new_event(tmp_path)
    done = here(tmp_path, "tournament", "run", "event", "--concurrency", "1")
    assert done.returncode == 0, done.stderr
    assert "after an interruption: " in done.stderr
    assert "tournament run event" in done.stderr
    assert [line[:16] for line in done.stdout.splitlines()[:2]] == ["Finished match 1", "Finished match 2"]
    for words in ("Pavillon", "gunner", "random", "±", "report: event/report.html"):
        assert words in done.stdout


def test_the_same_command_goes_on_unless_its_event_was_changed(tmp_path: Path) -> None:
    path = make_new_event(tmp_path)
    again = here(tmp_path, "tournament", "new", "event")
    assert (again.returncode, "event/tournament.toml" in again.stderr) == (2, True)
    assert "already exists" in again.stderr
    first = here(tmp_path, "tournament", "run", "event")
    assert (first.returncode, "Finished match 2" in first.stdout) == (0, True)
    second = here(tmp_path, "tournament", "run", "event")
    assert (second.returncode, "Finished" in second.stdout) == (0, False)
    path.write_text(path.read_text().replace("\nrounds = 1", "\nrounds = 2"))
    third = here(tmp_path, "tournament", "run", "event")
    assert third.returncode == 2
    assert "partly played" in third.stderr
    assert "rounds: was 1, is now 2" in third.stderr


def test_what_is_asked_of_a_played_event(played: Path) -> None:
    found = told(here(played, "tournament", "status", "event", "--json"))
    assert {name: found[name] for name in ("matches_planned", "matches_done", "faults", "running", "pid")} == {
        "matches_planned": 6,
        "matches_done": 6,
        "faults": 0,
        "running": 0,
        "pid": None,
    }
    [ladder] = told(here(played, "ladder", "show", "event", "--game", "pavillon_noir", "--json"))
    assert (ladder["game"], ladder["seats"]) == ("pavillon_noir", 2)
    assert {row["bot"]: row["matches"] for row in ladder["table"]} == {"gunner": 4, "random": 4, "random-2": 4}
    way = told(here(played, "ladder", "history", "gunner", "--dir", "event", "--json"))
    assert [row["contest"] for row in way] == ["pavillon_noir-2"] * 4
    assert way[0]["live_elo"] - way[0]["change"] == 1000
    rows = list(csv.DictReader(io.StringIO(here(played, "tournament", "export", "event", "--csv").stdout)))
    assert len(rows) == 12
    assert len(told(here(played, "tournament", "export", "event", "--json"))) == 12


def test_every_record_of_an_event_can_be_proven(played: Path) -> None:
    records = sorted(str(path) for path in (played / "event" / "records").iterdir())
    assert len(records) == 6
    found = told(here(played, "replay", "verify", *records, "--json"))
    assert [one["holds"] for one in found] == [True] * 6


def test_the_database_is_made_again_to_the_last_byte_of_every_table(played: Path) -> None:
    folder = Folder(played / "event")
    before = dump(folder, measured=True)
    folder.database.unlink()
    missing = here(played, "ladder", "show", "event")
    assert (missing.returncode, "ladder rebuild event" in missing.stderr) == (2, True)
    done = here(played, "ladder", "rebuild", "event")
    assert (done.returncode, done.stdout.startswith("6 matches ")) == (0, True)
    assert "event/records" in done.stdout
    assert dump(folder, measured=True) == before


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["tournament", "run"], "or pass --game and --bot"),
        (["tournament", "run", "nowhere"], "tournament new nowhere"),
        (["tournament", "run", "--game", "pavillon_noir"], "needs --game and --bot"),
        (["tournament", "run", "event", "--rounds", "3"], "--rounds: only for"),
        (
            ["tournament", "run", "--game", "pavillon_noir", "--bot", "random", "--rounds", "0"],
            "is for --format ladder",
        ),
        (["tournament", "run", "--game", "chess", "--bot", "random", "--bot", "random"], "there is no game 'chess'"),
        (["tournament", "run", "--game", "pavillon_noir:x", "--bot", "random"], "GAME or GAME:SEATS"),
        (["tournament", "run", "--game", "pavillon_noir", "--bot", "random"], "needs 2 bots, but only 1"),
        (
            ["tournament", "run", "--game", "broadsides", "--bot", "random", "--bot", "gunner"],
            "gunner plays pavillon",
        ),
        (["tournament", "run", "--game", "pavillon_noir", "--bot", "nobody", "--bot", "random"], "no bot 'nobody'"),
        (["tournament", "status", "nowhere"], "no folder nowhere"),
        (["tournament", "export", "event"], "pass --csv or --json"),
        (["ladder", "show", "event", "--game", "chess"], "no chess; it has pavillon"),
        (["ladder", "history", "nobody", "--dir", "event"], "'nobody'; it has gunner, "),
        (["ladder", "rebuild", "nowhere"], "no folder nowhere"),
        (["sprt", "gunner", "random", "--game", "pirates_cove:4", "--model", "bayesian"], "only the normalized model"),
        (["sprt", "gunner", "random", "--game", "pavillon_noir", "--elo0", "5", "--elo1", "5"], "elo0"),
        (["sprt", "gunner", "nobody", "--game", "pavillon_noir", "--from", "event"], "event has no bot 'nobody'"),
    ],
)
def test_wrong_usage_is_answered_in_one_line(words: list[str], answer: str, played: Path) -> None:
    done = here(played, *words)
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert answer in line
    assert line.startswith("tortuga: ")


@pytest.mark.parametrize(
    "signals",
    [
        pytest.param([signal.SIGINT], id="once"),
        pytest.param([signal.SIGINT, signal.SIGINT], id="twice"),
        pytest.param([signal.SIGTERM], id="term"),
    ],
)
def test_an_interrupted_event_says_how_to_go_on_and_leaves_nothing(
    signals: list[signal.Signals], tmp_path: Path
) -> None:
    """Also: while it runs, a second runner is refused with its pid, and anybody may look."""
    folder = make_event(tmp_path, rounds=1000)
    command = start(tmp_path, "tournament", "run", "event")
    until(has_results(folder, 2))
    if signals == [signal.SIGINT]:
        second = here(tmp_path, "tournament", "run", "event")
        assert (second.returncode, second.stdout) == (2, "")
        assert second.stderr.splitlines()[-1].startswith("tortuga: event is ")
        assert second.stderr.endswith(f" process {command.pid}\n")
        found = told(here(tmp_path, "tournament", "status", "event", "--json"))
        assert (found["pid"], found["matches_planned"], found["running"] > 0) == (command.pid, 2000, True)
    for number in signals:
        os.killpg(command.pid, number)  # as a terminal does: to the whole foreground group
        time.sleep(0.3)
    out, err = command.communicate(timeout=PATIENCE_SECONDS)
    assert command.returncode == 1
    assert "stopping: " in err
    assert err.splitlines()[-1].startswith("tortuga: interrupted; ")
    assert "finished is kept" in err
    assert err.endswith("tournament run event\n")
    assert "±" in out, "the tables so far are printed"
    assert_nothing_left(tmp_path)
    found = read_status(folder)
    assert (lock_holder(folder), found.running, found.matches_done >= 2) == (None, 0, True)
    assert len(list(folder.records.iterdir())) == found.matches_done
    lines = [json.loads(line) for line in folder.journal.read_text().splitlines()]
    began = {line["match"] for line in lines if line["event"] == "match_started"}
    ended = {line["match"] for line in lines if line["event"] == "match_finished"}
    assert ended <= began
    if len(signals) == 1:
        assert began == ended, "what ran was finished"


def test_a_bot_that_keeps_failing_is_quarantined_and_its_logs_are_there(tmp_path: Path) -> None:
    """One fails in the middle of its first match, the other before it has said Hello: that one is quick to start."""
    bots = [
        {"spec": "cmd: sh -c 'echo boom in my bot; exit 3'", "name": "boom"},
        {"spec": hostile("raise_mid_match"), "name": "raise"},
        {"spec": "random"},
    ]
    games = [{"id": "pavillon_noir", "variant": {"max_rounds": 3}}]
    folder = make_event(tmp_path, format="gauntlet", rounds=11, bots=bots[::2], games=games)
    done = command_of(tmp_path, "tournament", "run", "event")
    assert done.returncode == 0, done.stderr
    [line] = [line for line in done.stderr.splitlines() if "QUARANTINE: boom " in line]
    assert "20 of 20 matches" in line
    assert "pavillon_noir-2" in line
    assert "quarantined: boom" in here(tmp_path, "tournament", "status", "event").stdout
    check_logs(folder, done.stdout, 20)
    folder.path.rename(tmp_path / "first")
    folder = make_event(tmp_path, rounds=1, bots=bots[1:], games=games)
    done = command_of(tmp_path, "tournament", "run", "event")
    assert done.returncode == 0, done.stderr
    check_logs(folder, done.stdout, 2)
    assert_nothing_left(tmp_path)


def check_logs(folder: Folder, shown: str, least: int) -> None:
    """Every fault has a log file with what the bot had printed, and no file is there without a fault."""
    faults = [json.loads(line) for line in folder.journal.read_text().splitlines() if '"event": "fault"' in line]
    assert len(faults) >= least
    for fault in faults:
        assert (fault["kind"], fault["out"]) == ("crash", True)
        assert "boom in my bot" in (folder.logs / fault["log"]).read_text()
    assert {path.name for path in folder.logs.iterdir()} == {fault["log"] for fault in faults}
    assert f"logs/{faults[-1]['log']}" in shown, "the table of faults names the file"


@pytest.mark.parametrize("restart", ["match", "never"])
def test_processes_are_kept_for_many_matches_unless_it_is_forbidden(restart: str, tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    program = SAMPLE_BOTS / "python" / "random" / "bot.py"
    spec = f"cmd: sh -c 'echo $$ >> {starts}; exec {sys.executable} {program}'"
    bots = [{"spec": spec, "name": "one"}, {"spec": spec, "name": "two"}]
    make_event(tmp_path, rounds=3, bots=bots, restart=restart, concurrency=1)
    done = command_of(tmp_path, "tournament", "run", "event", "--jail", "none")
    assert done.returncode == 0, done.stderr
    pids = starts.read_text().split()
    if restart == "match":
        assert len(pids) >= 12, "six matches of two bots; a void one is played again by others"
    else:
        assert len(pids) < 12
    assert_nothing_left(tmp_path)


@sizes.sized
def test_the_results_do_not_depend_on_how_many_matches_are_played_at_once(tmp_path: Path) -> None:
    """Nor do more processes run than are needed: one of each bot in each worker, whose rotation is always another."""
    starts, cores = tmp_path / "starts", len(available_cores())
    program = SAMPLE_BOTS / "python" / "random" / "bot.py"
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        run = ["sh", "-c", f"echo {name} >> {starts}; exec {sys.executable} {program}"]
        (tmp_path / name / "bot.toml").write_text(f'name = "{name}"\nslots = 64\nrun = {json.dumps(run)}\n')
    found = {}
    for concurrency in sizes.pick(quick=[1, 0], ci=[1, 32, 0]):  # 0: chosen by measurement
        (tmp_path / str(concurrency)).mkdir()
        keys: dict[str, Any] = {"concurrency": concurrency, "rounds": sizes.pick(quick=6, ci=12, full=30)}
        keys["games"] = [{"id": "pavillon_noir", "variant": {"max_rounds": 20}}]  # answers enough to measure by
        keys["bots"] = [{"spec": str(tmp_path / name)} for name in ("one", "two")]
        folder = make_event(tmp_path / str(concurrency), **keys)
        starts.write_text("")
        done = command_of(tmp_path / str(concurrency), "tournament", "run", "event", "--jail", "none")
        assert done.returncode == 0, done.stderr
        assert len(starts.read_text().split()) <= 2 * max(2, cores)
        assert ("processor time to decide" in done.stderr) == (concurrency == 0)
        found[concurrency] = dump(folder)
    assert all(rows == found[1] for rows in found.values())
    assert found[1]["match"]


def test_a_worker_that_is_killed_is_replaced_and_its_matches_are_played_again(tmp_path: Path) -> None:
    folder = make_event(tmp_path, rounds=1000)
    command = start(tmp_path, "tournament", "run", "event")
    until(has_results(folder, 2))
    victims = [pid for pid in pids_of(tmp_path) if b"server.play.worker" in cmdline(pid)]
    os.kill(victims[0], signal.SIGSTOP)  # it may have nothing in hand right now: let it keep what it is given
    until(stands_still(folder))
    os.kill(victims[0], signal.SIGKILL)
    until(lambda: '"reason": "the worker died (exit code -9)"' in folder.journal.read_text())
    lost = {line["block"] for line in read_journal(folder.journal) if line["event"] == "match_void"}
    until(lambda: lost <= {row[3] for row in dump(folder)["match"]})
    os.killpg(command.pid, signal.SIGINT)
    _, err = command.communicate(timeout=PATIENCE_SECONDS)
    assert command.returncode == 1
    assert "is played again: " in err
    assert "died (exit code -9)" in err
    assert_nothing_left(tmp_path)


def stands_still(folder: Folder) -> Callable[[], bool]:
    """Whether nothing has happened for two seconds: all blocks that were given out wait for somebody."""
    seen = [(0, 0.0)]

    def happened() -> bool:
        size = folder.journal.stat().st_size
        if size != seen[-1][0]:
            seen.append((size, time.monotonic()))
        return time.monotonic() > seen[-1][1] + 2

    return happened


def pids_of(folder: Path) -> list[int]:
    """All processes that carry the folder in their environment."""
    needle, found = str(folder).encode(), []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if needle in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def cmdline(pid: int) -> bytes:
    """How a process was called."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_a_sequential_test_stops_by_itself_and_can_be_judged_again(tmp_path: Path) -> None:
    bounds = ("--elo0", "0", "--elo1", "200", "--alpha", "0.2", "--beta", "0.2")
    words = ("sprt", "gunner", "random", "--game", "pavillon_noir", *bounds)
    play = ("--variant", "max_rounds=3", *CALM, "--dir", "event", "--seed", "s", "--concurrency", "2", "--json")
    found = told(command_of(tmp_path, *words, *play))
    assert found["verdict"] in ("H0", "H1")
    assert found["lower"] < 0 < found["upper"]
    assert (found["a"], found["b"], found["games_per_block"]) == ("gunner", "random", 2)
    assert found["blocks"] < 200
    again = told(here(tmp_path, *words, *play))
    assert again == found, "the same command finds it over"
    assert_nothing_left(tmp_path)
    judged = told(here(tmp_path, *words, "--from", "event", "--json"))
    assert judged["blocks"] >= found["blocks"], "what still ran when the verdict fell counts here"
    assert judged["verdict"] == found["verdict"]
    text = here(tmp_path, *words, "--from", "event").stdout
    assert "LLR: " in text
    assert f"{found['verdict']} accepted: gunner " in text
    assert f" by {'more' if found['verdict'] == 'H1' else 'less'} than" in text


def test_a_sequential_test_against_a_field_meets_everybody_equally_often(tmp_path: Path) -> None:
    """One new bot and several opponents: the mean score against all of them is tested, with a stated error."""
    bounds = ("--elo0", "0", "--elo1", "200", "--alpha", "0.2", "--beta", "0.2")
    words = ("sprt", "gunner", "random", "random", "--game", "pavillon_noir", *bounds)
    play = ("--variant", "max_rounds=3", *CALM, "--dir", "event", "--seed", "s", "--concurrency", "2")
    found = told(command_of(tmp_path, *words, *play, "--json"))
    assert found["verdict"] in ("H0", "H1")
    assert (found["a"], found["b"]) == ("gunner", "a field of 2")
    assert (found["blocks_per_round"], found["games_per_block"]) == (2, 4)
    assert (found["alpha"], found["beta"]) == (0.2, 0.2)
    assert found["unbiased_normalized_elo"] is not None
    low, high = found["unbiased_normalized_elo_95"]
    assert low < found["unbiased_normalized_elo"] < high
    with Store.read_only(Folder(tmp_path / "event").database) as store:
        tables = [match.bots for match in store.matches()]
    assert all("gunner" in table for table in tables), "the opponents never meet each other"
    counted = tables[: found["blocks"] * found["games_per_block"]]
    met = Counter(bot for table in counted for bot in table if bot != "gunner")
    assert met == dict.fromkeys(("random", "random.2"), len(counted) // 2)
    again = command_of(tmp_path, *words, *play)
    assert again.returncode == 0, again.stderr
    said = again.stdout + again.stderr
    assert "rounds of 2 blocks" in said
    assert "H1 wrongly in 20 %" in said
    assert "H0 in 20 %" in said
    assert f"{found['verdict']} accepted: gunner " in said
    assert "a field of 2" in said
    assert "median-unbiased estimate" in said
    assert_nothing_left(tmp_path)
    refused = command_of(tmp_path, *words, "--from", "event")
    assert refused.returncode == 2
    assert "--from works only for two" in refused.stderr


def test_the_manifest_of_a_quick_event_is_the_event(played: Path) -> None:
    from server.tournament.manifest import read_manifest

    manifest = read_manifest(played / "event" / "tournament.toml")
    assert isinstance(manifest, Manifest)
    assert [entry.name for entry in manifest.bots] == ["gunner", "random", "random-2"]
    assert processes_of(played) == []
