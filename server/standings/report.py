"""Writes report.html: an event for a browser, in one file without scripts that loads nothing and escapes every text.

It has the style and the charts of the pages (server/web). It links to the replays beside it, in replays/, and says how
to write the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

from referee.records.files import write_atomically
from referee.records.signature import SigningKey, sign_file
from referee.rules.infos import find_info
from referee.text import harmless
from server.play.summary import MatchSummary
from server.standings import cells, charts, placing_cells
from server.standings.crashes import KINDS, CrashGroup
from server.standings.host_check import HEADS, check_hosts
from server.standings.messages import make_listing
from server.tournament import store_queries
from server.tournament.agreement import Agreement, Entry
from server.tournament.folder import Folder
from server.tournament.rulings.ruled_matches import RuledMatches
from server.tournament.standings import Standings
from server.tournament.status import Status
from server.tournament.store import Store
from server.viewer.match_text import day, ending, result_in_words
from server.viewer.pages import page_style

TEMPLATE = Path(__file__).with_name("report.html.j2")
FAULTS_SHOWN = 200
MATCHES_SHOWN = 200
"""Matches listed per contest: this many of the latest, and up to as many again that have a replay."""


def write_report(
    folder: Folder,
    agreement: Agreement,
    status: Status,
    ladders: Sequence[Standings],
    crashes: Sequence[CrashGroup] = (),
) -> None:
    """Write report.html beside the database, and its signature beside it.

    Without crashes, as in an arena, all faults are listed one by one and no output of bots is shown.
    """
    environment = Environment(
        loader=FileSystemLoader([TEMPLATE.parent, charts.TEMPLATE.parent]),
        autoescape=True,
        trim_blocks=True,
        finalize=lambda value: harmless(value) if type(value) is str else value,  # no text may turn the line around
    )
    environment.globals |= {"cells": cells, "placings": placing_cells, "shade": charts.shade}
    over = status.over
    replays = {path.stem for path in folder.replays.glob("*.html")}
    with Store.read_only(folder.database) as store:
        text = environment.get_template(TEMPLATE.name).render(
            name=agreement.manifest.name,
            manifest=agreement.manifest,
            clock=cells.clock_words(agreement.manifest.time_control),
            began=day(store_queries.first_millis(store)),
            event_id=agreement.event_id,
            seed=agreement.manifest.seed if over else "",
            over=over,
            public_key=folder.public_key().hex(),
            status=status,
            folder=folder.path,
            style=page_style() + charts.STYLE.read_text(),
            hosts=check_hosts(folder, ladders),
            host_heads=HEADS,
            rulings=ladders[0].rulings.texts() if ladders else [],
            bots=bot_values(agreement.roster, store_queries.bot_identities(store)),
            ladders=[
                ladder_values(
                    folder, ladder, store, replays, [group for group in crashes if group.contest == ladder.contest.id]
                )
                for ladder in ladders
            ],
        )
    write_atomically(folder.report, text.encode())
    if key := SigningKey.open(folder.key):
        sign_file(folder.report, key)


def bot_values(roster: Sequence[Entry], seen: Mapping[str, tuple[str, str, int]]) -> list[dict[str, str]]:
    """Return the bots that took part: versions and languages by the manifests, or as the bots said themselves."""
    nothing = ("", "", 0)
    return [
        {
            "name": entry.name,
            "version": entry.version or seen.get(entry.name, nothing)[0],
            "language": seen.get(entry.name, nothing)[1],
            "sha256": entry.sha256[:16],
        }
        for entry in roster
    ]


def ladder_values(
    folder: Folder, ladder: Standings, store: Store, replays: set[str], crashes: Sequence[CrashGroup]
) -> dict[str, Any]:
    """Return one ladder as the template wants it."""
    contest, listing = ladder.contest, make_listing(ladder, whole=True)
    played = ladder.fitted.matches > 0
    matches = store.latest(MATCHES_SHOWN, contest=contest.id)
    listed = {match.match_id for match in matches}
    with_replay = (store.match(match_id) for match_id in sorted(replays - listed)[:MATCHES_SHOWN])
    matches += [match for match in with_replay if match is not None and match.contest == contest.id]
    return {
        "title": f"{find_info(contest.game).title}, {contest.seats} seats",
        "settings": ", ".join(f"{name} {value}" for name, value in contest.variant.items()),
        "listing": listing,
        "placed": ladder.has_results,
        "footer": cells.footer_lines(listing, ladder),
        "seats": [{"worth": worth, "wins": wins} for worth, wins in cells.seat_cells(ladder.fitted)] if played else [],
        "crashes": crashes,
        "faults": [line for line in ladder.faults if not crashes or line.fault.kind not in KINDS][-FAULTS_SHOWN:],
        "matches": [match_values(folder, match, replays, ladder.ruled) for match in matches],
        "matches_in_all": store.match_count(contest.id),
    }


def match_values(folder: Folder, match: MatchSummary, replays: set[str], ruled: RuledMatches) -> dict[str, Any]:
    """Return one match of the list."""
    return {
        "id": match.match_id,
        "result": result_in_words(match.seated, match.ranks),
        "about": " · ".join(filter(None, (match.label, ending(match.reason, match.decisions)))),
        "replay": f"replays/{match.match_id}.html" if match.match_id in replays else "",
        "faults": len(match.faults),
        "record": f"records/{folder.record(match.match_id).name}" if match.kept else "",
        "ruling": ruled.why_out(match.match_id),
    }
