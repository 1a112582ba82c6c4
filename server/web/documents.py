"""Records as documents for the viewer, made in processes of their own and kept up to a number of bytes.

To replay a match takes up to a second, which pages must not wait for. Several readers of one match cost one replay. A
record may be a stranger's: reading it has a limit of processor time.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import multiprocessing
import signal
from collections import OrderedDict
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from referee.errors import ConfigError, TortugaError
from server.system.processes import end_with_parent
from server.viewer import Perspectives
from server.viewer.document import document_of, squeeze
from server.viewer.picture import svg_at
from server.web.backend import PageNotFound, Unavailable

PROCESSOR_SECONDS = 30.0
"""A match that takes longer to replay is not shown."""
WAITING = 64
"""Documents that may wait to be made."""


class Documents:
    """Makes documents and keeps the ones that were read last."""

    def __init__(self, *, workers: int, most_bytes: int) -> None:
        self._workers, self._most_bytes = workers, most_bytes
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._making: dict[str, asyncio.Task[bytes]] = {}
        self._pool: ProcessPoolExecutor | None = None

    @property
    def kept_bytes(self) -> int:
        """What is kept at this moment."""
        return self._bytes

    async def get(self, packed: bytes, *, revealed: bool) -> bytes:
        """Return a record as gzip-compressed JSON: of a spectator, or if `revealed` with all seats' eyes."""
        perspectives = Perspectives.ALL if revealed else Perspectives.SPECTATOR
        key = f"{hashlib.sha256(packed).hexdigest()} {perspectives}"
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        task = self._making.get(key)
        if task is None:
            if len(self._making) >= WAITING:
                raise Unavailable("too many replays are being made at this moment; try again in a few seconds")
            task = asyncio.create_task(self._make(key, packed, perspectives))
            self._making[key] = task
            task.add_done_callback(lambda _: self._making.pop(key, None))
        return await asyncio.shield(task)  # others may wait for it, too

    async def picture(self, packed: bytes) -> bytes:
        """Draw the last scene of a match for spectators, as SVG."""
        document = json.loads(gzip.decompress(await self.get(packed, revealed=False)))
        try:
            return svg_at(document).encode()
        except ConfigError as error:
            raise PageNotFound(f"there is no picture of this match: {error}") from None

    def close(self) -> None:
        """Make no more."""
        for task in self._making.values():
            task.cancel()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    async def _make(self, key: str, packed: bytes, perspectives: Perspectives) -> bytes:
        loop = asyncio.get_running_loop()
        try:
            document = await loop.run_in_executor(self._processes(), make_packed, packed, perspectives)
        except BrokenProcessPool:
            self._pool = None
            raise Unavailable("the replay could not be made; try again in a few seconds") from None
        if isinstance(document, str):
            raise PageNotFound(document)
        self._keep(key, document)
        return document

    def _keep(self, key: str, document: bytes) -> None:
        self._kept[key] = document
        self._bytes += len(document)
        while self._bytes > self._most_bytes and self._kept:
            _, old = self._kept.popitem(last=False)
            self._bytes -= len(old)

    def _processes(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")  # gRPC does not survive a fork
            self._pool = ProcessPoolExecutor(self._workers, mp_context=context, initializer=end_with_parent)
        return self._pool


class _TooLong(Exception):
    """The processor time is used up."""


def make_packed(packed: bytes, perspectives: Perspectives) -> bytes | str:
    """Make a record's document, or say why there is none. Runs in another process."""

    def stop(number: int, frame: object) -> None:
        raise _TooLong

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, PROCESSOR_SECONDS)
    try:
        return squeeze(document_of(packed, perspectives=perspectives))
    except TortugaError as error:
        return f"the match cannot be shown: {error}"
    except _TooLong:
        return f"the match cannot be shown: to replay it takes over {PROCESSOR_SECONDS:g} s"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
