"""What an event signs: its records and its report."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.records.record import pack, read_record, sign, signer_of
from referee.records.signature import SigningKey
from server.cli.main import main
from server.standings.report import write_report
from server.tournament.event import rebuild
from server.tournament.folder import Folder
from server.tournament.standings import read_standings
from server.tournament.status import read_status
from support.events import Notes, dump, make_event, run

pytest.importorskip("cryptography", reason="the extra `signatures` is not installed")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = make_event(tmp_path_factory.mktemp("signed"), bots=["ann", "ben"], rounds=2)
    run(folder)
    return folder


def verify(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["replay", "verify", *words])
    return done.exit_code, done.output


def test_every_record_is_signed_by_the_key_of_the_event(played: Folder) -> None:
    records = sorted(played.records.iterdir())
    assert len(records) == 4
    assert {signer_of(record.read_bytes()) for record in records} == {played.public_key()}
    code, output = verify("--key", played.public_key().hex(), *map(str, records))
    assert (code, output.count(", signed")) == (0, 4)
    assert verify("--key", "11" * 32, str(records[0]))[0] == 1
    assert stat.S_IMODE(played.key.stat().st_mode) == 0o600


def test_the_rows_know_the_signed_files(played: Folder) -> None:
    before = dump(played)
    assert rebuild(played).problems == []
    assert dump(played) == before


@pytest.fixture
def unsigned(tmp_path: Path) -> tuple[Folder, Path]:
    """An event, and one of its records without its signature: otherwise it is as it was played."""
    folder = make_event(tmp_path, bots=["ann", "ben"], rounds=2)
    run(folder)
    path = sorted(folder.records.iterdir())[1]
    path.write_bytes(pack(read_record(path)[0]))
    return folder, path


@pytest.mark.parametrize("signed_by", ["nobody", "another"])
def test_a_record_that_the_event_did_not_sign_is_not_counted(unsigned: tuple[Folder, Path], signed_by: str) -> None:
    folder, path = unsigned
    if signed_by == "another":
        stranger = SigningKey.open(folder.path / "stranger.key")
        assert stranger
        path.write_bytes(sign(path.read_bytes(), stranger))
    done = CliRunner().invoke(main, ["ladder", "rebuild", str(folder.path)])
    assert (done.exit_code, "3 matches read" in done.output) == (1, True)
    assert f"{path.name}: it is " in done.output
    assert not path.exists()
    assert "set aside" in done.output


def test_a_run_counts_no_record_without_a_signature(unsigned: tuple[Folder, Path]) -> None:
    """Its row is gone, as after a crash: the run plays the match again instead of believing the file."""
    folder, path = unsigned
    content = path.read_bytes()
    folder.database.unlink()
    notes = Notes()
    run(folder, notes)
    assert len(notes.finished) == 1
    assert path.read_bytes() != content
    assert signer_of(path.read_bytes()) == folder.public_key()


def test_the_organiser_may_count_records_from_before_there_was_a_key(unsigned: tuple[Folder, Path]) -> None:
    folder, path = unsigned
    done = CliRunner().invoke(main, ["ladder", "rebuild", "--unsigned", str(folder.path)])
    assert (done.exit_code, "4 matches read" in done.output) == (0, True)
    stranger = SigningKey.open(folder.path / "stranger.key")
    assert stranger
    path.write_bytes(sign(path.read_bytes(), stranger))
    assert CliRunner().invoke(main, ["ladder", "rebuild", "--unsigned", str(folder.path)]).exit_code == 1


def test_the_report_is_signed_and_names_the_key(played: Folder) -> None:
    write_report(played, played.require_agreement(), read_status(played), read_standings(played))
    public = played.public_key().hex()
    assert public in played.report.read_text()
    code, output = verify("--key", public, str(played.report))
    assert (code, output.splitlines()[0]) == (0, f"{played.report}: signed")
    played.report.write_text(played.report.read_text().replace("ann", "eve"))
    code, output = verify("--key", public, str(played.report))
    assert (code, "its signature is invalid" in output) == (1, True)
