"""`tortuga rate`: the ratings of results from elsewhere, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from server.cli.main import main
from server.standings import foreign_results
from server.standings.export import export_csv
from server.tournament.standings import read_standings
from support.events import make_event, run

HEAD = "match,seat,bot,rank"
GAME = '[White "ann"]\n[Black "bob"]\n[Result "{}"]\n\n1. e4 {} {}\n\n'


def rate(path: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["rate", str(path), *words])


def told(path: Path, *words: str) -> Any:
    done = rate(path, "--json", *words)
    assert (done.exit_code, done.exception) == (0, None), done.output
    return json.loads(done.stdout)


def scores(ladder: dict[str, Any]) -> dict[str, tuple[int, float]]:
    return {row["bot"]: (row["matches"], row["score"]) for row in ladder["table"]}


def rounded(value: Any) -> Any:
    """The same without the last digits, which depend on the order of the bots."""
    return json.loads(json.dumps(value), parse_float=lambda text: round(float(text), 6))


@pytest.mark.parametrize("bots", [("ann", "bob", "cid"), ("ann", "bob", "crash1", "crash2")])
def test_an_export_of_ours_is_rated_as_our_ladder_is(tmp_path: Path, bots: tuple[str, ...]) -> None:
    """Matches that nobody played included: their `ruling` says that they are not rated."""
    folder = make_event(tmp_path / "event", bots=bots, rounds=3)
    run(folder)
    path = tmp_path / "results.csv"
    with path.open("w", newline="") as file:
        export_csv(folder, file)
    [ladder] = read_standings(folder)
    rated, expected = rounded(told(path, "--anchor", "ann")[0]), rounded(ladder.as_json())
    for row, ours in zip(rated["table"], expected["table"], strict=True):
        assert {key: ours[key] for key in row} == row
    same = ("matches", "blocks", "anchors", "first", "warning", "seat_elo", "seats")
    assert {key: rated[key] for key in same} == {key: expected[key] for key in same}
    shown = rate(path, "--anchor", "ann").stdout
    assert "ann (reference)" in shown
    assert "row against column" in shown


def test_csv_and_json_lines_are_rated_alike(tmp_path: Path) -> None:
    """Rows in any order, seats from 0 or from 1, ranks or scores, numbers or texts."""
    csv = tmp_path / "a.csv"
    csv.write_text(
        f"\ufeff{HEAD},block\r\n1,2,bob,2,x\r\n2,1,bob,2,x\r\n1,1,ann,1,x\r\n2,2,ann,1,x\r\n3,1,ann,1,\r\n3,2,bob,1,\r\n"
    )
    rows = [
        {"match": 1, "seat": 0, "bot": "ann", "score": 7, "block": "x"},
        {"match": 1, "seat": 1, "bot": "bob", "score": -1.5, "block": "x"},
        {"match": "2", "seat": 0, "bot": "bob", "score": 0, "block": "x"},
        {"match": "2", "seat": 1, "bot": "ann", "score": "1e2", "block": "x"},
        {"match": 3, "seat": "0", "bot": "ann", "score": 5},
        {"match": 3, "seat": 1, "bot": "bob", "score": 5},
    ]
    lines = tmp_path / "a.jsonl"
    lines.write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    assert told(csv) == told(lines)
    [ladder] = told(csv)
    assert (ladder["matches"], ladder["blocks"]) == (3, 2)
    assert scores(ladder) == {"ann": (3, 2.5 / 3), "bob": (3, 0.5 / 3)}
    assert [(pair["first"], pair["matches"]) for pair in ladder["pairs"]] == [("ann", 3), ("bob", 3)]


def test_contests_and_tables_of_other_sizes_are_rated_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = ["1,0,a,1,x", "1,1,b,2,x", "1,0,a,2,y", "1,1,b,1,y", "2,0,a,1,y", "2,1,b,1,y", "2,2,c,3,y"]
    path.write_text("\n".join([f"{HEAD},contest", *rows]))
    assert [(ladder["contest"], ladder["seats"], ladder["matches"]) for ladder in told(path)] == [
        ("x", 2, 1),
        ("y", 2, 1),
        ("y", 3, 1),
    ]


def test_pgn_with_comments_variations_and_escapes(tmp_path: Path) -> None:
    path = tmp_path / "a.PGN"
    path.write_bytes(
        b'% [White "nobody"]\n[Event "x"]\n[White "ann"] [Black "b\\"ob"]\n[Result "1-0"]\n\n'
        b'1. e4 {[White "zed"]\n[Result "0-1"] 1/2-1/2 (} e5 (1... c5 (1... c6) 0-1) 2. Nf3 ; 0-1 [White "z"]\n1-0\n\n'
        b'[White "b\\"ob"]\n[Black "ann"]\n1. d4 1/2-1/2\n'
        b'[White "ann"]\n[Black "J\xf6rg"]\n[Result "*"]\n*\n'
        b'[White "J\xf6rg"]\n[Black "ann"]\n[Result "0-1"]\n\n0-1\n'
    )
    done = rate(path, "--json")
    [ladder] = json.loads(done.stdout)
    assert scores(ladder) == {"ann": (3, 2.5 / 3), 'b"ob': (2, 0.25), "Jörg": (1, 0.0)}
    assert "1 match " in done.stderr, "the one that was not finished"
    assert ladder["blocks"] == 3


def test_results_can_come_through_a_pipe() -> None:
    done = CliRunner().invoke(main, ["rate", "-", "--format", "csv", "--json"], input=f"{HEAD}\n1,0,a,1\n1,1,b,2\n")
    assert json.loads(done.stdout)[0]["matches"] == 1


@pytest.mark.parametrize(
    ("name", "content", "line", "words"),
    [
        ("a.csv", b"", 0, ("empty", "match, seat, bot")),
        ("a.csv", b"match,seat,bot,rank\n", 0, ("no match",)),
        ("a.csv", b"match;seat;bot;rank\n1;0;a;1\n", 1, ("semicolons", "commas")),
        ("a.csv", b"match\tseat\tbot\trank\n", 1, ("tabs", "commas")),
        ("a.csv", b"match,seat,rank\n", 1, ("no column bot",)),
        ("a.csv", b"match,seat,bot\n", 1, ("neither", "rank", "score")),
        ("a.csv", b"match,seat,bot,rank,blok\n", 1, ("'blok'", "block")),
        ("a.csv", b"match,seat,bot,rank,bot\n", 1, ("two columns 'bot'",)),
        ("a.csv", b"match,seat,bot,rank\n1,0,a\n", 2, ("3 columns", "expected 4")),
        ("a.csv", b"match,seat,bot,rank\n1,0,a,1\n1,1,a,2\n", 3, ("a sits twice", "line 2")),
        ("a.csv", b"match,seat,bot,rank\n1,0,a,1\n1,0,b,2\n", 3, ("seat 0", "line 2")),
        ("a.csv", b"match,seat,bot,rank\n1,0,a,1\n1,2,b,2\n", 3, ("seats 0, 2",)),
        ("a.csv", b"match,seat,bot,rank\n1,0,a,1\n", 2, ("one seat",)),
        ("a.csv", b"match,seat,bot,rank\n1,0,a,0\n", 2, ("rank is '0'", "from 1")),
        ("a.csv", b"match,seat,bot,rank\n1,0,a,1.5\n", 2, ("rank is '1.5'",)),
        ("a.csv", b"match,seat,bot,rank\n1,0,a,first\n", 2, ("'first'", "number")),
        ("a.csv", b"match,seat,bot,score\n1,0,a,nan\n", 2, ("'nan'", "number")),
        ("a.csv", b"match,seat,bot,score\n1,0,a,1e999\n", 2, ("'1e999'", "number")),
        ("a.csv", b"match,seat,bot,rank\n1,-1,a,1\n", 2, ("seat is '-1'",)),
        ("a.csv", b"match,seat,bot,rank\n1,0,,1\n", 2, ("bot is empty",)),
        ("a.csv", b"match,seat,bot,rank\n1,0," + b"x" * 300 + b",1\n", 2, ("300 characters",)),
        ("a.csv", b'match,seat,bot,rank\n1,0,"a,1\n1,1,b,2\n', 2, ("CSV",)),
        ("a.csv", b"match,seat,bot,rank\n1,0,a\0b,1\n", 2, ("NUL",)),
        ("a.csv", b"match,seat,bot,rank\n1,0,\xff,1\n", 2, ("byte 5", "UTF-8")),
        ("a.csv", "match,seat,bot,rank\n".encode("utf-16"), 1, ("UTF-16", "UTF-8")),
        ("a.csv", b"match,seat,bot,rank\n" + b"x" * 100_000, 2, ("65536 bytes",)),
        ("a.csv", b"match,seat,bot,rank,block\n1,0,a,1,x\n1,1,b,2,y\n", 3, ("'y'", "'x'")),
        ("a.csv", b"\x1b[31m,seat,bot,rank,match\n", 1, ("unknown column",)),
        ("a.jsonl", b"[" * 60_000, 1, ("no JSON",)),
        ("a.jsonl", b"[1, 2]\n", 1, ("object",)),
        ("a.jsonl", b'{"match": 1}\n', 1, ("bot is empty",)),
        ("a.jsonl", b'{"match": 1, "seat": 0, "bot": {"a": 1}, "rank": 1}\n', 1, ("bot", "text")),
        ("a.jsonl", b'{"match": 1, "seat": true, "bot": "a", "rank": 1}\n', 1, ("seat is True",)),
        ("a.jsonl", b'{"match": 1, "seat": 0, "bot": "a", "rank": 1, "wins": 3}\n', 1, ("'wins'",)),
        ("a.jsonl", b'{"match": 1, "seat": 0, "bot": "a", "score": NaN}\n', 1, ("score is nan",)),
        ("a.pgn", b"match,seat,bot,rank\n", 1, ("White",)),
        ("a.pgn", b'[White "a"]\n[Black "a"]\n[Result "1-0"]\n', 1, ("against itself",)),
        ("a.pgn", b'[White "a"]\n[Black "b"]\n[Result "won"]\n', 1, ("'won'", "1-0")),
        ("a.pgn", b'[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n{never closed\n1-0\n', 5, ("never ends",)),
        ("a.pgn", b'[White "a"]\n[Black "b"]\n[Result "*"]\n', 0, ("no match", "1 are not rated")),
        ("a.xls", b"", 0, (".csv", "--format")),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_refused_with_its_place(
    tmp_path: Path, name: str, content: bytes, line: int, words: tuple[str, ...]
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    done = rate(path)
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    assert str(path) in done.stderr
    if line:
        assert f"{path}, line {line}: " in done.stderr
    for word in words:
        assert word in done.stderr
    assert "\x1b" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_file_cannot_ask_for_more_memory_than_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.csv"
    path.write_text("\n".join([HEAD, *(f"{n // 2},{n % 2},bot{n},1" for n in range(12))]))
    monkeypatch.setattr(foreign_results, "MOST_BOTS", 11)
    assert "bot 12" in rate(path).stderr
    monkeypatch.setattr(foreign_results, "MOST_MATCHES", 5)
    assert "match 6" in rate(path).stderr
    crowd = tmp_path / "b.csv"
    crowd.write_text("\n".join([HEAD, *(f"1,{n},bot{n},1" for n in range(17))]))
    assert "at most 16 seats" in rate(crowd).stderr


@pytest.mark.parametrize("anchor", ["zed", "a=x", "a=inf", "=5"])
def test_an_anchor_has_to_be_there(tmp_path: Path, anchor: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{HEAD}\n1,0,a,1\n1,1,b,2\n")
    done = rate(path, "--anchor", anchor)
    assert done.exit_code == 2
    assert "a and b" in done.stderr
    assert told(path, "--anchor", "a=1500")[0]["anchors"] == [{"name": "a", "rating": 1500.0, "weight": 1.0}]
