"""A gRPC server without a referee: what the transport alone costs.

It plays no game. It hands the bots the ready-made questions of a real match, in the same order.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import grpc
import grpc.aio

from bench.processes import cpu_seconds
from referee.door.service import OPTIONS
from referee.door.session import LIMITS
from referee.match.match import Introduction
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.course import Course
from referee.rules.engine import AnyGame, Seat
from referee.wire import envelope, find_wire
from server.bots.spec import find_bot
from server.hosting.launcher import Launcher
from server.play.match_setup import MatchSetup

YARDSTICK = "random"
"""The bot that plays: it answers by index and costs next to nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """One measurement."""

    decisions: int
    seconds: float
    referee_cpu_seconds: float
    bot_cpu_seconds: float

    @property
    def per_second(self) -> float:
        """Return the decisions per second."""
        return self.decisions / self.seconds


async def measure_echo(game: AnyGame, seconds: float) -> Rate:
    """Measure the same bots and the same messages in the same order, but with no referee behind them."""
    bare = BareServer(game)
    server = grpc.aio.server(options=OPTIONS)
    play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(bare.play)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("tortuga.v1.Referee", {"Play": play}),))
    with tempfile.TemporaryDirectory(prefix="tortuga-") as folder:
        server.add_insecure_port(f"unix:{folder}/echo")
        await server.start()
        async with Launcher(Path(folder)) as launcher:
            environment = {"TORTUGA_ADDRESS": f"unix:{folder}/echo", "TORTUGA_TOKEN": "none"}
            run = find_bot(YARDSTICK).run
            bots = [await launcher.start(f"echo-{seat}", run, environment) for seat in range(game.info.min_seats)]
            rate = await bare.measure(seconds, lambda: sum(cpu_seconds(bot.pid) for bot in bots))
            await server.stop(1.0)
    return rate


class BareServer:
    """Says what a referee would say, read from a list."""

    def __init__(self, game: AnyGame) -> None:
        self._seats = game.info.min_seats
        self._start, self._questions = ready_made(game)
        self._streams: list[tuple[AsyncIterator[bytes], grpc.aio.ServicerContext[bytes, bytes]]] = []
        self._complete: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def play(self, requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """Greet a bot, seat it, and leave the stream to `measure`."""
        answers = aiter(requests)
        await anext(answers)
        await context.write(envelope.batch([envelope.welcome(envelope.PROTOCOL, "bench", LIMITS)]))
        await context.write(envelope.batch([self._start]))
        await anext(answers)
        self._streams.append((answers, context))
        if len(self._streams) == self._seats:
            self._complete.set_result(None)
        await self._over
        await context.write(envelope.batch([envelope.goodbye("measured")]))

    async def measure(self, seconds: float, bot_cpu: Callable[[], float]) -> Rate:
        """Put question after question, each to the seat it was put to in the match."""
        await asyncio.wait_for(self._complete, 60)
        count, began, cpu, bots = 0, time.perf_counter(), time.process_time(), bot_cpu()
        while not count or time.perf_counter() - began < seconds:
            seat, question = self._questions[count % len(self._questions)]
            answers, context = self._streams[seat]
            await context.write(question)
            await anext(answers)
            count += 1
        rate = Rate(
            decisions=count,
            seconds=time.perf_counter() - began,
            referee_cpu_seconds=time.process_time() - cpu,
            bot_cpu_seconds=bot_cpu() - bots,
        )
        self._over.set_result(None)
        return rate


def ready_made(game: AnyGame) -> tuple[bytes, list[tuple[Seat, bytes]]]:
    """Return a MatchStart and the questions of one random game, serialized, with the seats they are put to."""
    # Here, because older checkouts have it elsewhere: with --compare all other rows can still be measured there.
    from referee.match.question import make_question

    setup = MatchSetup(game=game, variant=game.info.read_variant({}), seed="bench")
    terms, seats = setup.terms(), game.info.min_seats
    course = Course(game, seats, setup.variant, SeededChance(derive_secret("bench")))
    rng, wire = random.Random(1), find_wire(game.info.id)
    questions: list[tuple[Seat, bytes]] = []
    while course.outcome is None:
        choices = {}
        for seat, actions in course.asked.items():
            asked = make_question(course, wire, seat, len(questions) + 1)
            message = envelope.question(1, asked, wire.field, omit_options=False, omit_events=False)
            questions.append((seat, envelope.batch([message])))
            choices[seat] = rng.randrange(len(actions))
        course.choose(choices)
    introduction = Introduction(terms=terms, seat=Seat(0), seat_names=(YARDSTICK,) * seats)
    return envelope.match_start(1, introduction), questions
