"""Luck of an event: from its records to the table, and what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.errors import RecordError
from server.cli.main import main
from server.standings.luck import read_luck, seat_luck
from server.tournament.folder import Folder
from server.tournament.standings import read_standings
from server.tournament.store import Store
from support.events import TINY, make_event, run

GAMES = ({"id": "pirates_cove", "seats": 2}, {"id": "pavillon_noir", "variant": TINY})


@pytest.fixture(scope="module")
def event(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = make_event(tmp_path_factory.mktemp("luck") / "cup", games=GAMES, rounds=4)
    run(folder)
    return folder


def test_every_bot_has_its_plain_score_and_its_luck(event: Folder) -> None:
    counted, not_counted = read_luck(event)
    assert counted.scores is not None
    plain = {line.bot: line.row.score for line in read_standings(event)[0].lines}
    assert {row.name: row.score for row in counted.scores.rows} == pytest.approx(plain)
    assert all(row.luck for row in counted.scores.rows)
    weighed = sum(row.luck * row.matches for row in counted.scores.rows)
    assert weighed == pytest.approx(0, abs=1e-9), "what one bot gains by luck, the others lose"
    assert not_counted.scores is None
    assert "would gain less than 1.05" in not_counted.verdict


def test_the_luck_of_a_match_follows_from_its_record_alone(event: Folder) -> None:
    with Store.read_only(event.database) as store:
        matches = list(store.matches("pirates_cove-2"))
    found = [seat_luck(event, match) for match in matches]
    assert found == [seat_luck(event, match) for match in matches]
    # The rotations of a block have the same dice, but other shots were fired.
    assert len({tuple(one) for one in found}) == len(found)


def test_it_is_printed_for_people_and_programs(event: Folder) -> None:
    told = CliRunner().invoke(main, ["ladder", "luck", str(event.path)])
    assert told.exit_code == 0, told.output
    assert "luck is not counted here" in told.output
    found = json.loads(CliRunner().invoke(main, ["ladder", "luck", str(event.path), "--json"]).output)
    assert [one["game"] for one in found] == ["pirates_cove", "pavillon_noir"]
    gain = f"(95 %: {found[0]['gain_low']:.2f} to {found[0]['gain_high']:.2f})"
    assert f"{found[0]['gain']:.2f} times as many matches {gain}" in told.output
    assert found[0]["gain_low"] < found[0]["gain"] < found[0]["gain_high"]
    # So few matches of bots that play by lot may or may not pay; what does not pay is left off.
    assert all((row["adjusted"] is None) == (not found[0]["pays"]) for row in found[0]["table"])
    assert [one["game"] for one in json.loads(_luck(event, "--game", "pavillon_noir"))] == ["pavillon_noir"]


def _luck(event: Folder, *options: str) -> str:
    return CliRunner().invoke(main, ["ladder", "luck", str(event.path), "--json", *options]).output


def test_a_record_that_is_not_the_stored_one_is_refused(event: Folder) -> None:
    with Store.read_only(event.database) as store:
        first, second, *_ = store.matches("pirates_cove-2")
    path = event.record(first.match_id)
    packed = path.read_bytes()
    try:
        path.write_bytes(event.record(second.match_id).read_bytes())
        with pytest.raises(RecordError, match=rf"{first.match_id}.*not the record"):
            read_luck(event)
        path.unlink()
        told = CliRunner().invoke(main, ["ladder", "luck", str(event.path)])
        assert told.exit_code != 0
        assert first.match_id in told.output
    finally:
        path.write_bytes(packed)


def test_an_unknown_game_is_named(event: Folder) -> None:
    told = CliRunner().invoke(main, ["ladder", "luck", str(event.path), "--game", "chess"])
    assert told.exit_code == 2
    assert "chess" in told.output


def test_no_event_no_luck(tmp_path: Path) -> None:
    assert CliRunner().invoke(main, ["ladder", "luck", str(tmp_path)]).exit_code == 2
