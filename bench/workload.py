"""A fixed piece of Python work. How long it takes says how fast this machine is at the moment.

It is run directly before and after each measurement, in the same process. CPU times divided by it can be compared
although the machine was busier at one time than at another: a busy neighbour slows both down alike. It does what a
referee does, small objects, dicts, tuples and bytes, and it must never change, or older reports compare with nothing.
"""

from __future__ import annotations

import gc
import time

STEPS = 50_000


class _Piece:
    __slots__ = ("number", "owner", "place")

    def __init__(self, number: int, owner: str, place: tuple[int, int]) -> None:
        self.number = number
        self.owner = owner
        self.place = place

    def moved(self, by: int) -> _Piece:
        column, line = self.place
        return _Piece(self.number, self.owner, ((column + by) % 31, (line + 3 * by) % 17))


def run_workload(steps: int = STEPS) -> float:
    """CPU seconds of this thread for the whole piece of work."""
    collects = gc.isenabled()
    gc.disable()  # a collection would look at all that the measured code keeps alive
    began = time.thread_time()
    pieces = {number: _Piece(number, f"seat {number & 3}", (number % 31, number % 17)) for number in range(64)}
    sent: list[bytes] = []
    seen: dict[tuple[int, int], int] = {}
    for step in range(steps):
        piece = pieces[step & 63].moved(step % 7)
        pieces[piece.number] = piece
        seen[piece.place] = seen.get(piece.place, 0) + piece.number
        sent.append(bytes((piece.place[0], piece.place[1], step & 255)))
        if len(sent) == 64:
            near = sorted(piece.place for piece in pieces.values() if piece.owner == "seat 1")
            sent = [b"".join(sent)[:32], bytes(len(near))]
    spent = time.thread_time() - began
    if collects:
        gc.enable()
    return spent
