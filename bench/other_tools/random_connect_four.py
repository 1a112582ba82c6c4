"""Random Connect Four with kaggle-environments, in its own process. Run as a script: SECONDS; prints JSON."""

from __future__ import annotations

import json
import sys
import time


def main(seconds: float) -> None:
    """Play game after game."""
    from kaggle_environments import make  # here, because few have it

    make("connectx").run(["random", "random"])  # the first one also loads things
    moves = 0
    before, began = time.process_time(), time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        moves += len(make("connectx").run(["random", "random"])) - 1
    used = time.process_time() - before
    print(json.dumps({"moves": moves, "moves_per_second": moves / spent, "core_cpu_micros": 1e6 * used / moves}))


if __name__ == "__main__":
    main(float(sys.argv[1]))
