"""Placings, plans and rulings by command, on a folder: what people see, what programs read, what is refused."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from server.cli.main import main
from server.standings.report import write_report
from server.tournament import format_chances
from server.tournament.folder import Folder
from server.tournament.repair.fsck import check_event
from server.tournament.rulings.ruling_file import read_rulings
from server.tournament.standings import read_standings
from server.tournament.status import read_status
from server.tournament.store import Store
from support.approved import Approver
from support.events import dump, make_event, run

BOTS = ("ann", "bob", "cid", "dan")
HOSTILE = "<script>alert(1)</script>\x1b[31m[bold]"


def tortuga(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def said(*words: object) -> str:
    done = tortuga(*words)
    assert (done.exit_code, done.exception) == (0, None), done.output
    assert "\x1b" not in done.stdout
    return done.stdout


def told(*words: object) -> Any:
    return json.loads(said(*words, "--json"))


@pytest.fixture
def cup(tmp_path: Path) -> Folder:
    folder = make_event(tmp_path, bots=BOTS, format="swiss", rounds=3)
    run(folder)
    return folder


def test_before_the_first_match_status_shows_the_plan(tmp_path: Path, approve: Approver) -> None:
    folder = make_event(tmp_path, bots=BOTS, rounds=2)
    shown = said("tournament", "status", tmp_path)
    approve("tournament", shown)
    for fact in ("no match", "not running", "pavillon_noir-2: 24 matches", "4 bots plays 12"):
        assert fact in shown
    assert told("tournament", "status", tmp_path)["matches_planned"] == 24
    assert not folder.agreement.exists(), "looking changes nothing"
    done = tortuga("tournament", "status", tmp_path / "nowhere")
    assert done.exit_code == 2


def test_a_plan_without_trials(tmp_path: Path, approve: Approver) -> None:
    folder = make_event(tmp_path, bots=(*BOTS, "eve"), format="swiss", rounds=3)
    shown = said("tournament", "plan", tmp_path, "--trials", 0)
    approve("tournament", shown)
    for fact in ("12 matches in all", "a bye depends", "rounds = 5 "):
        assert fact in shown
    plan = told("tournament", "plan", tmp_path, "--trials", 0)
    assert (plan["matches"], plan["trial"], plan["expected_seconds"]) == (12, None, None)
    assert sum(plan["contests"][0]["per_bot"].values()) == 24
    assert [path.name for path in folder.path.iterdir()] == ["tournament.toml"]
    assert "even a gap of 400 Elo" in shown
    assert plan["contests"][0]["power"]["gap"] is None


def test_a_plan_says_what_it_will_tell(tmp_path: Path) -> None:
    make_event(tmp_path, bots=BOTS, rounds=20)
    shown = said("tournament", "plan", tmp_path, "--trials", 0)
    contest = told("tournament", "plan", tmp_path, "--trials", 0)["contests"][0]
    power, rounds = contest["power"], contest["rounds_for_goal"]
    assert (power["blocks"], power["share"], power["goal"]) == (120, 0.8, 50.0)
    assert 130 < power["gap"] < 150
    assert f"{power['gap']:.0f} Elo" in shown
    assert f"rounds = {rounds}" in shown
    assert (rounds - 1) * 6 < power["blocks_for_goal"] <= rounds * 6


def test_a_knockout_has_no_forecast_of_its_ratings(tmp_path: Path) -> None:
    make_event(tmp_path, bots=BOTS, format="knockout", rounds=2)
    contest = told("tournament", "plan", tmp_path, "--trials", 0)["contests"][0]
    assert (contest["power"], contest["rounds_for_goal"], contest["formats"]) == (None, None, None)


def test_formats_are_compared_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(format_chances, "MOST_EVENTS", 10)
    make_event(tmp_path, bots=BOTS, rounds=2)
    shown = said("tournament", "plan", tmp_path, "--trials", 0, "--formats")
    formats = told("tournament", "plan", tmp_path, "--trials", 0, "--formats")["contests"][0]["formats"]
    for row in formats:
        assert f"{row['format']:<12} {100 * row['best_first']:.0f} % ±" in shown


def test_status_shows_placings_with_their_tie_breaks_explained(cup: Folder) -> None:
    shown = said("tournament", "status", cup.path)
    champion = read_standings(cup)[0].placings.champion
    assert f"{champion}." in shown
    for words in ("Buchholz: ", "Sonneborn-Berger (S-B): ", "head-to-head (h2h): ", "wins: "):
        assert words in shown
    assert f"tortuga matches {cup.path}" in shown
    [ladder] = told("tournament", "status", cup.path)["ladders"]
    assert ladder["champion"] == champion
    assert ladder["placing"][0]["rank"] == 1
    assert set(ladder["placing"][0]["tie_breaks"]) == {one["key"] for one in ladder["tie_breaks"]}


def test_a_knockout_is_headed_by_the_round_reached_and_has_no_points(tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=BOTS, format="knockout", rounds=1)
    run(folder)
    write_report(folder, folder.require_agreement(), read_status(folder), read_standings(folder))
    shown, page = said("tournament", "status", tmp_path), folder.report.read_text()
    assert "round reached" in shown
    assert "bracket (* advances):" in shown
    assert "points" not in shown.partition("bracket")[0].partition("┏")[2].partition("└")[0]
    assert ">Round reached</th>" in page
    assert ">Points<" not in page
    assert page.count('class="tie"') == 4


def test_placings_as_csv_and_json(cup: Folder) -> None:
    rows = list(csv.DictReader(io.StringIO(said("tournament", "export", cup.path, "--csv", "--placings"))))
    assert [row["bot"] for row in rows] == [line.bot for line in read_standings(cup)[0].placings.lines]
    assert rows[0]["place"] == "1"
    [found] = told("tournament", "export", cup.path, "--placings")
    assert found["contest"] == "pavillon_noir-2"
    assert found["placing"][0]["bot"] == rows[0]["bot"]
    assert found["rulings"] == []


def test_rulings_are_made_listed_and_withdrawn(cup: Folder) -> None:
    write_report(cup, cup.require_agreement(), read_status(cup), read_standings(cup))
    with Store.read_only(cup.database) as store:
        match = next(store.match_ids())
    out = re.compile(r"bob is disqualified.* start")
    assert out.search(said("tournament", "disqualify", cup.path, "bob", "--from-start", "--reason", HOSTILE))
    page = cup.report.read_text()
    assert "Ruling 1: bob" in page, "the report was written again"
    assert "<script>" not in page
    assert "is annulled" in said("tournament", "annul", cup.path, match, "--reason", "power cut")
    assert "is withdrawn" in said("tournament", "rulings", cup.path, "--withdraw", 2, "--reason", "it was not")
    assert "bob" not in {row[1] for row in dump(cup)["live_elo"]}, "the live ladder follows, too"
    assert check_event(cup) == []
    listed = said("tournament", "rulings", cup.path)
    assert len(listed.splitlines()) == 3
    assert "[withdrawn by ruling 3]" in listed
    assert [one["withdrawn_by"] for one in told("tournament", "rulings", cup.path)] == [None, 3, None]
    shown = said("tournament", "status", cup.path)
    assert re.search(rf"ruling 1: {out.pattern}", shown)
    assert re.search(r"disqualified \(.*start\)", shown), "beside its line of the table"
    exported = list(csv.DictReader(io.StringIO(said("tournament", "export", cup.path, "--csv"))))
    assert {row["bot"] for row in exported if row["counts"] == "False"} >= {"bob"}
    assert all("bob is disqualified" in row["ruling"] for row in exported if row["counts"] == "False")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["disqualify", "DIR", "bob"], "needs a reason"),
        (["disqualify", "DIR", "zoe", "--reason", "x"], "has no bot 'zoe'"),
        (["disqualify", "DIR", "bob", "--reason", "x", "--from", "m", "--from-start"], "not both"),
        (["annul", "DIR", "m", "--reason", "x"], "has no match 'm'"),
        (["rulings", "DIR", "--withdraw", "1", "--reason", "x"], "no ruling 1 to withdraw"),
        (["rulings", "DIR", "--reason", "x"], "goes with --withdraw"),
    ],
)
def test_what_cannot_be_ruled_is_refused(cup: Folder, words: list[str], expected: str) -> None:
    done = tortuga("tournament", *(cup.path if word == "DIR" else word for word in words))
    assert (done.exit_code, done.stdout) == (2, "")
    assert expected in done.stderr
    assert not read_rulings(cup.rulings)
