"""(b) Ladders of synthetic results, read as growth.py does."""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.growth import ShowLadders, measure_reads
from bench.schedules import play_ranks
from referee.match.ids import event_match_id
from referee.rules.chance import SECRET_BYTES
from server.play.summary import MatchSummary, SeatSummary, half_points
from server.schedule import Block
from server.tournament.agreement import Agreement, Entry
from server.tournament.folder import Folder
from server.tournament.manifest import make_manifest
from server.tournament.store import Store

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
