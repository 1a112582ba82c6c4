"""How hosted bots come and go: checked before they are seated, ended at once when they may no longer play.

The bots are real processes of a real `tortuga serve`. One in whose folder there is a file `hold` stops to answer.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from server.hosting import keeper
from server.play.summary import MatchSummary
from server.tournament.folder import Folder
from server.tournament.store import Store
from support.arena import code_of
from support.command import assert_nothing_left, start, tortuga
from support.ladders import LADDER, make_config
from support.served import PATIENCE_SECONDS, Served, wait_for, wait_for_matches
from tortuga.v1 import arena_pb2 as pb

pytestmark = pytest.mark.timeout(3 * PATIENCE_SECONDS)

PROGRAM = """
import time
from pathlib import Path
from tortuga_bot import play

HOLD = Path(__file__).parent / "hold"

def choose(question):
    if HOLD.exists():
        with HOLD.open():  # a test sees by it that a bot was asked
            while HOLD.exists():
                time.sleep(0.01)
    {act}
    return 0

play(choose, name="bot", slots=1)
"""
MANIFEST = """
name = "{name}"
version = "{version}"
run = ["python", "{{dir}}/bot.py", {more}]
"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    arena = Served(tmp_path, make_config(suspend_faults=0, drain_seconds=0.0, matches_at_once=1, trust_hosted=True))
    try:
        yield arena.start()
    finally:
        arena.close()
        assert_nothing_left(tmp_path)


def write_bot(folder: Path, name: str, *, version: str = "1", act: str = "", more: str = "", keys: str = "") -> Path:
    """A bot in a folder of its own."""
    path = folder / name
    path.mkdir(exist_ok=True)
    (path / "bot.py").write_text(PROGRAM.format(act=act))
    (path / "bot.toml").write_text(MANIFEST.format(name=name, version=version, more=more) + keys)
    return path


def host(served: Served, bot: Path) -> Path:
    """The server starts it from now on: from this folder, that of its bundle."""
    served.admin.HostBot(pb.HostBotRequest(spec=str(bot)), timeout=PATIENCE_SECONDS)
    manifest = (bot / "bot.toml").read_text()
    bundles = (served.path / "bundles" / "unpacked").glob("*/bot.toml")
    return next((path.parent for path in bundles if path.read_text() == manifest), bot)


def hold(*folders: Path) -> None:
    """Let the bots that play from these folders answer no more."""
    for folder in folders:
        folder.chmod(0o755)  # a bundle is for reading only
        (folder / "hold").touch()


def release(*folders: Path) -> None:
    """Let them answer again."""
    for folder in folders:
        (folder / "hold").unlink()


def processes(bot: Path) -> list[int]:
    """All processes that run a bot, dead ones that nobody has buried yet left out."""
    found = []
    for pid in keeper.read_processes():
        try:
            if str(bot).encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
        except OSError:
            continue
    return found


def matches(served: Served) -> list[MatchSummary]:
    """All that were played on the ladder."""
    with Store.read_only(Folder(served.path / "ladder").database) as store:
        return list(store.matches())


def rank_of(match: MatchSummary, bot: str) -> int:
    """1 for the winner."""
    return match.ranks[match.seated.index(bot)]


def workers_of(folder: Path) -> list[int]:
    """The processes that play an event."""
    found = []
    for pid in keeper.read_processes():
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if b"server.play.worker" in words and str(folder).encode() in Path(f"/proc/{pid}/environ").read_bytes():
                found.append(pid)
        except OSError:
            continue
    return found


def hold_a_match(served: Served, *bots: Path) -> str:
    """Wait until a bot was asked and does not answer; return the match it is in."""
    hold(*bots)
    wait_for(lambda: any(map(is_holding, bots)))
    running = pb.ListMatchesRequest(state=pb.MATCH_STATE_RUNNING)
    [match] = wait_for(lambda: alone(served.api.ListMatches(running).matches))
    return str(match.match_id)


def alone(rows: Sequence[pb.MatchInfo]) -> Sequence[pb.MatchInfo]:
    """Return the rows if there is one; the match before may still be listed."""
    return rows if len(rows) == 1 else ()


def is_holding(bot: Path) -> bool:
    """Return whether a process of a bot was asked and waits for its release."""
    for pid in processes(bot):
        with contextlib.suppress(OSError):  # it is gone
            if any(os.readlink(link).endswith("/hold") for link in Path(f"/proc/{pid}/fd").iterdir()):
                return True
    return False


# Before a bot is seated


def test_a_bot_that_is_not_built_is_refused_with_what_to_do(served: Served, tmp_path: Path) -> None:
    bot = write_bot(tmp_path, "ann", more='"{dir}/ann.jar"', keys='build = ["make"]')
    done = tortuga(tmp_path, "server", "bot", "host", "ann", "--dir", str(served.path))
    assert done.returncode == 2
    assert f"ann is not built, {bot / 'ann.jar'} " in done.stderr
    assert done.stderr.endswith(": tortuga bot build ann\n")
    _, words = code_of(lambda: host(served, bot))
    assert f"ann is not built, {bot / 'ann.jar'} " in words, "the server does not rely on the command line"
    assert words.endswith(f": tortuga bot build {bot}")
    assert not served.api.ListBots(pb.ListBotsRequest()).bots


def test_a_bot_that_fails_its_check_is_not_hosted(served: Served, tmp_path: Path) -> None:
    for act, reason, last in [
        ("raise ValueError('I cannot count')", "crash: exited with code 1", "ValueError: I cannot count"),
        ("print('the end', flush=True); import os; os._exit(3)", "crash: exited with code 3", "the end"),
        ("return 999", "crash: exited with code 1", "choose returned 999: "),
    ]:
        write_bot(tmp_path, "ann", act=act)
        done = tortuga(tmp_path, "server", "bot", "host", "ann", "--dir", str(served.path))
        assert done.returncode == 2
        [line] = done.stderr.splitlines()
        for fact in ("bot ann is not hosted", f"{LADDER} against itself", f"failed ({reason}"):
            assert fact in line
        assert "; its last output: " in line
        assert last in line
        assert not served.api.ListBots(pb.ListBotsRequest()).bots
    wait_for(lambda: not processes(tmp_path / "ann"))
    assert served.status().matches == 0


def test_a_bot_that_never_answers_fails_its_check(tmp_path: Path) -> None:
    served = Served(tmp_path, make_config(clock="1+0.1/1", trust_hosted=True)).start()
    try:
        bot = write_bot(tmp_path, "ann", act="time.sleep(3600)")
        _, words = code_of(lambda: host(served, bot))
        assert "it failed (timeout: " in words
        assert not processes(bot)
    finally:
        served.close()


def test_a_new_version_that_fails_its_check_changes_nothing(served: Served, tmp_path: Path) -> None:
    ann, bob = write_bot(tmp_path, "ann"), write_bot(tmp_path, "bob")
    for bot in (ann, bob):
        host(served, bot)
    write_bot(tmp_path, "ann", version="2", act="raise ValueError")
    assert "is not hosted" in code_of(lambda: host(served, ann))[1]
    assert served.api.GetBot(pb.GetBotRequest(name="ann")).version == "1"


# Ends


@pytest.mark.parametrize("ending", ["suspended", "revoked"])
def test_who_may_no_longer_play_ends_at_once_and_loses_what_it_is_playing(
    served: Served, tmp_path: Path, ending: str
) -> None:
    ann, bob = (host(served, write_bot(tmp_path, name)) for name in ("ann", "bob"))
    wait_for_matches(served, 3)
    held = hold_a_match(served, ann, bob)
    assert processes(ann)
    if ending == "suspended":
        served.admin.SuspendBot(pb.SuspendBotRequest(name="ann", reason="it swears"))
    else:
        served.admin.RevokeBot(pb.RevokeBotRequest(name="ann"))
    wait_for(lambda: not processes(ann))
    release(bob)  # it may be bob's turn; ann answers nothing more
    wait_for(lambda: held in {match.match_id for match in matches(served)})
    [lost] = [match for match in matches(served) if match.match_id == held]
    [fault] = lost.faults
    assert (fault.bot, fault.kind) == ("ann", "crash")
    assert ("suspended: it swears" if ending == "suspended" else "revoked") in fault.message
    assert rank_of(lost, "bob") == 1
    release(ann)
    if ending == "suspended":
        before = served.status().matches
        served.admin.LiftSuspension(pb.LiftSuspensionRequest(name="ann"))
        wait_for_matches(served, before + 3)
        assert processes(ann)


def test_a_replaced_version_finishes_its_matches_and_ends(served: Served, tmp_path: Path) -> None:
    ann, bob = (host(served, write_bot(tmp_path, name)) for name in ("ann", "bob"))
    wait_for_matches(served, 3)
    held = hold_a_match(served, ann, bob)
    old = set(processes(ann))
    new = tmp_path / "new"
    new.mkdir()
    served.admin.PauseLadder(pb.PauseLadderRequest())
    host(served, write_bot(new, "ann", version="2"))
    assert old & set(processes(ann)), "its match goes on"
    release(ann, bob)
    wait_for(lambda: not processes(ann))
    [finished] = wait_for(lambda: [match for match in matches(served) if match.match_id == held])
    assert finished.faults == ()
    before = served.status().matches
    served.admin.ResumeLadder(pb.ResumeLadderRequest())
    wait_for_matches(served, before + 3)
    assert {seat.bot for seat in matches(served)[-1].seats} == {"ann-2", "bob"}
    assert not processes(ann)


def test_who_is_suspended_ends_in_the_workers_of_an_event_too(served: Served, tmp_path: Path) -> None:
    served.admin.PauseLadder(pb.PauseLadderRequest())
    ann, bob = (host(served, write_bot(tmp_path, name)) for name in ("ann", "bob"))
    hold(ann, bob)
    manifest = 'name = "cup"\nseed = "s"\nrounds = 3\nclock = "3600+60/600"\n[[games]]\nid = "pavillon_noir"\n'
    served.admin.CreateEvent(pb.CreateEventRequest(name="cup", manifest=manifest))
    for name in ("ann", "bob"):
        served.admin.EnterBot(pb.EnterBotRequest(event="cup", bot=name))
    served.admin.StartEvent(pb.StartEventRequest(name="cup"))
    wait_for(lambda: processes(ann) and processes(bob))
    assert "plays in the event cup" in code_of(lambda: host(served, tmp_path / "ann"))[1], (
        "an event is played with one version"
    )
    served.admin.SuspendBot(pb.SuspendBotRequest(name="ann", reason="it swears"))
    wait_for(lambda: not processes(ann))
    release(ann, bob)
    wait_for(lambda: served.api.GetEvent(pb.GetEventRequest(name="cup")).event.state == pb.EVENT_STATE_FINISHED)
    with Store.read_only(Folder(served.path / "events" / "cup").database) as store:
        played = list(store.matches())
    assert len(played) == 6
    for match in played:
        assert rank_of(match, "bob") == 1
        assert {fault.bot for fault in match.faults} == {"ann"}
        assert all("suspended: it swears" in fault.message for fault in match.faults)
    assert not processes(ann)


@pytest.mark.parametrize("level", ["none", "auto"])
def test_a_killed_worker_takes_its_bots_with_it(tmp_path: Path, level: str) -> None:
    ann, bob = write_bot(tmp_path, "ann"), write_bot(tmp_path, "bob")
    hold(ann, bob)
    event = start(
        tmp_path,
        *("tournament", "run", "event", "--game", "pavillon_noir", "--bot", "ann", "--bot", "bob", "--rounds", "3"),
        *("--clock", "3600+60/600", "--jail", level),
    )
    try:
        wait_for(lambda: processes(ann) and processes(bob))
        bots = {*processes(ann), *processes(bob)}
        workers = workers_of(tmp_path)
        assert workers
        for pid in workers:
            os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not bots & {*processes(ann), *processes(bob)})
    finally:
        event.send_signal(signal.SIGINT)
        event.send_signal(signal.SIGINT)
        release(ann, bob)
        event.communicate(timeout=PATIENCE_SECONDS)
    assert_nothing_left(tmp_path)
