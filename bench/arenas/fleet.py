"""Many remote bots in few processes, for measuring and testing an arena: real gRPC streams, random legal answers.

`python -m bench.arenas.fleet ADDRESS FILE` reads a line of JSON for each bot (name, token, version, slots, games) and
plays until its stdin ends. A bot whose stream breaks comes back by its resume token, or dials anew with its own.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import grpc.aio

from tortuga.v1 import referee_pb2 as pb

OWN_CONNECTION = [("grpc.use_local_subchannel_pool", 1)]
"""gRPC lets all channels of a process share a connection, and the door allows few streams on one."""

REDIAL_SECONDS = (0.2, 5.0)


@dataclass(kw_only=True, slots=True)
class RemoteBot:
    """One bot that dials in by itself."""

    name: str
    token: str = field(repr=False)
    version: str = "1"
    slots: int = 1
    games: tuple[str, ...] = ()
    crash_share: float = 0.0
    """The share of questions at which it breaks the stream instead of answering."""
    think_seconds: float = 0.0
    """How long it takes for its answers."""

    async def play(self, address: str) -> str:
        """Play until the server dismisses us for good; returns its reason."""
        token, wait = self.token, REDIAL_SECONDS[0]
        while True:
            try:
                async with grpc.aio.insecure_channel(address, options=OWN_CONNECTION) as channel:
                    reason, resume = await self._converse(channel, token)
                if reason:
                    return reason
                token, wait = resume or self.token, REDIAL_SECONDS[0]
            except grpc.aio.AioRpcError as error:
                if error.code() is grpc.StatusCode.UNAUTHENTICATED and token != self.token:
                    token = self.token  # the server was started anew: it knows the bot, but not where it was
                    continue
                if error.code() in (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED):
                    return str(error.details())
                token = self.token
            await asyncio.sleep(wait * (0.5 + random.random()))
            wait = min(2 * wait, REDIAL_SECONDS[1])

    async def _converse(self, channel: grpc.aio.Channel, token: str) -> tuple[str, str]:
        """Hold one stream open; return why we were dismissed, if we were, and the token to reconnect with."""
        said: asyncio.Queue[pb.FromBotBatch | None] = asyncio.Queue()
        hello = pb.Hello(
            protocol=1, bot_name=self.name, bot_version=self.version, games=self.games, slots=self.slots, sdk="fleet"
        )
        said.put_nowait(pb.FromBotBatch(messages=[pb.FromBot(hello=hello)]))

        async def speak() -> AsyncIterator[bytes]:
            while (batch := await said.get()) is not None:
                yield batch.SerializeToString()

        play: Any = channel.stream_stream("/tortuga.v1.Referee/Play")
        call: Any = play(speak(), metadata=(("authorization", f"Bearer {token}"),))
        resume = ""
        async for raw in call:
            answers = []
            for message in pb.ToBotBatch.FromString(raw).messages:
                match message.WhichOneof("message"):
                    case "welcome":
                        resume = message.welcome.resume_token
                    case "match_start":
                        answers.append(pb.FromBot(table=message.table, ready=pb.Ready()))
                    case "question":
                        if self.crash_share and random.random() < self.crash_share:
                            return "crashed on purpose", ""
                        index = random.randrange(message.question.option_count)
                        choice = pb.Choice(question_id=message.question.question_id, option_index=index)
                        answers.append(pb.FromBot(table=message.table, choice=choice))
                    case "goodbye":
                        said.put_nowait(None)
                        return message.goodbye.reason, ""
            if answers and self.think_seconds:
                loop = asyncio.get_running_loop()
                loop.call_later(self.think_seconds, said.put_nowait, pb.FromBotBatch(messages=answers))
            elif answers:
                said.put_nowait(pb.FromBotBatch(messages=answers))
        return "", resume


async def main(address: str, path: Path) -> None:
    """Run all bots of a file, until our stdin ends."""
    bots = [RemoteBot(**{**table, "games": tuple(table["games"])}) for table in map(json.loads, path.open())]
    tasks = [asyncio.create_task(bot.play(address)) for bot in bots]
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
