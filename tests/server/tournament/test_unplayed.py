"""Matches that nobody played, because every bot failed before its first decision: not rated, no title, and said so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from server.arena.ladders.ladder import LadderState
from server.cli.main import main
from server.play.summary import MatchSummary
from server.standings.cells import warning_lines
from server.standings.crashes import group_crashes
from server.standings.export import read_all_ruled, rows
from server.standings.messages import make_listing
from server.tournament.event import open_agreement, rebuild
from server.tournament.folder import Folder, lock_folder
from server.tournament.live_ladder import LiveLadder
from server.tournament.repair.fsck import check_event
from server.tournament.rulings.new_rulings import annul_match
from server.tournament.rulings.ruled_matches import RuledMatches
from server.tournament.standings import Standings, read_standings
from server.tournament.store import Store
from support.events import Notes, make_event, run
from support.summaries import columns_of, make_block

CRASHERS = ("crash1", "crash2", "crash3")
FORMATS = ("round-robin", "swiss", "knockout", "league", "gauntlet", "ladder")


def ladder_of(folder: Folder) -> Standings:
    [ladder] = read_standings(folder)
    return ladder


def store_blocks(folder: Folder, blocks: list[list[MatchSummary]]) -> None:
    """Store matches made by hand, as a run does."""
    folder.prepare()
    with lock_folder(folder), Store.open(folder.database) as store:
        open_agreement(folder, store)
        ruled = RuledMatches()
        live = LiveLadder(1.0, ruled=ruled)
        for number, matches in enumerate(blocks):
            for match in matches:
                ruled.judge_match(match)
            store.add(matches, live.feed(number, matches))


def no_show(block: int, bots: list[str]) -> list[MatchSummary]:
    return make_block(block, bots, [[1, 1], [1, 1]], failed=bots, answers=0)


@pytest.mark.parametrize("name", FORMATS)
def test_an_event_that_nobody_played_has_no_ratings_and_no_champion(tmp_path: Path, name: str) -> None:
    """36 such matches once gave "1000 ± 76" and three champions."""
    folder = make_event(tmp_path, bots=CRASHERS, format=name, rounds=3)
    notes = Notes()
    run(folder, notes)
    ladder = ladder_of(folder)
    assert ladder.unplayed_matches > 0
    assert (ladder.fitted.matches, {row.matches for row in ladder.fitted.rows}) == (0, {0})
    assert not any(bot in ladder.placings.champion.split(":")[0] for bot in CRASHERS)
    assert {line.wins + line.draws for line in ladder.placings.lines} == {0}
    assert {line.live_elo for line in ladder.lines} == {1000}
    assert any("nobody played" in warning for warning in notes.warnings)
    lines = [json.loads(line) for line in folder.journal.read_text().splitlines()]
    assert {line.get("unplayed") for line in lines if line["event"] == "match_finished"} == {True}
    rebuild(folder)
    assert ladder_of(folder).as_json() == ladder.as_json()
    assert check_event(folder) == []


def test_a_title_is_won_by_play_only(tmp_path: Path) -> None:
    """A bye of a Swiss is worth a win, also to a bot that never starts."""
    folder = make_event(tmp_path, bots=CRASHERS, format="swiss", rounds=3)
    run(folder)
    champion = ladder_of(folder).placings.champion
    assert champion.startswith("nobody wins test")
    assert all(line.points == 2 and line.byes == 1 for line in ladder_of(folder).placings.lines)


def test_who_plays_wins_though_others_never_met_anybody(tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=("ann", "crash1", "crash2"), rounds=2)
    run(folder)
    ladder = ladder_of(folder)
    assert ladder.unplayed_matches == 4
    assert ladder.fitted.matches == 8
    assert ladder.placings.champion.startswith("ann wins test")
    assert {(line.bot, line.points, line.possible, line.losses) for line in ladder.placings.lines[1:]} == {
        ("crash1", 0.0, 8.0, 8),
        ("crash2", 0.0, 8.0, 8),
    }


def test_ratings_are_those_without_the_matches_that_nobody_played(tmp_path: Path) -> None:
    played = [
        make_block(0, ["ann", "bob"], [[1, 2], [2, 1]], failed=["bob"]),
        make_block(1, ["ann", "cid"], [[1, 1], [1, 2]]),
    ]
    whole, part = make_event(tmp_path / "whole", rounds=1), make_event(tmp_path / "part", rounds=1)
    store_blocks(whole, [*played, no_show(2, ["bob", "cid"])])
    store_blocks(part, played)
    shown, expected = (ladder_of(folder) for folder in (whole, part))
    assert shown.unplayed_matches == 2
    assert [(row.name, row.rating, row.plus_minus, row.matches) for row in shown.fitted.rows] == [
        (row.name, row.rating, row.plus_minus, row.matches) for row in expected.fitted.rows
    ]
    assert [(line.bot, line.live_elo) for line in shown.lines] == [(line.bot, line.live_elo) for line in expected.lines]
    assert {line.bot: line.faults for line in shown.lines} == {"ann": 0, "bob": 4, "cid": 2}
    assert shown.faulted_matches == 2, "those that nobody played are told apart"


@pytest.mark.parametrize(
    ("failed", "answers", "unplayed"),
    [
        (["ann", "bob"], 0, True),
        (["ann", "bob"], 1, False),  # somebody decided something
        (["ann"], 0, False),  # the other one was there
        ([], 0, False),  # no bot of a game without a choice failed
    ],
)
def test_only_what_nobody_played_is_unplayed(tmp_path: Path, failed: list[str], answers: int, unplayed: bool) -> None:
    matches = make_block(0, ["ann", "bob"], [[1, 1], [1, 1]], failed=failed, answers=answers)
    assert [match.is_unplayed for match in matches] == [unplayed] * 2
    folder = make_event(tmp_path, rounds=1)
    store_blocks(folder, [matches])
    assert ladder_of(folder).unplayed_matches == 2 * unplayed


def test_an_annulled_match_is_only_annulled(tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=CRASHERS, rounds=1)
    run(folder)
    with Store.read_only(folder.database) as store:
        first = next(store.match_ids())
    annul_match(folder, first, by="judge", reason="power cut")
    ladder = ladder_of(folder)
    assert ladder.unplayed_matches == 5
    assert sum(line.losses for line in ladder.placings.lines) == 10


def test_all_media_say_it(tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=CRASHERS, rounds=1)
    run(folder)
    listing = make_listing(ladder_of(folder))
    assert listing.unplayed_matches == 6
    [warning] = warning_lines(listing)
    assert "6 MATCHES" in warning
    for command in (["ladder", "show"], ["tournament", "status"]):
        done = CliRunner().invoke(main, [*command, str(tmp_path)])
        assert done.exit_code == 0
        assert "6 MATCHES" in done.stdout
    assert {(group.crashed, group.played) for group in group_crashes(folder, [ladder_of(folder)])} == {(4, 4)}
    told: Any = json.loads(CliRunner().invoke(main, ["ladder", "show", str(tmp_path), "--json"]).stdout)
    assert told[0]["unplayed_matches"] == 6
    with Store.read_only(folder.database) as store:
        exported = list(rows(store.matches(), read_all_ruled(folder, store)))
    assert all("nobody played" in row["ruling"] for row in exported)


def test_a_ladder_of_an_arena_learns_nothing_from_it() -> None:
    """Neither when it ends nor when the arena starts again."""
    played = make_block(0, ["ann", "bob"], [[1, 2], [2, 1]])[:1]
    unplayed = no_show(1, ["ann", "bob"])[:1]
    running, restarted, expected = (
        LadderState(2, ruled)
        for ruled in (RuledMatches(), RuledMatches(unplayed=[unplayed[0].match_id]), RuledMatches())
    )
    assert [running.add(match) for match in (*played, *unplayed)][1] == []
    changes = restarted.load(columns_of([*played, *unplayed]))
    assert [change.match_id for change in changes] == [played[0].match_id]
    expected.add(played[0])
    fields = [state.field.prepare(["ann", "bob"]) for state in (running, restarted, expected)]
    assert {(repr(field.games), repr(field.points)) for field in fields} == {
        (repr(fields[2].games), repr(fields[2].points))
    }
    assert running.matches == restarted.matches == 2
