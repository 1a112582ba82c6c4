"""Floods at the door of bots that cost others nothing: signs of life, and messages that are deep instead of long."""

from __future__ import annotations

import pytest

from referee.door.session import MAX_MESSAGE_BYTES, Session
from referee.errors import FaultKind
from support.dialling import Line, open_door
from support.fake_accounts import FakeAccounts
from support.raw_http2 import PING, PREFACE, SETTINGS, Rude, frame
from tortuga.v1 import referee_pb2 as pb

TOKEN = "account-token-of-ann"
GROUP = b"\x0b"
"""The beginning of a group in a group, which no message of ours knows."""


async def test_whoever_asks_for_many_signs_of_life_is_answered() -> None:
    """gRPC would hang up after two, and needs seconds for it, in which it hears no other bot."""
    async with open_door(FakeAccounts(ann=TOKEN)) as door:
        rude = Rude(door.address, "127.0.0.1")
        assert await rude.attack([PREFACE + frame(SETTINGS), *[frame(PING, b"12345678") * 10] * 20]) == "answers"
        await Line(door.address, TOKEN).greet()


@pytest.mark.parametrize("raw", [GROUP * MAX_MESSAGE_BYTES, b"\xff" * MAX_MESSAGE_BYTES])
def test_a_deep_message_breaks_the_protocol_and_nothing_else(raw: bytes) -> None:
    session = Session("ann", "test")
    session.receive(pb.FromBotBatch(messages=[pb.FromBot(hello=pb.Hello(protocol=1))]).SerializeToString())
    session.receive(raw)
    assert session.ended is not None
    assert session.ended.kind is FaultKind.PROTOCOL
