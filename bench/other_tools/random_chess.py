"""Random chess with python-chess, between two processes over pipes. Run as a script: SECONDS; prints JSON."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

CPUCLOCK_SCHED = 2
"""Linux: the number of a process's CPU clock is made of its pid and this."""


def main(seconds: float) -> None:
    """Play game after game."""
    import chess.engine  # here, because few have it

    command = [sys.executable, "-P", str(Path(__file__).parent / "random_uci.py")]
    engines = [chess.engine.SimpleEngine.popen_uci(command) for _ in range(2)]
    clocks = [~engine.transport.get_pid() << 3 | CPUCLOCK_SCHED for engine in engines]

    def cpu() -> float:
        return time.process_time() + sum(map(time.clock_gettime, clocks))

    moves, board, limit = 0, chess.Board(), chess.engine.Limit(time=60.0)
    before, began = cpu(), time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        if board.is_game_over(claim_draw=False):
            board = chess.Board()
        move = engines[moves % 2].play(board, limit, game=board.root()).move
        board.push(move)
        moves += 1
    used = cpu() - before
    for engine in engines:
        engine.quit()
    print(json.dumps({"moves": moves, "moves_per_second": moves / spent, "core_cpu_micros": 1e6 * used / moves}))


if __name__ == "__main__":
    main(float(sys.argv[1]))
