"""How quick pages of large folders are: `PYTHONPATH=tests python -m support.measure_pages KIND MATCHES BOTS`.

KIND is `event`, `waves` (an event of the format ladder) or `ladder` (of an arena). Makes one of so many matches between
so many bots by hand (their strengths differ), serves it, and prints for each page when it came first, when it was whole
(a page that says that its table is being computed is read again until it has it), and the median of twenty more, over
a port of this machine.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
import urllib.request
from dataclasses import replace
from pathlib import Path

from server.tournament.agreement import Agreement, Entry
from server.tournament.folder import Folder
from server.tournament.manifest import make_manifest
from server.tournament.store import Store
from server.web.app import make_app
from server.web.folder_backend import FolderBackend
from server.web.middleware import WebSettings
from support.summaries import make_block
from support.web import served

TIMES = 20
COMPUTING = b"is being computed"
CONTEST = "pavillon_noir-2"
FORMATS = {"event": "round-robin", "waves": "ladder", "ladder": "ladder"}


def make_folder(path: Path, matches: int, bots: int, *, is_ladder: bool, event_format: str = "round-robin") -> Folder:
    """An event by hand, or the ladder of an arena, which has no schedule."""
    names = [f"bot{number:03d}" for number in range(bots)]
    manifest = make_manifest(
        {
            "name": "large",
            "seed": "s",
            "rounds": 1000,
            "format": event_format,
            "games": [{"id": "pavillon_noir"}],
            "bots": [] if is_ladder else [{"spec": "cmd: true", "name": name} for name in names],
        }
    )
    folder = Folder(path)
    folder.write_agreement(Agreement(manifest=manifest, roster=tuple(Entry(name=name, bot=name) for name in names)))
    luck = random.Random("large")
    found = []
    for number in range(matches // 2):
        one, other = luck.sample(range(bots), 2)
        ranks = [[1, 2] if luck.random() < 0.5 + (one - other) / bots / 2.5 else [2, 1] for _ in range(2)]
        block = make_block(number, [names[one], names[other]], ranks, stage=number // (bots // 2))
        found += [replace(match, started_millis=1_700_000_000_000 + 1000 * number) for match in block]
    with Store.open(folder.database) as store:
        store.add(found, [])
    return folder


def read(address: str) -> tuple[float, bytes]:
    """Milliseconds and text of one page, made anew: pages for readers with a cookie are never kept."""
    began = time.perf_counter()
    with urllib.request.urlopen(urllib.request.Request(address, headers={"Cookie": "mine=1"})) as answer:
        text = answer.read()
    return 1000 * (time.perf_counter() - began), text


def main() -> None:
    """Measure, and print a table."""
    kind, matches, bots = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    settings = WebSettings(pages_per_second=1e6, pages_burst=1e6)
    with tempfile.TemporaryDirectory(prefix="tortuga-") as path:
        folder = make_folder(Path(path), matches, bots, is_ladder=kind == "ladder", event_format=FORMATS[kind])
        with served(lambda: make_app(FolderBackend(folder.path), settings)) as site:
            print(f"{kind}: {matches} matches, {bots} bots")
            print(f"{'page':40} {'first ms':>9} {'whole ms':>9} {'then ms':>8} {'kB':>6}")
            for page in (
                *("/healthz", "/", f"/ladder/{CONTEST}", f"/ladder/{CONTEST}.json", "/events", "/event/large", "/bots"),
                *("/bot/bot007", "/versus/bot007/bot008", "/matches", "/matches?bot=bot007", "/matches.json"),
            ):
                began = time.perf_counter()
                first, text = read(f"{site}{page}")
                while COMPUTING in text:
                    text = read(f"{site}{page}")[1]
                whole = 1000 * (time.perf_counter() - began)
                then = statistics.median(read(f"{site}{page}")[0] for _ in range(TIMES))
                print(f"{page:40} {first:9.0f} {whole:9.0f} {then:8.1f} {len(text) / 1000:6.0f}")


if __name__ == "__main__":
    main()
