"""`tortuga tournament replays`: matches of an event as HTML files beside its report, which links them."""

from __future__ import annotations

from pathlib import Path

import click

from referee.errors import ConfigError
from referee.records.files import write_atomically
from server.arena.caller_input import quote
from server.tournament.folder import Folder
from server.tournament.store import Store

LAST = 20


@click.command("replays")
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--match", "match_ids", multiple=True, metavar="ID", help="This match; may be repeated.")
@click.option("--last", type=click.IntRange(1), metavar="N", help=f"The last N matches. [default: {LAST}]")
@click.option("--all", "everything", is_flag=True, help="Every match: about 100 kB and half a second each.")
def replays(directory: Path, match_ids: tuple[str, ...], last: int | None, everything: bool) -> None:
    """Write matches of the event in DIR as HTML files into DIR/replays, and link them in its report.

    Each file opens in any browser, without network. Existing files are not written again.
    """
    from server.standings.report import write_report
    from server.tournament.standings import read_standings
    from server.tournament.status import read_status

    if sum((bool(match_ids), last is not None, everything)) > 1:
        raise ConfigError("pass only one of --match, --last and --all")
    folder = Folder(directory)
    agreement = folder.require_agreement()
    chosen = choose_matches(folder, match_ids, last or LAST, everything=everything)
    folder.replays.mkdir(exist_ok=True)
    written = 0
    for match_id in chosen:
        out = folder.replays / f"{match_id}.html"
        if not out.exists() and folder.record(match_id).exists():
            write_replay(folder.record(match_id), out)
            written += 1
    write_report(folder, agreement, read_status(folder), read_standings(folder))
    click.echo(f"{written} written to {folder.replays}, {len(chosen) - written} already existed or have no record")
    click.echo(f"report: {folder.report}")


def choose_matches(folder: Folder, match_ids: tuple[str, ...], last: int, *, everything: bool) -> list[str]:
    """Return the matches to write. Their luck is used up: a block is stored when all its rotations were played."""
    with Store.read_only(folder.database) as store:
        if everything:
            return list(store.match_ids())
        for match_id in match_ids:
            if not store.has_match(match_id):
                raise ConfigError(
                    f"{folder.path} has no match {quote(match_id)}; `tortuga web {folder.path}` shows all"
                )
        return list(match_ids) or [match.match_id for match in store.latest(last)]


def write_replay(record: Path, out: Path) -> None:
    """Write one match as a file of its own."""
    from referee.records.record import read_packed
    from server.play.replay import naming
    from server.viewer import Perspectives
    from server.viewer.document import document_of
    from server.viewer.pages import offline_page

    with naming(record):
        document = document_of(read_packed(record), perspectives=Perspectives.ALL, file=record.name, attach=True)
    write_atomically(out, offline_page([document]).encode())
