"""report.html: an event for a browser, in one file. No script, nothing loaded from elsewhere, every text escaped.

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
from server.standings.charts import Axis, Interval, make_axis, shade
from server.standings.crashes import KINDS, CrashGroup
from server.standings.host_check import HEADS, check_hosts
from server.tournament.agreement import Agreement, Entry
from server.tournament.folder import Folder
from server.tournament.rulings.ruled_matches import RuledMatches
from server.tournament.standings import Standings, StandingsLine
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
    over = status.over
    replays = {path.stem for path in folder.replays.glob("*.html")}
    with Store.read_only(folder.database) as store:
        text = environment.get_template(TEMPLATE.name).render(
            name=agreement.manifest.name,
            manifest=agreement.manifest,
            clock=cells.clock_words(agreement.manifest.time_control),
            began=day(store.first_millis()),
            event_id=agreement.event_id,
            seed=agreement.manifest.seed if over else "",
            over=over,
            public_key=folder.public_key().hex(),
            status=status,
            folder=folder.path,
            style=page_style() + charts.STYLE.read_text(),
            hosts=check_hosts(folder, ladders),
            host_heads=HEADS,
            rulings=placing_cells.ruling_lines(ladders[0].rulings) if ladders else [],
            bots=bot_values(agreement.roster, store.bot_identities()),
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
    """Who took part: versions and languages, by the manifests or as the bots said themselves."""
    nothing = ("", "", 0)
    return [
        {
            "name": one.name,
            "version": one.version or seen.get(one.name, nothing)[0],
            "language": seen.get(one.name, nothing)[1],
            "sha256": one.sha256[:16],
        }
        for one in roster
    ]


def ladder_values(
    folder: Folder, ladder: Standings, store: Store, replays: set[str], crashes: Sequence[CrashGroup]
) -> dict[str, Any]:
    """One ladder as the template wants it."""
    contest, table = ladder.contest, ladder.table
    axis = make_axis([found for line in ladder.lines if (found := interval_of(line)) is not None])
    played = table.matches > 0
    matches = store.latest(MATCHES_SHOWN, contest=contest.id)
    listed = {match.match_id for match in matches}
    named = (store.match(one) for one in sorted(replays - listed)[:MATCHES_SHOWN])
    matches += [match for match in named if match is not None and match.contest == contest.id]
    return {
        "title": f"{find_info(contest.game).title}, {contest.seats} seats",
        "settings": ", ".join(f"{name} {value}" for name, value in contest.variant.items()),
        "axis": axis,
        "lines": [line_values(line, axis) for line in ladder.lines],
        "footer": cells.footer(ladder).split("\n"),
        "placing": placing_values(ladder) if played or ladder.rulings else None,
        "bracket": ladder.bracket,
        "cross": cross_values(ladder) if len(ladder.lines) > 2 else [],
        "seats": [{"worth": worth, "wins": wins} for worth, wins in cells.seat_cells(ladder)] if played else [],
        "crashes": crashes,
        "faults": [line for line in ladder.faults if not crashes or line.fault.kind not in KINDS][-FAULTS_SHOWN:],
        "matches": [match_values(folder, match, replays, ladder.ruled) for match in matches],
        "matches_in_all": store.match_count(contest.id),
    }


def placing_values(ladder: Standings) -> dict[str, Any]:
    """The order by the rules of the format, as text."""
    heads, rows = placing_cells.placing_table(ladder.placings)
    return {
        "champion": ladder.placings.champion,
        "heads": heads,
        "rows": rows,
        "words": ("bot", "round reached", "ruling"),
        "explained": placing_cells.explanations(ladder.placings),
        "notes": ladder.placings.notes,
        "shown": placing_cells.has_own_order(ladder.placings),
    }


def line_values(line: StandingsLine, axis: Axis | None) -> dict[str, Any]:
    """One bot."""
    rating, half = cells.rating_cells(line)
    return {
        "ranks": line.ranks,
        "bot": cells.bot_words(line),
        "interval": interval_of(line) if axis else None,
        "rating": rating,
        "half": half,
        "better": cells.better_cell(line),
        "matches": line.row.matches,
        "score": cells.score_cell(line),
        "wins": cells.wins_cell(line),
        "faults": cells.faults_cell(line),
        "seconds": cells.seconds_cell(line.seconds_per_decision),
    }


def interval_of(line: StandingsLine) -> Interval | None:
    """A bot's rating as it is drawn. None: it has none."""
    row = line.row
    return Interval(low=row.low, middle=row.rating, high=row.high) if cells.is_rated(line) else None


def cross_values(ladder: Standings) -> list[dict[str, Any]]:
    """The cross table: figures, and how they are shaded."""
    rows = []
    for line in ladder.lines:
        pairs = [None if other is line else ladder.table.pair(line.bot, other.bot) for other in ladder.lines]
        shades = [shade(pair.score) if pair and pair.games else "" for pair in pairs]
        texts = cells.cross_cells(ladder, line)
        rows.append({"bot": line.bot, "cells": list(zip(texts, shades, strict=True))})
    return rows


def match_values(folder: Folder, match: MatchSummary, replays: set[str], ruled: RuledMatches) -> dict[str, Any]:
    """One match of the list."""
    return {
        "id": match.match_id,
        "result": result_in_words(match.seated, match.ranks),
        "about": " · ".join(filter(None, (match.label, ending(match.reason, match.decisions)))),
        "replay": f"replays/{match.match_id}.html" if match.match_id in replays else "",
        "faults": len(match.faults),
        "record": f"records/{folder.record(match.match_id).name}" if match.kept else "",
        "ruling": ruled.why_out(match.match_id),
    }
