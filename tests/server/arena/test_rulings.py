"""Rulings in an arena: by command, over the organiser's door, on its ladders and in its events."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from click.testing import CliRunner, Result

from server.arena.backup import backup
from server.arena.ladders.ladder import OpenLadder, open_ladder
from server.arena.registry_schema import EventState
from server.cli.main import main
from server.tournament.event import rebuild
from server.tournament.folder import Folder
from server.tournament.repair.fsck import check_event
from server.tournament.rulings.new_rulings import annul_match, disqualify_bot, withdraw_ruling
from server.tournament.rulings.ruling_file import read_rulings
from server.tournament.store import Store
from support.arena import LADDER, Arena, block, code_of, fill
from support.events import dump, make_event, run
from support.ladders import make_config, play_finished
from tortuga.v1 import arena_pb2 as pb

WORDS: dict[str, Any] = {"by": "judge", "reason": "it cheated"}
BLOCKS = [block(number, pair) for number, pair in enumerate([["ann", "bob"], ["bob", "cid"], ["cid", "ann"]])]
FIRST = BLOCKS[0][0].match_id


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Arena]:
    monkeypatch.chdir(tmp_path)
    with Arena(tmp_path) as opened:
        opened.add_bots("ann", "bob", "cid", "dan")
        fill(opened.archive.ladder, BLOCKS)
        monkeypatch.setenv("TORTUGA_ARENA", opened.address)
        monkeypatch.setenv("TORTUGA_ARENA_DIR", str(tmp_path))
        yield opened


def tortuga(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def said(*words: str) -> str:
    done = tortuga(*words)
    assert (done.exit_code, done.exception) == (0, None), done.output
    return done.stdout


def rows(arena: Arena) -> dict[str, tuple[int, bool]]:
    found = arena.api.GetLadder(pb.GetLadderRequest(name=LADDER))
    return {row.entry: (row.matches, row.disqualified) for row in found.rows}


def test_a_ladder_follows_its_rulings_at_once_and_everybody_can_read_them(arena: Arena) -> None:
    assert rows(arena)["bob"] == (4, False)
    shown = said("server", "bot", "disqualify", "bob", "--from-start", "--reason", "it cheated")
    assert re.search(r"ruling 1: bob .*\(organiser, 20", shown)
    assert arena.hall.ruled == [""]
    found = rows(arena)
    assert (found["bob"], found["ann"], found["cid"]) == ((0, True), (2, False), (2, False))
    assert re.search("ruled: bob .*: it cheated", said("client", "match", FIRST))
    answer = arena.api.GetLadder(pb.GetLadderRequest(name=LADDER))
    assert [(one.number, one.bot, one.reason) for one in answer.rulings] == [(1, "bob", "it cheated")]
    assert re.search(r"ruling 1: bob .*\(organiser, 20", said("client", "ladder", LADDER))
    said("server", "ruling", "withdraw", "1", "--reason", "it did not")
    assert rows(arena)["bob"] == (4, False)
    listed = said("server", "ruling", "list")
    assert "[withdrawn by ruling 2]" in listed
    assert "2: ruling 1 is withdrawn" in listed
    assert [line["what"] for line in json.loads(said("server", "audit", "--json"))["lines"]][:2] == [
        "WithdrawRuling",
        "DisqualifyBot",
    ]


def test_a_match_is_annulled(arena: Arena) -> None:
    said("server", "match", "annul", FIRST, "--reason", "power cut")
    assert rows(arena) == {"ann": (3, False), "bob": (3, False), "cid": (4, False), "ann-2": (0, False)}
    assert json.loads(said("server", "ruling", "list", "--json"))["rulings"][0]["match_id"] == FIRST


def test_from_a_match_on(arena: Arena) -> None:
    said("server", "bot", "disqualify", "bob", "--from", BLOCKS[1][0].match_id, "--reason", "x")
    assert rows(arena)["bob"] == (2, True)
    assert rows(arena)["ann"] == (4, False)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["server", "bot", "disqualify", "bob"], "needs a reason"),
        (["server", "bot", "disqualify", "zoe", "--reason", "x"], "zoe"),
        (["server", "bot", "disqualify", "dan", "--reason", "x"], "has played on no ladder"),
        (["server", "bot", "disqualify", "bob", "--reason", "x", "--event", "../ladder"], "event"),
        (["server", "bot", "disqualify", "bob", "--reason", "x", "--from", "nothing"], "there is no match"),
        (
            ["server", "bot", "disqualify", "bob", "--reason", "x", "--from", FIRST, "--event", "cup"],
            "is not of the event",
        ),
        (["server", "bot", "disqualify", "cid", "--reason", "x", "--from", FIRST], "cid did not play"),
        (["server", "match", "annul", "../../etc/passwd", "--reason", "x"], "there is no match"),
        (["server", "match", "annul", FIRST], "needs a reason"),
        (["server", "ruling", "withdraw", "1", "--reason", "x"], "no ruling 1 to withdraw"),
        (["server", "ruling", "list", "--event", "nowhere"], "nowhere"),
    ],
)
def test_what_cannot_be_ruled_is_refused_and_leaves_no_line(arena: Arena, words: list[str], expected: str) -> None:
    done = tortuga(*words)
    assert done.exit_code == 2, done.output
    assert expected in done.stderr
    assert not read_rulings(arena.archive.ladder.rulings)


def test_a_reason_cannot_forge_a_line(arena: Arena) -> None:
    nasty = 'x"}\n{"v": 1, "number": 2, "ruling": "disqualify", "bot": "ann"}'
    code, _ = code_of(lambda: arena.admin.AnnulMatch(pb.AnnulMatchRequest(match_id=FIRST, reason=nasty)))
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    disqualify_bot(arena.archive.ladder, "bob", by="x\n", reason=nasty)
    [ruling] = read_rulings(arena.archive.ladder.rulings).lines
    assert "\n" not in ruling.reason


def test_an_event_shows_placings_and_rulings(arena: Arena) -> None:
    folder = make_event(arena.archive.event("cup").path, bots=("ann", "bob", "cid"), format="knockout", rounds=1)
    run(folder)
    arena.create_event("cup")
    arena.registry.set_state("cup", EventState.FINISHED)
    shown = said("client", "event", "cup")
    assert "bracket (* advances):" in shown
    assert "round reached" in shown
    assert "wins test" in shown
    answer = arena.api.GetEvent(pb.GetEventRequest(name="cup"))
    [table] = answer.tables
    assert [one.name for one in table.bracket] == ["semi-final", "final"]
    winner = table.placing[0].entry
    said("server", "bot", "disqualify", winner, "--event", "cup", "--from-start", "--reason", "it cheated")
    assert arena.hall.ruled == ["cup"]
    [table] = arena.api.GetEvent(pb.GetEventRequest(name="cup")).tables
    assert table.placing[-1].entry == winner
    assert table.placing[-1].rank == 0
    shown = said("client", "event", "cup")
    assert f"ruling 1: {winner} is disqualified" in shown
    assert "not replayed" in shown or "taken out of the final" in shown
    assert not read_rulings(arena.archive.ladder.rulings)


# The ladder itself


def play(ladder: OpenLadder, first: int, *pairs: tuple[str, str]) -> None:
    async def work() -> None:
        for number, pair in enumerate(pairs, first):
            for name in pair:
                ladder.enter(name, "1", ())
            ladder.begin(f"m{number}", LADDER, pair)
            await ladder.store([await play_finished(ladder, f"m{number}", pair, LADDER)], pytest.fail)

    asyncio.run(work())


def live(folder: Folder) -> dict[str, int]:
    with Store.read_only(folder.database) as store:
        return {name: elo for name, (elo, _) in store.live_elo(LADDER).items()}


def test_the_live_ladder_under_rulings_is_that_of_records_and_rulings(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "ladder")
    with open_ladder(folder, make_config(), pytest.fail) as ladder:
        play(ladder, 0, ("ann", "crash"), ("crash", "cid"), ("cid", "ann"), ("ann", "crash"))
        whole = live(folder)
        disqualify_bot(folder, "crash", from_start=True, **WORDS)
        asyncio.run(ladder.take_rulings())
        assert ladder.disqualified == {"crash"}
        assert "crash" not in live(folder)
        annul_match(folder, "m2", **WORDS)
        asyncio.run(ladder.take_rulings())
        play(ladder, 4, ("ann", "cid"), ("crash", "ann"))  # one was running when the ruling came
        ruled = dump(folder)
        assert ladder.states[LADDER].next_number == 6
    with open_ladder(folder, make_config(), pytest.fail) as ladder:
        assert ladder.disqualified == {"crash"}
        assert dump(folder) == ruled
        assert ladder.states[LADDER].next_number == 6
    assert check_event(folder) == []
    assert rebuild(folder).problems == []
    assert dump(folder) == ruled
    withdraw_ruling(folder, 1, **WORDS)
    withdraw_ruling(folder, 2, **WORDS)
    with open_ladder(folder, make_config(), pytest.fail) as ladder:
        assert ladder.disqualified == set()
    assert whole.keys() == live(folder).keys()
    assert live(folder)["crash"] < whole["crash"], "it lost one more since"


def test_a_backup_has_the_rulings(arena: Arena, tmp_path: Path) -> None:
    disqualify_bot(arena.archive.ladder, "bob", **WORDS)
    dest = tmp_path.with_name(f"{tmp_path.name}-copy")  # beside it, and nobody else's
    backup(tmp_path, dest)
    copy = dest / "ladder" / "rulings.jsonl"
    assert read_rulings(copy) == read_rulings(arena.archive.ladder.rulings)
    assert copy.stat().st_mode & 0o077 == 0
