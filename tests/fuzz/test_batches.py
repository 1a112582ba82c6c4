"""A bot that may send anything at any time: its match ends or goes on, its opponent loses nothing, nothing falls over.

Two bots play real matches at three tables through real sessions. One answers properly; the other mixes proper answers
with whatever hypothesis thinks of.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.door.session import Session
from referee.match.clock import TimeControl
from referee.match.match import Match, MatchResult
from support import tortoise
from support.corpus import with_saved
from support.players import QuietHost
from support.sizes import pick, sized
from support.virtual_time import run
from tortuga.v1 import referee_pb2 as pb

TABLES = 3

numbers = st.integers(0, 6) | st.sampled_from([2**31 - 1, 2**32 - 1])
texts = st.text(max_size=5) | st.sampled_from(["\x1b[31m", "x" * 300])
messages = st.builds(
    pb.FromBot,
    table=numbers,
    choice=st.none() | st.builds(pb.Choice, question_id=numbers, option_index=st.integers(-2, 6)),
) | st.one_of(
    st.builds(pb.FromBot, table=numbers, ready=st.builds(pb.Ready)),
    st.builds(pb.FromBot, table=numbers, resign=st.builds(pb.Resign)),
    st.builds(pb.FromBot, goodbye=st.builds(pb.Goodbye, reason=texts)),
    st.builds(pb.FromBot, hello=st.builds(pb.Hello, protocol=numbers, bot_name=texts, slots=numbers)),
    st.builds(pb.FromBot),
)
batches = st.lists(messages, max_size=4).map(lambda row: pb.FromBotBatch(messages=row).SerializeToString())
noise = st.lists(st.none() | batches | st.binary(max_size=40), max_size=12)
"""What the bad bot says instead of its next answers; None: it answers properly."""


def answer(raw: bytes) -> bytes:
    """What a proper bot says to a batch."""
    said = []
    for message in pb.ToBotBatch.FromString(raw).messages:
        kind = message.WhichOneof("message")
        if kind == "match_start":
            said.append(pb.FromBot(table=message.table, ready=pb.Ready()))
        elif kind == "question":
            asked = message.question
            chosen = pb.Choice(question_id=asked.question_id, option_index=asked.question_id % asked.option_count)
            said.append(pb.FromBot(table=message.table, choice=chosen))
    return pb.FromBotBatch(messages=said).SerializeToString()


async def converse(session: Session, instead: Sequence[bytes | None]) -> None:
    """One bot's side of its stream."""
    hello = pb.FromBot(hello=pb.Hello(protocol=1, bot_name="b", slots=TABLES))
    session.receive(pb.FromBotBatch(messages=[hello]).SerializeToString())
    turns = iter(instead)
    while (raw := await session.next_batch()) is not None:
        odd = next(turns, None)
        said = answer(raw) if odd is None else odd
        await asyncio.sleep(0.001)
        if said:
            session.receive(said)


async def play(instead: Sequence[bytes | None], faults_allowed: int) -> list[MatchResult]:
    good, bad = Session("good", "0"), Session("bad", "0")
    talks = [asyncio.create_task(converse(good, ())), asyncio.create_task(converse(bad, instead))]
    await asyncio.sleep(0)
    clock = TimeControl(bank_seconds=5.0, start_seconds=5.0)
    matches = [
        Match(
            tortoise.terms(clock=clock, seed=f"{table}", faults_allowed=faults_allowed),
            [good.open_table(), bad.open_table()],
            QuietHost(),
        ).play()
        for table in range(TABLES)
    ]
    results = await asyncio.gather(*matches)
    assert good.ended is None
    for session in (good, bad):
        session.close("over")
    await asyncio.gather(*talks)
    return results


@pytest.mark.system
@sized
@settings(deadline=None, max_examples=pick(quick=30, ci=1500, full=30_000))
@with_saved("batches", lambda content: ([content], 0))
@with_saved("batches", lambda content: ([None, content, content], 1))
@given(noise, st.integers(0, 2))
def test_no_batch_harms_the_referee_or_the_opponent(instead: list[bytes | None], faults_allowed: int) -> None:
    for result in run(play(instead, faults_allowed)):
        assert not result.void
        assert {fault.seat for fault in result.faults} <= {1}
        assert all(sign.isprintable() for fault in result.faults for sign in fault.message)
        if any(fault.out for fault in result.faults):
            assert result.ranks == (1, 2)
