"""Reading large ladders: folders with synthetic results, or with those of a real event (long_event.py).

load     what every start reads: open the database, take in all results, check the live ladder
live     the same after the live ladder was lost: fold it again and store it
table    fit the official table and show it
report   write report.html
status   what `tortuga tournament status` reads
"""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.processes import measured
from referee.match.ids import event_match_id
from referee.rules.chance import SECRET_BYTES
from server.play.summary import MatchSummary, SeatSummary, half_points
from server.schedule import Block
from server.standings.report import write_report
from server.tournament.agreement import Agreement, Entry
from server.tournament.event import load_contests
from server.tournament.folder import Folder
from server.tournament.manifest import make_manifest
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
        state = read_status(folder)
    with measured() as report:
        write_report(folder, agreement, state, ladders)
    costs = {"load": load, "live": live, "table": table, "report": report, "status": status}
    return {"database_bytes": folder.database.stat().st_size, **{name: asdict(cost) for name, cost in costs.items()}}


# Folders with synthetic results

BOTS = 50


def measure_ladder(results: int, seats: int, game: str, show_ladders: ShowLadders) -> dict[str, Any]:
    """Read a database of that many results."""
    with tempfile.TemporaryDirectory(prefix="tortuga-") as path:
        folder = Folder(Path(path))
        synthetic_event(folder, results, seats, game)
        return {"results": results, "seats": seats, "bots": BOTS, **measure_reads(folder, show_ladders)}


def synthetic_event(folder: Folder, results: int, seats: int, game: str) -> Agreement:
    """Make a league's database without records: results by a model of strengths, no live ladder yet."""
    names = [f"bot{number:02d}" for number in range(BOTS)]
    tables = BOTS // seats
    rounds = math.ceil(results / seats / tables)
    manifest = make_manifest(
        {
            "name": "synthetic",
            "seed": "scale",
            "format": "league",
            "rounds": rounds,
            "anchor": names[0],
            "games": [{"id": game, "seats": seats}],
            "bots": [{"spec": "cmd: true", "name": name} for name in names],
        }
    )
    agreement = Agreement(manifest=manifest, roster=tuple(Entry(name=name, bot=name) for name in names))
    folder.write_agreement(agreement)
    luck = random.Random("scale")
    strengths = {name: luck.gauss(0, 150) for name in names}
    left = results
    with Store.open(folder.database) as store:
        for number in range(rounds):
            luck.shuffle(names)
            drawn = [
                Block(number=number * tables + table, stage=number, table=table, bots=tuple(names[at : at + seats]))
                for table, at in enumerate(range(0, tables * seats, seats))
            ]
            matches = [match for block in drawn for match in synthetic_matches(agreement, block, strengths, luck)]
            store.add(matches[:left], ())
            left -= len(matches)
    return agreement


def synthetic_matches(
    agreement: Agreement, block: Block, strengths: dict[str, float], luck: random.Random
) -> Iterator[MatchSummary]:
    """Yield the rotations of a block."""
    contest = agreement.manifest.contests[0]
    for rotation in range(contest.seats):
        seated = block.seating(rotation)
        ranks = play_ranks([strengths[bot] for bot in seated], luck)
        yield MatchSummary(
            match_id=event_match_id(contest.id, block.number, luck.randbytes(SECRET_BYTES), rotation),
            event=agreement.event_id,
            contest=contest.id,
            block=block.number,
            stage=block.stage,
            label=f"round {block.stage + 1}, table {block.table + 1}",
            bots=block.bots,
            rotation=rotation,
            reason="the most points",
            decisions=100,
            started_millis=1_700_000_000_000 + block.number,
            record_sha256=luck.randbytes(32),
            record_bytes=4000,
            seats=tuple(
                SeatSummary(
                    bot=bot,
                    version="1",
                    language="python",
                    rank=ranks[seat],
                    score=float(contest.seats - ranks[seat]),
                    half_points=half_points(ranks, seat),
                    faults=0,
                    answers=50,
                    time_micros=luck.randrange(10_000, 50_000),
                )
                for seat, bot in enumerate(seated)
            ),
            faults=(),
        )


def play_ranks(strengths: Sequence[float], luck: random.Random) -> list[int]:
    """Play a match by the model of Elo, for any number of seats: the bot that has the best day wins. One in twenty
    is a tie of all."""
    if luck.random() < 0.05:
        return [1] * len(strengths)
    days = [strength - 400 / math.log(10) * math.log(luck.expovariate(1)) for strength in strengths]
    return [1 + sum(other > day for other in days) for day in days]
