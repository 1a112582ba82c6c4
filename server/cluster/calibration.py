"""Measures how fast a machine is: one core alone, then every core with all of them busy.

Run as a script (`python -I -S`, standard library alone), it works for a while and prints thousands of rounds per
second: texts, numbers and tables as bots and referees use them. The figures are wall-clock rates, because bots
play against a clock: a core that is shared with others is slow.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import time

ALONE_SECONDS = 0.6
BUSY_SECONDS = 1.0
WINDOWS = 3
"""For one core alone, the best of this many windows counts: a short interruption says nothing about a machine."""
PATIENCE_SECONDS = 60.0


def work(seconds: float) -> float:
    """Work for so long; return thousands of rounds per second."""
    table: dict[int, int] = {}
    rounds, text, begun = 0, b"tortuga", time.perf_counter()
    end = begun + seconds
    while (now := time.perf_counter()) < end:
        for number in range(200):
            text = hashlib.blake2b(text, digest_size=16).digest()
            place = int.from_bytes(text[:2], "big")
            table[place] = table.get(place, 0) + number * number % 7
        if len(table) > 5000:
            table.clear()
        rounds += 200
    return rounds / 1000 / (now - begun)


def measure(cores: int) -> tuple[float, float]:
    """Return the speed of one core alone, and the mean speed of a core while all of them are busy."""
    alone = max(_run(1, ALONE_SECONDS / WINDOWS)[0] for _ in range(WINDOWS))
    busy = _run(cores, BUSY_SECONDS)
    return alone, sum(busy) / len(busy)


def _run(count: int, seconds: float) -> list[float]:
    processes = [
        subprocess.Popen([sys.executable, "-I", "-S", __file__, str(seconds)], stdout=subprocess.PIPE, cwd="/")
        for _ in range(count)
    ]
    return [float(process.communicate(timeout=PATIENCE_SECONDS)[0]) for process in processes]


if __name__ == "__main__":
    print(work(float(sys.argv[1])))
