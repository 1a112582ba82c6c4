"""Events for tests: folders with a manifest, and a pool that plays in this process, with bots that are functions.

`run_until` runs an event in a child process that dies without a word at its n-th touch of the event's folder: opening,
renaming or removing a file, or a statement to SQLite. That is kill -9 at every place that could matter.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import os
import sqlite3
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from referee.errors import BotFault, FaultKind
from referee.match.match import Match
from referee.match.question import Question
from server.hosting.bot_pool import UnstartableBot
from server.play.block_jobs import BlockJob, BlockResult
from server.play.local_pool import LocalPool
from server.play.play_match import record_result
from server.play.pool import Worker
from server.play.recorded_match import RecordedMatch
from server.system import database
from server.tournament import store as store_module
from server.tournament.event import run_event
from server.tournament.folder import Folder
from server.tournament.listener import Listener
from server.tournament.manifest import make_manifest, write_text
from server.tournament.runner import Ending
from server.tournament.store import Store
from support.players import QuietHost, ScriptedPlayer

KILLED = 137
TINY = {"max_rounds": 1}
"""The shortest game there is: pavillon_noir with one round."""


def make_event(
    path: Path,
    *,
    bots: Sequence[str] = ("ann", "bob", "cid"),
    games: Sequence[dict[str, Any]] = ({"id": "pavillon_noir", "variant": TINY},),
    **keys: Any,
) -> Folder:
    """A folder with a manifest. The bots are functions: their commands are never run."""
    path.mkdir(parents=True, exist_ok=True)
    table = {
        "name": "test",
        "seed": "s",
        "format": "round-robin",
        "rounds": 2,
        "concurrency": 4,
        "anchor": "ann",
        "clock": "3600+60/600",  # a busy machine must not make a function late
        "games": list(games),
        "bots": [{"spec": "cmd: true", "name": bot} for bot in bots],
        **keys,
    }
    folder = Folder(path)
    folder.manifest.write_text(write_text(make_manifest(table)))
    return folder


def script(bot: str, match_id: str) -> Callable[[Question], int | BotFault]:
    """How a bot plays: always the same, but differently in every match. One called `crash…` fails at once, one
    called `talk…` notes something on every question."""
    if bot.startswith("crash"):
        return lambda question: BotFault(FaultKind.CRASH, "it always does", 0.0)

    def choose(question: Question) -> int:
        digest = hashlib.sha256(f"{bot}/{match_id}/{question.question_id}".encode()).digest()
        return int.from_bytes(digest[:4], "big") % len(question.actions)

    return choose


def late(question: Question) -> BotFault:
    """How a bot plays that is always late."""
    return BotFault(FaultKind.TIMEOUT, "late", 0.0)


async def play_job(job: BlockJob, late_seat: int | None = None, other_bots: str = "") -> BlockResult:
    """What a worker would do, with functions for bots. Matches begin a second apart, in schedule order.

    `late_seat` answers no question in time. Bots whose names begin with `other_bots` play as another bot would."""
    matches: list[RecordedMatch] = []
    for rotation in job.rotations:
        terms, seating = job.terms(rotation), job.seating(rotation)
        players = [
            ScriptedPlayer(
                late
                if seat == late_seat
                else script(bot.name, terms.match_id + other_bots * bot.name.startswith(other_bots)),
                name=bot.name,
                note=(lambda question: b"my question %d" % question.question_id) if bot.name[:4] == "talk" else None,
            )
            for seat, bot in enumerate(seating)
        ]
        result = await Match(terms, players, QuietHost()).play()
        started = 1000 * (1 + job.block * len(seating) + rotation)
        match = record_result(
            result,
            [UnstartableBot(bot, "") for bot in seating],
            started,
            place=job.place(rotation),
            notes=job.notes,
            host=job.host,
            host_speed=job.host_speed,
        )
        assert isinstance(match, RecordedMatch)
        matches.append(match)
    return BlockResult(contest=job.contest, block=job.block, matches=tuple(matches), voids=())


class InProcessPool(LocalPool):
    """Workers that are tasks of this loop. Blocks come back in another order than they went out."""

    async def start(self) -> None:
        self.workers = [Worker(tables) for tables in self._tables]

    def play(self, worker: Worker, job: BlockJob) -> None:
        worker.take(job)
        task = asyncio.create_task(self._play(worker, job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _play(self, worker: Worker, job: BlockJob) -> None:
        await asyncio.sleep(hash_unit(job.key) * 0.002)
        result = await play_job(job)
        worker.give_back(job.key)
        self._finished(result)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()


def hash_unit(value: object) -> float:
    """A number in 0..1 that follows from a value."""
    return int.from_bytes(hashlib.sha256(repr(value).encode()).digest()[:4], "big") / 2**32


class Notes(Listener):
    """Remembers what was said."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.warnings: list[str] = []
        self.finished: list[str] = []

    def noted(self, text: str) -> None:
        self.notes.append(text)

    def warned(self, text: str) -> None:
        self.warnings.append(text)

    def match_finished(self, match: Any, done: int, planned: int | None) -> None:
        self.finished.append(match.match_id)


def run(folder: Folder, listener: Listener | None = None, pool: type[LocalPool] = InProcessPool, **keys: Any) -> Ending:
    """Run an event in this process."""
    return asyncio.run(run_event(folder, listener or Notes(), make_pool=pool, **keys))


def dump(folder: Folder, *, measured: bool = False) -> dict[str, list[tuple[Any, ...]]]:
    """All tables, without times unless asked for."""
    with Store.read_only(folder.database) as store:
        return store.dump(measured=measured)


def run_until(folder: Folder, touch: int) -> int:
    """Run an event in a child that dies at the given touch of the folder. Gives its exit code."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        _die_at(folder, touch)
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - the child ends without a word
        code = 0 if run(folder) is Ending.FINISHED else 2
    finally:
        os._exit(code)


def _die_at(folder: Folder, touch: int) -> None:
    count = itertools.count(1)
    needle = str(folder.path)

    def cross() -> None:
        if next(count) == touch:
            os._exit(KILLED)

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event in ("open", "os.rename", "os.remove", "os.truncate") and needle in str(args[0]):
            cross()

    connect = database.connect

    def traced(path: Path, *, read_only: bool, cure: str) -> sqlite3.Connection:
        connection = connect(path, read_only=read_only, cure=cure)
        connection.set_trace_callback(lambda statement: cross())
        return connection

    for module in (database, store_module):
        module.connect = traced  # type: ignore[attr-defined]
    sys.addaudithook(hook)
