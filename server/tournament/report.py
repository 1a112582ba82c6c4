"""report.html: the tables of an event for a browser. No script, nothing loaded from elsewhere, every text escaped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment

from referee.game_infos import find_info
from referee.records.files import write_atomically
from referee.records.signature import SigningKey, sign_file
from server.tournament import cells
from server.tournament.agreement import Agreement
from server.tournament.crashes import KINDS, CrashGroup
from server.tournament.folder import Folder
from server.tournament.standings import Standings
from server.tournament.status import Status

TEMPLATE = Path(__file__).with_name("report.html.j2")
FAULTS_SHOWN = 200

WIDTH, NAMES, ROW = 860, 180, 24
"""The chart of ratings, in pixels."""


def write_report(
    folder: Folder,
    agreement: Agreement,
    status: Status,
    ladders: Sequence[Standings],
    crashes: Sequence[CrashGroup] = (),
) -> None:
    """Write report.html beside the database, and its signature beside it.

    Without crashes, as in an arena, all faults are listed one by one and nothing of what bots printed is told.
    """
    template = Environment(autoescape=True, trim_blocks=True).from_string(TEMPLATE.read_text())
    over = status.matches_planned is not None and status.matches_done >= status.matches_planned
    text = template.render(
        name=agreement.manifest.name,
        format=agreement.manifest.format,
        event_id=agreement.event_id,
        seed=agreement.manifest.seed if over else "",
        over=over,
        public_key=folder.public_key().hex(),
        status=status,
        folder=folder.path,
        ladders=[
            ladder_values(ladder, [group for group in crashes if group.contest == ladder.contest.id])
            for ladder in ladders
        ],
    )
    write_atomically(folder.report, text.encode())
    if key := SigningKey.open(folder.key):
        sign_file(folder.report, key)


def ladder_values(ladder: Standings, crashes: Sequence[CrashGroup] = ()) -> dict[str, Any]:
    """One ladder as the template wants it."""
    contest, table = ladder.contest, ladder.table
    lines = []
    for line in ladder.lines:
        rating, half = cells.rating_cells(line)
        lines.append(
            {
                "ranks": line.ranks,
                "bot": cells.bot_words(line),
                "rating": rating,
                "half": half,
                "better": cells.better_cell(line),
                "matches": line.row.matches,
                "score": cells.score_cell(line),
                "wins": cells.wins_cell(line),
                "faults": cells.faults_cell(line),
                "seconds": cells.seconds_cell(line.seconds_per_decision),
                "provisional": line.row.provisional,
            }
        )
    played = table.matches > 0
    return {
        "title": f"{find_info(contest.game).title}, {contest.seats} seats",
        "chart": chart(ladder) if played else None,
        "lines": lines,
        "footer": cells.footer(ladder).split("\n"),
        "placing": ladder.placing,
        "cross": [
            {"bot": line.bot, "cells": cells.cross_cells(ladder, line)}
            for line in ladder.lines
            if len(ladder.lines) > 2
        ],
        "seats": [{"worth": worth, "wins": wins} for worth, wins in cells.seat_cells(ladder)] if played else [],
        "crashes": crashes,
        "faults": [line for line in ladder.faults if not crashes or line.fault.kind not in KINDS][-FAULTS_SHOWN:],
    }


def chart(ladder: Standings) -> dict[str, Any]:
    """Ratings with their intervals, weakest at the left."""
    shown = [line for line in ladder.lines if line.row.matches and math.isfinite(line.row.plus_minus)]
    if not shown:
        return {}
    low, high = min(line.row.low for line in shown), max(line.row.high for line in shown)
    step = tick_step(high - low)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step

    def place(elo: float) -> float:
        return round(NAMES + (elo - low) / max(high - low, 1) * (WIDTH - NAMES - 30), 1)

    ticks = range(round(low), round(high) + 1, step)
    return {
        "width": WIDTH,
        "height": ROW * len(shown) + 24,
        "ticks": [{"x": place(elo), "label": elo} for elo in ticks],
        "bars": [
            {
                "name": line.bot[:24],
                "x": place(line.row.rating),
                "low": place(line.row.low),
                "high": place(line.row.high),
                "y": ROW * number + ROW // 2,
            }
            for number, line in enumerate(shown)
        ],
    }


def tick_step(span: float) -> int:
    """A round step that gives about six ticks."""
    rough = max(span / 6, 1)
    power = 10 ** math.floor(math.log10(rough))
    return int(next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough))
