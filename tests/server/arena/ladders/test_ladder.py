"""The ladders of an arena: numbers in the order in which matches ended, and everything found again after a restart."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.errors import ConfigError
from server.arena.config import ArenaConfig
from server.arena.ladders import ladder as ladder_module
from server.arena.ladders.ladder import OpenLadder, Unfinished, open_ladder
from server.arena.ladders.retention import RetentionPolicy
from server.tournament.event import rebuild
from server.tournament.folder import Folder
from server.tournament.journal import read_journal
from server.tournament.store import Store
from support.events import dump
from support.ladders import COVE, DUEL, LADDER, make_config, play_finished

# A short game is a draw unless somebody fails.
PAIRS = [("ann", "crash"), ("crash", "cid"), ("cid", "ann"), ("ann", "cid"), ("crash", "ann")]
START = 1_000_000_000


@contextmanager
def opened(folder: Folder, config: ArenaConfig | None = None, said: list[str] | None = None) -> Iterator[OpenLadder]:
    """The ladder; what it warns of goes to `said`."""
    with open_ladder(folder, config or make_config(), (said if said is not None else []).append) as ladder:
        yield ladder


def play(ladder: OpenLadder, pairs: Sequence[Sequence[str]], first: int = 0, contest: str = LADDER) -> list[str]:
    """Matches m<first>…, begun, played and kept one by one; all of them entered."""

    async def work() -> list[str]:
        names = []
        for number, pair in enumerate(pairs, first):
            for name in pair:
                ladder.enter(name, "1", ())
            ladder.begin(f"m{number}", contest, pair)
            finished = await play_finished(ladder, f"m{number}", pair, contest)
            [stored] = await ladder.store([finished], pytest.fail)
            names.append(stored.match_id)
        return names

    return asyncio.run(work())


def look(ladder: OpenLadder) -> dict[str, dict[str, int]]:
    """What the ladder in memory says of everybody."""
    state, names = ladder.states[LADDER], {name for pair in PAIRS for name in pair}
    return {
        "played": {name: state.played(name) for name in names},
        "met": {f"{one} {other}": state.field.meetings(one, other) for one in names for other in names},
    }


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "ladder")


def test_a_match_gets_its_number_when_it_is_over(folder: Folder) -> None:
    with opened(folder, make_config(DUEL, COVE)) as ladder:

        async def work() -> list[tuple[str, str, int]]:
            duels = [await play_finished(ladder, f"d{number}", pair) for number, pair in enumerate(PAIRS[:3])]
            cove = await play_finished(ladder, "c0", ["ann", "crash", "cid", "dan"], "pirates_cove-4")
            for name in ("ann", "crash", "cid", "dan"):
                ladder.enter(name, "1", ())
            stored = await ladder.store([duels[2], cove], pytest.fail)  # the last that began ends first
            stored += await ladder.store([duels[0], duels[1]], pytest.fail)
            return [(one.match_id, one.contest, one.block) for one in stored]

        numbers = asyncio.run(work())
    assert numbers == [("d2", LADDER, 0), ("c0", "pirates_cove-4", 0), ("d0", LADDER, 1), ("d1", LADDER, 2)]


def test_newcomers_are_entered_once_and_a_version_is_linked_to_the_one_before(folder: Folder) -> None:
    with opened(folder) as ladder:
        first = ladder.enter("ann", "1", ["pavillon_noir"])
        assert (first.name, first.ancestor) == ("ann", "")
        assert ladder.enter("ann", "1", ["pavillon_noir"]) == first
        second, third = ladder.enter("ann", "2", ()), ladder.enter("ann", "3", ())
        assert (second.name, second.bot, second.version, second.ancestor) == ("ann-2", "ann", "2", "ann")
        assert third.ancestor == "ann-2"
        assert ladder.enter("ann-2", "1", ()).name not in ("ann", "ann-2", "ann-3"), "another bot with such a name"
        play(ladder, [("ann-2", "ann")])
    with opened(folder) as ladder:
        assert ladder.enter("ann", "2", ()) == second, "what was played under is found again"
        assert ladder.enter("ann", "1", ()) == first, "an old version that comes back is the same entry"


def test_who_never_played_leaves_no_trace_behind_a_restart(folder: Folder) -> None:
    with opened(folder) as ladder:
        ladder.enter("ann", "1", ())
    agreement = folder.read_agreement()
    assert agreement is not None
    assert agreement.roster == ()


def test_folders_that_somebody_tidied_away_are_made_again(folder: Folder) -> None:
    with opened(folder) as ladder:
        folder.records.rmdir()
        folder.logs.rmdir()
        play(ladder, PAIRS[:1])
    assert folder.record("m0").exists()
    assert folder.logs.is_dir()


def test_the_live_elo_is_the_same_when_read_again_and_when_rebuilt(folder: Folder) -> None:
    with opened(folder) as ladder:
        play(ladder, PAIRS)
        seen = look(ladder)
        assert seen["met"]["cid ann"] == 2
    stored = dump(folder, measured=True)
    assert len(stored["live_elo"]) == 2 * len(PAIRS)
    with Store.read_only(folder.database) as store:
        assert sum(elo - START for elo, _ in store.live_elo(LADDER).values()) == 0
        live = {name: elo for name, (elo, _) in store.live_elo(LADDER).items()}
    assert live["ann"] > START > live["crash"]
    with opened(folder) as ladder:
        assert look(ladder) == seen
        assert ladder.states[LADDER].matches == len(PAIRS)
        assert ladder.unfinished == []
    assert dump(folder, measured=True) == stored
    assert rebuild(folder).problems == []
    assert dump(folder, measured=True) == stored
    folder.database.unlink()
    with opened(folder):
        pass
    assert dump(folder, measured=True) == stored, "the records alone tell everything"


@pytest.mark.parametrize("number", [1, 4])
def test_a_record_that_is_gone_is_named_and_its_match_played_again(folder: Folder, number: int) -> None:
    with opened(folder) as ladder:
        play(ladder, PAIRS)
    folder.record(f"m{number}").unlink()
    lost, said = Unfinished(match_id=f"m{number}", contest=LADDER, entries=PAIRS[number]), list[str]()
    with opened(folder, said=said) as ladder:
        assert ladder.unfinished == [lost]
        assert ladder.states[LADDER].matches == len(PAIRS) - 1, "as many as the database has"
    [line] = said
    assert (f"m{number}.tortuga: " in line, "gone" in line, "played again" in line) == (True, True, True)
    with opened(folder) as ladder:
        assert ladder.unfinished == [lost], "also when the server is stopped before it comes to that"
        ladder.begin("again", LADDER, PAIRS[number], again=f"m{number}")
        play(ladder, [PAIRS[number]], first=9)
        assert ladder.states[LADDER].matches == len(PAIRS)
    stored = dump(folder, measured=True)
    with Store.read_only(folder.database) as store:
        assert store.counts()[0] == len(PAIRS)
        assert len({match.block for match in store.matches()}) == len(PAIRS), "no number is given twice"
        assert sum(elo - START for elo, _ in store.live_elo(LADDER).values()) == 0
    assert rebuild(folder).problems == []
    assert dump(folder, measured=True) == stored
    with opened(folder) as ladder:
        assert [one.match_id for one in ladder.unfinished] == ["again"]


def test_a_ladder_whose_options_were_changed_is_refused(folder: Folder) -> None:
    with opened(folder) as ladder:
        play(ladder, PAIRS[:1])
    changed = make_config({**DUEL, "variant": {"max_rounds": 2}})
    with (
        pytest.raises(ConfigError, match=rf"{LADDER} .*'1'.* asks for .*'2'.*undo"),
        opened(folder, changed),
    ):
        pass
    with opened(folder) as ladder:
        assert ladder.states[LADDER].matches == 1


def test_a_ladder_that_is_no_longer_played_keeps_its_records(folder: Folder) -> None:
    with opened(folder) as ladder:
        play(ladder, PAIRS)
        ladder.begin("half", LADDER, PAIRS[0])
    stored = dump(folder, measured=True)
    with opened(folder, make_config(COVE)) as ladder:
        assert ladder.states[LADDER].matches == len(PAIRS)
        assert ladder.unfinished == [], "nothing is played there any more"
    assert dump(folder, measured=True) == stored
    with opened(folder, make_config(COVE, DUEL)) as ladder:
        assert [one.match_id for one in ladder.unfinished] == ["half"]


def test_what_was_being_played_is_found_in_the_journal(folder: Folder) -> None:
    with opened(folder) as ladder:
        play(ladder, PAIRS[:2])
        ladder.begin("a", LADDER, PAIRS[2])
        ladder.begin("b", LADDER, PAIRS[3])
        ladder.void("b", LADDER, "the host was late")
        ladder.begin("c", LADDER, PAIRS[3], again="b")
        ladder.begin("d", LADDER, PAIRS[4])
        ladder.begin("m7", LADDER, PAIRS[4], again="d")
        play(ladder, [PAIRS[4]], first=7)
    with opened(folder) as ladder:
        assert [one.match_id for one in ladder.unfinished] == ["a", "c"]
        assert ladder.unfinished[0].entries == PAIRS[2]


@pytest.mark.parametrize("key", ["match", "contest", "bots", "again"])
def test_a_line_of_the_journal_that_is_damaged_keeps_no_ladder_from_opening(key: str, folder: Folder) -> None:
    with opened(folder) as ladder:
        play(ladder, PAIRS)
    line = {"event": "match_started", "match": "x", "contest": LADDER, "bots": ["ann", "bob"], "again": "y"}
    with folder.journal.open("a") as journal:
        journal.write(json.dumps({**line, key: 7}) + "\n")
        journal.write(json.dumps({name: value for name, value in line.items() if name != key}) + "\n")
    with opened(folder) as ladder:
        assert [match.match_id for match in ladder.unfinished] == (["x"] if key == "again" else [])


def test_a_record_whose_row_was_never_written_counts_and_is_told(folder: Folder) -> None:
    """Killed between the two: the record is there, the match does not run again."""
    with opened(folder) as ladder:
        play(ladder, PAIRS)
        whole = dump(folder, measured=True)
    with Store.open(folder.database) as store:
        store.remove_matches(["m4"])
    lines = [line for line in folder.journal.read_text().splitlines(True) if '"m4"' not in line or "started" in line]
    folder.journal.write_text("".join(lines))
    with opened(folder) as ladder:
        assert ladder.unfinished == []
    assert dump(folder, measured=True) == whole
    told = [line["match"] for line in read_journal(folder.journal, ["match_finished"])]
    assert sorted(told) == [f"m{number}" for number in range(len(PAIRS))]


async def test_a_sweep_that_is_given_up_is_waited_for(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread cannot be stopped half-way, and nobody else may write meanwhile, or close the database."""
    began, may_end = threading.Event(), threading.Event()

    def delete_expired(*words: object) -> None:
        began.set()
        may_end.wait()

    monkeypatch.setattr(ladder_module, "delete_expired", delete_expired)

    with opened(folder) as ladder:
        sweeping = asyncio.create_task(ladder.delete_expired(RetentionPolicy()))
        await asyncio.to_thread(began.wait)
        sweeping.cancel()
        try:
            for _ in range(10):
                await asyncio.sleep(0)
            assert not sweeping.done()
        finally:
            may_end.set()
        await asyncio.wait([sweeping])
        assert sweeping.cancelled()
