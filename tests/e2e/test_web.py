"""The pages of a real arena: started with it, ended with it, and there again after whatever happens to either."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.command import tortuga
from support.ladders import COVE, make_config
from support.served import Served, dialled_in, wait_for, wait_for_matches
from tortuga.v1 import arena_pb2 as pb

LADDER = "pirates_cove-4"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """An arena with pages, whose matches take a while."""
    config = make_config(COVE, rest_seconds=0.1, reconnect_seconds=1.0, matches_per_bot=1, drain_seconds=0.0)
    arena = Served(tmp_path, config, web="127.0.0.1:0").start()
    yield arena
    arena.close()


def base_of(served: Served) -> str:
    """Where the pages of the last start are."""
    found = re.findall(r"  web      (http://\S+)/\n", served.log())
    assert found, served.log()[-2000:]
    return str(found[-1])


def read(url: str) -> tuple[int, str]:
    """A page, whatever its status; 0: nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError:
        return 0, ""


def web_processes(served: Served) -> list[int]:
    """The processes that show the pages of this arena."""
    door, found = str(served.path / "web.sock"), []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().decode().split("\0") if entry.name.isdecimal() else []
        except OSError:
            continue
        if door in words and "web" in words:
            found.append(int(entry.name))
    return found


def test_pages_live_with_their_arena_and_after_a_kill_of_either(served: Served) -> None:
    base = base_of(served)
    wait_for(lambda: read(f"{base}/healthz")[0] == 200)
    assert (served.path / "web.sock").stat().st_mode & 0o777 == 0o600
    assert read(f"{base}/ladders")[0] == 200
    [first] = web_processes(served)
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: web_processes(served) not in ([], [first]))
    wait_for(lambda: read(f"{base}/ladders")[0] == 200)  # at the same address: its port was never closed
    assert "web_ended" in served.log()
    served.kill()
    wait_for(lambda: not web_processes(served))
    served.start()
    again = base_of(served)
    wait_for(lambda: read(f"{again}/ladders")[0] == 200)
    served.signal()
    assert served.end() == 0
    assert not web_processes(served)
    assert not (served.path / "web.sock").exists()


@pytest.mark.smoke
def test_a_port_that_is_taken_costs_the_arena_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        served = Served(tmp_path, make_config(), web=address).start()
        try:
            [line] = [line for line in served.log().splitlines() if line.startswith("tortuga: there are no")]
            for fact in (f"{address} cannot be opened", "already in use", "arena.toml", "--web"):
                assert fact in line
            assert "  web  " not in served.log()
            assert served.status().bots_address
        finally:
            served.close()


def test_a_live_match_is_streamed_to_its_end_and_pages_tell_of_it(served: Served) -> None:
    base = base_of(served)
    tokens = served.add("ann", "bob", "cid", "dan")
    with dialled_in(served.bots, tokens, slots=1, think_seconds=0.01):
        wait_for(lambda: read(f"{base}/healthz")[0] == 200)
        match_id, text = wait_for(lambda: watch_one(served, base))
        kinds = re.findall(r"^event: (\w+)$", text, re.MULTILINE)
        assert kinds[0] == "start"
        assert kinds[-1] == "end"
        assert kinds.count("frame") >= 1
        frames = [json.loads(data) for data in re.findall(r"^event: frame\ndata: (.*)$", text, re.MULTILINE)]
        assert "micros" not in text, "no clocks while it is played"
        numbers = [frame["number"] for frame in frames]
        assert numbers == sorted(set(numbers))
        wait_for_matches(served, 1)
        found = wait_for(lambda: read(f"{base}/match/{match_id}.json")[1])
        assert match_id in found
        document = urllib.request.urlopen(f"{base}/match/{match_id}/document", timeout=60).read()
        assert document[:2] == b"\x1f\x8b"
        status, page = read(f"{base}/bot/ann")
        assert status == 200
        assert "pirates" in page.lower()


def watch_one(served: Served, base: str) -> tuple[str, str] | None:
    """A match watched to its end; None: it ended before we came."""
    running = served.api.ListMatches(pb.ListMatchesRequest(state=pb.MATCH_STATE_RUNNING)).matches
    if not running:
        return None
    try:
        with urllib.request.urlopen(f"{base}/match/{running[0].match_id}/live", timeout=60) as stream:
            assert stream.headers["Content-Type"].startswith("text/event-stream")
            return running[0].match_id, stream.read().decode()  # it ends with the match
    except urllib.error.HTTPError:
        return None


def test_a_challenge_from_the_terminal_is_played_recorded_and_unrated(served: Served) -> None:
    tokens = served.add("ann", "bob", "cid", "dan")
    folder = served.folder

    def client(*words: str, **more: str) -> Any:
        return tortuga(folder, "client", *words, "--server", served.public, **more)

    refused = client("challenge", "bob", "cid", "dan", "--game", "pirates_cove", TORTUGA_TOKEN=tokens["ann"])
    assert (refused.returncode, "ann is not connected" in refused.stderr) == (2, True)
    wrong = client("challenge", "bob", "--game", "pirates_cove", TORTUGA_TOKEN="nonsense")
    assert wrong.returncode == 2
    assert "token" in wrong.stderr
    served.admin.PauseLadder(pb.PauseLadderRequest())
    with dialled_in(served.bots, tokens, slots=1, think_seconds=0.005):
        wait_for(lambda: served.status().connected == 4)
        words = ("challenge", "bob", "cid", "dan", "--game", "pirates_cove", "--json")
        done = client(*words, TORTUGA_TOKEN=tokens["ann"])
        assert done.returncode == 0, done.stderr
        match_id = json.loads(done.stdout)["match_id"]
        listed = pb.ListMatchesRequest(challenges=True, state=pb.MATCH_STATE_FINISHED)
        [match] = wait_for(lambda: served.api.ListMatches(listed).matches)
        assert (match.match_id, match.challenger, match.contest) == (match_id, "ann", LADDER)
        assert served.status().matches == 0, "it counts on no ladder"
        assert not served.api.ListMatches(pb.ListMatchesRequest()).matches
        assert "a challenge by ann" in client("match", match_id).stdout
        assert match_id in client("matches", "--challenges").stdout
        assert client("record", match_id, "-o", "it.tortuga").returncode == 0
        assert tortuga(folder, "replay", "verify", "it.tortuga").returncode == 0
        base = base_of(served)
        assert "asked for by ann" in read(f"{base}/match/{match_id}")[1]
    served.kill()  # a challenge that is over survives it
    served.start()
    assert served.api.GetMatch(pb.GetMatchRequest(match_id=match_id)).challenger == "ann"
    done = tortuga(folder, "server", "backup", str(folder / "copy"), "--dir", str(served.path))
    assert done.returncode == 0, done.stderr
    assert (folder / "copy" / "challenges" / "records" / f"{match_id}.tortuga").exists()
    served.signal()
    served.end()
    checked = tortuga(folder, "fsck", str(served.path))
    assert checked.returncode == 0, checked.stdout
    (served.path / "challenges" / "records" / f"{match_id}.tortuga").unlink()
    assert "challenges" in tortuga(folder, "fsck", str(served.path)).stdout
