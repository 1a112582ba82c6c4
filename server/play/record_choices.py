"""The record of a game that was played in this process: its choices, played again as a match."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from referee.errors import BotFault
from referee.match.match import Asker, Introduction, Match, MatchResult, Terms
from referee.match.question import Question
from referee.records.record import make_record, write_record
from referee.rules.engine import Seat
from server import __version__
from server.bots.spec import BotSpec
from tortuga.v1.record_pb2 import Record


def record_choices(terms: Terms, bots: Sequence[BotSpec], taken: Sequence[Mapping[Seat, int]], folder: Path) -> Path:
    """Write the record of a whole game into the folder: who sat where, and what was chosen at every moment."""
    path = folder / f"{terms.match_id}.tortuga"
    write_record(path, record_of_choices(terms, bots, taken))
    return path


def record_of_choices(terms: Terms, bots: Sequence[BotSpec], taken: Sequence[Mapping[Seat, int]]) -> Record:
    """Make the record itself. It runs an event loop of its own, so it cannot be called inside of one."""
    players = [
        _Script(bot.name, [moment[Seat(seat)] for moment in taken if seat in moment]) for seat, bot in enumerate(bots)
    ]
    result = asyncio.run(Match(terms, players, _NoHost()).play())
    return make_record(
        result,
        [bot.identity for bot in bots],
        server_version=__version__,
        started_unix_millis=int(time.time() * 1000),
    )


class _Script:
    """A player that answers what was answered before."""

    def __init__(self, name: str, answers: Sequence[int]) -> None:
        self.name = name
        self._answers = iter(answers)

    def sit(self, introduction: Introduction) -> asyncio.Future[None]:
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        ready.set_result(None)
        self._seat = introduction.seat
        return ready

    def ask(self, question: Question, asker: Asker) -> None:
        asker.answered(self._seat, next(self._answers), 0.0)

    def final_fault(self) -> BotFault | None:
        return None

    def tell_fault(self, fault: BotFault, *, faults_left: int, substituted: int | None) -> None:
        raise AssertionError(f"a game that was played has no fault: {fault.message}")

    def end(self, result: MatchResult) -> None:
        pass


class _NoHost:
    """Nobody runs out of time."""

    def excuse_overrun(self, seat: Seat, asked_at: float) -> str:
        return ""
