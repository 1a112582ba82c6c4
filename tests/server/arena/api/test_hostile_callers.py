"""Hostile tokens and callers, each with its verdict. None of them changes anything, and nobody else has to wait."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import pytest

from referee.door.tokens import hash_token
from server.arena.api.doors import LOCAL_ONLY, PLAIN_TEXT, OrganiserInterceptor
from server.arena.errors import FailedPrecondition, PermissionDenied, RateLimited, Unauthenticated
from server.arena.people.callers import Callers
from server.arena.people.teams import Team, TokenKind
from support.arena import Arena, code_of
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import arena_pb2_grpc

Code = grpc.StatusCode
WRONG, KIND, NONE = "the token is wrong", "this needs", "this needs a token"
FAR = "ipv4:203.0.113.7:40000"


class Tokens(NamedTuple):
    """Tokens of an arena that stay good, or are revoked."""

    bot: str
    team: str
    other: str
    revoked: str
    commentator: str
    organiser: str
    hash: str


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    with Arena(tmp_path) as arena:
        yield arena


@pytest.fixture
def tokens(arena: Arena) -> Tokens:
    arena.create_event("cup")
    bot = arena.add_bots("lone")["lone"]
    arena.teams.put([Team(name="ann"), Team(name="bob")])
    team, other = (arena.new_token(TokenKind.AUTHOR, name) for name in ("ann", "bob"))
    revoked, label = arena.teams.new_token(TokenKind.AUTHOR, "old", "ann")
    arena.teams.revoke(label.label)
    arena.registry.add("mine", "ann", b"")
    arena.registry.add("theirs", "bob", b"")
    return Tokens(
        bot,
        team,
        other,
        revoked,
        arena.new_token(TokenKind.COMMENTATOR),
        arena.new_token(TokenKind.ORGANISER),
        hash_token(team).hex(),
    )


def swap_case(text: str) -> str:
    return text[:-1] + text[-1].swapcase() if text[-1].isalpha() else text[:-8] + text[-8:].swapcase()


AUTHORS: dict[str, tuple[Any, Code, str]] = {
    "no header": (lambda t: [], Code.UNAUTHENTICATED, NONE),
    "another header": (lambda t: [("token", t.team)], Code.UNAUTHENTICATED, NONE),
    "empty": (lambda t: [("authorization", "")], Code.UNAUTHENTICATED, WRONG),
    "a scheme and nothing": (lambda t: [("authorization", "Bearer ")], Code.UNAUTHENTICATED, WRONG),
    "no scheme": (lambda t: [("authorization", t.team)], Code.UNAUTHENTICATED, WRONG),
    "another scheme": (lambda t: [("authorization", f"Basic {t.team}")], Code.UNAUTHENTICATED, WRONG),
    "the scheme twice": (lambda t: [("authorization", f"Bearer Bearer {t.team}")], Code.UNAUTHENTICATED, WRONG),
    "a space before": (lambda t: [("authorization", f"Bearer  {t.team}")], Code.UNAUTHENTICATED, WRONG),
    "a space within": (lambda t: bearer(f"{t.team[:9]} {t.team[9:]}"), Code.UNAUTHENTICATED, WRONG),
    "two tokens in one header": (lambda t: bearer(f"{t.other},{t.team}"), Code.UNAUTHENTICATED, WRONG),
    "the header twice": (lambda t: bearer(t.team) + bearer(t.team), Code.UNAUTHENTICATED, "2 tokens came"),
    "the header twice, one good": (lambda t: bearer("guess") + bearer(t.bot), Code.UNAUTHENTICATED, "2 tokens came"),
    "too long": (lambda t: bearer("ttg_" + "x" * 4000), Code.UNAUTHENTICATED, WRONG),
    "good, then too long": (lambda t: bearer(t.team + ":" + "x" * 4000), Code.UNAUTHENTICATED, WRONG),
    "a guess of the right shape": (lambda t: bearer("ttg_" + "A" * 43), Code.UNAUTHENTICATED, WRONG),
    "case changed": (lambda t: bearer(t.team.swapcase()), Code.UNAUTHENTICATED, WRONG),
    "one letter's case changed": (lambda t: bearer(swap_case(t.team)), Code.UNAUTHENTICATED, WRONG),
    "cut short": (lambda t: bearer(t.team[:-1]), Code.UNAUTHENTICATED, WRONG),
    "one letter more": (lambda t: bearer(t.team + "x"), Code.UNAUTHENTICATED, WRONG),
    "the hash of a token": (lambda t: bearer(t.hash), Code.UNAUTHENTICATED, WRONG),
    "SQL": (lambda t: bearer("'/**/OR/**/1=1--"), Code.UNAUTHENTICATED, WRONG),
    "a path": (lambda t: bearer("../../admin.key"), Code.UNAUTHENTICATED, WRONG),
    "revoked": (lambda t: bearer(t.revoked), Code.UNAUTHENTICATED, WRONG),
    "revoked, with a bot": (lambda t: bearer(f"{t.revoked}:mine"), Code.UNAUTHENTICATED, WRONG),
    "a team's label": (lambda t: bearer("ann"), Code.UNAUTHENTICATED, WRONG),
    "a commentator's": (lambda t: bearer(t.commentator), Code.PERMISSION_DENIED, KIND),
    "an organiser's": (lambda t: bearer(t.organiser), Code.PERMISSION_DENIED, KIND),
    "for another team's bot": (lambda t: bearer(f"{t.team}:theirs"), Code.NOT_FOUND, "the team ann has no bot"),
    "for a bot that is not there": (lambda t: bearer(f"{t.team}:nobody"), Code.NOT_FOUND, "the team ann has no bot"),
    "a bot's, for another bot": (lambda t: bearer(f"{t.bot}:mine"), Code.PERMISSION_DENIED, KIND),
    "an empty bot": (lambda t: bearer(f"{t.team}:"), Code.NOT_FOUND, "the team ann has no bot"),
    "two bots": (lambda t: bearer(f"{t.team}:mine:mine"), Code.NOT_FOUND, "the team ann has no bot"),
    "a bot's name in another case": (lambda t: bearer(f"{t.team}:MINE"), Code.NOT_FOUND, "the team ann has no bot"),
}


def bearer(token: str) -> list[tuple[str, str]]:
    return [("authorization", f"Bearer {token}")]


@pytest.mark.parametrize("case", AUTHORS)
def test_an_author_with_a_hostile_token_is_refused_with_the_reason(case: str, arena: Arena, tokens: Tokens) -> None:
    make, code, words = AUTHORS[case]
    metadata = make(tokens)
    for call, request in (
        (arena.api.EnterEvent, pb.EnterEventRequest(name="cup")),
        (arena.api.GetAccount, pb.GetAccountRequest()),
    ):
        found, said = code_of(lambda: call(request, metadata=metadata))  # noqa: B023
        assert (found, said.startswith(words)) == (code, True), said
        assert "ttg_" not in said
        assert "metadata" not in said or code is Code.UNAUTHENTICATED
    assert arena.registry.event("cup").entries == {}
    entered = arena.api.EnterEvent(pb.EnterEventRequest(name="cup"), metadata=bearer(tokens.team))
    assert [entry.bot for entry in entered.entries] == ["mine"], "a good token is as good as before"


ORGANISERS: dict[str, tuple[Any, Code]] = {
    "nothing": (lambda t: [], Code.UNAUTHENTICATED),
    "a guess": (lambda t: bearer("ttg_" + "A" * 43), Code.UNAUTHENTICATED),
    "a bot's": (lambda t: bearer(t.bot), Code.PERMISSION_DENIED),
    "a team's": (lambda t: bearer(t.team), Code.PERMISSION_DENIED),
    "a team's with a bot": (lambda t: bearer(f"{t.team}:mine"), Code.UNAUTHENTICATED),
    "a commentator's": (lambda t: bearer(t.commentator), Code.PERMISSION_DENIED),
    "in another case": (lambda t: bearer(t.organiser.swapcase()), Code.UNAUTHENTICATED),
    "an organiser's, twice": (lambda t: bearer(t.organiser) * 2, Code.UNAUTHENTICATED),
    "as the admin key": (lambda t: [("admin-key", t.organiser)], Code.UNAUTHENTICATED),
}


def order(call: Any, request: Any, metadata: Any, is_stream: bool) -> Any:
    """Give an order, whatever its kind."""
    return list(call(request, metadata=metadata)) if is_stream else call(request, metadata=metadata)


@pytest.mark.parametrize("case", ORGANISERS)
def test_the_public_door_takes_orders_from_organisers_alone(case: str, arena: Arena, tokens: Tokens) -> None:
    """Fault 32: every order there is, whatever its kind."""
    make, code = ORGANISERS[case]
    intruder: Any = arena_pb2_grpc.ArenaAdminStub(arena.channel)
    bots, teams = arena.registry.bots(), arena.teams.teams()
    callers = Callers(arena.registry, arena.teams)
    for method in pb.DESCRIPTOR.services_by_name["ArenaAdmin"].methods:
        arena.people.callers._throttle = callers._throttle = type(callers._throttle)()  # each is a first try
        request = getattr(pb, method.input_type.name)()
        call = getattr(intruder, method.name)
        given = iter([request]) if method.client_streaming else request
        found, said = code_of(partial(order, call, given, make(tokens), method.server_streaming))
        assert found is code, (method.name, said)
    assert (arena.registry.bots(), arena.teams.teams()) == (bots, teams)
    channel: Any = arena.channel
    for path in ("/grpc.health.v1.Health/Check", "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"):
        assert code_of(lambda: channel.unary_unary(path)(b""))[0] is Code.UNIMPLEMENTED  # noqa: B023


def test_an_organiser_gives_orders_but_starts_no_programs(arena: Arena, tokens: Tokens) -> None:
    far: Any = arena_pb2_grpc.ArenaAdminStub(arena.channel)
    mine = bearer(tokens.organiser)
    assert far.SuspendBot(pb.SuspendBotRequest(name="lone", reason="a try"), metadata=mine).suspended == "a try"
    assert code_of(lambda: far.HostBot(pb.HostBotRequest(spec="cmd: rm -r /"), metadata=mine)) == (
        Code.PERMISSION_DENIED,
        LOCAL_ONLY["HostBot"],
    )
    assert [(line.who, line.what, line.whom) for line in arena.people.audit.lines(limit=1)] == [
        ("token organiser", "SuspendBot", "lone")
    ]
    arena.admin.RevokeToken(pb.RevokeTokenRequest(label="organiser"))
    assert code_of(lambda: far.GetStatus(pb.GetStatusRequest(), metadata=mine))[0] is Code.UNAUTHENTICATED


class Peer:
    """The context of a call from somewhere."""

    def __init__(self, peer: str, token: str) -> None:
        self._peer, self._token = peer, token

    def peer(self) -> str:
        return self._peer

    def invocation_metadata(self) -> list[tuple[str, str]]:
        return bearer(self._token)


@pytest.mark.parametrize(
    ("peer", "tls", "allowed"),
    [
        (FAR, True, True),
        (FAR, False, False),
        ("ipv6:%5B2001:db8::1%5D:40000", False, False),
        ("ipv4:127.0.0.1:40000", False, True),
        ("ipv6:%5B::1%5D:40000", False, True),
    ],
)
def test_no_order_is_taken_in_plain_text_from_elsewhere(
    peer: str, tls: bool, allowed: bool, arena: Arena, tokens: Tokens
) -> None:
    gate = OrganiserInterceptor(arena.people.callers, tls=tls)

    async def answer(request: object, context: object) -> str:
        return "done"

    async def find(details: object) -> Any:
        return grpc.unary_unary_rpc_method_handler(answer)

    async def call() -> Any:
        details: Any = type("Details", (), {"method": "/tortuga.v1.ArenaAdmin/GetStatus"})()
        handler: Any = await gate.intercept_service(find, details)
        return await handler.unary_unary(None, Peer(peer, tokens.organiser))

    if allowed:
        assert arena.run(call()) == "done"
    else:
        with pytest.raises(FailedPrecondition) as refused:
            arena.run(call())
        assert str(refused.value) == PLAIN_TEXT


def test_an_address_that_guesses_has_to_wait_and_its_neighbour_need_not(arena: Arena, tokens: Tokens) -> None:
    callers = arena.people.callers
    for _ in range(5):
        with pytest.raises(Unauthenticated):
            callers.author(bearer("guess"), FAR)
    for guess in (lambda: callers.author(bearer("guess"), FAR), lambda: callers.organiser(bearer("guess"), FAR)):
        with pytest.raises(RateLimited, match="too many wrong tokens"):
            guess()
    with pytest.raises(PermissionDenied):
        callers.commentator(tokens.team, FAR)
    assert callers.author(bearer(tokens.team), FAR).owner == "ann"
    with pytest.raises(Unauthenticated):
        callers.author(bearer("guess"), "unix:")  # the pages count for themselves
