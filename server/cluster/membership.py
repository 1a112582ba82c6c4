"""The machines of a cluster: which of them are there, which of them play, and why the others do not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from referee.text import plural
from server.cluster.admission import own_versions
from server.cluster.connection import Connection, MachineTask, NoAnswer
from server.cluster.machine import hold_machine, open_machine, refuse_machine
from server.cluster.messages import BadAnswer, Heartbeat, MachineFacts, MachineOrder, pack, read_facts, read_heartbeat
from server.play.pool import Worker

POLL_SECONDS = 0.5
"""How often we check which machines have joined or left."""
ANSWER_SECONDS = 30.0
"""A scheduler that does not answer for so long is as good as gone."""
BUSY_SECONDS = 5.0
"""After which a machine that played for another run is asked again."""
NOBODY_SECONDS = 10.0
"""After this long we report that there is no machine to play on."""
BLOCK_MATCHES = 2
"""A block has this many matches, or more."""


class ClusterMachine(Worker):
    """A machine of the cluster."""

    def __init__(self, address: str, facts: MachineFacts, threads: int, host: str = "") -> None:
        super().__init__(facts.tables)
        self.address = address
        self.host = host or facts.host
        """Its name in records, which no machine elsewhere has."""
        self.facts = facts
        self.lost = asyncio.Event()
        self.sent: dict[str, asyncio.Task[str]] = {}
        """Bots that it was told to get ready, by their hashes."""
        self.unproven = 0
        """Blocks that came back and are not proven yet."""
        self.leaving = self.lied = False
        self.too_slow = ""
        """Why it is too slow beside the others that are there. Empty: it is not."""
        self._threads = threads

    @property
    def has_room(self) -> bool:
        """Check whether it should be given another block; never more blocks than tables and one, nor more than can be
        proven."""
        most = min(self.tables + 1, self._threads)
        return self.plays_on and len(self.running) < most and self.unproven <= most and super().has_room

    @property
    def load(self) -> float:
        """Return how long the next block would take here, relatively: it goes where it is over first.

        A core slows down while others get busy too, as was measured; more matches than cores share them.
        """
        facts, matches = self.facts, self.assigned + BLOCK_MATCHES
        cores = max(1, facts.cores)
        core_speed = facts.speed + (facts.busy_speed - facts.speed) * min(1.0, matches / cores)
        return max(1.0, matches / cores) / max(1e-9, core_speed)

    @property
    def plays_on(self) -> bool:
        """Check whether it takes blocks at all."""
        return not self.leaving and not self.too_slow and self.tables > 0


class Membership:
    """Opens the machines that join, follows them, and lets go of those that leave, are unfit or lie."""

    def __init__(
        self,
        connection: Connection,
        order: MachineOrder,
        *,
        address: str,
        min_speed: float,
        say: Callable[[str], None],
        changed: Callable[[], None],
        spawn: Callable[[Coroutine[Any, Any, None]], None],
        greet: Callable[[str], Awaitable[None]],
    ) -> None:
        """`greet` is awaited with the address of a machine before it plays; `changed` is called when others play."""
        self._connection = connection
        self._order = order
        self._address = address
        self._min_speed = min_speed
        self._said: tuple[int, int] = (0, 0)
        """How many machines play, of how many, as it was said last."""
        self._say = say
        self._changed = changed
        self._spawn = spawn
        self._greet = greet
        self._openings: dict[str, MachineTask] = {}
        """The opening of each machine, by address: a machine plays for us while we keep it."""
        self._hosts: dict[str, str] = {}
        """Where the machines of each host name are, as the scheduler reaches them."""
        self._liars: dict[str, str] = {}
        """Where machines that lied were, and how they lied: nobody from there plays in this run."""
        self.machines: dict[str, ClusterMachine] = {}
        self.refused: dict[str, str] = {}
        """Why machines do not play, by address."""

    @property
    def playing(self) -> list[ClusterMachine]:
        """Return the machines that take blocks. The others are hidden from the runner: it waits for them."""
        return [machine for machine in self.machines.values() if machine.plays_on]

    async def watch(self) -> str:
        """Follow who is there. Returns when the scheduler is gone, and why that is thought."""
        loop = asyncio.get_running_loop()
        empty_since, is_reported = loop.time(), False
        while True:
            try:
                async with asyncio.timeout(ANSWER_SECONDS):  # wait_for would now and then swallow our being cancelled
                    present = await self._connection.read_workers()
            except (OSError, TimeoutError, RuntimeError, AttributeError, KeyError, TypeError) as error:
                return str(error) or f"no answer for {ANSWER_SECONDS:.0f} s"
            self._follow(present)
            if present:
                empty_since, is_reported = loop.time(), False
            elif not is_reported and loop.time() - empty_since > NOBODY_SECONDS:
                is_reported = True
                self._say(f"no machine is in the cluster: tortuga cluster worker {self._address}")
            await asyncio.sleep(POLL_SECONDS)

    def _follow(self, present: Mapping[str, Mapping[str, Any]]) -> None:
        for address in [known for known in self._openings if known not in present]:
            self._connection.drop(self._openings.pop(address))
            self.refused.pop(address, None)
            if address in self.machines:
                self._lose(self.machines[address])
        for address, worker in present.items():
            if address not in self._openings and worker["status"] == "running":
                versions, order = own_versions(self._order.games), pack(self._order)
                self._openings[address] = self._connection.begin("open", address, open_machine, versions, order)
                self._spawn(self._open(address, int(worker["nthreads"])))
            elif address in self.machines:
                try:
                    self._note(self.machines[address], read_heartbeat(worker.get("metrics")))
                except BadAnswer as error:
                    self.refuse_liar(self.machines[address], str(error))
        self._count(len(present))

    def _count(self, present: int) -> None:
        """Say how many machines play, of those that are there, whenever that has changed."""
        now = len(self.playing), present
        if now != self._said and max(*now, *self._said) > 1:
            self._say(f"{now[0]} of {plural(present, 'machine')} {'plays' if present == 1 else 'play'}")
        self._said = now

    def _note(self, machine: ClusterMachine, heartbeat: Heartbeat | None) -> None:
        """Store what a machine reported with its last heartbeat."""
        if heartbeat is None or heartbeat.run != self._order.run:
            return
        if heartbeat.state == "leaving" and not machine.leaving:
            machine.leaving = True
            self._say(f"{machine.host} is leaving: it finishes its blocks")
            self._changed()
        elif heartbeat.state == "refused":
            self._refuse(machine.address, machine.host, heartbeat.reason)
        elif not machine.running and heartbeat.tables != machine.tables:
            self.set_tables(machine, heartbeat.tables)

    def set_tables(self, machine: ClusterMachine, tables: int) -> None:
        """Note how many matches a machine plays at once."""
        played_on, machine.tables = machine.plays_on, tables
        if machine.plays_on != played_on:
            self._changed()

    async def _open(self, address: str, threads: int) -> None:
        opening = self._openings[address]
        try:
            facts = read_facts(await self._connection.finish(opening))
        except (NoAnswer, BadAnswer) as error:
            if self._is_open(address, opening) and self._connection.is_open:
                self._refuse(address, address, f"it has no Tortuga, or another one ({error})")
            return
        if not self._is_open(address, opening):
            return  # it has gone meanwhile
        if facts.busy:
            self._refuse(address, facts.host, facts.refusal)
            await asyncio.sleep(BUSY_SECONDS)
            if self._is_open(address, opening):
                self._connection.drop(self._openings.pop(address))
        elif refusal := facts.refusal or self._liars.get(place_of(address), ""):
            self._refuse(address, facts.host, refusal)
        else:
            await self._greet(address)
            if not self._is_open(address, opening):
                return
            self.refused.pop(address, None)
            machine = ClusterMachine(address, facts, threads, self._name(address, facts.host))
            self.machines[address] = machine
            self._compare_speeds()
            self._changed()
            if not machine.too_slow:
                self._say_that_it_plays(machine)

    def _say_that_it_plays(self, machine: ClusterMachine) -> None:
        self._say(f"{machine.facts.host} ({machine.address}) plays, on {plural(machine.facts.cores, 'core')}")

    def _name(self, address: str, host: str) -> str:
        """Name a host. A machine chooses its name itself: it does not get one that a machine elsewhere has."""
        place = place_of(address)
        return host if self._hosts.setdefault(host, place) == place else f"{host} at {place}"

    def _is_open(self, address: str, opening: MachineTask) -> bool:
        """Check whether a machine is still the one that was opened: its address may be another's now."""
        return self._openings.get(address) is opening

    def _compare_speeds(self) -> None:
        """Find out who is too slow beside the fastest that is there. Bots play against clocks, the same everywhere.

        Whoever joins or leaves can change that for all others, so the order in which they come does not matter. A
        machine that has become too slow finishes its blocks.
        """
        fastest = max((machine.facts.busy_speed for machine in self.machines.values()), default=0.0)
        for machine in self.machines.values():
            share = machine.facts.busy_speed / fastest if fastest else 1.0
            reason = ""
            if share < self._min_speed:
                reason = (
                    f"with all cores busy it has {share:.0%} of the speed of the fastest machine, "
                    f"and {self._min_speed:.0%} are needed (--min-speed)"
                )
            if reason == machine.too_slow:
                continue
            was_too_slow, machine.too_slow = machine.too_slow, reason
            self._spawn(self._tell(machine.address, hold_machine, reason))
            if reason:
                self.refused[machine.address] = reason
                self._say(f"{machine.host} ({machine.address}) does not play: {reason}")
            elif was_too_slow:
                self.refused.pop(machine.address, None)
                self._say_that_it_plays(machine)

    def refuse(self, machine: ClusterMachine, reason: str) -> None:
        """Let a machine play no further."""
        if machine.address in self.machines:
            self._refuse(machine.address, machine.host, reason)
            self._spawn(self._tell(machine.address, refuse_machine, reason))

    def refuse_liar(self, machine: ClusterMachine, reason: str) -> None:
        """Let nobody from the place of this machine play in this run any more."""
        self._liars.setdefault(place_of(machine.address), f"a machine there did not tell the truth: {reason}")
        for other in list(self.machines.values()):
            if place_of(other.address) == place_of(machine.address):
                other.lied = True
                self.refuse(other, self._liars[place_of(machine.address)])

    def _refuse(self, address: str, host: str, reason: str) -> None:
        if self.refused.get(address) != reason:
            self.refused[address] = reason
            self._say(f"{host} ({address}) does not play: {reason}")
        if address in self.machines:
            self._lose(self.machines[address])

    async def _tell(self, address: str, work: Callable[..., Any], reason: str) -> None:
        """Let a machine know that it does not play, so that `tortuga cluster status` can tell."""
        with suppress(NoAnswer):  # it may be gone
            await self._connection.ask("refuse", address, work, reason)

    def _lose(self, machine: ClusterMachine) -> None:
        del self.machines[machine.address]
        machine.lost.set()
        self._compare_speeds()
        self._changed()
        if machine.running:
            self._say(f"{machine.host} is gone with {plural(len(machine.running), 'block')}: played again")
        elif machine.address not in self.refused:
            self._say(f"{machine.host} has left")

    def close(self) -> None:
        """Let all machines go."""
        for opening in self._openings.values():
            opening.future.release()


def place_of(address: str) -> str:
    """Return where a machine is: its address without the port, which is another one whenever its worker starts."""
    return urlsplit(address).hostname or address
