"""Rulings: who is disqualified, which matches are annulled, and that tables follow from records and rulings alone."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.errors import ConfigError, RecordError
from server.play.summary import MatchSummary
from server.standings.export import placing_rows, read_all_ruled, rows
from server.tournament import runner
from server.tournament.event import load_contests, rebuild, run_event
from server.tournament.folder import Folder
from server.tournament.match_list import MatchFilter, find_matches
from server.tournament.repair.fsck import check_event
from server.tournament.rulings.new_rulings import annul_match, disqualify_bot, settle_rulings, withdraw_ruling
from server.tournament.rulings.ruled_matches import RuledMatches
from server.tournament.rulings.ruling_file import Rulings, read_rulings
from server.tournament.runner import Ending
from server.tournament.standings import Standings, read_standings
from server.tournament.status import read_status
from server.tournament.store import Store
from support import sizes
from support.events import KILLED, Notes, dump, make_event, run, run_until
from support.pools import gated

FORMATS = ("round-robin", "swiss", "knockout", "league", "gauntlet", "ladder")
BOTS = ("ann", "bob", "cid", "dan", "eve")
WORDS: dict[str, Any] = {"by": "judge", "reason": "it cheated"}


class Some(Notes):
    """Stops when so many matches are over."""

    def __init__(self, matches: int) -> None:
        super().__init__()
        self._matches = matches

    def enough(self) -> bool:
        return len(self.finished) >= self._matches


def matches_of(folder: Folder) -> list[MatchSummary]:
    with Store.read_only(folder.database) as store:
        return list(store.matches())


def table(folder: Folder) -> Standings:
    [found] = read_standings(folder)
    return found


def places(folder: Folder) -> dict[str, int | None]:
    return {line.bot: line.place for line in table(folder).placings.lines}


def from_records_alone(folder: Folder, path: Path) -> Folder:
    """A copy that has nothing but what was agreed, the records and the rulings, with a database made from them."""
    path.mkdir()
    shutil.copytree(folder.records, path / "records")
    for file in (folder.manifest, folder.agreement, folder.rulings, folder.key):
        if file.exists():
            shutil.copy(file, path / file.name)
    copy = Folder(path)
    rebuild(copy)
    return copy


def check_fits(folder: Folder) -> None:
    """Every match that was played is one that the schedule draws from records and rulings."""
    with Store.open(folder.database) as store:
        [state] = load_contests(folder.require_agreement(), store, rulings=read_rulings(folder.rulings))
        drawn = {block.number: block.bots for block in state._schedule.blocks(state._results)}
        assert {match.block: match.bots for match in store.matches()}.items() <= drawn.items()


def test_an_event_goes_on_when_rulings_leave_nothing_that_is_rated(tmp_path: Path) -> None:
    folder = make_event(tmp_path / "event", bots=BOTS, format="ladder", rounds=8)
    run(folder, Some(2))
    run(folder, Some(1))  # tells the scale
    for match in matches_of(folder):
        annul_match(folder, match.match_id, **WORDS)
    assert table(folder).fitted.matches == 0
    assert run(folder) is Ending.FINISHED
    assert table(folder).fitted.matches > 0


# In every format


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """Some matches, then a ruling. All are drawn beforehand: how many matches are over depends on the machine."""

    matches: int
    what: str
    match: int
    bot: int


STEPS = st.lists(
    st.builds(
        Step,
        matches=st.integers(1, 6),
        what=st.sampled_from(["start", "now", "from", "annul", "withdraw"]),
        match=st.integers(0, 99),
        bot=st.integers(0, len(BOTS) - 1),
    ),
    max_size=5,
)


@pytest.mark.few(2)
@sizes.sized
@pytest.mark.parametrize("name", FORMATS)
@settings(
    deadline=None,
    max_examples=sizes.pick(quick=2, ci=8, full=100),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=STEPS)
def test_tables_follow_from_records_and_rulings_alone(
    name: str, steps: list[Step], tmp_path_factory: pytest.TempPathFactory
) -> None:
    tmp_path = tmp_path_factory.mktemp("event")
    folder = make_event(tmp_path / "event", bots=BOTS, format=name, rounds=2)
    for step in steps:
        assert run(folder, Some(step.matches)) is not None
        with suppress(ConfigError):  # it was ruled already
            rule(folder, step)
    assert run(folder) is Ending.FINISHED
    read = [one.as_json() for one in read_standings(folder)]
    copy = from_records_alone(folder, tmp_path / "copy")
    assert [one.as_json() for one in read_standings(copy)] == read
    assert dump(copy)["live_elo"] == dump(folder)["live_elo"]
    assert read_status(copy).over
    check_fits(folder)
    assert check_event(folder) == []
    out = {one.bot for one in read_rulings(folder.rulings).standing if one.bot}
    lines = table(folder).placings.lines
    assert {line.bot for line in lines if line.place is None} == out
    assert {line.bot for line in lines} == set(BOTS)


def rule(folder: Folder, step: Step) -> None:
    """Make the ruling of a step."""
    played = matches_of(folder)
    match = played[step.match % len(played)]
    match step.what:
        case "start":
            disqualify_bot(folder, BOTS[step.bot], from_start=True, **WORDS)
        case "now":
            disqualify_bot(folder, BOTS[step.bot], **WORDS)
        case "from":
            bot = match.seated[step.bot % len(match.seated)]
            disqualify_bot(folder, bot, from_match=match.match_id, **WORDS)
        case "annul":
            annul_match(folder, match.match_id, **WORDS)
        case "withdraw":
            withdraw_ruling(folder, 1 + step.match % 3, **WORDS)


@pytest.mark.few(2)
@pytest.mark.parametrize("name", ["round-robin", "swiss", "league", "gauntlet"])
def test_who_is_disqualified_from_the_start_is_in_no_table_and_no_tie_break(name: str, tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=BOTS, format=name, rounds=3)
    run(folder)
    disqualify_bot(folder, "cid", from_start=True, **WORDS)
    found = table(folder)
    left = [match for match in matches_of(folder) if "cid" not in match.seated]
    assert found.fitted.matches == len(left)
    by_bot = {line.bot: line for line in found.placings.lines}
    for bot in BOTS:
        own = [seat for match in left for seat in match.seats if seat.bot == bot]
        line = by_bot[bot]
        byes = line.byes * 2
        assert line.points == sum(seat.half_points for seat in own) / 2 + byes
        assert line.wins + line.draws + line.losses == len(own)
    assert (by_bot["cid"].place, by_bot["cid"].points) == (None, 0 + by_bot["cid"].byes * 2)
    assert re.fullmatch(rf"disqualified.*start.*: {WORDS['reason']}", by_bot["cid"].note)
    assert found.placings.lines[-1].bot == "cid"
    assert all(row.bot != "cid" or not row.row.matches for row in found.lines)
    # Taken back, everything is as it was.
    before = table(folder).placings
    withdraw_ruling(folder, 1, **WORDS)
    fresh = make_event(tmp_path / "fresh", bots=BOTS, format=name, rounds=3)
    run(fresh)
    assert table(folder).placings == table(fresh).placings
    assert before != table(fresh).placings


def test_from_a_moment_later_matches_are_lost_and_not_rated(tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=BOTS, rounds=2)
    run(folder)
    own = sorted((one for one in matches_of(folder) if "bob" in one.seated), key=lambda one: one.started_millis)
    moment = own[len(own) // 2]
    disqualify_bot(folder, "bob", from_match=moment.match_id, **WORDS)
    found = table(folder)
    later = [one for one in own if one.started_millis >= moment.started_millis]
    assert 0 < len(later) < len(own)
    assert found.fitted.matches == len(matches_of(folder)) - len(later)
    line = next(line for line in found.placings.lines if line.bot == "bob")
    kept = [seat for match in own if match not in later for seat in match.seats if seat.bot == "bob"]
    assert line.points == sum(seat.half_points for seat in kept) / 2
    assert line.possible == len(own)
    assert line.losses == len(later) + sum(seat.rank != 1 for seat in kept)
    assert line.place is None
    # The others have won them.
    won = {match.seated[1 - match.seated.index("bob")] for match in later}
    for bot in won:
        theirs = next(line for line in found.placings.lines if line.bot == bot)
        assert theirs.wins >= sum(bot in match.seated for match in later)


@pytest.mark.few(2)
@pytest.mark.parametrize("name", FORMATS)
def test_who_is_disqualified_now_plays_no_further_and_the_event_ends(name: str, tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=BOTS, format=name, rounds=6)
    run(folder, Some(4))
    before = {match.match_id for match in matches_of(folder)}
    disqualify_bot(folder, "bob", **WORDS)  # ann is the hero of the gauntlet
    assert run(folder) is Ending.FINISHED
    later = [match for match in matches_of(folder) if match.match_id not in before]
    assert later
    assert not any("bob" in match.seated for match in later)
    assert places(folder)["bob"] is None
    status = read_status(folder)
    assert (status.over, status.matches_done) == (True, status.matches_planned)
    check_fits(folder)


def test_matches_that_are_not_played_are_lost_without_play(tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=("ann", "bob", "cid"), rounds=2)
    run(folder, Some(2))
    disqualify_bot(folder, "ann", **WORDS)
    run(folder)
    found = {line.bot: line for line in table(folder).placings.lines}
    # Two rounds of two rotations against each of the others.
    assert [found[bot].possible for bot in ("ann", "bob", "cid")] == [8, 8, 8]
    played = [seat for match in matches_of(folder) for seat in match.seats if seat.bot == "ann"]
    assert found["ann"].losses == 8 - sum(seat.rank == 1 for seat in played)


def test_an_annulled_match_counts_for_nobody(tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=BOTS, rounds=1)
    run(folder)
    match = matches_of(folder)[3]
    annul_match(folder, match.match_id, by="judge", reason="power cut")
    found = table(folder)
    assert found.fitted.matches == len(matches_of(folder)) - 1
    possible = {line.bot: line.possible for line in found.placings.lines}
    assert {bot for bot, count in possible.items() if count == 7} == set(match.seated)
    listed, _ = find_matches(folder, MatchFilter(), 100)
    told = {one.match.match_id: one.ruling for one in listed if one.ruling}
    assert told == {match.match_id: f"match {match.match_id} is annulled: power cut"}
    with Store.read_only(folder.database) as store:
        exported = list(rows(store.matches(), read_all_ruled(folder, store)))
    assert {row["match"] for row in exported if not row["counts"]} == {match.match_id}


# Knockouts: what was decided is not replayed


def knockout(path: Path, matches: int) -> Folder:
    folder = make_event(path, bots=("ann", "bob", "cid", "dan"), format="knockout", rounds=1)
    run(folder, Some(matches))
    return folder


def test_a_knockout_that_is_past_a_ruling_is_not_replayed_and_the_table_says_so(tmp_path: Path) -> None:
    folder = knockout(tmp_path, 1000)
    before = [match.match_id for match in matches_of(folder)]
    champion = next(bot for bot, place in places(folder).items() if place == 1)
    disqualify_bot(folder, champion, from_start=True, **WORDS)
    assert run(folder) is Ending.FINISHED
    assert [match.match_id for match in matches_of(folder)] == before
    found = table(folder)
    [note] = found.placings.notes
    assert f"Ruling 1 came when {champion} had won semi-final" in note
    assert "is not replayed" in note
    assert places(folder)[champion] is None
    assert sorted(place for place in places(folder).values() if place) == [1, 2, 3]
    assert champion not in found.placings.champion.split(",")[0]


def test_the_opponent_goes_on_if_the_next_round_has_not_begun(tmp_path: Path) -> None:
    folder = knockout(tmp_path, 4)
    semi_finals = table(folder).bracket[0].ties
    winner, loser = (side.bot for side in semi_finals[0].sides)
    disqualify_bot(folder, winner, from_start=True, **WORDS)
    assert run(folder) is Ending.FINISHED
    final = next(tie for round_ in table(folder).bracket for tie in round_.ties if tie.name == "final")
    assert loser in {side.bot for side in final.sides}
    assert winner not in {side.bot for side in final.sides}


def test_a_tie_in_which_a_match_is_annulled_is_played_on(tmp_path: Path) -> None:
    folder = knockout(tmp_path, 4)
    decided = [match for match in matches_of(folder) if match.label == "semi-final 1"]
    won = [match for match in decided if len(set(match.ranks)) > 1]
    for match in won:
        annul_match(folder, match.match_id, **WORDS)
    run(folder)
    legs = {match.label for match in matches_of(folder) if match.label.startswith("semi-final 1")}
    assert "semi-final 1, leg 2" in legs
    check_fits(folder)


# While it runs, and after kill -9


def test_a_ruling_takes_effect_in_a_running_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "RULING_SECONDS", 0.01)
    folder, notes = make_event(tmp_path, bots=BOTS, format="swiss", rounds=4), Notes()

    async def play() -> Ending:
        gate, began = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(run_event(folder, notes, make_pool=gated(gate, began)))
        await began.wait()
        await asyncio.to_thread(disqualify_bot, folder, "dan", **WORDS)
        while not any("rulings" in note for note in notes.notes):  # noqa: ASYNC110 - it is another loop's doing
            await asyncio.sleep(0.01)
        gate.set()
        return await task

    assert asyncio.run(play()) is Ending.FINISHED
    stages = {match.stage for match in matches_of(folder) if "dan" in match.seated}
    assert stages <= {0}, "what was being played is finished, and no more"
    assert read_rulings(folder.rulings).effects == {1: {"pavillon_noir-2": 1}}
    assert places(folder)["dan"] is None
    check_fits(folder)


def test_a_ruling_that_comes_while_the_file_is_read_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "RULING_SECONDS", 0.01)
    folder, notes = make_event(tmp_path, bots=BOTS, format="swiss", rounds=4), Notes()

    def read_too_early(*words: Any) -> Rulings:
        monkeypatch.setattr(runner, "settle_rulings", settle_rulings)
        found = settle_rulings(*words)
        disqualify_bot(folder, "dan", **WORDS)
        return found

    monkeypatch.setattr(runner, "settle_rulings", read_too_early)

    async def play() -> Ending:
        gate, began = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(run_event(folder, notes, make_pool=gated(gate, began)))
        await began.wait()
        folder.rulings.touch()  # another process has opened it, and has not written yet
        while not any("rulings" in note for note in notes.notes):  # noqa: ASYNC110 - it is another loop's doing
            await asyncio.sleep(0.01)
        gate.set()
        return await task

    assert asyncio.run(play()) is Ending.FINISHED
    assert {match.stage for match in matches_of(folder) if "dan" in match.seated} <= {0}
    assert len([note for note in notes.notes if "rulings" in note]) == 1


@pytest.mark.few(1)
@sizes.sized
@pytest.mark.parametrize("name", ["swiss", "knockout", "round-robin"])
def test_an_event_with_rulings_that_is_killed_anywhere_ends_the_same(name: str, tmp_path: Path) -> None:
    whole = make_event(tmp_path / "whole", bots=BOTS, format=name, rounds=2)
    run(whole, Some(5))
    annul_match(whole, matches_of(whole)[0].match_id, **WORDS)
    disqualify_bot(whole, "bob", **WORDS)
    start = shutil.copytree(tmp_path / "whole", tmp_path / "start")
    run(whole)
    expected, rows_expected = unmeasured(table(whole)), dump(whole)
    for touch in sizes.pick(quick=range(3, 90, 29), ci=range(1, 120, 5)):
        folder = Folder(shutil.copytree(start, tmp_path / f"at{touch}"))
        assert run_until(folder, touch) in (KILLED, 0)
        assert run_until(folder, touch + 20) in (KILLED, 0)
        assert run(folder) is Ending.FINISHED
        assert unmeasured(table(folder)) == expected
        assert dump(folder) == rows_expected


def unmeasured(found: Standings) -> dict[str, Any]:
    """A table without the times that bots took."""
    shown = found.as_json()
    for row in shown["table"]:
        del row["seconds_per_decision"]
    return shown


# The file


def test_rulings_are_refused_with_a_reason(tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=BOTS, rounds=1)
    with pytest.raises(ConfigError, match="no match was played yet"):
        disqualify_bot(folder, "ann", **WORDS)
    run(folder)
    match = next(one for one in matches_of(folder) if "ann" not in one.seated)
    refused: list[tuple[str, Callable[[], object]]] = [
        ("has no bot 'zoe'", lambda: disqualify_bot(folder, "zoe", **WORDS)),
        ("needs a reason", lambda: disqualify_bot(folder, "ann", by="j", reason=" \n ")),
        ("at most 500 characters", lambda: disqualify_bot(folder, "ann", by="j", reason="x" * 501)),
        ("not both", lambda: disqualify_bot(folder, "ann", from_match="m", from_start=True, **WORDS)),
        ("has no match 'm'", lambda: disqualify_bot(folder, "ann", from_match="m", **WORDS)),
        ("ann did not play in", lambda: disqualify_bot(folder, "ann", from_match=match.match_id, **WORDS)),
        ("has no match '../x'", lambda: annul_match(folder, "../x", **WORDS)),
        ("no ruling 1 to withdraw", lambda: withdraw_ruling(folder, 1, **WORDS)),
    ]
    for words, rule in refused:
        with pytest.raises(ConfigError, match=words):
            rule()
    assert not read_rulings(folder.rulings)
    disqualify_bot(folder, "ann", **WORDS)
    with pytest.raises(ConfigError, match="already, by ruling 1"):
        disqualify_bot(folder, "ann", **WORDS)
    disqualify_bot(folder, "ann", from_start=True, **WORDS)  # a harder one
    annul_match(folder, match.match_id, **WORDS)
    with pytest.raises(ConfigError, match=r"annulled.* by ruling 3\b"):
        annul_match(folder, match.match_id, **WORDS)
    withdraw_ruling(folder, 2, **WORDS)
    for number, fact in ((2, "withdrawn already"), (4, "no ruling 4"), (9, "no ruling 9")):
        with pytest.raises(ConfigError, match=fact):
            withdraw_ruling(folder, number, **WORDS)
    assert [one.number for one in read_rulings(folder.rulings).standing] == [1, 3]


@pytest.mark.system
def test_a_line_that_was_not_finished_is_cut_off_and_any_other_damage_is_an_error(tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=BOTS, rounds=1)
    run(folder)
    disqualify_bot(folder, "ann", **WORDS)
    sound = folder.rulings.read_bytes()
    folder.rulings.write_bytes(sound + b'{"v": 1, "number": 2, "rul')
    assert len(read_rulings(folder.rulings).lines) == 1
    disqualify_bot(folder, "bob", **WORDS)
    assert [one.bot for one in read_rulings(folder.rulings).lines] == ["ann", "bob"]
    [first, second] = folder.rulings.read_text().splitlines()
    for damage in (
        f"{second}\n{first}\n",
        f"{first}\n{first}\n",
        "[]\n",
        "\n",
        f"{first}\nx\n",
        json.dumps({**json.loads(first), "v": 2}) + "\n",
        json.dumps({**json.loads(first), "ruling": "pardon"}) + "\n",
        json.dumps({**json.loads(first), "ruling": "withdraw", "withdraws": 1}) + "\n",
        '{"v": 1, "ruling": "effect", "of": 7, "stages": {}}\n',
        "[" * 100_000 + "\n",
    ):
        folder.rulings.write_text(damage)
        with pytest.raises(RecordError, match=r"rulings\.jsonl, line \d "):
            read_standings(folder)
        [problem] = check_event(folder)
        assert (problem.file, "rulings are unknown" in problem.means) == ("rulings.jsonl", True)
    assert problem.mend is not None
    problem.mend()
    assert check_event(folder) == []
    assert places(folder)["ann"] is not None


def test_a_ruling_about_nobody_is_found(tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=BOTS, rounds=1)
    run(folder)
    disqualify_bot(folder, "ann", **WORDS)
    folder.rulings.write_text(folder.rulings.read_text().replace('"ann"', '"zoe"'))
    [problem] = check_event(folder)
    assert re.search(r"about zoe\b.*not a bot", problem.what)
    assert set(places(folder).values()) == {1, 2, 3, 4, 5} or None not in places(folder).values()


def test_placings_as_rows(tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=BOTS, format="swiss", rounds=2)
    run(folder)
    disqualify_bot(folder, "eve", from_start=True, **WORDS)
    found: list[dict[str, Any]] = placing_rows(folder)
    assert [row["bot"] for row in found] == [line.bot for line in table(folder).placings.lines]
    assert {"buchholz", "sonneborn_berger", "head_to_head", "wins", "ahead_by", "note"} <= set(found[0])
    assert RuledMatches().why_out("x") == ""
