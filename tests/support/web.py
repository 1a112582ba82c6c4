"""The pages without a network: a client that calls the app, and a backend full of hostile texts.

`HOSTILE` stands wherever a stranger's text can: names, owners, versions, languages, reasons, faults, labels.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urlsplit

from google.protobuf import message as protobuf
from starlette.applications import Starlette
from starlette.types import Message, Scope

from server.web.app import make_app
from server.web.backend import Backend, PageNotFound, method_of
from server.web.middleware import WebSettings
from server.web.serving import QuietServer, listen, make_server
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import referee_pb2

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&{{7*7}}\u202e"
LADDER = "broadsides-2"
SEASONS = [
    pb.Season(name="s1", archived_millis=5000, matches=7, ladders=[LADDER]),
    pb.Season(name=HOSTILE, archived_millis=4000, matches=7, ladders=[HOSTILE]),
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class WebClient:
    """Calls an app that has been started."""

    def __init__(
        self, app: Starlette, address: str = "127.0.0.1", *, host: str = "arena.test", scheme: str = "http"
    ) -> None:
        self._app = app
        self._address = address
        self._host, self._scheme = host, scheme

    async def get(self, url: str, method: str = "GET", headers: Mapping[str, str] | None = None) -> Answer:
        """Ask for a page."""
        return await self.send(url, method, headers or {}, b"")

    async def send(self, url: str, method: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Send a request, and wait for all of its answer."""
        parts = urlsplit(url)
        sent: list[Message] = []
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            if waiting:
                return waiting.pop()
            await asyncio.Event().wait()
            raise AssertionError

        async def send(message: Message) -> None:
            sent.append(message)

        scope: Scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": self._scheme,
            "path": unquote(parts.path),
            "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(),
            "root_path": "",
            "headers": [
                (b"host", self._host.encode()),
                *((name.lower().encode(), value.encode()) for name, value in headers.items()),
            ],
            "client": (self._address, 4711),
            "server": ("arena.test", 80),
        }
        await self._app(scope, receive, send)
        found = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
        content = b"".join(message.get("body", b"") for message in sent[1:])
        return Answer(status=sent[0]["status"], headers=found, body=content)


@asynccontextmanager
async def web_client(backend: Backend, **settings: Any) -> AsyncIterator[WebClient]:
    """A client of an app over this backend, from its start to its end."""
    app = make_app(backend, WebSettings(**settings))
    async with app.router.lifespan_context(app):
        yield WebClient(app)


@dataclass(slots=True)
class Tags:
    """What a page is made of, as a browser would read it."""

    names: set[str] = field(default_factory=set)
    scripts: list[str] = field(default_factory=list)
    inline: list[str] = field(default_factory=list)
    """Handlers, styles and scripts that stand in the page itself: there must be none."""
    links: list[str] = field(default_factory=list)


def read_tags(text: str) -> Tags:
    """The tags of a page."""
    found = Tags()

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            given = dict(attrs)
            found.names.add(tag)
            if tag == "script":
                found.scripts.append(given.get("src") or "")
            if tag == "style" or (tag == "script" and "src" not in given):
                found.inline.append(tag)
            found.inline += [name for name in given if name == "style" or name.startswith("on")]
            if tag == "a":
                found.links.append(given.get("href") or "")

    Reader().feed(text)
    return found


class HostileBackend:
    """A backend whose every text is hostile. `away` makes it fail."""

    def __init__(self, *, is_arena: bool = True) -> None:
        self.is_arena = is_arena
        self.title = HOSTILE
        self.away: Exception | None = None

    def _check(self) -> None:
        if self.away is not None:
            raise self.away

    async def ask(self, request: protobuf.Message, token: str = "") -> Any:
        """Answer with the method below that is named like the call."""
        name = re.sub("(?<!^)([A-Z])", r"_\1", method_of(request)).lower()
        return await getattr(self, name)(request)

    async def start(self) -> None:
        """Nothing."""

    async def close(self) -> None:
        """Nothing."""

    async def get_arena(self, request: pb.GetArenaRequest) -> pb.ArenaInfo:
        self._check()
        return pb.ArenaInfo(server_version=HOSTILE, bots_address=HOSTILE, public_address=HOSTILE, tls=True)

    async def list_games(self, request: pb.ListGamesRequest) -> pb.ListGamesResponse:
        self._check()
        return pb.ListGamesResponse(games=[pb.GameInfo(id=HOSTILE, title=HOSTILE, min_seats=2, max_seats=4)])

    async def list_ladders(self, request: pb.ListLaddersRequest) -> pb.ListLaddersResponse:
        self._check()
        return pb.ListLaddersResponse(ladders=[ladder(LADDER), ladder(HOSTILE)], seasons=SEASONS)

    async def list_news(self, request: pb.ListNewsRequest) -> pb.ListNewsResponse:
        self._check()
        news = [
            pb.NewsItem(number=3, millis=3000, kind="event_opened", subject=HOSTILE, text=HOSTILE),
            pb.NewsItem(number=2, millis=2000, kind="bot_suspended", subject="plain", text="plain is suspended"),
            pb.NewsItem(number=1, millis=1000, kind=HOSTILE, subject=HOSTILE, text="x"),
        ]
        return pb.ListNewsResponse(news=news)

    async def get_ladder(self, request: pb.GetLadderRequest) -> pb.GetLadderResponse:
        self._check()
        return pb.GetLadderResponse(
            ladder=ladder(request.name),
            seasons=SEASONS,
            season=request.season,
            quiet="it needs 4 bots, and has 2",
            rows=[row(HOSTILE), row("plain", rating=900.0)],
            next_page_token=HOSTILE,
            table_matches=12,
            method=HOSTILE,
            warning=HOSTILE,
            first=HOSTILE,
            scale=HOSTILE,
        )

    async def list_bots(self, request: pb.ListBotsRequest) -> pb.ListBotsResponse:
        self._check()
        return pb.ListBotsResponse(bots=[bot(HOSTILE)], next_page_token=HOSTILE)

    async def get_bot(self, request: pb.GetBotRequest) -> pb.Bot:
        self._check()
        if request.name == "nobody":
            raise PageNotFound(f"there is no bot {request.name}{HOSTILE}")
        return bot(request.name)

    async def list_matches(self, request: pb.ListMatchesRequest) -> pb.ListMatchesResponse:
        self._check()
        running = [match("live", running=True)] if request.state != pb.MATCH_STATE_FINISHED else []
        return pb.ListMatchesResponse(matches=[*running, match("m1"), match(HOSTILE)], next_page_token=HOSTILE)

    async def get_match(self, request: pb.GetMatchRequest) -> pb.MatchInfo:
        self._check()
        if request.match_id == "nothing":
            raise PageNotFound("there is no match nothing")
        return match(request.match_id, running=request.match_id == "live")

    async def list_events(self, request: pb.ListEventsRequest) -> pb.ListEventsResponse:
        self._check()
        return pb.ListEventsResponse(events=[event(HOSTILE), event("cup")], next_page_token=HOSTILE)

    async def get_event(self, request: pb.GetEventRequest) -> pb.GetEventResponse:
        self._check()
        names = [HOSTILE, "plain", "third"]
        return pb.GetEventResponse(
            event=event(request.name),
            tables=[
                pb.EventTable(
                    contest=LADDER,
                    rows=[row(name, rating=1000.0 - 50 * place) for place, name in enumerate(names)],
                    placing=[
                        pb.EventPlace(
                            rank=1,
                            entry=HOSTILE,
                            points=2.5,
                            possible_points=4,
                            tie_breaks=[pb.TieBreakValue(key=HOSTILE, value=1)],
                            note=HOSTILE,
                        )
                    ],
                    placing_goes_by="points",
                    tie_breaks=[pb.TieBreak(key=HOSTILE, name=HOSTILE, short_name=HOSTILE, explained=HOSTILE)],
                    placing_notes=[HOSTILE],
                    champion=HOSTILE,
                    bracket=[
                        pb.BracketRound(
                            name=HOSTILE,
                            ties=[
                                pb.BracketTie(
                                    name=HOSTILE,
                                    sides=[pb.BracketSide(bot=HOSTILE, points=1, through=True)],
                                    matches=[HOSTILE],
                                    note=HOSTILE,
                                )
                            ],
                        )
                    ],
                    first=HOSTILE,
                    method=HOSTILE,
                    warning=HOSTILE,
                    scale=HOSTILE,
                    table_matches=9,
                    cross_table=[pair_score(one, other) for one in names for other in names if one != other],
                )
            ],
            rulings=[pb.Ruling(number=1, by=HOSTILE, reason=HOSTILE, words=HOSTILE, at_millis=1)],
        )

    async def get_overall(self, request: pb.GetOverallRequest) -> pb.GetOverallResponse:
        self._check()
        return pb.GetOverallResponse(
            table=pb.EventTable(
                contest="overall",
                rows=[row(HOSTILE), row("plain", rating=900.0)],
                first=HOSTILE,
                method=HOSTILE,
                warning=HOSTILE,
                scale=HOSTILE,
                table_matches=18,
            ),
            next_page_token=HOSTILE,
            contests=[LADDER, HOSTILE],
            missing=[HOSTILE],
        )

    async def get_rating_history(self, request: pb.GetRatingHistoryRequest) -> pb.RatingHistory:
        self._check()
        points = [
            pb.RatingPoint(
                entry=f"{HOSTILE}{number // 3}",
                version=HOSTILE,
                millis=1_700_000_000_000 + number,
                table_matches=number * 4,
                matches=1 + number % 3,
                rating=1000.0 + number,
                plus_minus=100.0 / (1 + number),
            )
            for number in range(6)
        ]
        return pb.RatingHistory(points=points, table_matches=24, scale=HOSTILE)

    async def get_entry(self, request: pb.GetEntryRequest) -> pb.EntryDetails:
        self._check()
        if request.entry == "nobody":
            raise PageNotFound("there is no entry nobody")
        return pb.EntryDetails(
            row=row(request.entry),
            opponents=[pair_score(request.entry, HOSTILE)],
            opponent_count=3,
            seats=[pb.SeatTally(seat=seat, matches=4, wins=1.5) for seat in range(2)],
            faults=[pb.FaultCount(kind=referee_pb2.FAULT_KIND_TIMEOUT, count=2)],
            versions=[HOSTILE, "older"],
        )

    async def get_pair(self, request: pb.GetPairRequest) -> pb.Pair:
        self._check()
        return pb.Pair(
            score=pair_score(request.first, request.second),
            wins=3,
            draws=1,
            losses=2,
            orders=[pb.PairOrder(first_seat=0, second_seat=1, wins=3, draws=1, losses=2)],
            difference=40.0,
            plus_minus=90.0,
            confidence=0.8,
            claim=HOSTILE,
            table_matches=6,
            first_row=row(request.first),
            second_row=row(request.second),
        )

    async def record(self, match_id: str) -> bytes:
        self._check()
        return b"no record at all"

    def live(self, match_id: str) -> AsyncGenerator[pb.Sight, None] | None:
        return None


def ladder(name: str) -> pb.LadderInfo:
    """A ladder."""
    return pb.LadderInfo(
        name=name,
        game=HOSTILE if name == HOSTILE else "broadsides",
        seats=2,
        frozen_millis=1000,
        variant=[referee_pb2.Setting(name=HOSTILE, value=HOSTILE)],
        clock=referee_pb2.Clock(bank_millis=60_000, increment_millis=100, cap_millis=1000),
        matches=12,
        running=1,
        paused=True,
    )


def row(entry: str, rating: float = 1100.0) -> pb.LadderRow:
    """A row of a table."""
    return pb.LadderRow(
        entry=entry,
        bot=entry,
        version=HOSTILE,
        ancestor=HOSTILE,
        rank_best=1,
        rank_worst=2,
        rating=rating,
        plus_minus=80.0,
        rating_plus_minus=80.0,
        surely_better_than=[HOSTILE],
        provisional=True,
        matches=12,
        score=0.5,
        faults=1,
    )


def bot(name: str) -> pb.Bot:
    """A bot."""
    return pb.Bot(
        name=name,
        owner=HOSTILE,
        hosted=True,
        presence=pb.PRESENCE_CONNECTED,
        version=HOSTILE,
        language=HOSTILE,
        games=[HOSTILE],
        suspended=HOSTILE,
    )


def match(match_id: str, *, running: bool = False) -> pb.MatchInfo:
    """A match between two hostile names."""
    fault = referee_pb2.SeatFault(seat=0, decision=3, kind=referee_pb2.FAULT_KIND_CRASH, message=HOSTILE, out=True)
    return pb.MatchInfo(
        match_id=match_id,
        state=pb.MATCH_STATE_RUNNING if running else pb.MATCH_STATE_FINISHED,
        contest=LADDER,
        event=HOSTILE,
        started_millis=1_700_000_000_000,
        seats=[
            pb.MatchSeat(entry=f"{HOSTILE}{seat}", version=HOSTILE, rank=0 if running else seat + 1, score=1.0 - seat)
            for seat in range(2)
        ],
        reason="" if running else HOSTILE,
        decisions=10,
        faults=[fault],
        record_sha256=bytes(range(32)),
        record_bytes=0 if running else 16,
        label=HOSTILE,
        game="broadsides",
        block_matches=[match_id, "other"],
        challenger=HOSTILE,
        revealed=not running,
    )


def event(name: str) -> pb.EventInfo:
    """An event."""
    return pb.EventInfo(
        zone="Europe/Paris",
        repeats=HOSTILE,
        series=HOSTILE,
        name=name,
        state=pb.EVENT_STATE_RUNNING,
        format="knockout",
        contests=[LADDER],
        entries=[pb.EventEntry(bot=HOSTILE)],
        start_millis=1_700_000_000_000,
        matches_done=3,
        matches_planned=9,
        reason=HOSTILE,
        public_key=bytes(32),
        rounds=2,
        mirrored=True,
        contest_infos=[
            pb.ContestInfo(
                name=LADDER, game=HOSTILE, seats=2, variant=[referee_pb2.Setting(name=HOSTILE, value=HOSTILE)]
            )
        ],
    )


def pair_score(first: str, second: str) -> pb.PairScore:
    """What one did against the other."""
    return pb.PairScore(first=first, second=second, matches=6, score=0.58, score_low=0.3, score_high=0.8)


@contextmanager
def served(make: Callable[[], Starlette]) -> Iterator[str]:
    """An app on a port of this machine, in a thread of its own: its address. `make` is called there."""
    port = listen("127.0.0.1:0")
    started = threading.Event()
    servers: list[QuietServer] = []

    async def run() -> None:
        servers.append(make_server(make(), started.set))
        await servers[0].serve(sockets=[port])

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    assert started.wait(30), "the pages did not start"
    try:
        yield f"http://127.0.0.1:{port.getsockname()[1]}"
    finally:
        servers[0].should_exit = True
        thread.join(30)
        port.close()
