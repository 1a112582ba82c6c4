"""Submissions as authors make them: a real arena, real builds in the jail, a kill in the middle."""

from __future__ import annotations

import json
import os
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.records.record import read_record
from server.bots.bundle import hash_file
from server.jail.level import JailLevel
from support.command import assert_nothing_left, tortuga
from support.jail import need
from support.ladders import make_config
from support.served import PATIENCE_SECONDS, Served, wait_for
from tortuga.v1 import arena_pb2 as pb

pytestmark = pytest.mark.timeout(3 * PATIENCE_SECONDS)

BOT = """\
import part
from tortuga_bot import play

if __name__ == "__main__":
    play(lambda question: part.ANSWER, slots=4)
"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    need(JailLevel.JAIL)
    arena = Served(tmp_path, make_config(rest_seconds=0.05, suspend_faults=0)).start()
    try:
        yield arena
    finally:
        arena.close()


def make_bot(folder: Path, build: str, version: str = "1", bot: str = BOT) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    facts = {"name": "mine", "version": version, "language": "python", "slots": 4}
    lines = [f"{key} = {json.dumps(value)}" for key, value in facts.items()]
    lines += [f'build = ["sh", "-c", {json.dumps(build)}]', 'run = ["python", "{dir}/bot.py"]']
    (folder / "bot.toml").write_text("\n".join(lines))
    (folder / "bot.py").write_text(bot)
    return folder


def client(served: Served, token: str, *words: str) -> Any:
    return tortuga(served.folder, "client", *words, TORTUGA_TOKEN=token, TORTUGA_ARENA=served.public)


def test_from_a_folder_to_a_record_whose_bundle_is_found_again(served: Served, tmp_path: Path) -> None:
    tokens = served.add("ann", "bob")
    served.admin.HostBot(pb.HostBotRequest(spec="random"))
    folder = make_bot(tmp_path / "mine", "echo ANSWER = 0 > part.py; echo compiling")
    done = client(served, tokens["ann"], "submit", str(folder), "--follow")
    assert done.returncode == 0, (done.stdout, done.stderr, served.log()[-3000:])
    assert "compiling" in done.stdout
    assert done.stdout.splitlines()[-1].split(": ") == ["ann-1 (ann)", "playing as version 1"]
    # A build that fails, and a bot that does: the first version plays on.
    for build, bot, words in (
        ("echo no such header >&2; exit 2", BOT, "failed in the step build"),
        ("echo 'raise SystemExit(3)' > part.py", BOT, "step check: hello"),
    ):
        bad = client(served, tokens["ann"], "submit", str(make_bot(tmp_path / "bad", build, "2", bot)), "--follow")
        assert bad.returncode == 1, bad.stdout
        assert words in bad.stdout.splitlines()[-1]
    assert "no such header" in client(served, tokens["ann"], "submission", "ann-2").stdout
    other = client(served, tokens["bob"], "submission", "ann-2")
    assert (other.returncode, "no submission 'ann-2'" in other.stderr) == (2, True)
    # What played can be found, byte for byte.
    request = pb.ListMatchesRequest(bot="ann", state=pb.MATCH_STATE_FINISHED)
    [match, *_] = wait_for(lambda: served.api.ListMatches(request).matches)
    assert client(served, "", "record", match.match_id, "-o", "found.tortuga").returncode == 0
    record, _ = read_record(tmp_path / "found.tortuga")
    [seat] = [seat for seat in record.seats if seat.bot_name == "ann"]
    assert len(seat.bundle_hash) == 32
    [random] = [seat for seat in record.seats if seat.bot_name == "random"]
    assert random.bundle_hash == b"", "a sample bot plays where it is"
    assert tortuga(tmp_path, "replay", "verify", "found.tortuga").returncode == 0
    told = json.loads(tortuga(tmp_path, "server", "bundle", "of", "found.tortuga", "--json").stdout)["seats"]
    sha256 = next(one["sha256"] for one in told if one["bot"] == "ann")
    assert sha256 == seat.bundle_hash.hex()
    got = tortuga(tmp_path, "server", "bundle", "get", sha256, "-o", "ann.tar", "--dir", str(served.path))
    assert got.returncode == 0, got.stderr
    assert hash_file(tmp_path / "ann.tar") == sha256
    with tarfile.open(tmp_path / "ann.tar") as archive:
        part = archive.extractfile("part.py")
        assert part is not None
        assert part.read() == b"ANSWER = 0\n"


def test_a_kill_in_the_middle_of_a_build_costs_nothing_but_time(served: Served, tmp_path: Path) -> None:
    tokens = served.add("ann")
    folder = make_bot(tmp_path / "mine", "sleep 300")
    done = client(served, tokens["ann"], "submit", str(folder), "--json")
    assert done.returncode == 0, done.stderr
    work, log = served.path / "submissions" / "ann-1", served.path / "submissions" / "ann-1.log"
    for attempt in range(3):
        wait_for(lambda: (work / "build" / "run").exists())
        assert log.read_text().count("beginning again") == attempt
        if attempt == 2:
            quick = make_bot(tmp_path / "mine", "echo ANSWER = 0 > part.py", "2")
            assert client(served, tokens["ann"], "submit", str(quick), "--json").returncode == 0
        served.kill()
        served.start()
    # After three attempts the slow one is given up, and the queue goes on.
    done = client(served, tokens["ann"], "submission", "ann-2", "--follow")
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1].split(": ") == ["ann-2 (ann)", "playing as version 2"]
    first = json.loads(client(served, tokens["ann"], "submission", "ann-1", "--json").stdout)
    assert (first["state"], first["step"]) == ("failed", "build")
    assert "server stopped 3 times" in first["reason"]
    wait_for(lambda: [path.name for path in (served.path / "submissions").iterdir() if path.is_dir()] == [])
    served.close()
    assert_nothing_left(tmp_path)
    assert not [path for path in os.listdir(tmp_path) if path.startswith("tortuga-build")]
