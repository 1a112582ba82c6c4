"""A crowd that asks the same costs one answer, at whichever door, and other questions have their price."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest

from server.arena.api import answer_cache
from server.arena.api.answer_cache import AnswerCache
from server.arena.rate_limits import RateLimiter
from server.tournament.store import Store
from support.arena import LADDER, Arena, block, code_of, fill, running_match
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import arena_pb2_grpc


class Asked:
    """Counts how often the database is asked for matches; `gate` holds the answers back."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self.gate = threading.Event()
        self.gate.set()
        latest = Store.latest

        def ask(store: Store, *words: Any, **keys: Any) -> Any:
            self.count += 1
            assert self.gate.wait(60)
            return latest(store, *words, **keys)

        monkeypatch.setattr(Store, "latest", ask)


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    with Arena(tmp_path, fresh_seconds=3600.0) as opened:
        fill(opened.archive.ladder, [block(number, ["ann", "bob"]) for number in range(3)])
        yield opened


def test_a_crowd_costs_one_answer(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch)
    asked.gate.clear()
    with ThreadPoolExecutor(16) as crowd:
        calls = [crowd.submit(arena.api.ListMatches, pb.ListMatchesRequest()) for _ in range(64)]
        asked.gate.set()
        answers = [call.result(60) for call in calls]
    assert asked.count == 1
    assert all(answer == answers[0] for answer in answers)
    assert len(answers[0].matches) == 6
    arena.api.ListMatches(pb.ListMatchesRequest(contest=LADDER))  # another question
    assert asked.count == 2


def test_an_answer_gets_old(tmp_path: Path) -> None:
    with Arena(tmp_path, fresh_seconds=0.0) as arena:
        assert not arena.api.ListMatches(pb.ListMatchesRequest()).matches
        arena.hall.matches = [running_match("now", 1)]
        assert arena.api.ListMatches(pb.ListMatchesRequest()).matches
    with Arena(tmp_path, fresh_seconds=1e-9) as arena:
        assert not arena.api.ListMatches(pb.ListMatchesRequest()).matches
        arena.hall.matches = [running_match("now", 1)]
        assert arena.api.ListMatches(pb.ListMatchesRequest()).matches


def test_a_failure_is_not_kept(arena: Arena) -> None:
    arena.hall.failure = RuntimeError("a bug")
    assert code_of(lambda: arena.api.ListMatches(pb.ListMatchesRequest()))[0] is grpc.StatusCode.INTERNAL
    arena.hall.failure = None
    assert arena.api.ListMatches(pb.ListMatchesRequest()).matches
    for _ in range(2):
        code, words = code_of(lambda: arena.api.GetLadder(pb.GetLadderRequest(name="chess-2")))
        assert code is grpc.StatusCode.NOT_FOUND
        assert "chess-2" in words


def test_other_questions_have_their_price_by_the_rows_they_ask_for(tmp_path: Path) -> None:
    """A bucket that does not fill up: 100 calls in all."""
    for size, most in ((0, 50), (50, 50), (500, 9), (4_000_000_000, 9)):
        with Arena(tmp_path, buckets=RateLimiter(0.0, 100.0), fresh_seconds=3600.0) as arena:
            for number in range(most):
                arena.api.ListMatches(pb.ListMatchesRequest(page_size=size, since_millis=number))
            one_more = pb.ListMatchesRequest(page_size=size, since_millis=most)
            assert code_of(lambda: arena.api.ListMatches(one_more))[0] is grpc.StatusCode.RESOURCE_EXHAUSTED  # noqa: B023
    with Arena(tmp_path, buckets=RateLimiter(0.0, 100.0), fresh_seconds=3600.0) as arena:
        for _ in range(99):
            arena.api.ListMatches(pb.ListMatchesRequest())  # the same again costs a call
        assert code_of(lambda: arena.api.ListMatches(pb.ListMatchesRequest()))[0] is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_the_query_of_callers_who_have_all_gone_is_interrupted(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = threading.Event(), threading.Event()

    def endless(store: Store, *words: Any, **keys: Any) -> Any:
        begun.set()
        try:
            store._db.execute("WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n FROM c) SELECT max(n) FROM c")
        finally:
            ended.set()

    monkeypatch.setattr(Store, "latest", endless)
    calls = [arena.api.ListMatches.future(pb.ListMatchesRequest()) for _ in range(3)]
    assert begun.wait(60)
    for call in calls:
        call.cancel()
    assert ended.wait(60)
    monkeypatch.undo()
    assert arena.api.ListMatches(pb.ListMatchesRequest()).matches  # and the next caller is answered


class Maker:
    """Makes answers that take a while, and counts them."""

    def __init__(self, seconds: float = 0.1) -> None:
        self.made, self._seconds = 0, seconds

    async def __call__(self) -> int:
        self.made += 1
        number = self.made
        await asyncio.sleep(self._seconds)
        return number


@pytest.mark.virtual_time
async def test_an_answer_was_begun_within_the_last_second_or_is_still_being_made() -> None:
    answers, make = AnswerCache(), Maker(3.0)
    first = asyncio.create_task(answers.get(("GetLadder", b"x"), make))
    await asyncio.sleep(2.5)
    assert await answers.get(("GetLadder", b"x"), make) == await first == 1
    assert not answers.has(("GetLadder", b"x")), "it was begun three seconds ago"
    quick = Maker()
    for waited in (0.0, 0.8, 0.2):
        await asyncio.sleep(waited)
        await answers.get(("GetLadder", b"y"), quick)
    assert quick.made == 2


@pytest.mark.virtual_time
async def test_a_change_is_in_the_next_answer_though_an_older_one_is_being_made() -> None:
    answers, make = AnswerCache(3600.0), Maker()
    early = asyncio.create_task(answers.get(("GetLadder", b"x"), make))
    await asyncio.sleep(0.01)
    answers.clear()
    assert (await answers.get(("GetLadder", b"x"), make), await early) == (2, 1)
    assert (await answers.get(("GetLadder", b"x"), make)) == 2


@pytest.mark.virtual_time
async def test_answers_that_are_too_old_or_too_many_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every bot, pair and list is asked for once in a while: they must not stay until there are 500."""
    answers, make = AnswerCache(), Maker(0.0)
    for number in range(200):
        await answers.get(("GetPair", str(number).encode()), make)
        await asyncio.sleep(0.05)  # each is good for a second
        assert len(answers) <= 2 / 0.05
    monkeypatch.setattr(answer_cache, "MAX_ANSWERS", 3)
    answers = AnswerCache(3600.0)
    for number in range(10):
        await answers.get(("GetPair", str(number).encode()), make)
    assert len(answers) == 3


async def test_the_doors_share_their_answers(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch)
    with grpc.insecure_channel(f"unix:{arena.path}/web.sock") as channel:
        web: Any = arena_pb2_grpc.ArenaStub(channel)
        assert web.ListMatches(pb.ListMatchesRequest()) == arena.api.ListMatches(pb.ListMatchesRequest())
    assert asked.count == 1
