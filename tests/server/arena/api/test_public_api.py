"""The service Arena, called over gRPC as anybody would."""

from __future__ import annotations

import hashlib
import logging
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import structlog

from server.arena import interceptor
from server.arena.arena_state import Attendance
from server.arena.keys import new_token
from server.arena.people.teams import TokenKind
from server.arena.rate_limits import RateLimiter
from server.arena.reading import fits
from server.arena.registry_schema import EventState
from server.tournament.folder import Folder
from server.tournament.live_ladder import LiveLadder
from server.tournament.standings import read_contest
from server.tournament.store import Store
from support.arena import LADDER, Arena, block, code_of, fill, make_tables_here, open_manifest, pages, running_match
from tortuga.v1 import arena_pb2 as pb

Code = grpc.StatusCode
BLOCKS = [block(0, ["ann", "bob"]), block(1, ["bob", "ann-2"], [[2, 1], [1, 2]]), block(2, ["ann-2", "bob"])]
HOSTILE = ["../../etc/passwd", "<b>", "\x1b[31m", "=cmd()", "x" * 10_000, "a\0b", "ü"]


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    with Arena(tmp_path) as opened:
        yield opened


@pytest.fixture
def played(arena: Arena) -> Arena:
    arena.add_bots("ann", "bob", "cid")
    fill(arena.archive.ladder, BLOCKS)
    return arena


def wait_for(condition: Callable[[], bool]) -> None:
    """Until it holds; the time limit of the test is the end of patience."""
    while not condition():
        time.sleep(0.01)


def bearer(token: str) -> list[tuple[str, str]]:
    return [("authorization", f"Bearer {token}")]


def test_games_and_ladders_are_listed_page_by_page(arena: Arena) -> None:
    games = pages(arena.api.ListGames, pb.ListGamesRequest(page_size=3), "games")
    assert [game.id for game in games] == ["broadsides", "marauders", "pavillon_noir", "pirates_cove"]
    assert (games[3].min_seats, games[3].max_seats, games[3].title) == (2, 5, "Pirate's Cove")
    ladders = pages(arena.api.ListLadders, pb.ListLaddersRequest(page_size=1), "ladders")
    assert [ladder.name for ladder in ladders] == [LADDER, "broadsides-2", "pirates_cove-4"]


def test_a_ladder_has_its_table_with_its_doubt(played: Arena) -> None:
    answer = played.api.GetLadder(pb.GetLadderRequest(name=LADDER))
    assert answer.ladder.name == LADDER
    assert (answer.table_matches, bool(answer.method)) == (6, True)
    rows = {row.entry: row for row in answer.rows}
    assert set(rows) == {"ann", "bob", "ann-2", "cid"}
    assert (rows["ann-2"].bot, rows["ann-2"].version, rows["ann-2"].ancestor) == ("ann", "2", "ann")
    assert (rows["bob"].matches, rows["bob"].faults) == (6, 6)
    assert rows["ann"].HasField("rating")
    assert rows["ann"].rank_best <= rows["ann"].rank_worst
    assert not rows["cid"].HasField("rating")
    assert not rows["cid"].HasField("plus_minus")
    assert answer.rows[-1].entry == "cid", "who has not played comes last"
    with Store.read_only(played.archive.ladder.database) as store:
        live = store.live_elo(LADDER)
    assert {bot: round(rows[bot].live_elo * 1e6) for bot in live} == {bot: elo for bot, (elo, _) in live.items()}
    by_page = pages(played.api.GetLadder, pb.GetLadderRequest(name=LADDER, page_size=1), "rows")
    assert by_page == list(answer.rows)


def test_a_table_is_made_anew_only_for_new_matches_and_not_too_often(
    played: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tables_here(monkeypatch)
    makes: list[Any] = []

    def counted(folder: Folder, contest: str) -> Any:
        makes.append(contest)
        return read_contest(folder, contest)

    monkeypatch.setattr(fits, "read_contest", counted)

    def get() -> Any:
        return played.api.GetLadder(pb.GetLadderRequest(name=LADDER))

    first = get()
    assert makes == [LADDER]
    monkeypatch.setattr(fits, "GOOD_SECONDS", 0.0)
    monkeypatch.setattr(fits, "GOOD_TIMES", 0.0)
    monkeypatch.setattr(fits, "STALE_SECONDS", 0.0)
    assert get() == first
    assert makes == [LADDER], "nothing is new"
    monkeypatch.setattr(fits, "GOOD_SECONDS", 1e9)
    more = block(3, ["ann", "cid"])
    fold = LiveLadder(1.0)
    changes = [change for old in [*BLOCKS, more] for change in fold.feed(old[0].block, old)][-2:]
    with Store.open(played.archive.ladder.database) as store:
        store.add(more, changes)
        live = store.live_elo(LADDER)
    second = get()
    assert (makes, second.table_matches) == ([LADDER], 6), "too soon"
    fresh = {row.entry: round(row.live_elo * 1e6) for row in second.rows}
    assert fresh == {bot: elo for bot, (elo, _) in live.items()}, "but the live Elo is that of now"
    monkeypatch.setattr(fits, "GOOD_SECONDS", 0.0)
    assert get().table_matches == 8
    assert makes == [LADDER, LADDER]


def test_a_ladder_without_a_match_is_empty_and_an_unknown_one_is_told_what_there_is(arena: Arena) -> None:
    assert not arena.api.GetLadder(pb.GetLadderRequest(name=LADDER)).rows
    code, words = code_of(lambda: arena.api.GetLadder(pb.GetLadderRequest(name="chess-2")))
    assert (code, "no ladder 'chess-2'" in words) == (Code.NOT_FOUND, True)
    assert words.endswith(f"{LADDER}, broadsides-2, pirates_cove-4")


def test_a_table_maker_that_was_killed_is_replaced(played: Arena) -> None:
    played.api.GetLadder(pb.GetLadderRequest(name=LADDER))
    pool = played.tables._pool
    assert pool is not None
    (process,) = pool._processes.values()
    process.kill()
    process.join()
    assert played.api.GetLadder(pb.GetLadderRequest(name=LADDER)).table_matches == 6


def test_bots_are_listed_with_their_presence(arena: Arena) -> None:
    arena.add_bots("Zoe", "ann", "bob")
    arena.admin.HostBot(pb.HostBotRequest(spec="gunner", owner="us"))
    arena.hall.present["bob"] = Attendance(pb.PRESENCE_CONNECTED, 2)
    bots = pages(arena.api.ListBots, pb.ListBotsRequest(page_size=1), "bots")
    assert [bot.name for bot in bots] == ["ann", "bob", "gunner", "Zoe"]
    assert [bot.hosted for bot in bots] == [False, False, True, False]
    connected = arena.api.ListBots(pb.ListBotsRequest(connected=True)).bots
    assert [(bot.name, bot.presence, bot.running) for bot in connected] == [("bob", pb.PRESENCE_CONNECTED, 2)]
    assert arena.api.GetBot(pb.GetBotRequest(name="ann")).presence == pb.PRESENCE_ABSENT
    code, words = code_of(lambda: arena.api.GetBot(pb.GetBotRequest(name="Ann")))
    assert (code, "no bot 'Ann'" in words, "`tortuga client bots`" in words) == (Code.NOT_FOUND, True, True)


def test_matches_are_listed_with_the_running_ones_first(played: Arena) -> None:
    played.hall.matches = [running_match("r-1", 9000), running_match("r-2", 9500, ["cid", "bob"])]
    over = [match.match_id for one in reversed(BLOCKS) for match in reversed(one)]
    listed = [match.match_id for match in played.api.ListMatches(pb.ListMatchesRequest()).matches]
    assert listed == ["r-2", "r-1", *over]
    for size in (1, 2, 3, 7):
        by_page = pages(played.api.ListMatches, pb.ListMatchesRequest(page_size=size), "matches")
        assert [match.match_id for match in by_page] == listed


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"bot": "cid"}, ["r-2"]),
        ({"bot": "ann"}, ["r-1", "2-1", "2-0", "1-1", "1-0", "0-1", "0-0"]),
        ({"bot": "ann-2"}, ["2-1", "2-0", "1-1", "1-0"]),
        ({"contest": "broadsides-2"}, []),
        ({"state": pb.MATCH_STATE_RUNNING}, ["r-2", "r-1"]),
        ({"state": pb.MATCH_STATE_FINISHED, "since_millis": 2001}, ["2-1", "2-0", "1-1"]),
        ({"since_millis": 9400}, ["r-2"]),
    ],
)
def test_every_filter_of_matches_holds(played: Arena, filters: dict[str, Any], expected: list[str]) -> None:
    played.hall.matches = [running_match("r-1", 9000), running_match("r-2", 9500, ["cid", "bob"])]
    for size in (0, 1, 2):
        request = pb.ListMatchesRequest(page_size=size, **filters)
        found = [match.match_id for match in pages(played.api.ListMatches, request, "matches")]
        short = [one if one.startswith("r") else f"{int(one.split('-')[2])}-{one[-1]}" for one in found]
        assert short == expected


def test_pages_of_matches_are_stable_while_matches_are_added_and_end(played: Arena) -> None:
    played.hall.matches = [running_match("pavillon_noir-2-00007-0", 9000), running_match("r-2", 8000)]
    request = pb.ListMatchesRequest(page_size=2)
    seen = played.api.ListMatches(request)
    shown = [match.match_id for match in seen.matches]
    while seen.next_page_token:
        number = len(shown)
        with Store.open(played.archive.ladder.database) as store:
            store.add(block(10 + number, ["ann", "bob"]), ())
        played.hall.matches = [running_match(f"later-{number}", 10_000)]
        request.page_token = seen.next_page_token
        seen = played.api.ListMatches(request)
        shown += [match.match_id for match in seen.matches]
    over = [match.match_id for one in reversed(BLOCKS) for match in reversed(one)]
    assert len(shown) == len(set(shown))
    assert [one for one in shown if one in over] == over


def test_a_match_that_ends_while_it_is_listed_is_shown_once(played: Arena) -> None:
    last = BLOCKS[2][1]
    played.hall.matches = [running_match(last.match_id, last.started_millis)]
    listed = [match.match_id for match in played.api.ListMatches(pb.ListMatchesRequest()).matches]
    assert listed.count(last.match_id) == 1
    assert len(listed) == 6


def test_a_match_that_is_over_tells_everything(played: Arena) -> None:
    match = played.api.GetMatch(pb.GetMatchRequest(match_id=BLOCKS[0][1].match_id))
    assert (match.state, match.contest, match.reason, match.decisions) == (2, LADDER, "by hand", 7)
    assert [seat.entry for seat in match.seats] == ["bob", "ann"]
    assert [seat.rank for seat in match.seats] == [1, 2]
    assert sum(seat.elo_change for seat in match.seats) == 0
    assert all(seat.elo_before for seat in match.seats)
    assert [(fault.seat, fault.message) for fault in match.faults] == [(0, "it always does")]
    played.hall.matches = [running_match("now", 1)]
    assert played.api.GetMatch(pb.GetMatchRequest(match_id="now")).state == pb.MATCH_STATE_RUNNING


def test_a_record_comes_in_pieces_and_whole(played: Arena) -> None:
    match_id, content = BLOCKS[0][0].match_id, bytes(range(256)) * 1000
    played.archive.ladder.record(match_id).write_bytes(content)
    chunks = [chunk.data for chunk in played.api.DownloadRecord(pb.DownloadRecordRequest(match_id=match_id))]
    assert max(map(len, chunks)) == 64 * 1024
    assert hashlib.sha256(b"".join(chunks)).digest() == hashlib.sha256(content).digest()


def test_a_record_that_was_let_go_is_said_to_be(played: Arena) -> None:
    gone, lost = BLOCKS[0][0].match_id, BLOCKS[0][1].match_id
    with Store.open(played.archive.ladder.database) as store:
        store.release_records([gone])
    assert played.api.GetMatch(pb.GetMatchRequest(match_id=gone)).record_bytes == 0
    assert played.api.GetMatch(pb.GetMatchRequest(match_id=lost)).record_bytes == 1
    for match_id in (gone, lost):
        code, words = code_of(lambda: list(played.api.DownloadRecord(pb.DownloadRecordRequest(match_id=match_id))))  # noqa: B023
        assert (code, f"{match_id} is no longer kept" in words) == (Code.NOT_FOUND, True)


def test_no_match_id_becomes_a_path(played: Arena) -> None:
    """Also where the file is there."""
    secret = played.path / "secret.tortuga"
    secret.write_text("secret")
    for match_id in ["../../secret", str(played.path / "secret"), "../secret"]:
        code, _ = code_of(lambda: list(played.api.DownloadRecord(pb.DownloadRecordRequest(match_id=match_id))))  # noqa: B023
        assert code is Code.NOT_FOUND


def test_events_are_listed_the_latest_first_with_their_tables(played: Arena) -> None:
    for name in ("spring", "summer", "autumn"):
        played.create_event(name, start_millis=7)
    events = pages(played.api.ListEvents, pb.ListEventsRequest(page_size=2), "events")
    assert [event.name for event in events] == ["autumn", "summer", "spring"]
    assert (events[0].format, list(events[0].contests), events[0].start_millis) == ("swiss", [LADDER], 7)
    fill(played.archive.event("summer"), BLOCKS[:1], open_manifest(format="round-robin", rounds=1))
    played.registry.set_state("summer", EventState.FINISHED)
    answer = played.api.GetEvent(pb.GetEventRequest(name="summer"))
    assert (answer.event.state, answer.event.matches_done, answer.event.matches_planned) == (5, 2, 2)
    assert [table.contest for table in answer.tables] == [LADDER]
    assert {row.entry for row in answer.tables[0].rows} == {"ann", "bob", "cid", "ann-2"}
    matches = played.api.ListMatches(pb.ListMatchesRequest(event="summer")).matches
    assert [(match.event, match.started_millis) for match in matches] == [("summer", 1001), ("summer", 1000)]
    assert played.api.GetEvent(pb.GetEventRequest(name="spring")).tables == []
    played.registry.set_state("spring", EventState.RUNNING)
    event = played.api.GetEvent(pb.GetEventRequest(name="spring")).event
    assert (event.matches_done, event.matches_planned) == (3, 12)


def test_a_match_of_an_event_is_found_too(arena: Arena) -> None:
    arena.add_bots("ann", "bob")
    arena.create_event("cup")
    fill(arena.archive.event("cup"), BLOCKS[:1])
    found = arena.api.GetMatch(pb.GetMatchRequest(match_id=BLOCKS[0][0].match_id))
    assert found.event == "cup"


def test_a_bot_enters_and_leaves_by_its_token(arena: Arena) -> None:
    tokens = arena.add_bots("ann", "bob")
    arena.create_event("cup")
    request = pb.EnterEventRequest(name="cup")
    event = arena.api.EnterEvent(request, metadata=bearer(tokens["ann"]))
    assert [(entry.bot, entry.checked_in) for entry in event.entries] == [("ann", False)]
    event = arena.api.LeaveEvent(pb.LeaveEventRequest(name="cup"), metadata=bearer(tokens["ann"]))
    assert list(event.entries) == []
    arena.registry.set_state("cup", EventState.CHECK_IN)
    code, words = code_of(lambda: arena.api.EnterEvent(request, metadata=bearer(tokens["ann"])))
    assert (code, "cup is not open" in words) == (Code.FAILED_PRECONDITION, True)


def test_strangers_enter_nothing_and_who_guesses_is_not_listened_to(arena: Arena) -> None:
    """Faults 30 and 31."""
    tokens = arena.add_bots("ann")
    arena.create_event("cup")
    revoked = arena.add_bots("bob")["bob"]
    arena.admin.RevokeBot(pb.RevokeBotRequest(name="bob"))
    old = tokens["ann"]
    now = arena.admin.RotateToken(pb.RotateTokenRequest(name="ann")).token
    request = pb.EnterEventRequest(name="cup")
    wrong: list[Any] = [bearer(revoked), bearer(old), bearer(new_token()), [("authorization", now)], bearer(""), []]
    for metadata in wrong:
        code, words = code_of(lambda: arena.api.EnterEvent(request, metadata=metadata))  # noqa: B023
        assert code is Code.UNAUTHENTICATED
        assert "ttg_" not in words
    code, words = code_of(lambda: arena.api.EnterEvent(request, metadata=bearer(new_token())))
    assert code is Code.RESOURCE_EXHAUSTED
    assert re.search(r"wrong tokens.* wait \d+ s$", words)
    assert arena.registry.event("cup").entries == {}
    entered = arena.api.EnterEvent(request, metadata=bearer(now))
    assert [entry.bot for entry in entered.entries] == ["ann"], "a neighbour behind the same router is let in"


def test_a_match_can_be_watched(arena: Arena) -> None:
    arena.hall.matches = [running_match("now", 1)]
    arena.hall.sights = [pb.Sight(number=1), pb.Sight(number=2, scene=pb.Scene(lines=["a shot"]))]
    arena.hall.hold.set()
    key = arena.new_token(TokenKind.COMMENTATOR)
    sights = list(arena.api.WatchMatch(pb.WatchMatchRequest(match_id="now", commentator_key=key)))
    assert [sight.number for sight in sights] == [1, 2]
    for request, expected in [
        (pb.WatchMatchRequest(match_id="then"), Code.NOT_FOUND),
        (pb.WatchMatchRequest(match_id="now", commentator_key="guess"), Code.UNAUTHENTICATED),
    ]:
        assert code_of(lambda: list(arena.api.WatchMatch(request)))[0] is expected  # noqa: B023


def test_only_so_many_watch_and_who_goes_makes_room(tmp_path: Path) -> None:
    with Arena(tmp_path, max_watchers=2) as arena:
        arena.hall.matches = [running_match("now", 1)]
        arena.hall.sights = [pb.Sight(number=1)]
        request = pb.WatchMatchRequest(match_id="now")
        streams = [arena.api.WatchMatch(request) for _ in range(2)]
        assert [next(stream).number for stream in streams] == [1, 1]
        code, words = code_of(lambda: list(arena.api.WatchMatch(request)))
        assert (code, "2 spectators" in words) == (Code.RESOURCE_EXHAUSTED, True)
        streams[0].cancel()
        wait_for(lambda: arena.hall.watching == 1)
        assert next(arena.api.WatchMatch(request)).number == 1


def test_a_caller_whose_deadline_passes_leaves_nothing_behind(arena: Arena) -> None:
    arena.hall.matches = [running_match("now", 1)]
    code, _ = code_of(lambda: list(arena.api.WatchMatch(pb.WatchMatchRequest(match_id="now"), timeout=0.2)))
    assert code is Code.DEADLINE_EXCEEDED
    wait_for(lambda: arena.hall.watching == 0)


def test_a_question_nobody_waits_for_is_interrupted(played: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()
    ended: list[str] = []

    def endless(store: Store, *words: Any, **keys: Any) -> Any:
        begun.set()
        try:
            store._db.execute("WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n FROM c) SELECT max(n) FROM c")
        except Exception as error:
            ended.append(str(error))
            raise

    monkeypatch.setattr(Store, "latest", endless)
    call = played.api.ListMatches.future(pb.ListMatchesRequest())
    assert begun.wait(60)
    call.cancel()
    wait_for(lambda: ended == ["interrupted"])


def test_a_wrong_page_token_is_refused_everywhere(played: Arena) -> None:
    played.create_event("cup")
    requests: list[tuple[Any, Any]] = [
        (played.api.ListGames, pb.ListGamesRequest),
        (played.api.ListLadders, pb.ListLaddersRequest),
        (played.api.GetLadder, lambda **keys: pb.GetLadderRequest(name=LADDER, **keys)),
        (played.api.GetOverall, pb.GetOverallRequest),
        (played.api.ListBots, pb.ListBotsRequest),
        (played.api.ListMatches, pb.ListMatchesRequest),
        (played.api.ListEvents, pb.ListEventsRequest),
    ]
    foreign = played.api.ListBots(pb.ListBotsRequest(page_size=1)).next_page_token
    assert foreign
    for call, request in requests:
        for token in ["x", "a" * 5000, *([foreign] if call is not played.api.ListBots else [])]:
            code, words = code_of(lambda: call(request(page_token=token)))  # noqa: B023
            assert (code, words.partition(" ")[0]) == (Code.INVALID_ARGUMENT, "page_token")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_refused_with_a_harmless_answer(played: Arena, name: str) -> None:
    """Fault 42."""
    calls = [
        lambda: played.api.GetLadder(pb.GetLadderRequest(name=name)),
        lambda: played.api.GetBot(pb.GetBotRequest(name=name)),
        lambda: played.api.GetMatch(pb.GetMatchRequest(match_id=name)),
        lambda: list(played.api.DownloadRecord(pb.DownloadRecordRequest(match_id=name))),
        lambda: played.api.GetEvent(pb.GetEventRequest(name=name)),
        lambda: played.api.ListMatches(pb.ListMatchesRequest(event=name)),
        lambda: played.api.ListMatches(pb.ListMatchesRequest(bot=name)),
        lambda: played.api.ListMatches(pb.ListMatchesRequest(contest=name)),
        lambda: list(played.api.WatchMatch(pb.WatchMatchRequest(match_id=name))),
    ]
    for call in calls:
        code, words = code_of(call)
        assert code is Code.NOT_FOUND
        assert words.isascii()
        assert words.isprintable()
        assert len(words) < 400


def test_a_request_that_is_too_large_is_refused(arena: Arena) -> None:
    assert code_of(lambda: arena.api.GetBot(pb.GetBotRequest(name="x" * 100_000)))[0] is Code.RESOURCE_EXHAUSTED


def test_a_failure_of_ours_has_a_number_and_no_trace(arena: Arena, capsys: pytest.CaptureFixture[str]) -> None:
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(),
        cache_logger_on_first_use=False,
    )
    arena.hall.failure = RuntimeError("the wheels came off in /srv/secret")
    for call in (
        lambda: arena.api.GetMatch(pb.GetMatchRequest(match_id="x")),
        lambda: arena.api.ListMatches(pb.ListMatchesRequest()),
    ):
        code, words = code_of(call)
        assert code is Code.INTERNAL
        start, _, number = words.rpartition(" ")
        assert "log says why" in start
        assert "wheels" not in words
        assert number in capsys.readouterr().out
    structlog.reset_defaults()


def test_a_database_in_trouble_is_our_failure_and_not_the_callers(played: Arena) -> None:
    played.archive.ladder.database.write_bytes(b"garbage" * 1000)
    code, words = code_of(lambda: played.api.ListMatches(pb.ListMatchesRequest()))
    assert code is Code.INTERNAL
    assert str(played.path) not in words


def test_who_calls_too_often_is_slowed_down_and_others_are_not(tmp_path: Path) -> None:
    now = [0.0]
    with Arena(tmp_path, buckets=RateLimiter(10, 3, now=lambda: now[0])) as arena:

        def call() -> Any:
            return arena.api.ListGames(pb.ListGamesRequest())

        for _ in range(3):
            call()
        code, words = code_of(call)
        assert (code, "slow down" in words) == (Code.RESOURCE_EXHAUSTED, True)
        now[0] = 0.1
        call()
        assert code_of(call)[0] is Code.RESOURCE_EXHAUSTED
        arena.admin.GetStatus(pb.GetStatusRequest())  # the organiser's door has no such limit


def test_one_address_has_only_so_many_calls_open(tmp_path: Path) -> None:
    with Arena(tmp_path, max_open=2) as arena:
        arena.hall.matches = [running_match("now", 1)]
        arena.hall.sights = [pb.Sight(number=1)]
        streams = [arena.api.WatchMatch(pb.WatchMatchRequest(match_id="now")) for _ in range(2)]
        assert [next(stream).number for stream in streams] == [1, 1]
        code, words = code_of(lambda: arena.api.ListGames(pb.ListGamesRequest()))
        assert (code, "end one of them first" in words) == (Code.RESOURCE_EXHAUSTED, True)
        streams[0].cancel()
        wait_for(lambda: arena.hall.watching == 1)
        assert arena.api.ListGames(pb.ListGamesRequest()).games


@pytest.fixture
def never() -> Iterator[Iterator[bytes]]:
    """The requests of a call that sends none and does not say so."""
    over = threading.Event()

    def stall() -> Iterator[bytes]:
        over.wait()
        yield from ()

    yield stall()
    over.set()


@pytest.mark.parametrize("method", ["ListGames", "WatchMatch"])
def test_a_call_whose_request_does_not_come_has_a_place_like_any_other(
    method: str, never: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, receive = threading.Event(), interceptor._receive

    async def note_and_receive(requests: Any, context: Any) -> Any:
        begun.set()
        return await receive(requests, context)

    monkeypatch.setattr(interceptor, "_receive", note_and_receive)
    with Arena(tmp_path, max_open=1) as arena:
        channel: Any = arena.channel
        stalled = channel.stream_stream(f"/tortuga.v1.Arena/{method}")(never)
        begun.wait()
        assert code_or_none(arena) is Code.RESOURCE_EXHAUSTED
        stalled.cancel()
        wait_for(lambda: code_or_none(arena) is None)


def code_or_none(arena: Arena) -> Code | None:
    """Whether somebody else is answered, or how not."""
    try:
        arena.api.ListGames(pb.ListGamesRequest())
    except grpc.RpcError as error:
        return error.code()
    return None


def test_a_call_whose_request_does_not_come_ends_by_itself(
    arena: Arena, never: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interceptor, "REQUEST_SECONDS", 0.05)
    channel: Any = arena.channel
    call = channel.stream_unary("/tortuga.v1.Arena/ListGames")
    assert code_of(lambda: call(never))[0] is Code.DEADLINE_EXCEEDED
    assert code_of(lambda: call(iter(())))[0] is Code.INVALID_ARGUMENT


@pytest.mark.parametrize("raw", [b"\xff" * 20, b"\x0b" * 5000], ids=["garbage", "nested"])
def test_bytes_that_are_no_request_are_refused(raw: bytes, arena: Arena) -> None:
    channel: Any = arena.channel
    assert code_of(lambda: channel.unary_unary("/tortuga.v1.Arena/ListGames")(raw))[0] is Code.INVALID_ARGUMENT


def test_buckets_forget_the_quiet() -> None:
    buckets = RateLimiter(1, 2, limit=3, now=lambda: 1.0)
    for peer in "abcde":
        assert buckets.take(peer)
    assert len(buckets) == 3
