"""starting-ratings.jsonl: written once, read exactly, and a damaged line is never passed over."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from referee.errors import ConfigError
from server.tournament.agreement import Agreement, Entry
from server.tournament.folder import Folder
from server.tournament.repair.fsck import check_starting_ratings
from server.tournament.starting_ratings import (
    StartingRating,
    append_starting_ratings,
    read_starting_ratings,
)
from support.arena import open_manifest

ANN = StartingRating(
    at="2026-11-17T15:00:00+00:00",
    contest="pavillon_noir-2",
    bot="ann",
    version="1",
    rating=1100.123456789,
    deviation=80.5,
    season="one",
    event="0123456789ab",
    shrink=0.5,
)
BOB = replace(ANN, bot="bob", rating=900.0)
LINE = {"v": 1, **{name: getattr(ANN, name) for name in ANN.__dataclass_fields__}}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = Folder(tmp_path).starting_ratings
    assert read_starting_ratings(path) == ()
    append_starting_ratings(path, [ANN])
    append_starting_ratings(path, [BOB])
    assert read_starting_ratings(path) == (ANN, BOB)
    assert path.stat().st_mode & 0o077 == 0
    assert not [*check_starting_ratings(Folder(tmp_path))]


@pytest.mark.parametrize(
    "text",
    [
        "\n",
        "no json\n",
        "[]\n",
        "null\n",
        "7\n",
        '"text"\n',
        json.dumps(LINE),  # cut off: no end of the line
        json.dumps({**LINE, "v": 2}) + "\n",
        json.dumps({**LINE, "rating": "1000"}) + "\n",
        json.dumps({**LINE, "rating": True}) + "\n",
        json.dumps({**LINE, "rating": float("nan")}) + "\n",
        json.dumps({**LINE, "rating": float("inf")}) + "\n",
        json.dumps({**LINE, "deviation": 0}) + "\n",
        json.dumps({**LINE, "deviation": -5}) + "\n",
        json.dumps({**LINE, "bot": 5}) + "\n",
        json.dumps({**LINE, "more": 5}) + "\n",
        json.dumps({name: value for name, value in LINE.items() if name != "bot"}) + "\n",
        "[" * 100_000 + "\n",
        json.dumps(LINE) + "\n" + "{}\n",
    ],
)
def test_a_damaged_file_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    path = Folder(tmp_path).starting_ratings
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"starting-ratings\.jsonl"):
        read_starting_ratings(path)
    [problem] = check_starting_ratings(Folder(tmp_path))
    assert problem.file == "starting-ratings.jsonl"


def test_a_pipe_keeps_nobody_waiting(tmp_path: Path) -> None:
    path = Folder(tmp_path).starting_ratings
    os.mkfifo(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_starting_ratings(path)


def test_who_starts_with_what() -> None:
    later = replace(ANN, rating=1200.0)
    roster = (
        Entry(name="ann", bot="ann", version="1"),
        Entry(name="ann-2", bot="ann", version="2", ancestor="ann"),
        Entry(name="bob", bot="bob", version="9"),
        Entry(name="cid", bot="cid", version="1"),
    )
    agreement = Agreement(manifest=open_manifest(), roster=roster, starting_ratings=(ANN, BOB, later))
    starts = agreement.starts("pavillon_noir-2")
    assert set(starts) == {"ann", "bob"}
    assert starts["ann"] == later.start  # the later line counts
    assert starts["bob"] == BOB.start.of_new_version()
    assert agreement.starts("broadsides-2") == {}
