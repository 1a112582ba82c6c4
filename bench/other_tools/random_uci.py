"""A chess engine that plays any legal move, over UCI. Run as a script, by a Python that has the package `chess`."""

from __future__ import annotations

import random
import sys


def main() -> None:
    """Answer until `quit`."""
    import chess  # here, because few have it

    rng = random.Random(1)
    board, played = chess.Board(), 0
    for line in sys.stdin:
        match line.split():
            case ["uci"]:
                print("id name random\nuciok", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["position", "startpos", *rest]:
                moves = rest[1:]
                if len(moves) < played:  # a new game
                    board, played = chess.Board(), 0
                for move in moves[played:]:
                    board.push_uci(move)
                played = len(moves)
            case ["go", *_]:
                print(f"bestmove {rng.choice(list(board.legal_moves)).uci()}", flush=True)
            case ["quit"]:
                return


if __name__ == "__main__":
    main()
