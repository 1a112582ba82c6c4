"""An event on a thousand machines of unequal speed, in virtual time:
`PYTHONPATH=tests python -m support.simulate_cluster [MACHINES]`.

Real are the schedule, the choice of the next block and of its machine (server/tournament/dispatch.py), and how much a
machine may hold (ClusterMachine). Simulated are the matches: how long each takes, and who wins. Dask is left out; the
process that runs the event takes PARENT_SECONDS for each block, one after the other, and a block is LATENCY_SECONDS on
its way, there and back.

Makespans are compared with two bounds that no schedule can beat: all tables busy from the first second to the last; and
what the format allows, where a stage waits for the results of an earlier one: a stage lasts at least as long as its
longest match on the fastest machine.
"""

from __future__ import annotations

import heapq
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bench.ladders import play_ranks
from server.bots.spec import find_bot
from server.cluster.membership import ClusterMachine
from server.cluster.messages import MachineFacts
from server.play.block_jobs import BlockJob
from server.play.pool import Worker
from server.play.summary import ResultRow, half_points
from server.tournament.agreement import Agreement, Entry
from server.tournament.contest import ContestState
from server.tournament.dispatch import Dispatcher
from server.tournament.manifest import make_manifest

MACHINES = 1000
TABLES = (2, 4)
SLOWEST = 0.5
"""Of the fastest: slower ones are refused."""
MATCH_SECONDS, SPREAD = 10.0, 0.4
"""A match on the fastest machine: the median, and the standard deviation of its logarithm."""
PARENT_SECONDS = 0.002
LATENCY_SECONDS = 0.02
EVENTS = {
    "round-robin": (120, 13),
    "gauntlet": (1200, 20),
    "league": (400, 460),
    "ladder": (100, 10),
    "swiss": (1000, 12),
    "knockout": (1024, 3),
}
"""Bots and rounds."""
HEROES = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Simulated:
    """How an event went."""

    format: str
    bots: int
    rounds: int
    blocks: int
    makespan: float
    ideal: float
    """With all tables busy all the time."""
    allowed: float
    """The least that the format allows."""
    most_in_hand: int
    """Of one machine, in blocks more than it has tables."""

    @property
    def share(self) -> float:
        """Of the ideal."""
        return self.ideal / self.makespan

    @property
    def share_of_allowed(self) -> float:
        """Of what the format allows."""
        return self.allowed / self.makespan


class Simulation:
    """The machines and their clock."""

    def __init__(self, format_name: str, bots: int, rounds: int, machines: int, seed: str = "scale") -> None:
        self._luck = random.Random(f"{seed}/{format_name}")
        names = [f"bot{number:04d}" for number in range(bots)]
        manifest = make_manifest(
            {
                "name": "simulated",
                "seed": seed,
                "format": format_name,
                "rounds": rounds,
                "games": [{"id": "broadsides"}],
                "bots": [{"spec": "random", "name": name, "hero": number < HEROES} for number, name in enumerate(names)]
                if format_name == "gauntlet"
                else [{"spec": "random", "name": name} for name in names],
            }
        )
        roster = tuple(Entry(name=one.name, bot=one.name, hero=one.hero) for one in manifest.bots)
        agreement, spec = Agreement(manifest=manifest, roster=roster), find_bot("random")
        specs = {name: replace(spec, name=name) for name in names}
        self.contest = ContestState(agreement, manifest.contests[0], specs, rated=False)
        self._blocks = Dispatcher([self.contest])
        self._strengths = {name: self._luck.gauss(0, 150) for name in names}
        self._speeds: dict[str, float] = {}
        """By host."""
        self._machines = [self._make_machine(number) for number in range(machines)]
        self._tables = {machine: [0.0] * machine.tables for machine in self._machines}
        """When each table of a machine will be free."""
        self._events: list[tuple[float, int, ClusterMachine, BlockJob]] = []
        self._now = 0.0
        self._work: defaultdict[int, float] = defaultdict(float)
        self._longest: defaultdict[int, float] = defaultdict(float)
        """By stage: what it takes the fastest machine."""
        self._count = self._most = 0

    def _make_machine(self, number: int) -> ClusterMachine:
        tables, speed = self._luck.choice(TABLES), self._luck.uniform(SLOWEST, 1.0)
        self._speeds[f"m{number}"] = speed
        facts = MachineFacts(host=f"m{number}", cores=tables, tables=tables, speed=speed, busy_speed=speed)
        return ClusterMachine(f"m{number}", facts, threads=256)

    def _play(self, worker: Worker, job: BlockJob) -> None:
        assert isinstance(worker, ClusterMachine)
        worker.take(job)
        self._most = max(self._most, len(worker.running) - worker.tables)
        self._count += 1
        tables, ends = self._tables[worker], []
        for _ in job.rotations:
            work = MATCH_SECONDS * self._luck.lognormvariate(0, SPREAD)
            self._work[job.stage] += work
            self._longest[job.stage] = max(self._longest[job.stage], work)
            end = max(self._now + LATENCY_SECONDS, heapq.heappop(tables)) + work / self._speeds[worker.host]
            heapq.heappush(tables, end)
            ends.append(end)
        heapq.heappush(self._events, (max(ends) + LATENCY_SECONDS, job.block, worker, job))

    def _results(self, job: BlockJob) -> Iterator[ResultRow]:
        names = tuple(bot.name for bot in job.bots)
        for rotation in job.rotations:
            seated = tuple(bot.name for bot in job.seating(rotation))
            ranks = tuple(play_ranks([self._strengths[name] for name in seated], self._luck))
            points = tuple(half_points(ranks, seat) for seat in range(len(ranks)))
            yield ResultRow(
                job.contest,
                f"{job.block}-{rotation}",
                job.block,
                job.stage,
                rotation,
                names,
                seated,
                ranks,
                points,
                (0,) * len(ranks),
            )

    def run(self) -> float:
        """Play the event to its end; when that is."""
        left = self._blocks.give_out(self._machines, self._play)
        while self._events:
            at, _, machine, job = heapq.heappop(self._events)
            self._now = max(self._now, at) + PARENT_SECONDS
            machine.give_back(job.key)
            self.contest.add(job.block, list(self._results(job)))
            self._blocks.running.discard(job.key)
            left = self._blocks.give_out([machine] if left else self._machines, self._play)
        assert self.contest.is_over()
        return self._now

    def bounds(self) -> tuple[float, float]:
        """The makespan with all tables busy, and the least that the format allows."""
        capacity = sum(self._speeds[machine.host] * machine.tables for machine in self._machines)
        fastest = max(self._speeds.values())
        ideal = sum(self._work.values()) / capacity
        lag = self.contest.lag
        if lag is None:
            return ideal, max(ideal, max(self._longest.values()) / fastest)
        stages = sorted(self._work)
        least = {stage: self._longest[stage] / fastest for stage in stages}
        if lag == 1:
            least = {stage: max(least[stage], self._work[stage] / capacity) for stage in stages}
        ends: list[float] = []
        """When each stage and all before it can be over. A stage begins when the one `lag` before it is."""
        for place, stage in enumerate(stages):
            begin = ends[place - lag] if place >= lag else 0.0
            ends.append(max([begin + least[stage], *ends[-1:]]))
        return ideal, max(ideal, ends[-1])

    def simulate(self, format_name: str, bots: int, rounds: int) -> Simulated:
        """How it went."""
        makespan = self.run()
        ideal, allowed = self.bounds()
        return Simulated(
            format=format_name,
            bots=bots,
            rounds=rounds,
            blocks=self._count,
            makespan=makespan,
            ideal=ideal,
            allowed=allowed,
            most_in_hand=self._most,
        )


def simulate(format_name: str, bots: int, rounds: int, machines: int = MACHINES) -> Simulated:
    """An event of this format on so many machines."""
    return Simulation(format_name, bots, rounds, machines).simulate(format_name, bots, rounds)


def main() -> None:
    """Print a row per format."""
    machines = int(sys.argv[1]) if len(sys.argv) > 1 else MACHINES
    print("| format | bots | rounds | blocks | makespan | of all tables busy | of what the format allows |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, (bots, rounds) in EVENTS.items():
        found = simulate(name, bots, rounds, machines)
        print(
            f"| {name} | {bots} | {rounds} | {found.blocks} | {found.makespan:.0f} s | {found.share:.2f} "
            f"| {found.share_of_allowed:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
