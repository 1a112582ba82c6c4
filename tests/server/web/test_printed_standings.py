"""The same standings in all places where people read them: terminal, client, pages, report. Whole texts, approved.

One event has all that a row can say: an anchor, a former version, a bot that never played, one with few matches, one
that fails and is disqualified, and one that is surely better than others. The other event is a knockout.
"""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from server.cli.common.arena_client import ArenaClient
from server.cli.main import main
from server.standings.messages import make_listing, ruling_infos
from server.standings.report import write_report
from server.tournament.event import open_agreement
from server.tournament.folder import Folder, lock_folder
from server.tournament.live_ladder import LiveLadder
from server.tournament.rulings.ruling_file import read_rulings
from server.tournament.standings import read_contest, read_standings
from server.tournament.status import read_status
from server.tournament.store import Store
from server.web.folder_backend import FolderBackend
from support.approved import Approver
from support.events import make_event, run
from support.summaries import make_block
from support.web import web_client
from tortuga.v1 import arena_pb2 as pb

CONTEST = "pavillon_noir-2"
BOTS = ("ann", "bob", "bob-2", "cid", "dan", "eve", "fay")
DISQUALIFIED = {"v": 1, "number": 1, "ruling": "disqualify", "at_millis": 1, "by": "umpire", "reason": "it cheats"}


@pytest.fixture
def league(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """A round-robin under way, its matches made by hand."""
    monkeypatch.chdir(tmp_path)  # the width of listings shall not depend on the name of a folder
    folder = make_event(Path(), name="league", bots=BOTS, rounds=12)
    folder.key.write_bytes(bytes(32))
    folder.prepare()
    live = LiveLadder(1.0)
    with lock_folder(folder), Store.open(folder.database) as store:
        agreement = open_agreement(folder, store)[0]
        versions = {"bob": "1.2", "bob-2": "1.3"}
        roster = [replace(entry, version=versions.get(entry.name, "")) for entry in agreement.roster]
        roster = [replace(entry, ancestor="bob") if entry.name == "bob-2" else entry for entry in roster]
        folder.write_agreement(replace(agreement, roster=tuple(roster)))
        pairs = [pair for _ in range(8) for pair in itertools.combinations(BOTS[:5], 2)] + [("ann", "eve")]
        for number, (first, second) in enumerate(pairs):
            ranks = [[1, 2], [2, 1]] if number % 5 else [[1, 1], [1, 2]]
            failed = ["dan"] if "dan" in (first, second) and number % 3 == 0 else []
            block = make_block(number, [first, second], ranks, failed=failed)
            store.add(block, live.feed(number, block))
    folder.rulings.write_text(json.dumps({**DISQUALIFIED, "bot": "dan", "from_millis": 1}) + "\n")
    return folder


@pytest.fixture
def cup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """A knockout that is over; every decision took half a millisecond."""
    monkeypatch.chdir(tmp_path)
    played = make_event(Path("played"), name="cup", bots=BOTS[:5], format="knockout", rounds=1)
    run(played)
    folder = Folder(Path("cup"))
    folder.path.mkdir()
    folder.key.write_bytes(bytes(32))
    folder.manifest.write_bytes(played.manifest.read_bytes())
    folder.prepare()
    folder.write_agreement(played.require_agreement())
    with Store.read_only(played.database) as before, Store.open(folder.database) as store:
        for match in before.matches():
            seats = tuple(replace(seat, time_micros=500 * seat.answers) for seat in match.seats)
            store.add([replace(match, seats=seats, kept=False)], ())
    return folder


def said(*words: object) -> str:
    """Return what a command prints."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert (done.exit_code, done.exception) == (0, None), done.output
    return done.stdout


class FakeArena:
    """Answers calls of the command line with what an arena makes of a folder."""

    def __init__(self, folder: Folder) -> None:
        contest = read_contest(folder, CONTEST)
        assert contest is not None
        self._tables = [make_listing(contest.standings)]
        self._rulings = ruling_infos(read_rulings(folder.rulings))

    def call(self, client: ArenaClient, method: str, request: Any, *, token: str = "") -> Any:
        if method == "GetEvent":
            event = pb.EventInfo(name=request.name, format="by hand", contests=[CONTEST])
            return pb.GetEventResponse(event=event, tables=self._tables, rulings=self._rulings)
        [table] = self._tables
        return pb.GetLadderResponse(
            ladder=pb.LadderInfo(name=table.contest, matches=table.table_matches),
            rows=table.rows,
            table_matches=table.table_matches,
            method=table.method,
            warning=table.warning,
            first=table.first,
            scale=table.scale,
            rulings=self._rulings,
        )


@pytest.fixture(params=["league", "cup"])
def folder(request: pytest.FixtureRequest) -> Folder:
    found: Folder = request.getfixturevalue(request.param)
    return found


def test_terminal(folder: Folder, approve: Approver) -> None:
    text = said("ladder", "show", folder.path)
    approve("standings", text)
    assert "ann" in text


def test_client(folder: Folder, approve: Approver, monkeypatch: pytest.MonkeyPatch) -> None:
    arena = FakeArena(folder)
    monkeypatch.setattr(ArenaClient, "call", lambda client, *words, **keys: arena.call(client, *words, **keys))
    approve("standings", said("client", "ladder", CONTEST))
    approve("standings", said("client", "event", "test"))
    asked = {"ladder": json.loads(said("client", "ladder", CONTEST, "--json"))}
    asked["event"] = json.loads(said("client", "event", "test", "--json"))
    approve("standings_json", json.dumps(rounded(asked), indent=1))
    assert asked["ladder"]["rows"]


def test_json_of_a_folder(folder: Folder, approve: Approver) -> None:
    ladders = json.loads(said("ladder", "show", folder.path, "--json"))
    approve("standings_json", json.dumps(rounded(ladders), indent=1))
    assert ladders[0]["table"]


def rounded(value: Any) -> Any:
    """Return JSON with numbers of six digits: the last ones depend on the machine."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    return [*map(rounded, value)] if isinstance(value, list) else value


async def test_pages(folder: Folder, approve: Approver) -> None:
    backend = FolderBackend(folder.path)
    async with web_client(backend) as client:
        event = json.loads((await client.get("/events.json")).text)["events"][0]["name"]
        for path in (f"/ladder/{CONTEST}", f"/event/{event}", "/"):
            text = (await client.get(path)).text
            approve("standings", main_part(text))
            assert "ann" in text


def main_part(page: str) -> str:
    """Return what a page shows, without its head, whose addresses change with the styles, charts and blank lines."""
    shown = re.search(r"<main.*</main>", page, re.DOTALL)
    assert shown is not None
    plain = re.sub(r"(<svg[^>]*>).*?</svg>", r"\1…</svg>", shown[0], flags=re.DOTALL)
    return re.sub(r"\n\s*\n", "\n", plain)


def test_report(folder: Folder, approve: Approver) -> None:
    write_report(folder, folder.require_agreement(), read_status(folder), read_standings(folder))
    approve("standings", main_part(folder.report.read_text()))
    assert folder.report.exists()
