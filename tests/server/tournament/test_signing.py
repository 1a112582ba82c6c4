"""What an event signs: its records and its report."""

from __future__ import annotations

import stat

import pytest
from click.testing import CliRunner

from referee.records.record import signer_of
from server.cli.main import main
from server.standings.report import write_report
from server.tournament.event import rebuild
from server.tournament.folder import Folder
from server.tournament.standings import read_standings
from server.tournament.status import read_status
from support.events import dump, make_event, run

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


def test_the_report_is_signed_and_names_the_key(played: Folder) -> None:
    write_report(played, played.require_agreement(), read_status(played), read_standings(played))
    public = played.public_key().hex()
    assert public in played.report.read_text()
    code, output = verify("--key", public, str(played.report))
    assert (code, output.splitlines()[0]) == (0, f"{played.report}: signed")
    played.report.write_text(played.report.read_text().replace("ann", "eve"))
    code, output = verify("--key", public, str(played.report))
    assert (code, "its signature is invalid" in output) == (1, True)
