"""Readers of an arena's pages, for measuring: many live streams, and pages at a steady rate.

`python -m bench.arenas.web_load HOST:PORT READERS PAGES_PER_SECOND CORE` works until its stdin ends and then prints a
line of JSON. All readers watch one match; when it is over, all of them go on to another that is known to be running,
at once. Each reader has an address of its own on the loopback, as people have: pages are limited per address. Only
127.0.0.0/8 is ever dialled.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

STREAMS_PER_ADDRESS = 4
PAGES = (
    "/",
    "/ladders",
    "/ladder/{ladder}",
    "/bots",
    "/bot/{bot}",
    "/matches",
    "/matches.json",
    "/match/{match}",
    "/versus/{bot}/{other}",
    "/games",
)
LINGER_SECONDS = 0.2
"""How long a reader whose match is over, or whose stream was refused, waits before it opens another."""
ARRIVAL_SECONDS = 60.0
"""How long the readers may take to arrive before the measurement begins without some of them."""
NAMES_SECONDS = 10.0
"""How often the matches that pages are read of are looked up."""


@dataclass(slots=True)
class Load:
    """What the readers do, and what they met with."""

    host: str
    port: int
    readers: int
    names: dict[str, list[str]] = field(default_factory=dict)
    running: str = ""
    coming: list[str] = field(default_factory=list)
    """Matches that were running a moment ago and were not watched yet: the next one to watch comes first."""
    watched: set[str] = field(default_factory=set)
    streaming: int = 0
    streams_by_second: list[int] = field(default_factory=list)
    """How many readers had an open stream, once a second."""
    events: dict[str, int] = field(default_factory=lambda: {"start": 0, "frame": 0, "end": 0})
    stream_bytes: int = 0
    broken_streams: int = 0
    refused_streams: dict[str, int] = field(default_factory=dict)
    """By status."""
    page_seconds: dict[str, list[float]] = field(default_factory=lambda: {page: [] for page in PAGES})
    minutes: dict[int, list[float]] = field(default_factory=dict)
    """The times of pages, by the minute in which they came."""
    began: float = field(default_factory=time.monotonic)
    page_errors: dict[str, int] = field(default_factory=dict)
    goes_on: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when another match is watched; then there is a new one."""
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    """There is a match to watch."""
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    """Nearly all readers had an open stream."""

    async def follow(self, number: int) -> None:
        """Watch, as one reader, whatever match is watched now, for ever."""
        address = reader_address(number // STREAMS_PER_ADDRESS)
        while True:
            match, is_over = self.running, False
            try:
                is_over = await self._stream(match, address)
            except (OSError, asyncio.IncompleteReadError, ValueError):
                self.broken_streams += 1
            await asyncio.sleep(LINGER_SECONDS)
            if is_over and not self.move_on(match):
                await self.goes_on.wait()

    def move_on(self, match: str) -> bool:
        """Watch another match than this one, which is over. False: no other is known to be running."""
        if self.running == match and self.coming:
            self.running = self.coming.pop(0)
            self.watched.add(self.running)
            self.goes_on.set()
            self.goes_on = asyncio.Event()
        return self.running != match

    async def _stream(self, match: str, address: str) -> bool:
        """Read a stream to its end. True: the match is over."""
        reader, writer = await self._ask(f"/match/{match}/live", address)
        counted = False
        try:
            status = (await reader.readline()).decode().split(" ")[1:2]
            if status != ["200"]:
                answer = "".join(status) or "nothing"
                if answer != "404":  # 404: it ended a moment ago
                    self.refused_streams[answer] = self.refused_streams.get(answer, 0) + 1
                return answer == "404"
            counted = True
            self.streaming += 1
            if self.streaming >= 0.95 * self.readers:
                self.arrived.set()
            while chunk := await reader.read(256 * 1024):
                self.stream_bytes += len(chunk)
                for kind in self.events:
                    self.events[kind] += chunk.count(b"event: %s\n" % kind.encode())
            return True
        finally:
            self.streaming -= counted
            writer.close()

    async def read_pages(self, per_second: float) -> None:
        """Ask for pages at a steady rate, however slowly they come."""
        number, began = 0, time.monotonic()
        tasks: set[asyncio.Task[None]] = set()
        while True:
            task = asyncio.create_task(self._page(number))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            number += 1
            await asyncio.sleep(max(0.0, began + number / per_second - time.monotonic()))

    async def _page(self, number: int) -> None:
        bot, other = random.sample(self.names["bot"], 2)
        path = PAGES[number % len(PAGES)].format(
            ladder=random.choice(self.names["ladder"]), bot=bot, other=other, match=random.choice(self.names["match"])
        )
        began = time.monotonic()
        try:
            async with asyncio.timeout(30):
                status = await self._get_status(path, reader_address(1000 + number % 50))
        except (OSError, TimeoutError) as error:
            status = type(error).__name__
        now = time.monotonic()
        self.page_seconds[PAGES[number % len(PAGES)]].append(now - began)
        self.minutes.setdefault(int(now - self.began) // 60, []).append(now - began)
        if status not in ("200", "302", "404"):  # 404: two bots that have not met
            self.page_errors[status] = self.page_errors.get(status, 0) + 1

    async def _get_status(self, path: str, address: str) -> str:
        reader, writer = await self._ask(path, address)
        try:
            head = await reader.readline()
            while await reader.read(256 * 1024):
                pass
            return head.split()[1].decode() if head else "nothing"
        finally:
            writer.close()

    async def look_around(self) -> None:
        """Find out every second which matches are running, to be watched next. Now and then, find out which ones
        there are to read."""
        named_at = -NAMES_SECONDS
        for number in itertools.count():
            with suppress(OSError, ValueError, KeyError):
                answer = await self._json(f"/matches.json?state=running&look={number}")  # no kept page
                fresh = [match for match in answer["matches"] if match["match_id"] not in self.watched]
                # The one that will last longest: of the game with the most seats, begun last.
                fresh.sort(key=lambda match: (-len(match["seats"]), -int(match["started_millis"])))
                self.coming = [match["match_id"] for match in fresh]
                running = [match["match_id"] for match in answer["matches"]]
                if self.running not in running:  # nobody may have been there to see its end
                    self.move_on(self.running)
                if time.monotonic() > named_at + NAMES_SECONDS:
                    self.names["match"] = [
                        match["match_id"] for match in (await self._json("/matches.json"))["matches"]
                    ]
                    named_at = time.monotonic()
                if self.running and self.names["match"]:
                    self.ready.set()
            await asyncio.sleep(1.0)

    async def count_streams(self) -> None:
        """Count the readers every second, however slowly pages come."""
        while True:
            self.streams_by_second.append(self.streaming)
            await asyncio.sleep(1.0)

    async def prepare(self) -> None:
        """Learn the names. On a busy machine the first pages may say that the arena does not answer yet."""
        for name, path, kind in (("ladder", "/ladders.json", "ladders"), ("bot", "/bots.json", "bots")):
            until = time.monotonic() + ARRIVAL_SECONDS
            while kind not in (answer := await self._json(path)):
                if time.monotonic() > until:
                    raise SystemExit(f"the pages did not answer: {answer}")
                await asyncio.sleep(1.0)
            self.names[name] = [row["name"] for row in answer[kind]]

    async def _json(self, path: str) -> Any:
        reader, writer = await self._ask(path, reader_address(2000))
        try:
            text = await reader.read(-1)
        finally:
            writer.close()
        return json.loads(text.partition(b"\r\n\r\n")[2])

    async def _ask(self, path: str, address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection(self.host, self.port, local_addr=(address, 0))
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {self.host}\r\nConnection: close\r\n\r\n".encode())
        return reader, writer

    def report(self, seconds: float) -> dict[str, Any]:
        """Return what was met with."""
        pages = sorted(seconds for one in self.page_seconds.values() for seconds in one)
        return {
            "seconds": seconds,
            "cores": time.process_time() / (time.monotonic() - self.began),
            "mean_streaming": sum(self.streams_by_second) / max(1, len(self.streams_by_second)),
            "least_streaming": min(self.streams_by_second, default=0),
            "matches_watched": len(self.watched),
            "events": self.events,
            "stream_mib_per_second": self.stream_bytes / 2**20 / seconds,
            "broken_streams": self.broken_streams,
            "refused_streams": self.refused_streams,
            "pages": len(pages),
            "page_errors": self.page_errors,
            **{f"page_p{share}_millis": percentile(pages, share) for share in (50, 95, 99)},
            "p95_millis_by_minute": [percentile(sorted(times), 95) for _, times in sorted(self.minutes.items())],
            "p95_millis_by_page": {page: percentile(sorted(times), 95) for page, times in self.page_seconds.items()},
        }


def percentile(seconds: list[float], share: int) -> float:
    """Return a percentile in milliseconds, of sorted seconds. 0 if there are none."""
    return 1000 * seconds[min(len(seconds) - 1, len(seconds) * share // 100)] if seconds else 0.0


def reader_address(number: int) -> str:
    """Return an address on the loopback, one for each number."""
    return f"127.{1 + number // 62_500}.{number // 250 % 250}.{1 + number % 250}"


async def main(address: str, readers: int, pages_per_second: float) -> None:
    """Read until our stdin ends."""
    host, _, port = address.rpartition(":")
    if not host.startswith("127."):
        raise SystemExit("only this machine's pages are measured")
    load = Load(host, int(port), readers)
    await load.prepare()
    tasks = [asyncio.create_task(load.look_around())]
    await load.ready.wait()
    for number in range(readers):
        tasks.append(asyncio.create_task(load.follow(number)))
        if number % 20 == 19:
            await asyncio.sleep(0.1)  # people come one by one
    tasks.append(asyncio.create_task(load.read_pages(pages_per_second)))
    with suppress(TimeoutError):
        await asyncio.wait_for(load.arrived.wait(), ARRIVAL_SECONDS)
    tasks.append(asyncio.create_task(load.count_streams()))
    began = time.monotonic()
    print("reading", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(json.dumps(load.report(time.monotonic() - began)), flush=True)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


if __name__ == "__main__":
    os.sched_setaffinity(0, {int(sys.argv[4])})
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
