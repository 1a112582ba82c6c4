"""The readers that `tortuga bench --web` sends: they watch one match and read pages of a real arena."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

from server.bench.web import mebibytes, pages_address, pinned, web_process
from server.bench.web_load import Load, reader_address
from support.command import ROOT
from support.ladders import COVE, make_config
from support.served import Served, dialled_in, wait_for


def test_every_reader_has_an_address_of_its_own_on_the_loopback() -> None:
    found = {reader_address(number) for number in range(4000)}
    assert len(found) == 4000
    assert all(address.startswith("127.") for address in found)
    assert not found & {"127.0.0.1"}


def test_readers_watch_and_read(tmp_path: Path) -> None:
    config = make_config(COVE, rest_seconds=0.1, matches_per_bot=1, drain_seconds=0.0)
    served = Served(tmp_path, config, web="127.0.0.1:0").start()
    try:
        log = tmp_path / "arena" / "server.log"
        log.write_text(served.log())  # the bench has it beside the arena
        tokens = served.add("ann", "bob", "cid", "dan")
        with dialled_in(served.bots, tokens, slots=1, think_seconds=0.01):
            wait_for(lambda: served.status().matches >= 2)
            words = [sys.executable, "-m", "server.bench.web_load", pages_address(tmp_path), "10", "5", "0"]
            with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as readers:
                assert readers.stdout is not None
                assert readers.stdout.readline() == "reading\n"
                matches = served.status().matches
                wait_for(lambda: served.status().matches >= matches + 2)
                output, _ = readers.communicate("")
            report = json.loads(output)
            assert report["events"]["frame"] > 0
            assert report["events"]["end"] >= 10, "they went on to the next match"
            assert 0 < report["mean_streaming"] <= 10
            assert report["matches_watched"] >= 2
            assert report["refused_streams"] == {}
            assert report["pages"] > 0
            assert report["page_errors"] == {}
            assert mebibytes(web_process(served.process.pid)) > 10
    finally:
        served.close()


def test_all_readers_go_on_to_the_same_match() -> None:
    async def go() -> None:
        load = Load("127.0.0.1", 1, 2, running="first", coming=["second", "third"])
        assert [load.move_on("first") for _ in range(3)] == [True, True, True]
        assert (load.running, load.coming) == ("second", ["third"])
        assert load.move_on("second")
        assert not load.move_on("third"), "nothing else is running: they wait for the next look"
        assert load.watched == {"second", "third"}

    asyncio.run(go())


def test_whatever_is_started_meanwhile_is_pinned() -> None:
    import os

    before = os.sched_getaffinity(0)
    with pinned({min(before)}):
        assert os.sched_getaffinity(0) == {min(before)}
    assert os.sched_getaffinity(0) == before
