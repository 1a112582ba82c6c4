"""(e) Matches in this process, without gRPC: referee, sessions, engine, wire and chain, with bots in memory.

The bots look at nothing but the number of options. What they cost themselves is measured and left out.
"""

from __future__ import annotations

import asyncio
import time

from bench.rows import Figures, Task
from referee.door.session import Session
from referee.games import find_game
from referee.match.clock import LagMeter, TimeControl
from referee.match.match import Match
from referee.wire import envelope
from server.play.match_setup import MatchSetup
from tortuga.v1 import referee_pb2 as pb

DECISIONS = 3000
"""To play per second of a task."""

PATIENT = TimeControl(bank_seconds=3600.0, increment_seconds=0.0, cap_seconds=3600.0)
"""A clock that runs as in any match, but forgives a machine that is busy for seconds."""


class BlindBot:
    """A bot in memory: it answers by the number of the question."""

    def __init__(self, name: str, slots: int) -> None:
        self.session = Session(name, "bench")
        self.cpu_seconds = 0.0
        self._slots = slots

    async def run(self) -> None:
        """Say Hello and answer until Goodbye."""
        hello = pb.Hello(protocol=envelope.PROTOCOL, bot_name=self.session.name, slots=self._slots)
        self.session.receive(pb.FromBotBatch(messages=[pb.FromBot(hello=hello)]).SerializeToString())
        while (raw := await self.session.next_batch()) is not None:
            began = time.thread_time()
            answers = self.answer(raw)
            self.cpu_seconds += time.thread_time() - began
            await asyncio.sleep(0)  # as over a stream: an answer never comes while the question is being sent
            if answers:
                self.session.receive(answers)

    def answer(self, raw: bytes) -> bytes:
        """Return the answers to one batch."""
        answers = pb.FromBotBatch()
        for message in pb.ToBotBatch.FromString(raw).messages:
            kind = message.WhichOneof("message")
            if kind == "question":
                number = message.question.question_id
                choice = answers.messages.add(table=message.table).choice
                choice.question_id, choice.option_index = number, (7 * number + 3) % message.question.option_count
            elif kind == "match_start":
                answers.messages.add(table=message.table).ready.SetInParent()
        return answers.SerializeToString()


async def in_process_row(task: Task) -> Figures:
    """CPU time per decision of a fixed list of games, `tables` of them at a time."""
    game = find_game(task.game)
    setup = MatchSetup(game=game, variant=game.info.read_variant({}), seed=f"in process {task.number}", clock=PATIENT)
    bots = [BlindBot(f"blind-{seat}", task.tables) for seat in range(game.info.min_seats)]
    lag = LagMeter()
    decisions, matches, wanted = 0, 0, max(1, round(DECISIONS * task.seconds))

    async def play_table(name: str) -> int:
        result = await Match(setup.terms(name), [bot.session.open_table() for bot in bots], lag).play()
        assert not result.faults, result.faults
        assert not result.void, result.reason
        return result.decisions

    lag.start()
    async with asyncio.TaskGroup() as running:
        for bot in bots:
            running.create_task(bot.run())
        await asyncio.sleep(0)  # Hello
        await asyncio.gather(*(play_table(f"warm {table}") for table in range(task.tables)))
        began, bot_began = time.process_time(), sum(bot.cpu_seconds for bot in bots)
        while decisions < wanted:
            names = [str(matches + table) for table in range(task.tables)]
            decisions, matches = decisions + sum(await asyncio.gather(*map(play_table, names))), matches + task.tables
        spent = time.process_time() - began - sum(bot.cpu_seconds for bot in bots) + bot_began
        for bot in bots:
            bot.session.close("measured")
    lag.stop()
    return {"cpu_micros": 1e6 * spent / decisions, "decisions": decisions, "matches": matches}
