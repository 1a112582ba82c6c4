"""How old a fit may be: nobody fits twice what is good, and nobody is shown what is too old."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.match import clock
from server.arena.reading import fits
from server.arena.reading.fits import Fit, Version, find_fit, read_version
from server.tournament.folder import Folder
from server.tournament.standings import read_contest
from support.arena import LADDER, block, fill, version

BLOCKS = [block(number, ["ann", "bob"]) for number in range(3)]


class Place:
    """A folder, a clock that a test moves, and a gate before every new fit."""

    def __init__(self, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = str(folder.path)
        self.now = 1000.0
        self.made = 0
        self.gate = threading.Event()
        self.gate.set()

        def read(folder: Folder, contest: str) -> Any:
            assert self.gate.wait(60)
            self.made += 1
            return read_contest(folder, contest)

        monkeypatch.setattr(fits, "read_contest", read)
        monkeypatch.setattr(clock, "now", lambda: self.now)

    def find(self, number: int, *entries: str, exact: bool = False) -> Fit:
        """Ask until there is a fit."""
        while (fit := find_fit(self.path, LADDER, version(number), *entries, exact=exact)) is None:
            pass
        return fit


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    folder = Folder(tmp_path / "ladder")
    fill(folder, BLOCKS)
    opened = Place(folder, monkeypatch)
    yield opened
    opened.gate.set()


def test_a_fit_is_good_for_ten_seconds_and_for_ever_while_nothing_changes(place: Place) -> None:
    first = place.find(1)
    place.now += 3600
    assert place.find(1) is first
    place.now = first.began + 9.9
    assert place.find(2) is first
    place.now = first.began + 10.1
    assert place.find(2) is not first
    assert place.made == 2


def test_an_older_fit_is_shown_for_a_minute_while_a_newer_one_is_made(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = place.find(1)
    monkeypatch.setattr(fits, "TURN_SECONDS", 0.01)
    place.gate.clear()
    place.now += 59.9
    assert find_fit(place.path, LADDER, version(2)) is first
    place.now += 0.2
    assert find_fit(place.path, LADDER, version(3)) is None, "ask again"
    place.gate.set()
    assert place.find(4) is not first
    assert place.made <= 3, "those who wait share one fit"


def test_what_takes_long_is_good_for_longer(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    read = read_contest

    def slowly(folder: Folder, contest: str) -> Any:
        place.now += 20.0
        return read(folder, contest)

    monkeypatch.setattr(fits, "read_contest", slowly)
    first = place.find(1)
    place.now = first.began + 99.9
    assert place.find(2) is first


@pytest.mark.parametrize("change", [{"rulings": 1}, {"database": 1}])
def test_a_ruling_and_another_season_are_in_it_at_once(place: Place, change: dict[str, int]) -> None:
    first = place.find(1)
    asked = version(1)._replace(**change)
    while (fit := find_fit(place.path, LADDER, asked)) is None:
        pass
    assert fit is not first


def test_a_fit_never_lacks_a_newcomer_or_the_last_match_of_an_event(place: Place) -> None:
    first = place.find(1, "ann", "bob")
    assert place.find(2, "ann") is first
    assert find_fit(place.path, LADDER, version(2), "newcomer") is not first
    second = place.find(2)
    assert place.find(3) is second
    assert place.find(3, exact=True) is not second


def test_what_went_wrong_is_told_and_tried_again(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(folder: Folder, contest: str) -> Any:
        raise OSError("the disk is away")

    with monkeypatch.context() as away:
        away.setattr(fits, "read_contest", fail)
        with pytest.raises(OSError, match="away"):
            place.find(1)
    assert place.find(1).contest is not None


def test_the_fits_that_are_kept_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fits, "MOST_CELLS", 0)
    for number in range(fits.FEWEST_FITS + 3):
        folder = Folder(tmp_path / str(number))
        fill(folder, BLOCKS[:1])
        while find_fit(str(folder.path), LADDER, version(1)) is None:
            pass
    assert len(fits._fits) == fits.FEWEST_FITS


def test_a_version_follows_matches_roster_rulings_and_season(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert read_version(folder, 0) == Version(matches=0, roster=0, rulings=0, database=0)
    fill(folder, BLOCKS)
    first = read_version(folder, 6)
    folder.rulings.write_text("[]")
    assert (first.roster > 0, first.database > 0, first.rulings) == (True, True, 0)
    assert read_version(folder, 6).rulings > 0
