"""Honest bots that play at an arena while somebody attacks it, and what the attack cost them: voids, faults, waits.

The bots dial in over TCP from a thread of the test; a caller asks the public door ten times a second, as a page would.
Attackers come from an address of their own, so that limits per address hit nobody else.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import grpc

from bench.processes import resident_bytes
from server.tournament.store import Store
from support.served import Served, dialled_in, wait_for
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1.arena_pb2_grpc import ArenaStub

ATTACKER = "127.0.0.66"
"""Where attackers come from."""
NAMES = ("ann", "ben", "cat", "dan")
CALL_SECONDS = 0.1
MORE_MATCHES = 4
"""Matches that have to end well after an attack."""
MOST_MEMORY = 600 * 2**20
"""No attack may make the arena larger than this: it has some 120 MB without one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """What bystanders saw of an attack."""

    matches: int
    voids: int
    faults: int
    dismissed: int
    """Bots that were sent away."""
    failed_calls: int
    call_p50_millis: float
    call_max_millis: float
    answer_p99_millis: float
    """As the arena measures the answers of its bots."""
    memory_mib: float

    def __str__(self) -> str:
        return (
            f"{self.matches} matches, {self.voids} void, {self.faults} faults, {self.dismissed} sent away, "
            f"{self.failed_calls} calls failed; a call took {self.call_p50_millis:.0f} ms, at most "
            f"{self.call_max_millis:.0f}; 99 % of answers in {self.answer_p99_millis:.0f} ms; {self.memory_mib:.0f} MiB"
        )


@dataclass
class Caller:
    """Asks the public door for the ladders until it is stopped."""

    address: str
    waits: list[float] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Ask, ten times a second."""
        with grpc.insecure_channel(self.address) as channel:
            api = ArenaStub(channel)
            while not self.over.wait(CALL_SECONDS):
                began = time.monotonic()
                try:
                    api.ListLadders(pb.ListLaddersRequest(), timeout=60)
                except grpc.RpcError as error:
                    self.failures[f"{error.code().name}: {error.details()}"] += 1
                self.waits.append(1000 * (time.monotonic() - began))


@contextmanager
def calling(address: str) -> Iterator[Caller]:
    """Have somebody ask the public door all the time."""
    caller = Caller(address)
    thread = threading.Thread(target=caller.run, daemon=True)
    thread.start()
    try:
        yield caller
    finally:
        caller.over.set()
        thread.join()


class Bystanders:
    """Honest bots that are connected to an arena and play."""

    def __init__(self, served: Served, plays: dict[str, Future[str]]) -> None:
        self.served, self._plays = served, plays

    def faults(self) -> int:
        """Return how many faults the bystanders had so far."""
        with Store.read_only(self.served.path / "ladder" / "tortuga.db") as store:
            seats = [seat for match in store.matches() for seat in match.seats]
        return sum(seat.faults for seat in seats if seat.bot in self._plays)

    @contextmanager
    def unharmed(self, attack: str) -> Iterator[None]:
        """Check that an attack inside the `with` block costs the bystanders nothing; print what it cost."""
        before, faults = self.served.status(), self.faults()
        Path(f"/proc/{self.served.process.pid}/clear_refs").write_text("5")  # what it needs at most is counted anew
        with calling(self.served.public) as caller:
            yield
            attacked = self.served.status().matches
            wait_for(lambda: self.served.status().matches >= attacked + MORE_MATCHES)
        after = self.served.status()
        waits = sorted(caller.waits)
        cost = Cost(
            matches=after.matches - before.matches,
            voids=after.voided - before.voided,
            faults=self.faults() - faults,
            dismissed=sum(play.done() for play in self._plays.values()),
            failed_calls=caller.failures.total(),
            call_p50_millis=waits[len(waits) // 2],
            call_max_millis=waits[-1],
            answer_p99_millis=after.answer_p99_millis,
            memory_mib=resident_bytes(self.served.process.pid, peak=True) / 2**20,
        )
        print(f"\n{attack}: {cost}")
        assert (cost.voids, cost.faults, cost.dismissed, cost.failed_calls) == (0, 0, 0, 0), caller.failures
        assert cost.memory_mib * 2**20 < MOST_MEMORY


@contextmanager
def playing(served: Served, names: Sequence[str] = NAMES) -> Iterator[Bystanders]:
    """Have honest bots dial in and play until the `with` block ends."""
    with dialled_in(served.bots, served.add(*names)) as plays:
        wait_for(lambda: served.status().matches >= 1)
        yield Bystanders(served, plays)
