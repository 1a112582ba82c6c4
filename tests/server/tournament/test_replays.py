"""`tortuga tournament replays`: files beside the report, and the report that links them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from server.cli.main import main
from server.tournament.folder import Folder
from server.tournament.store import Store
from support.events import make_event, run


def replays(*words: str) -> tuple[int, str]:
    """Run the command."""
    result = CliRunner().invoke(main, ["tournament", "replays", *words])
    return result.exit_code, result.output


@pytest.fixture
def played(tmp_path: Path) -> Folder:
    """An event of two matches."""
    folder = make_event(tmp_path / "event", bots=["ann", "bob"], rounds=1)
    run(folder)
    return folder


def test_the_last_matches_are_written_once_and_linked(played: Folder) -> None:
    code, output = replays(str(played.path), "--last", "1")
    assert (code, output.splitlines()[0].split(",")[0]) == (0, f"1 written to {played.replays}")
    [file] = played.replays.iterdir()
    assert "default-src 'none'" in file.read_text()
    report = played.report.read_text()
    assert f'href="replays/{file.name}"' in report
    assert report.count('href="replays/') == 1
    before = file.stat().st_mtime_ns
    code, output = replays(str(played.path), "--all")
    assert (code, output.startswith("1 written")) == (0, True)
    assert file.stat().st_mtime_ns == before
    assert played.report.read_text().count('href="replays/') == 2


def test_one_match_by_its_name(played: Folder) -> None:
    with Store.read_only(played.database) as store:
        match_id = next(store.match_ids())
    assert replays(str(played.path), "--match", match_id)[0] == 0
    assert [file.stem for file in played.replays.iterdir()] == [match_id]


@pytest.mark.parametrize(
    "words", [("--match", "../../etc/passwd"), ("--last", "1", "--all"), ("--match", "x", "--all")]
)
def test_what_makes_no_sense_is_refused(words: tuple[str, ...], played: Folder) -> None:
    code, output = replays(str(played.path), *words)
    assert code == 2
    assert output.startswith("tortuga: ")
    assert not played.replays.exists()


def test_the_report_says_date_clock_rounds_versions_and_languages(played: Folder) -> None:
    replays(str(played.path), "--last", "1")
    report = played.report.read_text()
    for words in ("3600 s for all decisions", "<dt>Rounds</dt><dd>1</dd>", '<th scope="col">Language</th>'):
        assert words in report
