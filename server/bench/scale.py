"""Large events: is the schedule quick, the ladder quick, and the last match of an event as quick as the first?

(a) schedule  an event of 100 bots in every format, with 2 and 4 seats, results fed from a model of strengths
(b) ladder    a database of synthetic results: fold the live ladder again, fit the official table and show it
(c) event     matches between real bot processes in a temporary folder: rate and memory by the thousand

Times are wall and CPU: on a busy machine only the CPU compares. Memory is what the kernel says in /proc.
"""

from __future__ import annotations

import math
import os
import random
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import uvloop
from rich.console import Console
from rich.table import Table

from referee.chance import SECRET_BYTES
from referee.match_ids import event_match_id
from server.bench.referee import SHORT_GAME, SHORT_VARIANT, YARDSTICK
from server.cli.ladder_tables import show_ladders
from server.cli.output import console, print_json
from server.schedule import FORMATS, Block, Entrant, HalfPoints, Plan, Schedule
from server.tournament.agreement import Agreement, Entry
from server.tournament.contest import ContestState
from server.tournament.event import run_event
from server.tournament.folder import Folder
from server.tournament.listener import Listener
from server.tournament.live_ladder import RatingChange
from server.tournament.manifest import make_manifest, write_text
from server.tournament.runner import Ending
from server.tournament.standings import read_standings
from server.tournament.status import read_status
from server.tournament.store import Store
from server.tournament.summary import MatchSummary, SeatSummary, half_points

ENTRANTS, HEROES = 100, 5
ROUNDS = {"round-robin": 1, "gauntlet": 1, "swiss": 9, "knockout": 2, "league": 33, "ladder": 33}

LADDERS = ((1_000_000, 2, "pavillon_noir"), (200_000, 4, "pirates_cove"))
"""Results, seats, game."""
LADDER_BOTS = 50

EVENT_BOTS, PART = 4, 1000


@dataclass(slots=True)
class Cost:
    """What something took."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    """The most memory while it ran, beyond what was held before."""


@contextmanager
def measured() -> Iterator[Cost]:
    """What is done meanwhile."""
    cost = Cost()
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    held, wall, cpu = resident_bytes(), time.perf_counter(), time.process_time()
    yield cost
    cost.seconds, cost.cpu_seconds = time.perf_counter() - wall, time.process_time() - cpu
    cost.peak_bytes = max(0, resident_bytes(peak=True) - held)


def resident_bytes(pid: int | None = None, *, peak: bool = False) -> int:
    """The memory of a process (None: of this one), or the most it had; 0 if it is gone."""
    try:
        lines = Path(f"/proc/{pid or 'self'}/status").read_text().splitlines()
    except OSError:
        return 0
    wanted = "VmHWM:" if peak else "VmRSS:"
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(wanted)), 0)


def cpu_seconds(pid: int) -> float:
    """The processor time a process has used; 0 if it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def run(*, matches: int, as_json: bool) -> None:
    """Measure and print."""
    report: dict[str, Any] = {
        "load": os.getloadavg()[0],
        "schedules": [measure_schedule(name, seats) for name in FORMATS for seats in (2, 4)],
        # Before the ladders: what they leave behind would be the parent's memory.
        "event": measure_event(matches) if matches else None,
        "ladders": [measure_ladder(*ladder) for ladder in LADDERS],
    }
    if as_json:
        print_json(report)
    else:
        show_report(report)


# (a)


def measure_schedule(name: str, seats: int) -> dict[str, Any]:
    """An event from its opening to its last block."""
    entrants = tuple(Entrant(name=f"bot{number:03d}", hero=number < HEROES) for number in range(ENTRANTS))
    plan = Plan(format=name, seats=seats, entrants=entrants, rounds=ROUNDS[name], seed="scale")
    luck = random.Random("scale")
    strengths = {entrant.name: luck.gauss(0, 150) for entrant in entrants}
    results: dict[int, HalfPoints] = {}
    with measured() as opening:
        schedule = Schedule(plan)
        blocks = schedule.open_blocks(results)
    stages = [opening]
    while blocks:
        results |= {block.number: play_points(block, strengths, luck) for block in blocks}
        with measured() as cost:
            blocks = schedule.open_blocks(results)
        stages.append(cost)
    return {
        "format": name,
        "seats": seats,
        "rounds": plan.rounds,
        "blocks": len(results),
        "open_cpu_seconds": opening.cpu_seconds,
        "draws": len(stages),
        "slowest_cpu_seconds": max(stage.cpu_seconds for stage in stages),
        "cpu_seconds": sum(stage.cpu_seconds for stage in stages),
    }


def play_points(block: Block, strengths: Mapping[str, float], luck: random.Random) -> HalfPoints:
    """The half points of a block by the model of strengths."""
    points = dict.fromkeys(block.bots, 0)
    for rotation in range(len(block.bots)):
        seated = block.seating(rotation)
        ranks = play_ranks([strengths[bot] for bot in seated], luck)
        for seat, bot in enumerate(seated):
            points[bot] += half_points(ranks, seat)
    return tuple(points.values())


def play_ranks(strengths: Sequence[float], luck: random.Random) -> list[int]:
    """A match by the model of Elo, for any number of seats: whoever has the best day. One in twenty is a tie of all."""
    if luck.random() < 0.05:
        return [1] * len(strengths)
    days = [strength - 400 / math.log(10) * math.log(luck.expovariate(1)) for strength in strengths]
    return [1 + sum(other > day for other in days) for day in days]


# (b)


def measure_ladder(results: int, seats: int, game: str) -> dict[str, Any]:
    """Fold and fit a database of so many results."""
    with tempfile.TemporaryDirectory(prefix="tortuga-") as path:
        folder = Folder(Path(path))
        agreement = synthetic_event(folder, results, seats, game)
        with measured() as fold, Store.open(folder.database) as store:
            store.keep_changes(fold_again(agreement, store))
        with measured() as table, Path(os.devnull).open("w") as nowhere:
            show_ladders(Console(file=nowhere, width=200), read_standings(folder))
        with measured() as status:
            read_status(folder)
        size = folder.database.stat().st_size
    costs = {"fold": asdict(fold), "table": asdict(table), "status": asdict(status)}
    return {"results": results, "seats": seats, "bots": LADDER_BOTS, "database_bytes": size, **costs}


def fold_again(agreement: Agreement, store: Store) -> list[RatingChange]:
    """The whole live ladder."""
    changes: list[RatingChange] = []
    for contest in agreement.manifest.contests:
        ContestState(agreement, contest).load(store.results(contest.id, contest.seats), changes.extend)
    return changes


def synthetic_event(folder: Folder, results: int, seats: int, game: str) -> Agreement:
    """A league's database without records: results by a model of strengths, no live ladder yet."""
    names = [f"bot{number:02d}" for number in range(LADDER_BOTS)]
    tables = LADDER_BOTS // seats
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
    """The rotations of a block."""
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


# (c)


class Meter(Listener):
    """Looks at the clock and at the memory after every thousand matches."""

    def __init__(self) -> None:
        self.marks: list[Mark] = []

    def begin(self, agreement: Agreement, matches: Sequence[MatchSummary]) -> None:
        """Nothing is played yet."""
        self.marks.append(Mark.take(0))

    def match_finished(self, match: MatchSummary, done: int, planned: int | None) -> None:
        """One more."""
        if done % PART == 0 or (done == planned and done < PART):
            self.marks.append(Mark.take(done))


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """A moment of an event."""

    matches: int
    seconds: float
    parent_cpu_seconds: float
    parent_bytes: int
    workers: Mapping[int, tuple[float, int]]
    """By pid: processor time and memory."""

    @classmethod
    def take(cls, matches: int) -> Self:
        """Now."""
        return cls(
            matches=matches,
            seconds=time.perf_counter(),
            parent_cpu_seconds=time.process_time(),
            parent_bytes=resident_bytes(),
            workers={pid: (cpu_seconds(pid), resident_bytes(pid)) for pid in worker_pids()},
        )


def worker_pids() -> list[int]:
    """The children of this process that play."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        for pid in (task / "children").read_text().split():
            with suppress(OSError):
                if b"server.tournament.worker" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(int(pid))
    return sorted(found)


def measure_event(matches: int) -> dict[str, Any]:
    """Short matches between real bots, in an event like any other."""
    per_round = EVENT_BOTS * (EVENT_BOTS - 1)
    manifest = make_manifest(
        {
            "name": "scale",
            "seed": "scale",
            "rounds": math.ceil(matches / per_round),
            "games": [{"id": SHORT_GAME, "variant": SHORT_VARIANT}],
            "bots": [{"spec": YARDSTICK, "name": f"{YARDSTICK}-{number}"} for number in range(EVENT_BOTS)],
        }
    )
    meter = Meter()
    with tempfile.TemporaryDirectory(prefix="tortuga-") as path:
        folder = Folder(Path(path))
        folder.manifest.write_text(write_text(manifest))
        ending = uvloop.run(run_event(folder, meter))
        with measured() as status:
            found = read_status(folder)
    return {
        "finished": ending is Ending.FINISHED,
        "matches": found.matches_done,
        "faults": found.faults,
        "void": found.void,
        "status": asdict(status),
        "parts": [compare(before, after) for before, after in pairwise(meter.marks)],
    }


def compare(before: Mark, after: Mark) -> dict[str, Any]:
    """What the matches between two moments took."""
    count = after.matches - before.matches
    workers = sum(cpu - before.workers.get(pid, (0.0, 0))[0] for pid, (cpu, _) in after.workers.items())
    return {
        "matches": after.matches,
        "matches_per_second": count / (after.seconds - before.seconds),
        "parent_cpu_millis_per_match": 1e3 * (after.parent_cpu_seconds - before.parent_cpu_seconds) / count,
        "worker_cpu_millis_per_match": 1e3 * workers / count,
        "parent_bytes": after.parent_bytes,
        "worker_bytes": [memory for _, memory in after.workers.values()],
    }


# For people


def show_report(report: dict[str, Any]) -> None:
    """All three."""
    out = console()
    out.print(f"load of the machine at the start: {report['load']:.1f}\n", markup=False)
    out.print(schedule_table(report["schedules"]))
    out.print(ladder_table(report["ladders"]))
    if found := report["event"]:
        out.print(event_table(found["parts"]))
        out.print(f"{found['matches']} matches, {found['faults']} faults, {found['void']} void", markup=False)


def schedule_table(rows: Sequence[dict[str, Any]]) -> Table:
    """(a)"""
    title = f"(a) schedules of {ENTRANTS} bots, CPU milliseconds"
    table = Table("format", "seats", "rounds", "blocks", title=title, title_justify="left")
    for name in ("to open", "draws", "slowest", "in all"):
        table.add_column(name, justify="right")
    for row in rows:
        words = [str(row[name]) for name in ("format", "seats", "rounds", "blocks")]
        opened, slowest, whole = (
            f"{1e3 * row[name]:.0f}" for name in ("open_cpu_seconds", "slowest_cpu_seconds", "cpu_seconds")
        )
        table.add_row(*words, opened, str(row["draws"]), slowest, whole)
    return table


def ladder_table(rows: Sequence[dict[str, Any]]) -> Table:
    """(b)"""
    title = f"(b) ladders of {LADDER_BOTS} bots from the database: seconds (CPU), most memory"
    table = Table("results", "seats", "database", title=title, title_justify="left")
    for name in ("fold the live ladder", "fit and show the table", "status"):
        table.add_column(name, justify="right")
    for row in rows:
        costs = [
            f"{row[name]['seconds']:.1f} ({row[name]['cpu_seconds']:.1f}), {row[name]['peak_bytes'] / 1e6:.0f} MB"
            for name in ("fold", "table", "status")
        ]
        table.add_row(f"{row['results']:,}", str(row["seats"]), f"{row['database_bytes'] / 1e6:.0f} MB", *costs)
    return table


def event_table(rows: Sequence[dict[str, Any]]) -> Table:
    """(c)"""
    title = f"(c) one event: {SHORT_GAME}, one round, {EVENT_BOTS} x {YARDSTICK}"
    table = Table(title=title, title_justify="left")
    for name in ("up to match", "matches/s", "parent, ms of CPU a match", "workers", "parent, MB", "workers, MB"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            str(row["matches"]),
            f"{row['matches_per_second']:.0f}",
            f"{row['parent_cpu_millis_per_match']:.2f}",
            f"{row['worker_cpu_millis_per_match']:.2f}",
            f"{row['parent_bytes'] / 1e6:.0f}",
            " ".join(f"{memory / 1e6:.0f}" for memory in row["worker_bytes"]),
        )
    return table
