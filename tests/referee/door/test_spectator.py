"""The feed of a match: who joins late, who is slow, who comments, and how it ends. Time is virtual."""

from __future__ import annotations

import asyncio
import random
from contextlib import aclosing
from itertools import pairwise
from typing import Any

import pytest

from referee.door import spectator
from referee.door.spectator import MAX_QUEUED_SIGHTS, MAX_SECRETS, SpectatorFeed
from referee.errors import BotFault, FaultKind
from referee.games import GAMES
from referee.match import clock
from referee.match.match import Match, MatchResult, Terms
from referee.match.question import Question
from support.play import pick, start
from support.players import QuietHost, ScriptedPlayer
from support.spectators import collect, fetched, match_terms, position, result_of
from tortuga.v1 import arena_pb2

pytestmark = pytest.mark.virtual_time

Sights = list[arena_pb2.Sight]


def bot(name: str, seed: int = 0, *, delay: float = 0.001, note: bytes = b"") -> ScriptedPlayer:
    """Plays at random, and takes its time."""
    rng = random.Random(f"{name}/{seed}")
    return ScriptedPlayer(lambda question: pick(rng, question.actions), name=name, delay=delay, note=lambda _: note)


async def watched(terms: Terms, *players: ScriptedPlayer, reveal: bool = True) -> tuple[Sights, MatchResult]:
    """A whole match, with one viewer from before its start."""
    feed, sights = SpectatorFeed(terms, [player.name for player in players], reveal=reveal), Sights()
    viewer = asyncio.create_task(collect(feed, sights))
    await fetched()
    result = await Match(terms, players, QuietHost(), feed).play()
    feed.end(result)
    await viewer
    return sights, result


@pytest.mark.parametrize("game_id", GAMES)
async def test_a_match_is_shown_from_the_start_to_the_end_and_secrets_come_last(game_id: str) -> None:
    sights, result = await watched(match_terms(game_id), bot("anne"), bot("mary"))
    start, table, *_, end = sights
    assert [sight.number for sight in sights] == list(range(1, len(sights) + 1))
    assert (start.start.game, start.start.seat, list(start.start.seat_names)) == (game_id, 2, ["anne", "mary"])
    assert start.start.chance_commitment
    assert not table.scene.lines
    for sight in sights[1:-1]:
        seen: Any = position(sight)
        observed = seen.observation.own if game_id == "marauders" else seen.observation
        assert observed.seat == 2
        assert (seen.decision, len(seen.options)) == (0, 0)
        assert len(seen.events) == len(sight.scene.lines)
        assert sight.scene.lines or sight is table
        assert not sight.secrets
    assert list(end.end.ranks) == list(result.ranks)
    assert end.secrets


async def test_what_bots_note_is_shown_to_nobody_who_watches() -> None:
    shown = []
    for note in (b"", b"my hand is full of jokers"):
        sights, result = await watched(match_terms("pavillon_noir"), bot("anne", note=note), bot("mary"))
        assert bool(result.notes) == bool(note)
        shown.append([sight.SerializeToString(deterministic=True) for sight in sights])
    assert shown[0] == shown[1]


async def test_a_hidden_moment_sends_nothing() -> None:
    """In Broadsides figures are placed in secret until both crews are shown."""
    terms = match_terms("broadsides")
    sights, _ = await watched(terms, bot("anne"), bot("mary"))
    assert [sight.WhichOneof("sight") for sight in sights[:3]] == ["start", "scene", "scene"]
    assert any("shows its captain" in line for line in sights[2].scene.lines)
    assert any("puts its captain" in line for line in sights[-1].secrets)


async def test_who_joins_late_is_shown_the_start_then_the_latest_scene_then_all_the_rest() -> None:
    terms = match_terms("pirates_cove")
    feed, early, late = SpectatorFeed(terms, ["anne", "mary"]), Sights(), Sights()
    viewers = [asyncio.create_task(collect(feed, early))]

    async def join() -> None:
        async with aclosing(feed.watch()) as stream:
            while (await anext(stream)).number < 40:
                pass
        await collect(feed, late)

    viewers.append(asyncio.create_task(join()))
    await fetched()
    feed.end(await Match(terms, [bot("anne"), bot("mary")], QuietHost(), feed).play())
    await asyncio.gather(*viewers)
    assert late[0] == early[0]
    first = late[1].number
    assert first >= 40
    assert late[1:] == early[first - 1 :]


async def test_who_joins_after_the_end_is_shown_the_last_table_and_the_end() -> None:
    terms, sights = match_terms("broadsides"), Sights()
    feed = SpectatorFeed(terms, ["anne", "mary"])
    feed.end(await Match(terms, [bot("anne"), bot("mary")], QuietHost(), feed).play())
    await collect(feed, sights)
    assert [sight.WhichOneof("sight") for sight in sights] == ["start", "scene", "end"]
    assert sights[1].number == sights[2].number - 1


async def test_a_viewer_that_does_not_fetch_holds_nobody_up_and_goes_on_with_the_latest() -> None:
    terms, lazy = match_terms("pirates_cove"), Sights()
    feed, brisk = SpectatorFeed(terms, ["anne", "mary"]), Sights()
    viewer = asyncio.create_task(collect(feed, brisk))
    await fetched()
    async with aclosing(feed.watch()) as stream:
        lazy.append(await anext(stream))
        second = asyncio.ensure_future(anext(stream))
        result = await Match(terms, [bot("anne"), bot("mary")], QuietHost(), feed).play()
        lazy.append(await second)
        feed.end(result)
        lazy += [sight async for sight in stream]
    await viewer
    brisk, lazy, moments = brisk, lazy, len(result.moments)
    assert moments > MAX_QUEUED_SIGHTS
    assert len(brisk) > MAX_QUEUED_SIGHTS + 3
    assert len(lazy) <= MAX_QUEUED_SIGHTS + 3
    assert lazy[-1] == brisk[-1]
    assert [sight.number for sight in lazy] == sorted({sight.number for sight in lazy})


async def test_a_viewer_that_leaves_is_forgotten() -> None:
    feed = SpectatorFeed(match_terms("broadsides"), ["anne", "mary"])
    viewer = asyncio.create_task(collect(feed, Sights()))
    await fetched()
    assert len(feed._public._viewers) == 1
    viewer.cancel()
    await asyncio.gather(viewer, return_exceptions=True)
    assert not feed._public._viewers


async def test_a_commentator_is_shown_everything_but_only_after_the_delay() -> None:
    delay = 30.0

    terms = match_terms("pavillon_noir")
    feed = SpectatorFeed(terms, ["anne", "mary"])
    now = asyncio.get_running_loop().time
    happened: dict[int, float] = {}
    told: list[tuple[float, arena_pb2.Sight]] = []

    async def note() -> None:
        async for sight in feed.watch(full=True):
            happened[sight.number] = now()

    async def comment() -> None:
        async for sight in feed.watch(full=True, delay_seconds=delay):
            told.append((now(), sight))

    viewers = [asyncio.create_task(note()), asyncio.create_task(comment())]
    await fetched()
    players = [bot("anne", delay=0.5), bot("mary", delay=0.5)]
    result = await Match(terms, players, QuietHost(), feed).play()
    feed.end(result)
    await asyncio.gather(*viewers)
    happened, told, _ = happened, told, result
    assert [sight.number for _, sight in told] == list(happened)
    assert all(at >= happened[sight.number] + delay for at, sight in told[1:])
    secrets = [line for _, sight in told[1:-1] for line in sight.secrets]
    hidden = list(told[-1][1].secrets)
    assert hidden
    assert [line for line in secrets if line in set(hidden)] == hidden
    assert any("hand " in line for line in secrets), "the whole table is drawn where a turn begins"


async def test_a_commentator_who_joins_late_waits_as_long() -> None:
    terms, times = match_terms("broadsides"), list[float]()
    feed, now = SpectatorFeed(terms, ["anne", "mary"]), asyncio.get_running_loop().time
    feed(start(terms.game, 2, terms.variant, "late"), "", ())
    feed.end(None)
    times.append(now())
    async for _ in feed.watch(full=True, delay_seconds=60.0):
        times.append(now())
    happened, told_start, told_table = times
    assert told_start == happened
    assert told_table == pytest.approx(happened + 60.0)


@pytest.mark.parametrize(("void", "reveal"), [(True, True), (False, False)])
async def test_secrets_of_a_match_whose_luck_is_played_again_are_kept(void: bool, reveal: bool) -> None:
    terms, sights = match_terms("pavillon_noir"), Sights()
    feed = SpectatorFeed(terms, ["anne", "mary"], reveal=reveal)
    result = await Match(terms, [bot("anne"), bot("mary")], QuietHost(), feed).play()
    feed.end(result_of(terms, start(terms.game, 2, terms.variant, "void"), void=True) if void else result)
    await collect(feed, sights)
    end = sights[-1]
    assert end.HasField("end")
    assert end.end.reason.startswith("void") == void
    assert not end.secrets


async def test_a_match_that_ends_by_a_fault_shows_all_that_happened() -> None:
    """Also what was held back, because the seat that failed was asked for the sake of its cards alone."""
    terms = match_terms("marauders")
    asked = list[str]()

    def fail_at_a_window(question: Question) -> int | BotFault:
        asked.append(question.kind)
        if question.kind.startswith("w_"):
            return BotFault(FaultKind.CRASH, "gone", 0.0)
        return pick(rng, question.actions)

    for seed in range(30):
        rng = random.Random(seed)
        sights, result = await watched(terms, ScriptedPlayer(fail_at_a_window, name="anne"), bot("mary", seed))
        if result.reason == "fault":
            break
    assert asked[-1].startswith("w_")
    assert sights[-2].scene.lines
    assert sights[-1].end.faults[0].seat == 0


async def test_the_secrets_told_at_the_end_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spectator, "MAX_SECRETS", 5)
    sights, _ = await watched(match_terms("pavillon_noir"), bot("anne"), bot("mary"))
    assert MAX_SECRETS == 2000
    assert len(sights[-1].secrets) == 5
    assert "more: the record" in sights[-1].secrets[-1]


async def test_whoever_asks_for_a_pace_is_told_together_what_happened_meanwhile() -> None:
    terms = match_terms("pirates_cove")
    feed, every, paced = SpectatorFeed(terms, ["anne", "mary"]), Sights(), Sights()
    came: list[float] = []

    async def follow() -> None:
        async with aclosing(feed.watch(pace_seconds=0.02)) as stream:
            async for sight in stream:
                paced.append(sight)
                came.append(clock.now())

    viewers = [asyncio.create_task(collect(feed, every)), asyncio.create_task(follow())]
    await fetched()
    feed.end(await Match(terms, [bot("anne"), bot("mary")], QuietHost(), feed).play())
    over = clock.now()
    await asyncio.gather(*viewers)
    assert len(paced) < len(every) / 2
    assert (paced[0], paced[-1]) == (every[0], every[-1])
    assert paced[-2].scene.pirates_cove.observation == every[-2].scene.pirates_cove.observation
    told = [line for sight in paced for line in sight.scene.lines]
    assert told == [line for sight in every for line in sight.scene.lines], "nothing is left out"
    gaps = [later - earlier for earlier, later in pairwise(came[1:-2])]
    assert min(gaps) >= 0.0199
    assert came[-1] == over, "the end is not waited for"
