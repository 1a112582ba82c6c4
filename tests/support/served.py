"""A real `tortuga serve` that can be killed and started again, and remote bots that live in a thread of the test."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc

from bench.arenas.fleet import RemoteBot
from referee.records.record import read_record
from referee.records.verify import verify
from server.arena.config import FILE, ArenaConfig, write_text
from server.arena.keys import FILE as ADMIN_KEY
from server.arena.keys import read_admin_key
from server.cli.common.arena_client import with_admin_key
from server.ratings import live
from server.tournament.event import rebuild
from server.tournament.folder import Folder
from server.tournament.journal import read_journal
from server.tournament.store import Store
from support.command import TIED_TO_US, environment
from support.events import dump
from support.ladders import LADDER
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import arena_pb2_grpc

PATIENCE_SECONDS = 300.0
"""How long a test waits for what has to come: far more than it takes, also on a busy machine."""

IMPATIENT = [(f"grpc.{which}_reconnect_backoff_ms", 50) for which in ("initial", "min", "max")]
"""gRPC would try again after a second, then after two."""


def wait_for(holds: Callable[[], Any]) -> Any:
    """Wait for a condition, and give what it says."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not (found := holds()):
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.02)
    return found


class Served:
    """An arena in `folder / "arena"`; everything temporary is in the folder, too."""

    def __init__(
        self, folder: Path, config: ArenaConfig, *flags: str, open_files: int | None = None, web: str = ""
    ) -> None:
        """`open_files`: the soft limit it is started with. `web`: where its pages are; empty: nowhere."""
        self.folder = folder
        self.path = folder / "arena"
        self.path.mkdir(parents=True, exist_ok=True)
        self._flags = flags
        limit = ["sh", "-c", f'ulimit -S -n {open_files} && exec "$@"', "sh"] if open_files else []
        self._prefix = [*limit, *TIED_TO_US]
        (self.path / FILE).write_text(write_text(replace(config, listen="127.0.0.1:0", public="127.0.0.1:0", web=web)))

    def start(self) -> Served:
        """From now on it serves."""
        (self.path / ADMIN_KEY).unlink(missing_ok=True)  # a killed server left it
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*self._prefix, sys.executable, "-m", "server", "serve", str(self.path), *self._flags],
                cwd=self.folder,
                env=environment(self.folder),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        socket = os.path.relpath(self.path / "admin.sock")  # the kernel takes a hundred characters or so
        self.socket = f"unix:{min(str(self.path / 'admin.sock'), socket, key=len)}"
        wait_for(self._has_key)
        self._channel = with_admin_key(grpc.insecure_channel(self.socket, options=IMPATIENT), read_admin_key(self.path))
        self.admin: Any = arena_pb2_grpc.ArenaAdminStub(self._channel)
        self.api: Any = arena_pb2_grpc.ArenaStub(self._channel)
        wait_for(self._is_up)
        status = self.status()
        self.bots, self.public = status.bots_address, status.public_address
        return self

    def _has_key(self) -> bool:
        assert self.process.poll() is None, f"the arena did not start: {self.log()[-2000:]}"
        return (self.path / ADMIN_KEY).exists()

    def _is_up(self) -> bool:
        assert self.process.poll() is None, f"the arena did not start: {self.log()[-2000:]}"
        try:
            return bool(self.status().bots_address)
        except grpc.RpcError:
            return False

    def status(self) -> pb.ServerStatus:
        """How it is."""
        return self.admin.GetStatus(pb.GetStatusRequest(), timeout=60)  # type: ignore[no-any-return]

    def log(self) -> str:
        """All that it ever said."""
        return (self.folder / "server.log").read_text()

    def add(self, *names: str) -> dict[str, str]:
        """New remote bots, with their tokens."""
        return {name: self.admin.AddBot(pb.AddBotRequest(name=name)).token for name in names}

    def told(self) -> set[str]:
        """The matches that it says are finished, to anybody who asks."""
        request, found = pb.ListMatchesRequest(state=pb.MATCH_STATE_FINISHED, page_size=200), set[str]()
        while True:
            answer = self.api.ListMatches(request)
            found |= {match.match_id for match in answer.matches}
            if not answer.next_page_token:
                return found
            request.page_token = answer.next_page_token

    def signal(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Tell it something."""
        self.process.send_signal(number)

    def end(self) -> int:
        """Its exit code."""
        code = self.process.wait(PATIENCE_SECONDS)
        self._channel.close()
        return code

    def kill(self) -> None:
        """At once, without a word."""
        self.signal(signal.SIGKILL)
        self.end()

    def close(self) -> None:
        """Whatever became of it, it is gone afterwards."""
        if self.process.poll() is None:
            self.signal()
            self.end()


@contextmanager
def dialled_in(address: str, tokens: Mapping[str, str], **keys: Any) -> Iterator[dict[str, Future[str]]]:
    """Remote bots that answer anything; of each, why it was sent away."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    bots = [RemoteBot(name=name, token=token, **{"slots": 2, **keys}) for name, token in tokens.items()]
    plays = {bot.name: asyncio.run_coroutine_threadsafe(bot.play(address), loop) for bot in bots}
    try:
        yield plays
    finally:

        async def leave() -> None:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(leave(), loop).result(PATIENCE_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def wait_for_matches(served: Served, count: int) -> None:
    """Until so many ladder matches are durable."""
    wait_for(lambda: served.status().matches >= count)


def check_ladder(path: Path, told: set[str]) -> None:
    """Everything that was told is there, once, and follows from the records."""
    folder = Folder(path / "ladder")
    with Store.read_only(folder.database) as store:
        matches = list(store.matches())
        assert told <= {match.match_id for match in matches}
        assert sorted(match.block for match in matches) == list(range(len(matches))), "no number twice, none left out"
        assert sum(elo - live.START for elo, _ in store.live_elo(LADDER).values()) == 0
    finished = [line["match"] for line in read_journal(folder.journal, ["match_finished"])]
    assert sorted(finished) == sorted(match.match_id for match in matches)
    records = list(folder.records.iterdir())
    assert {record.stem for record in records} == {*finished}
    for record in records:
        content, sealed = read_record(record)
        assert verify(content, sealed=sealed).messages_compared
    stored = dump(folder, measured=True)
    assert rebuild(folder).problems == []
    assert dump(folder, measured=True) == stored
