"""(d) What grows with the number of matches: reading an event's folder, however its results came about.

load     what every start reads: open the database, take in all results, check the live ladder
live     the same after the live ladder was lost: fold it again and store it
table    fit the official table and show it
report   write report.html
status   what `tortuga tournament status` reads
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from bench.process_costs import measured
from server.standings.report import write_report
from server.tournament.event import load_contests
from server.tournament.folder import Folder
from server.tournament.standings import Standings, read_standings
from server.tournament.status import read_status
from server.tournament.store import Store

READS = ("load", "live", "table", "report", "status")

ShowLadders = Callable[[Sequence[Standings]], None]
"""Draws the tables that people see; the time it takes is part of the measurement."""


def measure_reads(folder: Folder, show_ladders: ShowLadders) -> dict[str, Any]:
    """Measure the costs of reading a folder, and the size of its database."""
    agreement = folder.require_agreement()
    with Store.open(folder.database) as store:
        for contest in agreement.manifest.contests:
            store.replace_live_elo(contest.id, ())
    with measured() as live, Store.open(folder.database) as store:
        load_contests(agreement, store)
    with measured() as load, Store.open(folder.database) as store:
        load_contests(agreement, store)
    with measured() as table:
        ladders = read_standings(folder)
        show_ladders(ladders)
    with measured() as status:
        found = read_status(folder)
    with measured() as report:
        write_report(folder, agreement, found, ladders)
    costs = {"load": load, "live": live, "table": table, "report": report, "status": status}
    return {"database_bytes": folder.database.stat().st_size, **{name: asdict(cost) for name, cost in costs.items()}}
