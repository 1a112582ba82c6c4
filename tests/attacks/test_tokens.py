"""Tokens that are guessed, nearly right, used up, stolen, revoked or changed while their bot plays."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from typing import Any

import grpc
import grpc.aio

from referee.door.tokens import hash_token, new_token
from support.bystanders import Bystanders
from support.dialling import Cable, Line, until
from support.served import Served
from support.sizes import pick
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import referee_pb2
from tortuga.v1.arena_pb2_grpc import ArenaStub

GUESSES = pick(ci=30, full=2000)
THIEVES = pick(ci=20, full=100)
GUESSER = "127.0.0.67"
"""Those who guess come from here, and are made to wait there."""
REFUSED = {"UNAUTHENTICATED", "RESOURCE_EXHAUSTED"}


def near(token: str) -> list[str]:
    """Return tokens that are nearly right."""
    return [token[:-1], token + "x", token.swapcase(), f"Bearer {token}", hash_token(token).hex(), f"{token}:ann", ""]


async def ask(api: Any, token: str) -> str:
    """Ask for the account of a token; return the status."""
    try:
        await api.GetAccount(pb.GetAccountRequest(), metadata=(("authorization", f"Bearer {token}"),))
    except grpc.aio.AioRpcError as error:
        return error.code().name
    return "OK"


async def dial(address: str, token: str) -> str:
    """Dial with a token, and wait to be sent away; return the status."""
    line = Line(address, token)
    try:
        return (await line.status())[0]
    finally:
        await line.hang_up()


async def test_guessing_leads_nowhere_and_keeps_out_nobody_who_knows_a_token(bystanders: Bystanders) -> None:
    served = bystanders.served
    [token] = served.add("guessed").values()
    guesses = [*near(token), *(new_token() for _ in range(GUESSES))]
    with bystanders.unharmed("guessed tokens"):
        async with Cable(served.bots, GUESSER) as bots, Cable(served.public, GUESSER) as public:
            codes = Counter([await dial(bots.address, guess) for guess in guesses])
            assert set(codes) <= REFUSED, codes
            async with grpc.aio.insecure_channel(public.address) as channel:
                api: Any = ArenaStub(channel)
                codes = Counter([await ask(api, guess) for guess in guesses])
                assert set(codes) <= {*REFUSED, "PERMISSION_DENIED"}, codes
                for _ in range(600):  # its owner has the same address, which may have asked too often
                    if (code := await ask(api, token)) != "RESOURCE_EXHAUSTED":
                        break
                    await asyncio.sleep(0.1)
                assert code == "OK"
            line = Line(bots.address, token)
            await line.greet(games=["broadsides"])
            await line.hang_up()


async def test_a_stolen_token_takes_nobodys_seat(bystanders: Bystanders) -> None:
    """Thieves have every token that was ever on the way but the newest, and dial all together, again and again."""
    served = bystanders.served
    tokens = served.add("victim", "thief")
    with bystanders.unharmed("stolen tokens"):
        async with Cable(served.bots, GUESSER) as cable, Cable(served.bots) as home:
            thief = Line(cable.address, tokens["thief"])
            await thief.greet(games=["broadsides"])
            victim = Line(home.address, tokens["victim"])
            used = [(await victim.greet(games=["pavillon_noir"])).resume_token]
            await victim.play(stop_at="answered")
            for _ in range(2):  # the line breaks in the middle of a match, and thieves dial before its bot is back
                home.cut()
                back = Line(home.address, used[-1])
                used.append((await back.greet()).resume_token)
                await back.play(stop_at="answered")
                loot = [*used[:-1], tokens["victim"], thief.welcome.resume_token + "x", new_token()]
                codes = Counter(await asyncio.gather(*(dial(cable.address, loot[i % 4]) for i in range(THIEVES))))
                assert set(codes) <= {*REFUSED, "ALREADY_EXISTS"}, codes
            end = await back.play(stop_at="match_end")
            assert end.match_end.reason != "fault"
            await back.say(referee_pb2.FromBot(goodbye=referee_pb2.Goodbye()))
            await thief.hang_up()


async def test_tokens_that_are_changed_or_revoked_while_their_bots_play_end_at_once(bystanders: Bystanders) -> None:
    served = bystanders.served
    tokens = served.add("rotating", "revoked")
    with bystanders.unharmed("revoked while playing"):
        lines = {name: Line(served.bots, token) for name, token in tokens.items()}
        for line in lines.values():
            await line.greet(games=["pavillon_noir"])
        playing = {name: asyncio.create_task(play_until_dismissed(line)) for name, line in lines.items()}
        await until(lambda: all(has_played(served, name) for name in tokens))
        orders = [asyncio.to_thread(served.admin.RotateToken, pb.RotateTokenRequest(name="rotating")) for _ in range(8)]
        answers = await asyncio.gather(
            asyncio.to_thread(served.admin.RevokeBot, pb.RevokeBotRequest(name="revoked")), *orders
        )
        await asyncio.gather(*playing.values())
        new = [answer.token for answer in answers[1:]]
        assert len({*new}) == len(new)
        for token in (*tokens.values(), *(line.welcome.resume_token for line in lines.values())):
            assert await dial(served.bots, token) in REFUSED
        good = [token for token in new if await lets_in(served.bots, token)]
        assert len(good) <= 1, "of tokens that were made at the same time, the last one counts"


async def play_until_dismissed(line: Line) -> None:
    """Play until Goodbye, or until the stream ends otherwise."""
    with suppress(grpc.aio.AioRpcError, AssertionError):
        await line.play(stop_at="goodbye")


def has_played(served: Served, name: str) -> bool:
    """Check whether a bot has finished a match."""
    request = pb.ListMatchesRequest(bot=name, state=pb.MATCH_STATE_FINISHED)
    return bool(served.api.ListMatches(request).matches)


async def lets_in(address: str, token: str) -> bool:
    """Check whether a token is good."""
    line = Line(address, token)
    try:
        await line.greet(games=["broadsides"])
    except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
        return False
    finally:
        await line.hang_up()
    return True
