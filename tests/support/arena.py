"""An arena without matches: a hall that only writes down what it is told, with real registry, folders and services.

`Arena` serves them on real gRPC servers in a thread of its own, so that tests and command lines can call it as anybody
does.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc
import grpc.aio
import pytest

from referee.door.tokens import hash_token
from server.arena.api.doors import People, admin_server, public_server, web_server
from server.arena.api.services import make_services
from server.arena.arena_state import Attendance, EventOrigin, Progress
from server.arena.caller_input import quote
from server.arena.errors import FailedPrecondition, NotFound
from server.arena.keys import new_token, read_admin_key, write_admin_key
from server.arena.messages import why_quiet
from server.arena.operations.running_arena import RunningArena
from server.arena.people.audit import AuditLog
from server.arena.people.callers import Callers
from server.arena.people.teams import Teams, TokenKind
from server.arena.rate_limits import RateLimiter
from server.arena.reading.archive import Archive
from server.arena.reading.fits import Version
from server.arena.reading.standings_maker import StandingsMaker
from server.arena.registry import Registry
from server.arena.registry_schema import EventState
from server.cli.common.arena_client import with_admin_key
from server.play.summary import MatchSummary
from server.tournament.agreement import Agreement, Entry
from server.tournament.folder import Folder
from server.tournament.live_ladder import LiveLadder
from server.tournament.manifest import Manifest, make_manifest
from server.tournament.store import Store
from support.summaries import make_block
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import arena_pb2_grpc

T = TypeVar("T")
LADDER = "pavillon_noir-2"
DOORS = pb.DoorsInfo(bots_address="127.0.0.1:7071", public_address="127.0.0.1:7072")
MANIFEST = """
name = "cup"
seed = "s"
format = "swiss"
[[games]]
id = "pavillon_noir"
"""


class FakeArena(RunningArena):
    """Everything the services ask for, and nothing is played."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.submissions = None
        self.matches: list[pb.MatchInfo] = []
        self.present: dict[str, Attendance] = {}
        self.sights: list[pb.Sight] = []
        self.hold = asyncio.Event()
        """Watchers wait for it after the last sight."""
        self.watching = 0
        self.failure: Exception | None = None
        self.frozen: dict[str, int] = {}
        self.archived: list[pb.Season] = []
        self.items: list[pb.NewsItem] = []
        self.ruled: list[str] = []
        """The events, and "" for the ladders, on which rulings were made."""
        self.forgotten: list[str] = []
        self.disconnected: list[str] = []
        """The labels of revoked tokens."""

    def running(self) -> Sequence[pb.MatchInfo]:
        if self.failure:
            raise self.failure
        return self.matches

    def attendance(self, bot: str) -> Attendance:
        return self.present.get(bot, Attendance())

    def ladders(self) -> Sequence[pb.LadderInfo]:
        paused = self.registry.paused()
        names = [("pavillon_noir", 2), ("broadsides", 2), ("pirates_cove", 4)]
        return [
            pb.LadderInfo(
                name=f"{game}-{seats}",
                game=game,
                seats=seats,
                paused=f"{game}-{seats}" in paused,
                frozen_millis=self.frozen.get(f"{game}-{seats}", 0),
                bots=2,
            )
            for game, seats in names
        ]

    def progress(self, event: str) -> Progress | None:
        return Progress(3, 12) if self.registry.event(event).state is EventState.RUNNING else None

    def info(self) -> pb.ArenaInfo:
        return pb.ArenaInfo(
            server_version="test",
            bots_address="127.0.0.1:7071",
            running=len(self.matches),
            challenges_per_day=20,
            zone="UTC",
        )

    async def challenge(self, bot: str, ladder: str, opponents: Sequence[str]) -> pb.MatchInfo:
        match = running_match(f"challenge-{len(self.matches)}", 1, [bot, *opponents])
        match.challenger = bot
        self.matches.append(match)
        return match

    def status(self) -> pb.ServerStatus:
        return pb.ServerStatus(server_version="test", connected=2, running=len(self.matches), trouble="")

    def doors(self) -> pb.DoorsInfo:
        return DOORS

    def disconnect_token(self, label: str, reason: str) -> None:
        self.disconnected.append(label)

    async def watch(self, match_id: str, *, full: bool, pace_seconds: float = 0.0) -> AsyncGenerator[pb.Sight, None]:
        if match_id not in [match.match_id for match in self.matches]:
            raise NotFound(f"no match {quote(match_id)} is being played")
        self.watching += 1
        try:
            for sight in self.sights:
                yield sight
            await self.hold.wait()
        finally:
            self.watching -= 1

    async def add_bot(self, name: str, owner: str) -> str:
        token = new_token()
        self.registry.add(name, owner, hash_token(token))
        return token

    async def host_bot(self, spec: str, name: str, owner: str) -> str:
        return self.registry.host(name or spec, owner, spec).name

    async def rotate(self, name: str) -> str:
        token = new_token()
        self.registry.rotate(name, hash_token(token))
        return token

    async def revoke(self, name: str) -> None:
        self.registry.revoke(name)

    async def suspend(self, name: str, reason: str) -> None:
        self.registry.suspend(name, reason)

    async def lift(self, name: str) -> None:
        self.registry.lift(name)

    async def forget_submissions(self, owner: str) -> None:
        self.forgotten.append(owner)

    async def pause(self, ladder: str) -> None:
        self.registry.pause([ladder] if ladder else [one.name for one in self.ladders()])

    async def resume(self, ladder: str) -> None:
        self.registry.resume([ladder] if ladder else [one.name for one in self.ladders()])

    def schedule(self, event: str) -> EventOrigin:
        return EventOrigin(zone="UTC")

    def why_quiet(self, ladder: pb.LadderInfo) -> str:
        return why_quiet(ladder)

    def seasons(self) -> Sequence[pb.Season]:
        return self.archived

    def news(self) -> Sequence[pb.NewsItem]:
        return self.items

    async def freeze(self, ladder: str, at_millis: int) -> None:
        self.frozen.update(dict.fromkeys([ladder] if ladder else [x.name for x in self.ladders()], at_millis or 1))

    async def unfreeze(self, ladder: str) -> None:
        self.frozen = {one: at for one, at in self.frozen.items() if ladder not in ("", one)}

    async def archive_season(self, name: str) -> pb.Season:
        self.archived.append(pb.Season(name=name, archived_millis=1, matches=7, ladders=[LADDER]))
        return self.archived[-1]

    async def start_season(self, *, from_ratings: bool, shrink: float) -> Sequence[pb.StartingRating]:
        start = pb.StartingRating(contest=LADDER, bot="ann", version="1", rating=1000 + 100 * shrink, plus_minus=80)
        return [start] if from_ratings else []

    async def create_series(self, request: pb.CreateEventRequest) -> str:
        name = f"{request.name}-2026-11-20"
        await self.create_event(name, request.manifest, 0, 0, 0)
        return name

    async def create_event(
        self,
        name: str,
        manifest: str,
        registration_millis: int,
        check_in_millis: int,
        start_millis: int,
        zone: str = "",
    ) -> None:
        self.registry.create_event(
            name,
            manifest,
            registration_millis=registration_millis,
            check_in_millis=check_in_millis,
            start_millis=start_millis,
        )
        self.registry.set_state(name, EventState.REGISTRATION)

    async def enter(self, event: str, bot: str, *, late: bool) -> None:
        if not late and self.registry.event(event).state is not EventState.REGISTRATION:
            raise FailedPrecondition(f"registration for {event} is not open")
        self.registry.enter(event, bot)

    async def leave(self, event: str, bot: str) -> None:
        self.registry.leave(event, bot)

    async def start_event(self, name: str) -> None:
        self.registry.set_state(name, EventState.RUNNING)

    async def cancel_event(self, name: str, reason: str) -> str:
        return self.registry.set_state(name, EventState.CANCELLED, reason).name

    async def take_rulings(self, event: str) -> None:
        self.ruled.append(event)


def make_tables_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have tables made in threads of this process, where a test can change how."""

    async def run(self: StandingsMaker, make: Callable[..., Any], *words: Any) -> Any:
        return await asyncio.to_thread(make, *words)

    monkeypatch.setattr(StandingsMaker, "_run", run)


def version(number: int) -> Version:
    """A version of the data."""
    return Version(matches=number, roster=0, rulings=0, database=0)


def open_manifest(**keys: Any) -> Manifest:
    """Of an arena's ladder folder."""
    return make_manifest(
        {
            "name": "ladder",
            "seed": "s",
            "format": "ladder",
            "anchor": "ann",
            "mirrored": False,
            "games": [{"id": "pavillon_noir"}],
            "bots": [{"spec": "random", "name": "ann"}],
            **keys,
        }
    )


def fill(folder: Folder, blocks: Sequence[Sequence[MatchSummary]], manifest: Manifest | None = None) -> None:
    """An event folder in which these were played; their records hold some bytes."""
    folder.records.mkdir(parents=True, exist_ok=True)
    roster = [
        Entry(name="ann", bot="ann", version="1"),
        Entry(name="bob", bot="bob", version="1"),
        Entry(name="cid", bot="cid"),
        Entry(name="ann-2", bot="ann", version="2", ancestor="ann"),
    ]
    folder.write_agreement(Agreement(manifest=manifest or open_manifest(), roster=tuple(roster)))
    fold = LiveLadder(1.0)
    with Store.open(folder.database) as store:
        for block in blocks:
            store.add(block, fold.feed(block[0].block, block))


def block(number: int, bots: Sequence[str], ranks: Sequence[Sequence[int]] = ((1, 2), (1, 2))) -> list[MatchSummary]:
    """Two matches that began in the second of the block's number."""
    return [
        replace(match, started_millis=1000 * (number + 1) + match.rotation)
        for match in make_block(number, bots, ranks, failed=["bob"])
    ]


def running_match(match_id: str, started_millis: int, bots: Sequence[str] = ("ann", "bob")) -> pb.MatchInfo:
    """A match that is being played."""
    return pb.MatchInfo(
        match_id=match_id,
        state=pb.MATCH_STATE_RUNNING,
        contest=LADDER,
        started_millis=started_millis,
        seats=[pb.MatchSeat(entry=bot, version="1") for bot in bots],
    )


class Arena:
    """`with Arena(path) as arena`: both servers, on a loop in a thread."""

    def __init__(
        self,
        path: Path,
        *,
        buckets: RateLimiter | None = None,
        max_watchers: int = 200,
        max_open: int = 50,
        fresh_seconds: float = 0.0,
    ) -> None:
        self.path = path
        self._buckets = RateLimiter(1e6, 1e6) if buckets is None else buckets
        self._max_watchers, self._max_open, self._fresh_seconds = max_watchers, max_open, fresh_seconds
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self.registry = Registry.open(self.path / "arena.db")
        self.archive = Archive(self.path, self.registry)
        self._thread.start()
        self.run(self._open())
        self.channel = grpc.insecure_channel(self.address)
        socket = grpc.insecure_channel(f"unix:{self.path}/admin.sock")
        self.admin_channel = with_admin_key(socket, read_admin_key(self.path))
        self.api: Any = arena_pb2_grpc.ArenaStub(self.channel)
        self.admin: Any = arena_pb2_grpc.ArenaAdminStub(self.admin_channel)
        return self

    async def _open(self) -> None:
        self.hall = FakeArena(self.registry)
        self.teams = Teams(self.registry)
        self.people = People(callers=Callers(self.registry, self.teams), audit=AuditLog(self.registry))
        callers = self.people.callers
        self.tables = StandingsMaker(self.archive)
        self.services = make_services(
            self.hall,
            self.registry,
            self.archive,
            self.tables,
            callers,
            max_watchers=self._max_watchers,
            answer_seconds=self._fresh_seconds,
        )
        self.public = public_server(
            self.services,
            self.people,
            self._buckets,
            max_open=self._max_open,
        )
        self.address = f"localhost:{self.public.add_insecure_port('localhost:0')}"
        key = write_admin_key(self.path)
        self.private = admin_server(self.services, self.people, key)
        self.private.add_insecure_port(f"unix:{self.path}/admin.sock")
        await self.open_web()
        await self.public.start()
        await self.private.start()

    async def open_web(self) -> None:
        """Open the door of the pages."""
        self.web = web_server(self.services, self.people)
        self.web.add_insecure_port(f"unix:{self.path}/web.sock")
        await self.web.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.channel.close()
        self.admin_channel.close()
        self.run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self.archive.close()
        self.registry.close()

    async def _close(self) -> None:
        self.hall.hold.set()
        await self.web.stop(None)
        await self.public.stop(None)
        await self.private.stop(None)
        self.tables.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something on the arena's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    def add_bots(self, *names: str) -> dict[str, str]:
        """New bots with their tokens."""
        return {name: self.admin.AddBot(pb.AddBotRequest(name=name)).token for name in names}

    def new_token(self, kind: TokenKind, team: str = "") -> str:
        """A new token of a team, a commentator or an organiser."""
        return self.teams.new_token(kind, team=team)[0]

    def create_event(self, name: str, **times: Any) -> None:
        """A new event, open for registration."""
        self.admin.CreateEvent(pb.CreateEventRequest(name=name, manifest=MANIFEST, **times))


def code_of(call: Callable[[], object]) -> tuple[grpc.StatusCode, str]:
    """How a call fails."""
    try:
        call()
    except grpc.RpcError as error:
        return error.code(), error.details() or ""
    raise AssertionError("the call went through")


def pages(call: Callable[..., Any], request: Any, field: str) -> list[Any]:
    """Everything in a list, page by page."""
    found: list[Any] = []
    while True:
        answer = call(request)
        found += getattr(answer, field)
        if not answer.next_page_token:
            return found
        request.page_token = answer.next_page_token
