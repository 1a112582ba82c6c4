"""The service ArenaAdmin, called over its socket as the organiser's commands do."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from referee.door.tokens import hash_token
from server.arena.errors import FailedPrecondition
from server.arena.keys import read_admin_key
from server.arena.operations.running_arena import change_registry
from server.cli.common.arena_client import with_admin_key
from support.arena import LADDER, MANIFEST, Arena, code_of
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import arena_pb2_grpc

Code = grpc.StatusCode
LADDERS = "pavillon_noir-2, broadsides-2, pirates_cove-4"


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    with Arena(tmp_path) as opened:
        yield opened


def test_status(arena: Arena) -> None:
    assert arena.admin.GetStatus(pb.GetStatusRequest()).server_version == "test"


def test_without_its_key_the_door_refuses_everything(arena: Arena) -> None:
    right = read_admin_key(arena.path)
    for key in ("", "wrong", right[:-1], f"{right}x", right.upper()):
        with grpc.insecure_channel(f"unix:{arena.path}/admin.sock") as socket:
            channel = with_admin_key(socket, key) if key else socket
            admin, api = arena_pb2_grpc.ArenaAdminStub(channel), arena_pb2_grpc.ArenaStub(channel)
            for call in (
                lambda admin=admin: admin.AddBot(pb.AddBotRequest(name="spy")),
                lambda admin=admin: admin.GetStatus(pb.GetStatusRequest()),
                lambda api=api: api.ListBots(pb.ListBotsRequest()),
                lambda api=api: list(api.WatchMatch(pb.WatchMatchRequest(match_id="m"))),
            ):
                code, words = code_of(call)
                assert code is Code.UNAUTHENTICATED
                assert ("a wrong key came" if key else "no key came") in words
                assert "--dir DIR" in words
                assert "admin.key" in words
                assert right not in words
    assert arena.registry.bots() == []


def test_a_bots_token_is_no_key(arena: Arena) -> None:
    [token] = arena.add_bots("ann").values()
    with grpc.insecure_channel(f"unix:{arena.path}/admin.sock") as socket:
        admin = arena_pb2_grpc.ArenaAdminStub(with_admin_key(socket, token))
        assert code_of(lambda: admin.GetStatus(pb.GetStatusRequest()))[0] is Code.UNAUTHENTICATED


def test_a_token_is_shown_once_and_kept_as_a_hash(arena: Arena) -> None:
    added = arena.admin.AddBot(pb.AddBotRequest(name="ann", owner="Ann of Nantes"))
    assert (added.bot.name, added.bot.owner, added.bot.hosted) == ("ann", "Ann of Nantes", False)
    assert arena.registry.find(hash_token(added.token)) == "ann"
    rotated = arena.admin.RotateToken(pb.RotateTokenRequest(name="ann"))
    assert arena.registry.find(hash_token(added.token)) is None
    assert arena.registry.find(hash_token(rotated.token)) == "ann"
    files = b"".join(path.read_bytes() for path in arena.path.glob("arena.db*"))
    assert b"ann" in files
    for token in (added.token, rotated.token):
        assert token.encode() not in files
        assert token not in str(arena.admin.RevokeBot(pb.RevokeBotRequest(name="ann")))


def test_a_bot_is_suspended_lifted_and_revoked(arena: Arena) -> None:
    arena.add_bots("ann")
    assert arena.admin.SuspendBot(pb.SuspendBotRequest(name="ann", reason="late")).suspended == "late"
    assert arena.admin.LiftSuspension(pb.LiftSuspensionRequest(name="ann")).suspended == ""
    assert arena.admin.RevokeBot(pb.RevokeBotRequest(name="ann")).revoked
    code, words = code_of(lambda: arena.admin.RotateToken(pb.RotateTokenRequest(name="ann")))
    assert (code, "was revoked" in words) == (Code.FAILED_PRECONDITION, True)


def test_one_ladder_or_all_of_them_rest_and_go_on(arena: Arena) -> None:
    paused = arena.admin.PauseLadder(pb.PauseLadderRequest(name=LADDER)).ladders
    assert [ladder.paused for ladder in paused] == [True, False, False]
    paused = arena.admin.PauseLadder(pb.PauseLadderRequest()).ladders
    assert [ladder.paused for ladder in paused] == [True, True, True]
    paused = arena.admin.ResumeLadder(pb.ResumeLadderRequest(name="broadsides-2")).ladders
    assert [ladder.paused for ladder in paused] == [True, False, True]
    code, words = code_of(lambda: arena.admin.PauseLadder(pb.PauseLadderRequest(name="chess")))
    assert (code, "no ladder 'chess'" in words, words.endswith(LADDERS)) == (Code.NOT_FOUND, True, True)


def test_an_event_from_its_announcement_to_its_end(arena: Arena) -> None:
    arena.add_bots("ann", "bob")
    request = pb.CreateEventRequest(name="cup", manifest=MANIFEST, registration_millis=1, start_millis=3)
    event = arena.admin.CreateEvent(request)
    assert (event.name, event.format, list(event.contests)) == ("cup", "swiss", [LADDER])
    assert code_of(lambda: arena.admin.CreateEvent(request))[0] is Code.ALREADY_EXISTS
    event = arena.admin.EnterBot(pb.EnterBotRequest(event="cup", bot="ann"))
    assert [entry.bot for entry in event.entries] == ["ann"]
    assert code_of(lambda: arena.admin.EnterBot(pb.EnterBotRequest(event="cup", bot="x")))[0] is Code.NOT_FOUND
    event = arena.admin.StartEvent(pb.StartEventRequest(name="cup"))
    assert (event.state, event.matches_done, event.matches_planned) == (pb.EVENT_STATE_RUNNING, 3, 12)
    code, words = code_of(lambda: arena.admin.EnterBot(pb.EnterBotRequest(event="cup", bot="bob")))
    assert (code, "cup is running" in words) == (Code.FAILED_PRECONDITION, True)
    event = arena.admin.CancelEvent(pb.CancelEventRequest(name="cup", reason="storm"))
    assert (event.state, event.reason) == (pb.EVENT_STATE_CANCELLED, "storm")


@pytest.mark.parametrize("times", [(5, 4, 0), (5, 0, 4), (0, 5, 4), (-1, 0, 0)])
def test_times_that_do_not_follow_each_other_are_refused(arena: Arena, times: tuple[int, int, int]) -> None:
    keys = dict(zip(("registration_millis", "check_in_millis", "start_millis"), times, strict=True))
    code, words = code_of(lambda: arena.create_event("cup", **keys))
    assert (code, "registration, check-in," in words) == (Code.INVALID_ARGUMENT, True)


@pytest.mark.parametrize("name", ["", "..", "../x", "<b>", "\x1b[31m", "=1", "a b", "x" * 10_000])
def test_hostile_names_are_refused(arena: Arena, name: str) -> None:
    """Fault 42."""
    for call in (
        lambda: arena.admin.AddBot(pb.AddBotRequest(name=name)),
        lambda: arena.admin.HostBot(pb.HostBotRequest(spec="gunner", name=name or "..")),
        lambda: arena.admin.CreateEvent(pb.CreateEventRequest(name=name, manifest=MANIFEST)),
    ):
        code, words = code_of(call)
        assert code is Code.INVALID_ARGUMENT
        assert words.isascii()
        assert words.isprintable()
        assert len(words) < 400
    assert code_of(lambda: arena.admin.AddBot(pb.AddBotRequest(name="a", owner="\x1b[2J")))[0] is Code.INVALID_ARGUMENT
    assert (arena.registry.bots(), arena.registry.events()) == ([], [])


def test_an_order_that_cannot_be_written_down_is_told_as_such() -> None:
    def locked() -> None:
        raise sqlite3.OperationalError("database is locked")

    with pytest.raises(FailedPrecondition, match=r"nothing .*is locked"):
        asyncio.run(change_registry(locked))
