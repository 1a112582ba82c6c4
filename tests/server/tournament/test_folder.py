"""An event's folder: its lock, what was agreed, and who comes to a ladder and goes."""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from referee.errors import ConfigError
from referee.rules.infos import PLUGINS
from referee.rules.plugins import VARIABLE
from server.tournament.agreement import Agreement, Entry
from server.tournament.event import open_agreement
from server.tournament.folder import Folder, lock_folder, lock_holder
from server.tournament.manifest import find_bots, make_manifest, read_manifest, write_text
from server.tournament.roster import current_agreement, update_roster
from server.tournament.runner import Ending
from server.tournament.status import read_status
from server.tournament.store import Store
from support.events import KILLED, dump, make_event, run, run_until
from support.strangers import use_kuhn

GAME = {"id": "pavillon_noir", "variant": {"max_rounds": 1}}


def change(folder: Folder, **keys: object) -> None:
    """Edit the manifest, as the organiser would."""
    from server.tournament.manifest import as_table

    table = {**as_table(read_manifest(folder.manifest)), **keys}
    folder.manifest.write_text(write_text(make_manifest(table)))


def bots(*names: str) -> list[dict[str, str]]:
    """Entries of a manifest."""
    return [{"spec": "cmd: true", "name": name} for name in names]


# The lock


def test_a_second_holder_is_refused_with_the_pid_of_the_first(tmp_path: Path) -> None:
    folder = make_event(tmp_path)
    assert lock_holder(folder) is None
    with lock_folder(folder):
        assert lock_holder(folder) == os.getpid()
        with pytest.raises(ConfigError, match=f"is being run by process {os.getpid()}$"), lock_folder(folder):
            pass
        with pytest.raises(ConfigError, match=f"is being run by process {os.getpid()}$"):
            run(folder)
    assert lock_holder(folder) is None
    assert run(folder) is Ending.FINISHED


def test_who_only_asks_does_not_keep_the_runner_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`tortuga tournament status` looks whether the lock is held, and holds it a moment for that."""
    monkeypatch.setattr("server.tournament.folder.ASKERS_SECONDS", 60.0)
    folder = make_event(tmp_path)
    (folder.path / "lock").touch()
    with (folder.path / "lock").open() as asker:
        fcntl.flock(asker, fcntl.LOCK_SH)
        threading.Timer(0.3, lambda: fcntl.flock(asker, fcntl.LOCK_UN)).start()
        with lock_folder(folder):
            assert lock_holder(folder) == os.getpid()


def test_the_lock_of_a_killed_process_is_free_and_its_scratch_is_removed(tmp_path: Path) -> None:
    folder = make_event(tmp_path)
    child = os.fork()
    if not child:
        with lock_folder(folder) as held:
            held.new_scratch().mkdir()
            (held.new_scratch() / "deep").mkdir(parents=True)
            os._exit(KILLED)
    os.waitpid(child, 0)
    left = json.loads((folder.path / "lock").read_text())
    assert left["pid"] == child
    assert [Path(path).is_dir() for path in left["scratch"]] == [True, True]
    assert lock_holder(folder) is None
    with lock_folder(folder):
        assert [Path(path).exists() for path in left["scratch"]] == [False, False]
    assert (folder.path / "lock").read_text() == ""


def test_a_lock_file_that_was_edited_cannot_remove_other_folders(tmp_path: Path) -> None:
    folder, precious = make_event(tmp_path / "event"), tmp_path / "precious"
    precious.mkdir()
    (folder.path / "lock").write_text(json.dumps({"pid": 1, "scratch": [str(precious), 7]}))
    with lock_folder(folder):
        assert precious.is_dir()
    for nonsense in ("[]", "{", '"x"', '{"scratch": 3}'):
        (folder.path / "lock").write_text(nonsense)
        with lock_folder(folder):
            pass


def test_scratch_is_written_down_before_it_is_made(tmp_path: Path) -> None:
    folder = make_event(tmp_path)
    with lock_folder(folder) as held:
        path = held.new_scratch()
        assert not path.exists()
        assert path.parent == Path(tempfile.gettempdir())
        assert json.loads((folder.path / "lock").read_text()) == {"pid": os.getpid(), "scratch": [str(path)]}
        path.mkdir()
    assert not path.exists()


# What was agreed


def test_the_agreement_is_read_as_it_was_written(tmp_path: Path) -> None:
    folder = make_event(tmp_path, games=[GAME, {"id": "pirates_cove", "seats": 3}])
    assert folder.read_agreement() is None
    agreement = Agreement(
        manifest=read_manifest(folder.manifest),
        roster=(
            Entry(name="ann", bot="ann", version="1", games=("pavillon_noir",), hero=True),
            Entry(name="ann-2", bot="ann", version="2", ancestor="ann", joined={"pavillon_noir-2": 3}),
            Entry(name="bob", bot="bob", left={"pavillon_noir-2": 4, "pirates_cove-3": 1}),
        ),
    )
    folder.write_agreement(agreement)
    assert folder.read_agreement() == agreement
    assert folder.require_agreement().entry("ann-2").ancestor == "ann"
    assert "seed" not in folder.agreement.name
    assert json.loads(folder.agreement.read_text())["event"] == agreement.event_id


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 2}', '{"format": 1}', '{"format": 1, "roster": 3}'])
def test_an_agreement_that_cannot_be_read_is_named(content: str, tmp_path: Path) -> None:
    folder = make_event(tmp_path)
    folder.agreement.write_text(content)
    with pytest.raises(ConfigError, match=r"event\.json"):
        folder.read_agreement()


def test_an_agreement_of_a_game_that_is_missing_is_not_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_kuhn(monkeypatch)
    folder = make_event(tmp_path, games=[{"id": "kuhn"}])
    folder.write_agreement(Agreement(manifest=read_manifest(folder.manifest), roster=()))
    assert folder.read_agreement()
    monkeypatch.setenv(VARIABLE, "builtin")
    monkeypatch.setattr(PLUGINS, "_loaded", {})
    with pytest.raises(ConfigError, match=r"event\.json.*kuhn") as missing:
        folder.read_agreement()
    assert "damaged" not in str(missing.value)


def test_a_pipe_in_place_of_the_agreement_keeps_nobody_waiting(tmp_path: Path) -> None:
    folder = make_event(tmp_path)
    os.mkfifo(folder.agreement)
    with pytest.raises(ConfigError, match=r"event\.json.*regular"):
        folder.read_agreement()


def test_who_looks_at_an_event_that_has_not_begun_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no tournament\.toml"):
        read_status(Folder(tmp_path))
    found = read_status(make_event(tmp_path))
    assert (found.matches_done, found.matches_planned, found.over, found.pid) == (0, 12, False, None)


def test_what_concerns_the_run_may_change_and_the_rest_may_not(tmp_path: Path) -> None:
    folder = make_event(tmp_path)
    run(folder)
    expected = dump(folder)
    change(folder, concurrency=1, pin=True)
    assert run(folder) is Ending.FINISHED
    assert dump(folder) == expected
    for keys, words in (
        ({"rounds": 3}, "rounds: was 2, is now 3"),
        ({"seed": "x"}, 'seed: was "s", is now "x"'),
        ({"bots": bots("ann", "bob")}, "bots: was "),
        ({"games": [{"id": "pavillon_noir"}]}, "games: was "),
        ({"clock": "1+0/1"}, 'clock: was "3600'),
    ):
        before = folder.manifest.read_text()
        change(folder, **keys)
        with pytest.raises(ConfigError) as caught:
            run(folder)
        assert f"{folder.manifest} was changed" in str(caught.value)
        assert words in str(caught.value)
        folder.manifest.write_text(before)
    assert dump(folder) == expected


def test_a_bot_of_another_version_makes_another_event(tmp_path: Path) -> None:
    folder = versioned(tmp_path, "ann", "1")
    run(folder)
    versioned(tmp_path, "ann", "2")
    with pytest.raises(ConfigError, match=r"bot ann: .*version 1\b.* 2\b"):
        run(folder)


def test_an_event_that_cannot_be_scheduled_is_refused_before_anything_is_agreed(tmp_path: Path) -> None:
    """Otherwise the manifest could not be put right: it would be changed under a half-played event."""
    folder = make_event(tmp_path, rounds=0)
    with pytest.raises(ConfigError, match="at least 1 round"):
        run(folder)
    assert not folder.agreement.exists()
    change(folder, rounds=1)
    assert run(folder) is Ending.FINISHED


def test_a_bot_whose_program_is_not_there_is_found_before_the_event(tmp_path: Path) -> None:
    folder = make_event(tmp_path)
    change(folder, bots=[*bots("ann"), {"spec": "cmd: /no/such/program", "name": "bob"}])
    with pytest.raises(ConfigError, match=r"bob.*no /no/such/program"):
        run(folder)
    assert not folder.agreement.exists()


# Ladders


def versioned(path: Path, name: str, version: str, games: str = "", **keys: object) -> Folder:
    """An event of a bot with a bot.toml of that version, of bob and of cid."""
    (path / name).mkdir(exist_ok=True, parents=True)
    (path / name / "bot.toml").write_text(f'name = "{name}"\nrun = ["true"]\nversion = "{version}"\ngames = [{games}]')
    folder = make_event(path, bots=["bob", "cid"], **keys)  # type: ignore[arg-type]
    change(folder, bots=[{"spec": f"./{name}"}, *bots("bob", "cid")])
    return folder


def roster(folder: Folder) -> dict[str, Entry]:
    """Who takes part, by name."""
    return {one.name: one for one in folder.require_agreement().roster}


STAGES = {"pavillon_noir-2": 5}


def followed(before: list[Entry], path: Path, names: list[dict[str, str]]) -> tuple[Entry, ...]:
    manifest = make_manifest({"name": "n", "seed": "s", "games": [GAME], "bots": names})
    found = find_bots(manifest, path)
    after = update_roster(
        before, found, STAGES, {name: bot.team for name, bot in zip(found, manifest.bots, strict=True)}
    )
    return tuple(replace(one, sha256="") for one in after)


def test_newcomers_join_and_leavers_leave_at_the_next_stage(tmp_path: Path) -> None:
    before = [Entry(name="ann", bot="ann"), Entry(name="bob", bot="bob")]
    assert followed(before, tmp_path, bots("ann", "cid")) == (
        Entry(name="ann", bot="ann"),
        Entry(name="bob", bot="bob", left=STAGES),
        Entry(name="cid", bot="cid", joined=STAGES),
    )


def test_a_team_is_kept_from_the_first_match_on(tmp_path: Path) -> None:
    """Waves that were played are drawn again from the roster: a team that changed would change them."""
    before = [Entry(name="ann", bot="ann", team="red")]
    named = [{**bot, "team": "blue"} for bot in bots("ann", "bob")]
    assert [one.team for one in followed(before, tmp_path, named)] == ["red", "blue"]


def test_who_comes_back_is_a_new_entry_after_the_old_one(tmp_path: Path) -> None:
    before = [
        Entry(name="ann", bot="ann"),
        Entry(name="bob", bot="bob", left={"pavillon_noir-2": 3}),
        Entry(name="cid", bot="cid"),
    ]
    after = followed(before, tmp_path, bots("ann", "bob", "cid"))
    assert after[:3] == tuple(before)
    assert after[3] == Entry(name="bob-2", bot="bob", ancestor="bob", joined=STAGES)
    again = followed(
        [*after[:3], Entry(name="bob-2", bot="bob", ancestor="bob", left=STAGES)],
        tmp_path,
        bots("ann", "bob", "cid"),
    )
    assert (again[4].name, again[4].ancestor) == ("bob-3", "bob-2")


def test_a_name_that_is_taken_by_a_version_is_not_given_twice(tmp_path: Path) -> None:
    """`ann` in version 2 would be called ann-2, which another bot is called already."""
    folder = versioned(tmp_path, "ann", "2")
    before = [Entry(name="ann", bot="ann", version="1"), Entry(name="ann-2", bot="ann-2")]
    found = find_bots(
        make_manifest({"name": "n", "seed": "s", "games": [GAME], "bots": [{"spec": "./ann"}, *bots("ann-2")]}),
        folder.path,
    )
    names = [one.name for one in update_roster(before, found, STAGES, {})]
    assert names == ["ann", "ann-2", "ann-2-2"]


@pytest.mark.parametrize("version", ["1.0 beta", "../../x", "<b>", "a b/c", "é", "v" * 100])
def test_a_version_may_be_any_text_but_a_name_may_not(version: str, tmp_path: Path) -> None:
    """Names go into file names and, with spaces between, into the database."""
    from server.bots.spec import NAME

    folder = versioned(tmp_path, "ann", "1", format="ladder", rounds=2)
    run(folder)
    versioned(tmp_path, "ann", version, format="ladder", rounds=6)
    assert run(folder) is Ending.FINISHED
    [new] = [one for one in roster(folder).values() if one.ancestor]
    assert (new.version, new.ancestor) == (version, "ann")
    assert NAME.fullmatch(new.name)
    with Store.read_only(folder.database) as store:
        assert new.name in {bot for match in store.matches() for bot in match.bots}


def test_a_ladder_goes_on_with_newcomers_leavers_and_new_versions(tmp_path: Path) -> None:
    folder = versioned(tmp_path, "ann", "1", format="ladder", rounds=6)
    assert run(folder) is Ending.FINISHED
    first = dump(folder)
    versioned(tmp_path, "ann", "2", format="ladder", rounds=12)
    change(folder, bots=[{"spec": "./ann"}, *bots("bob", "dan")])
    assert run(folder) is Ending.FINISHED
    found = roster(folder)
    assert list(found) == ["ann", "bob", "cid", "ann-2", "dan"]
    assert found["ann-2"].ancestor == "ann"
    assert {found["ann"].left["pavillon_noir-2"], found["cid"].left["pavillon_noir-2"]} == {6}
    assert {found["ann-2"].joined["pavillon_noir-2"], found["dan"].joined["pavillon_noir-2"]} == {6}
    with Store.read_only(folder.database) as store:
        matches = list(store.matches())
    early, late = [m for m in matches if m.stage < 6], [m for m in matches if m.stage >= 6]
    assert {bot for match in early for bot in match.bots} == {"ann", "bob", "cid"}
    assert {bot for match in late for bot in match.bots} == {"ann-2", "bob", "dan"}
    assert [row for row in dump(folder)["match"] if row in first["match"]] == first["match"], "the past stays"
    assert {match.seats[0].version for match in late if match.seats[0].bot == "ann-2"} == {"2"}


@pytest.mark.parametrize("lost", [1, 2], ids=["half a block", "a block"])
def test_a_ladder_that_was_stopped_in_a_wave_goes_on_without_a_bot_that_left(lost: int, tmp_path: Path) -> None:
    """What was still to be played with it is given up: there is no program of it that could be started."""
    names = ["ann", "bob", "cid", "dan"]
    folder = make_event(tmp_path, bots=names, format="ladder", rounds=2)
    run(folder)
    with Store.read_only(folder.database) as store:
        open_block = [match for match in store.matches() if match.block == 2]
    for match in open_block[:lost]:
        folder.record(match.match_id).unlink()
    leaver = open_block[0].bots[0]
    change(folder, bots=bots(*(name for name in names if name != leaver)), rounds=4)
    assert run(folder) is Ending.FINISHED
    first = dump(folder)
    assert {row[0] for row in first["live_elo"]} == {row[0] for row in first["match"] if row[3] != 2}
    with Store.read_only(folder.database) as store:
        late = [match for match in store.matches() if match.stage > 1]
    assert late
    assert leaver not in {bot for match in late for bot in match.bots}
    assert run(folder) is Ending.FINISHED
    assert dump(folder) == first


def test_a_newcomer_plays_only_its_own_games(tmp_path: Path) -> None:
    games = [GAME, {"id": "broadsides", "variant": {}}]
    folder = make_event(tmp_path, bots=["bob", "cid"], games=games, format="ladder", rounds=1)
    run_nothing(folder)
    versioned(tmp_path, "ann", "1", games='"pavillon_noir"', format="ladder", rounds=1)
    change(folder, games=games)
    with lock_folder(folder), Store.open(folder.database) as store:
        agreement, _, _ = open_agreement(folder, store)
    assert agreement.entry("ann").games == ("pavillon_noir",)


def run_nothing(folder: Folder) -> None:
    """Agree, but play nothing."""
    folder.prepare()
    with lock_folder(folder), Store.open(folder.database) as store:
        open_agreement(folder, store)


@pytest.mark.system
def test_a_roster_that_grows_between_two_runs_takes_hold_at_one_stage_however_often_it_is_killed(
    tmp_path: Path,
) -> None:
    """What holds: the change takes hold at the first stage of which nothing was played when it was found, and is
    durable before anything else is played. So whatever is killed afterwards, the event comes to the same."""
    results = []
    for kills in ([], [25], [25, 40, 31, 60]):
        folder = make_event(tmp_path / f"{len(kills)}", format="ladder", rounds=4, concurrency=1)
        run(folder)
        change(folder, bots=bots("ann", "bob", "cid", "dan", "eve"), rounds=10)
        for touch in kills:
            assert run_until(folder, touch) == KILLED
        assert run(folder) is Ending.FINISHED
        assert {one.joined["pavillon_noir-2"] for one in roster(folder).values() if one.joined} == {4}
        results.append(dump(folder))
    assert results[0] == results[1] == results[2]


def test_a_roster_that_grows_under_a_killed_ladder_leaves_what_was_played_as_it_was(tmp_path: Path) -> None:
    folder = make_event(tmp_path, format="ladder", rounds=12, concurrency=1)
    assert run_until(folder, 120) == KILLED
    before = dump(folder)["match"]
    assert before
    change(folder, bots=bots("ann", "bob", "cid", "dan"))
    assert run(folder) is Ending.FINISHED
    after = dump(folder)["match"]
    assert [row for row in after if row in before] == before
    stage = roster(folder)["dan"].joined["pavillon_noir-2"]
    with Store.read_only(folder.database) as store:
        assert {match.stage >= stage for match in store.matches() if "dan" in match.bots} == {True}
        assert {match.stage for match in store.matches()} == set(range(12))


def test_a_ladder_may_be_made_longer(tmp_path: Path) -> None:
    long = make_event(tmp_path / "long", format="ladder", rounds=8)
    run(long)
    grown = make_event(tmp_path / "grown", format="ladder", rounds=3)
    run(grown)
    change(grown, rounds=8)
    assert run(grown) is Ending.FINISHED
    assert dump(grown) == dump(long)


# What cannot be written


def test_a_file_in_the_way_is_found_before_play(tmp_path: Path) -> None:
    folder = make_event(tmp_path)
    folder.records.touch()
    with pytest.raises(ConfigError, match=r"cannot create .*/records: "):
        run(folder)
    assert not folder.agreement.exists()


def test_a_folder_that_is_only_for_reading_is_refused_before_play_and_can_be_looked_at() -> None:
    """Root may write everywhere, so we are somebody else meanwhile."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o755)
        folder = make_event(path / "event")
        run(folder)
        expected = dump(folder)
        for each in (folder.path, folder.records, folder.logs):
            each.chmod(0o500)
        was = os.getuid()
        try:
            if was == 0:
                for each in [folder.path, *folder.path.rglob("*")]:
                    os.chown(each, 65534, 65534)
                os.setresuid(65534, 65534, 0)
            with pytest.raises(ConfigError, match=f"cannot write .*{folder.path}"):
                run(folder)
            assert read_status(folder).matches_done == 12
            assert dump(folder) == expected
        finally:
            if was == 0:
                os.setresuid(0, 0, 0)
            for each in (folder.path, folder.records, folder.logs):
                each.chmod(0o700)


def test_agree_is_pure(tmp_path: Path) -> None:
    folder = make_event(tmp_path)
    assert current_agreement(folder)[0] == current_agreement(folder)[0]
    assert not folder.agreement.exists()
