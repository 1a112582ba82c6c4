"""Histories, entries and pairs, called over gRPC: against numbers counted by hand, and by callers who mean no good."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest

from server.arena.reading import comparisons, fits, standings_maker
from server.arena.registry_schema import EventState
from server.tournament.folder import Folder
from server.tournament.manifest import Manifest
from server.tournament.store import Store
from support.arena import LADDER, Arena, block, code_of, fill, make_tables_here, open_manifest, version
from tortuga.v1 import arena_pb2 as pb

Code = grpc.StatusCode
HOSTILE = ["../../etc/passwd", "<b>", "\x1b[31m", "=cmd()", "x" * 10_000, "a\0b", "ü", ""]
BLOCKS = [
    block(0, ["ann", "bob"], [[1, 2], [2, 1]]),  # ann wins both: seat 0 first, then seat 1
    block(1, ["ann", "bob"], [[1, 1], [1, 2]]),  # a draw, and bob wins on seat 0
    block(2, ["ann-2", "bob"], [[1, 2], [2, 1]]),
    block(3, ["ann-2", "bob"], [[1, 2], [2, 1]]),
]


def open_ladder_manifest() -> Manifest:
    """Of a ladder that bots join as they come: only then earlier tables never change."""
    return replace(open_manifest(), bots=())


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Arena]:
    with Arena(tmp_path) as arena:
        arena.add_bots("ann", "bob", "cid")
        fill(arena.archive.ladder, BLOCKS)
        yield arena


def test_a_history_has_all_versions_of_a_bot_in_the_order_of_time(played: Arena) -> None:
    answer = played.api.GetRatingHistory(pb.GetRatingHistoryRequest(contest=LADDER, bot="ann"))
    assert answer.table_matches == 8
    assert answer.scale
    assert [(point.entry, point.version, point.table_matches, point.matches) for point in answer.points] == [
        ("ann", "1", 1, 1),
        ("ann", "1", 2, 2),
        ("ann", "1", 3, 3),
        ("ann", "1", 4, 4),
        ("ann-2", "2", 5, 1),
        ("ann-2", "2", 6, 2),
        ("ann-2", "2", 7, 3),
        ("ann-2", "2", 8, 4),
    ]
    assert [point.millis for point in answer.points] == [1000, 1001, 2000, 2001, 3000, 3001, 4000, 4001]
    one = played.api.GetRatingHistory(pb.GetRatingHistoryRequest(contest=LADDER, bot="ann-2"))
    assert list(one.points) == list(answer.points)[4:]


def test_the_last_point_of_a_history_is_the_row_of_the_table(played: Arena) -> None:
    history = played.api.GetRatingHistory(pb.GetRatingHistoryRequest(contest=LADDER, bot="bob"))
    rows = {row.entry: row for row in played.api.GetLadder(pb.GetLadderRequest(name=LADDER)).rows}
    assert history.points[-1].rating == rows["bob"].rating
    assert history.points[-1].plus_minus == rows["bob"].rating_plus_minus


def test_a_pair_is_counted_by_the_seats_of_the_two(played: Arena) -> None:
    pair = played.api.GetPair(pb.GetPairRequest(contest=LADDER, first="ann", second="bob"))
    assert (pair.wins, pair.draws, pair.losses) == (2, 1, 1)
    assert {(one.first_seat, one.second_seat): (one.wins, one.draws, one.losses) for one in pair.orders} == {
        (0, 1): (1, 1, 0),
        (1, 0): (1, 0, 1),
    }
    assert (pair.score.first, pair.score.second, pair.score.matches, pair.score.score) == ("ann", "bob", 4, 0.625)
    assert 0 < pair.score.score_low < 0.625 < pair.score.score_high < 1
    assert pair.HasField("difference")
    assert 0.5 < pair.chance_better < pair.confidence < 1
    assert pair.claim == comparisons.NOT_CLEAR
    assert (pair.first_row.entry, pair.second_row.entry, pair.table_matches) == ("ann", "bob", 8)
    other = played.api.GetPair(pb.GetPairRequest(contest=LADDER, first="bob", second="ann"))
    assert (other.wins, other.draws, other.losses) == (1, 1, 2)
    assert other.confidence == pytest.approx(1 - pair.confidence)
    assert other.chance_better == pytest.approx(1 - pair.chance_better)


def test_a_pair_of_bots_is_one_of_their_latest_versions(played: Arena) -> None:
    latest = played.api.GetPair(pb.GetPairRequest(contest=LADDER, first="ann", second="bob", latest=True))
    assert (latest.score.first, latest.wins, latest.losses) == ("ann-2", 4, 0)


def test_what_is_sure_of_any_pair_is_claimed_and_only_that(tmp_path: Path) -> None:
    with Arena(tmp_path) as arena:
        fill(arena.archive.ladder, [block(number, ["ann", "bob"], [[1, 2], [2, 1]]) for number in range(40)])
        pair = arena.api.GetPair(pb.GetPairRequest(contest=LADDER, first="bob", second="ann"))
        assert re.fullmatch(r"ann .*surely.* bob\.", pair.claim)
        stranger = arena.api.GetPair(pb.GetPairRequest(contest=LADDER, first="cid", second="ann"))
        assert stranger.claim == comparisons.NOT_COMPARABLE
        assert not stranger.HasField("confidence")
        assert not stranger.HasField("chance_better")
        assert (stranger.score.matches, stranger.wins) == (0, 0)


def test_an_entry_has_its_opponents_seats_faults_and_versions(played: Arena) -> None:
    entry = played.api.GetEntry(pb.GetEntryRequest(contest=LADDER, entry="bob"))
    assert (entry.row.entry, entry.row.matches, entry.opponent_count) == ("bob", 8, 2)
    assert [(one.second, one.matches, one.score) for one in entry.opponents] == [("ann", 4, 0.375), ("ann-2", 4, 0.0)]
    assert [(seat.seat, seat.matches, seat.wins) for seat in entry.seats] == [(0, 4, 1.0), (1, 4, 0.5)]
    assert [fault.count for fault in entry.faults] == [8]
    latest = played.api.GetEntry(pb.GetEntryRequest(contest=LADDER, entry="ann", latest=True))
    assert (latest.row.entry, list(latest.versions)) == ("ann-2", ["ann", "ann-2"])
    assert played.api.GetEntry(pb.GetEntryRequest(contest=LADDER, entry="ann")).row.entry == "ann"


def test_an_event_answers_the_same_and_has_a_cross_table(played: Arena) -> None:
    played.create_event("cup")
    fill(played.archive.event("cup"), BLOCKS)
    played.registry.set_state("cup", EventState.FINISHED)
    pair = played.api.GetPair(pb.GetPairRequest(event="cup", contest=LADDER, first="ann", second="bob"))
    assert (pair.wins, pair.draws, pair.losses) == (2, 1, 1)
    event = played.api.GetEvent(pb.GetEventRequest(name="cup"))
    [table] = event.tables
    cells = {(cell.first, cell.second): cell.score for cell in table.cross_table}
    assert cells == {("ann", "bob"): 0.625, ("bob", "ann"): 0.375, ("ann-2", "bob"): 1.0, ("bob", "ann-2"): 0.0}
    assert table.table_matches == 8
    assert (event.event.rounds, event.event.mirrored) == (10, True)
    assert [(one.name, one.game, one.seats) for one in event.event.contest_infos] == [(LADDER, "pavillon_noir", 2)]


def test_a_match_knows_its_block(played: Arena) -> None:
    first, second = (match.match_id for match in BLOCKS[1])
    match = played.api.GetMatch(pb.GetMatchRequest(match_id=second))
    assert (match.block, match.rotation, match.game, match.revealed) == (1, 1, "pavillon_noir", True)
    assert list(match.block_matches) == [first, second]
    with Store.open(played.archive.ladder.database) as store:
        store.release_records([second])
    assert not played.api.GetMatch(pb.GetMatchRequest(match_id=second)).revealed


@pytest.mark.parametrize("name", HOSTILE)
def test_strange_names_are_refused_before_anything_is_computed(played: Arena, name: str) -> None:
    calls = [
        lambda: played.api.GetPair(pb.GetPairRequest(contest=LADDER, first=name, second="bob")),
        lambda: played.api.GetPair(pb.GetPairRequest(contest=LADDER, first="bob", second=name, latest=True)),
        lambda: played.api.GetEntry(pb.GetEntryRequest(contest=LADDER, entry=name)),
        lambda: played.api.GetRatingHistory(pb.GetRatingHistoryRequest(contest=LADDER, bot=name)),
        lambda: played.api.GetPair(pb.GetPairRequest(contest=name, first="ann", second="bob")),
        lambda: played.api.GetEntry(pb.GetEntryRequest(contest=name, entry="ann")),
        lambda: played.api.GetRatingHistory(pb.GetRatingHistoryRequest(contest=name, bot="ann")),
    ]
    if name:
        calls.append(lambda: played.api.GetEntry(pb.GetEntryRequest(contest=LADDER, event=name, entry="ann")))
        calls.append(lambda: played.api.GetOverall(pb.GetOverallRequest(event=name)))
    for call in calls:
        code, words = code_of(call)
        assert code is Code.NOT_FOUND
        assert len(words) < 500
        assert words.isprintable()
    assert played.tables._pool is None, "the standings maker was not even started"


def test_nobody_is_compared_with_itself(played: Arena) -> None:
    code, words = code_of(lambda: played.api.GetPair(pb.GetPairRequest(contest=LADDER, first="ann", second="ann")))
    assert (code, words.startswith("ann cannot be compared")) == (Code.INVALID_ARGUMENT, True)


def test_new_matches_are_in_the_next_answer(played: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    make_tables_here(monkeypatch)
    monkeypatch.setattr(fits, "GOOD_SECONDS", 0.0)
    monkeypatch.setattr(fits, "GOOD_TIMES", 0.0)
    monkeypatch.setattr(fits, "STALE_SECONDS", 0.0)
    request = pb.GetPairRequest(contest=LADDER, first="ann", second="bob")
    before = played.api.GetPair(request)
    more = [replace(match, match_id=f"{match.match_id}-more", block=9) for match in BLOCKS[0]]
    with Store.open(played.archive.ladder.database) as store:
        store.add(more, ())
    assert played.api.GetPair(request).wins == before.wins + 2


def test_the_arena_says_where_its_doors_are(played: Arena) -> None:
    info = played.api.GetArena(pb.GetArenaRequest())
    assert (info.server_version, info.bots_address) == ("test", "127.0.0.1:7071")


@pytest.mark.parametrize("matches", [0, 1, 2, 19, 20, 21, 41, 1000, 1_000_000])
def test_a_history_has_few_points_which_stay_where_they_are(matches: int) -> None:
    counts = comparisons.history_counts(matches)
    assert len(counts) == len(set(counts)) <= comparisons.HISTORY_POINTS + 1
    assert counts[:1] == ([matches] if matches else []), "the table of today comes first"
    assert all(0 < count <= matches for count in counts)
    if matches > 1000:
        later = comparisons.history_counts(matches + 1)
        assert set(counts[1:]) <= set(later), "what was fitted once is of use again"


@pytest.mark.parametrize("manifest", [open_ladder_manifest(), open_manifest()], ids=["ladder", "event"])
def test_a_history_is_made_in_turns_and_nothing_is_fitted_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manifest: Manifest
) -> None:
    folder = Folder(tmp_path / "ladder")
    fill(folder, [block(number, ["ann", "bob"], [[1, 2], [2, 1]]) for number in range(8)], manifest)
    monkeypatch.setattr(comparisons, "TURN_SECONDS", -1.0)
    turns = [history_turn(folder, 1) for _ in range(15)]
    assert [len(turn.points["ann"]) for turn in turns] == [*range(2, 17)], "today's table, and one more each time"
    assert [turn.complete for turn in turns] == 14 * [False] + [True]
    monkeypatch.setattr(comparisons, "fit", None)  # nothing is fitted again
    assert history_turn(folder, 1) == turns[-1]


def test_a_history_gives_way_to_others_between_its_turns(played: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """One caller waits for the whole history; the standings maker is asked as often as it has turns."""
    asked: list[str] = []
    run = standings_maker.StandingsMaker._run

    async def counted(self: standings_maker.StandingsMaker, make: Any, *words: str) -> object:
        asked.append(make.__name__)
        found = await run(self, make, *words)
        if isinstance(found, comparisons.History):  # as if there had been no time for more
            return replace(found, complete=len(asked) >= 4)
        return found

    monkeypatch.setattr(standings_maker.StandingsMaker, "_run", counted)
    request = pb.GetRatingHistoryRequest(contest=LADDER, bot="ann")
    assert len(played.api.GetRatingHistory(request).points) == 8
    assert asked == 4 * ["make_history"]


def test_the_tables_kept_for_histories_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(tmp_path / "ladder")
    fill(folder, [block(number, ["ann", "bob"], [[1, 2], [2, 1]]) for number in range(8)])
    monkeypatch.setattr(comparisons, "KEPT_FIT_ROWS", 60)
    monkeypatch.setattr(fits, "GOOD_SECONDS", 0.0)
    monkeypatch.setattr(fits, "GOOD_TIMES", 0.0)
    for number in range(10):
        history_turn(folder, number)
        early = comparisons._early_fits.values()
        assert sum(map(len, early)) <= max(60, 2 * comparisons.HISTORY_POINTS)


def history_turn(folder: Folder, number: int) -> comparisons.History:
    """One turn at a history, of the data's version of this number."""
    while (history := comparisons.make_history(str(folder.path), LADDER, version(number))) is None:
        pass
    return history
