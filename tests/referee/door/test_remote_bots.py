"""Who of the remote bots is let in, without gRPC."""

from __future__ import annotations

import asyncio

import pytest

from referee.door.remote_bots import AdmissionRefused, RemoteBots
from referee.door.session import Session
from referee.door.tokens import hash_token
from referee.errors import FaultKind
from support.fake_accounts import FakeAccounts
from support.talk import INTRODUCTION, heard, hello, say
from tortuga.v1 import referee_pb2 as pb

pytestmark = pytest.mark.virtual_time


def make_bots() -> tuple[FakeAccounts, RemoteBots]:
    accounts = FakeAccounts(ann="a", bob="b")
    return accounts, RemoteBots(accounts, "0")


def admit(bots: RemoteBots, token: str) -> Session:
    session = bots.admit(hash_token(token))
    assert session is not None
    return session


def refused(bots: RemoteBots, token: str) -> tuple[str, str]:
    with pytest.raises(AdmissionRefused) as caught:
        bots.admit(hash_token(token))
    return caught.value.status, str(caught.value)


async def resume_token(session: Session) -> str:
    say(session, hello())
    [message] = await heard(session)
    return message.welcome.resume_token


async def test_nobody_comes_in_without_an_account() -> None:
    _, bots = make_bots()
    assert bots.admit(hash_token("guess")) is None
    assert bots.admit(hash_token("")) is None


async def test_a_bot_has_one_session_and_the_first_goes_on() -> None:
    _, bots = make_bots()
    first = admit(bots, "a")
    for _ in range(3):
        status, why = refused(bots, "a")
        assert status == "ALREADY_EXISTS"
        assert "ann is already connected" in why
    assert first.ended is None
    assert admit(bots, "b").name == "bob"


async def test_who_was_there_comes_back_to_a_closed_door_and_nobody_else_is_admitted() -> None:
    _, bots = make_bots()
    session = admit(bots, "a")
    token = await resume_token(session)
    session.detach()
    bots.closed_reason = "we are closing"
    assert refused(bots, "b") == ("UNAVAILABLE", "we are closing")
    assert bots.admit(hash_token("guess")) is None, "a wrong token is told nothing but that it is wrong"
    assert admit(bots, token) is session


async def test_a_program_started_anew_ends_the_session_that_waited() -> None:
    accounts, bots = make_bots()
    first = admit(bots, "a")
    await resume_token(first)
    table = first.open_table()
    ready = table.sit(INTRODUCTION)
    first.detach()
    second = admit(bots, "a")
    assert second is not first
    fault = table.final_fault()
    assert fault is not None
    assert fault.kind is FaultKind.CRASH
    assert "started anew" in fault.message
    assert ready.done()
    await resume_token(second)
    assert accounts.heard == [("ann", "arrived"), ("ann", "away"), ("ann", "left"), ("ann", "arrived")]


async def test_a_resume_token_leads_to_its_own_session_and_is_worthless_after_it() -> None:
    _, bots = make_bots()
    ann, bob = admit(bots, "a"), admit(bots, "b")
    token, other = await resume_token(ann), await resume_token(bob)
    ann.detach()
    assert admit(bots, token) is ann
    assert admit(bots, other) is bob
    bots.disconnect("ann", "your token was changed")
    assert bots.admit(hash_token(token)) is None
    second = admit(bots, "a")
    await resume_token(second)
    second.detach()
    assert bots.admit(hash_token(token)) is None, "of an earlier session of the same bot"


async def test_a_suspended_bot_hears_why() -> None:
    accounts, bots = make_bots()
    accounts.suspended["ann"] = why = "suspended: 5 faults in 20 matches"
    assert refused(bots, "a") == ("PERMISSION_DENIED", why)
    del accounts.suspended["ann"]
    assert admit(bots, "a").name == "ann"


async def test_a_disconnected_bot_hears_the_reason_and_loses_its_matches() -> None:
    accounts, bots = make_bots()
    session = admit(bots, "a")
    await resume_token(session)
    table = session.open_table()
    bots.disconnect("ann", "revoked")
    [message] = await heard(session)
    assert message.goodbye.reason == "revoked"
    assert await session.next_batch() is None
    fault = table.final_fault()
    assert fault is not None
    assert fault.message == "revoked"
    assert accounts.heard == [("ann", "arrived"), ("ann", "left")]
    bots.disconnect("ann", "twice")
    bots.disconnect("nobody", "at all")


async def test_the_owner_of_the_accounts_may_refuse_what_hello_says_and_then_no_welcome_leaves() -> None:
    accounts, bots = make_bots()
    accounts.unwelcome["ann"] = "there is no game chess"
    session = admit(bots, "a")
    say(session, hello(games=["chess"]))
    assert session.refusal == "there is no game chess"
    assert await session.next_batch() is None
    assert accounts.heard == []
    assert admit(bots, "a") is not session


@pytest.mark.parametrize("field", ["bot_name", "bot_version", "sdk", "language"])
@pytest.mark.parametrize("text", ["../../etc", "<b>", "\x1b[31m", "=1;2", "é", "x" * 65, "1\n", "a\u202eb", "\0"])
async def test_odd_words_in_hello_are_refused_with_what_is_allowed(field: str, text: str) -> None:
    _, bots = make_bots()
    session = admit(bots, "a")
    say(session, pb.FromBot(hello=pb.Hello(protocol=1, **{field: text})))  # type: ignore[arg-type]
    assert session.refusal.startswith(f"Hello.{field} is ")
    assert "A-Z a-z 0-9 . _ + - and space" in session.refusal
    assert session.refusal.isascii()
    assert session.refusal.isprintable()
    assert await session.next_batch() is None


async def test_a_stream_without_hello_is_ended_after_the_start_budget() -> None:
    accounts, bots = make_bots()
    session = admit(bots, "a")
    await asyncio.sleep(9.9)
    assert not session.is_over
    assert await session.next_batch() is None
    assert session.refusal == "no Hello came within 10 s"
    assert admit(bots, "a") is not session
    assert accounts.heard == []


async def test_closing_the_door_says_goodbye_once_to_everybody_here_or_away() -> None:
    accounts, bots = make_bots()
    ann, bob = admit(bots, "a"), admit(bots, "b")
    await resume_token(ann)
    token = await resume_token(bob)
    bob.detach()
    bots.close("the server stops")
    assert (await heard(ann))[0].goodbye.reason == "the server stops"
    assert bots.admit(hash_token(token)) is None
    assert sorted(accounts.heard[-2:]) == [("ann", "left"), ("bob", "left")]
    await asyncio.sleep(60)
    assert len(accounts.heard) == 5
    assert bob.ended is None, "a Goodbye of ours is no crash"
