"""Bot processes that are kept for many matches, and never meet the same luck twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from server.bots.spec import BotSpec
from server.hosting.bot_pool import BotPool, UnstartableBot
from server.play.block_jobs import BlockJob, BlockResult
from server.play.worker import ATTEMPTS, play_part
from support.fake_bot_host import FakeBotHost, make_job, no_process, no_program

ANN, BOB, CID = (BotSpec(name=name, run=("true",)) for name in ("ann", "bob", "cid"))
MANY = BotSpec(name="many", run=("true",), slots=3)


def play(host: FakeBotHost, jobs: Sequence[BlockJob], *, tables: int = 4, idle_limit: int = 100) -> list[BlockResult]:
    """All blocks at once, as a worker does."""

    async def work() -> list[BlockResult]:
        pool = BotPool(host, tables=tables, idle_limit=idle_limit)  # type: ignore[arg-type]
        results = await asyncio.gather(*(play_part(host, pool, job) for job in jobs))
        await pool.close()
        return results

    return asyncio.run(work())


def one_by_one(host: FakeBotHost, jobs: Sequence[BlockJob], *, idle_limit: int = 100) -> list[BlockResult]:
    """One block after the other, with the same pool."""

    async def work() -> list[BlockResult]:
        pool = BotPool(host, tables=4, idle_limit=idle_limit)  # type: ignore[arg-type]
        results = [await play_part(host, pool, job) for job in jobs]
        await pool.close()
        return results

    return asyncio.run(work())


def check_luck(host: FakeBotHost) -> None:
    """No process has met the same luck twice."""
    meetings = Counter((process, secret) for process, secret, _ in host.met)
    assert set(meetings.values()) <= {1}


@pytest.mark.few(3)
@pytest.mark.parametrize("tables", [1, 2, 4, 16])
@pytest.mark.parametrize("slots", [1, 3])
def test_no_process_sits_in_two_rotations_of_a_block(tables: int, slots: int) -> None:
    host, first = FakeBotHost(), BotSpec(name="ann", run=("true",), slots=slots)
    results = play(host, [make_job(block, [first, BOB]) for block in range(20)], tables=tables)
    assert all(len(result.matches) == 2 for result in results)
    check_luck(host)
    assert host.most_tables <= tables


def test_processes_are_kept_for_many_matches() -> None:
    host = FakeBotHost()
    one_by_one(host, [make_job(block, [ANN, BOB]) for block in range(10)])
    assert len(host.started) == 4, "two bots in two rotations"
    assert host.stopped == []
    assert len(host.met) == 40
    check_luck(host)


def test_fresh_ones_play_one_match_and_go() -> None:
    host = FakeBotHost()
    one_by_one(host, [make_job(block, [ANN, BOB], fresh=True) for block in range(5)])
    assert len(host.started) == len(host.stopped) == 20
    assert Counter(process for process, _, _ in host.met) == dict.fromkeys(range(20), 1)


def test_after_a_void_match_its_processes_go_and_others_play_it_again() -> None:
    host = FakeBotHost(
        is_void=lambda match_id, before: match_id.endswith("-1") and "-00001-" in match_id and before < 2
    )
    results = one_by_one(host, [make_job(block, [ANN, BOB]) for block in range(3)])
    assert [len(result.matches) for result in results] == [2, 2, 2]
    assert [len(result.voids) for result in results] == [0, 2, 0]
    assert len(host.stopped) == 4
    assert len(host.alive) == 4
    check_luck(host)


def test_a_rotation_that_stays_void_is_left_out() -> None:
    host = FakeBotHost(is_void=lambda match_id, before: match_id.endswith("-1"))
    [result] = one_by_one(host, [make_job(0, [ANN, BOB])])
    assert [match.summary.rotation for match in result.matches] == [0]
    assert len(result.voids) == ATTEMPTS
    check_luck(host)


def test_rotations_with_luck_of_their_own_are_played_by_the_same_processes() -> None:
    host = FakeBotHost()
    jobs = [make_job(block, [ANN, BOB, CID]) for block in range(3)]
    one_by_one(host, [replace(job, secrets=tuple(bytes([seat]) * 32 for seat in range(3))) for job in jobs])
    assert len(host.started) == 9, "three at a time, because nobody here has a second slot"
    host = FakeBotHost()
    many = [replace(ANN, slots=3), replace(BOB, slots=3), replace(CID, slots=3)]
    mirrored = make_job(0, many)
    play(host, [replace(mirrored, secrets=tuple(bytes([seat]) * 32 for seat in range(3)))])
    assert len(host.started) == 3


def test_a_bot_with_slots_plays_so_many_matches_at_once_and_no_more() -> None:
    host = FakeBotHost()
    play(host, [make_job(block, [MANY, BOB]) for block in range(12)], tables=24)
    many = [bot for bot in host.started if bot.spec is MANY]
    assert max(bot.most for bot in many) == 3
    assert {bot.most for bot in host.started if bot.spec is BOB} == {1}
    assert len(many) < 24
    check_luck(host)


def test_more_idle_processes_than_the_limit_are_let_go_the_longest_idle_first() -> None:
    host = FakeBotHost()
    jobs = [make_job(0, [ANN, BOB]), make_job(1, [BOB, CID]), make_job(2, [ANN, CID])]
    one_by_one(host, jobs, idle_limit=4)
    assert len(host.alive) == 4
    assert host.stopped[0].number in (0, 1, 2, 3)
    check_luck(host)
    host = FakeBotHost()
    one_by_one(host, jobs, idle_limit=0)
    assert host.alive == []


async def test_a_process_that_is_gone_is_replaced() -> None:
    host = FakeBotHost()
    pool = BotPool(host, tables=4, idle_limit=100)  # type: ignore[arg-type]
    await play_part(host, pool, make_job(0, [ANN, BOB]))
    for bot in host.started:
        bot.gone = True
    await play_part(host, pool, make_job(1, [ANN, BOB]))
    assert len(host.started) == 8
    check_luck(host)


async def test_a_program_that_cannot_be_started_forfeits() -> None:
    host = FakeBotHost(refuse=lambda spec, number: no_program(spec, number) if spec is BOB else None)
    pool = BotPool(host, tables=4, idle_limit=100)  # type: ignore[arg-type]
    async with pool.acquire([ANN, BOB], 0, 1.0, fresh=False) as pooled:
        assert [type(one.bot).__name__ for one in pooled] == ["FakeBot", "UnstartableBot"]


def test_when_the_host_cannot_start_one_bot_the_others_are_free_again() -> None:
    host = FakeBotHost(refuse=no_process)
    [result] = one_by_one(host, [make_job(0, [ANN, BOB])])
    assert len(result.matches) == 2
    assert {void.reason.partition(": ")[2] for void in result.voids} == {f"void: {no_process(BOB, 0)}"}
    assert [bot.playing for bot in host.started] == [0] * len(host.started)
    assert len([bot for bot in host.started if bot.spec is ANN]) == 2, "ann's process waits for the next try"


def test_a_bot_of_another_version_is_another_process_whatever_it_is_called() -> None:
    """On a ladder the first version of a bot has the bot's own name, in an event the present one has."""
    host, newer = FakeBotHost(), BotSpec(name="ann", run=("true",), version="2")
    one_by_one(host, [make_job(0, [ANN, BOB]), make_job(1, [newer, BOB])])
    assert [bot.spec.version for bot in host.started if bot.spec.name == "ann"] == ["", "", "2", "2"]


def test_a_process_whose_match_was_given_up_before_it_came_is_let_go() -> None:
    host = FakeBotHost()

    async def work() -> None:
        pool = BotPool(host, tables=4, idle_limit=100)  # type: ignore[arg-type]

        async def match() -> None:
            async with pool.acquire([ANN], 0, 1.0, fresh=False):
                pytest.fail("it was not waited for")

        task = asyncio.create_task(match())

        def give_up(spec: BotSpec, number: int) -> None:
            task.cancel()

        host.refuse = give_up
        await asyncio.wait([task])
        assert task.cancelled()
        await pool.close()

    asyncio.run(work())
    assert len(host.started) == len(host.stopped) == 1


def test_a_block_that_we_stumbled_over_leaves_nothing_behind_and_its_luck_is_new_to_those_who_play_it_again() -> None:
    """A bug of ours in one rotation: the other is not played on unseen, and those who have met the luck go."""
    host, job, stumbles = FakeBotHost(), make_job(0, [ANN, BOB]), [RuntimeError("our bug")]

    def stumble(match_id: str, before: int) -> bool:
        if match_id.endswith("-1") and stumbles:
            raise stumbles.pop()
        return False

    host.is_void = stumble

    async def work() -> BlockResult:
        pool = BotPool(host, tables=4, idle_limit=100)  # type: ignore[arg-type]
        with pytest.raises(ExceptionGroup):
            await play_part(host, pool, job)
        assert host.tables == 0
        result = await play_part(host, pool, job)
        await pool.close()
        return result

    assert len(asyncio.run(work()).matches) == 2
    check_luck(host)


def test_who_is_banned_ends_at_once_and_starts_no_more_until_it_may_play_again() -> None:
    host = FakeBotHost()

    async def work() -> None:
        pool = BotPool(host, tables=4, idle_limit=100)  # type: ignore[arg-type]
        async with pool.acquire([ANN, BOB], 0, 1.0, fresh=False) as [ann, bob]:
            pass
        assert host.stopped == []
        async with pool.acquire([ANN, BOB], 1, 1.0, fresh=False) as [playing, other]:
            pool.set_banned({"ann": "it swears"})
            assert [bot.expelled for bot in host.started] == ["it swears", "", "it swears", ""], "also in mid-match"
            await asyncio.sleep(0)
            assert host.stopped == [ann.bot], "the log of the other is needed until its match is over"
            pool.set_banned({"ann": "it swears", "nobody": "it never came"})
        async with pool.acquire([ANN, BOB], 0, 1.0, fresh=False) as [banned, again]:
            assert isinstance(banned.bot, UnstartableBot)
            assert again.bot is bob.bot
        async with pool.acquire([ANN], 0, 1.0, fresh=True) as [banned]:
            assert isinstance(banned.bot, UnstartableBot)
        pool.set_banned({})
        async with pool.acquire([ANN], 0, 1.0, fresh=False) as [back]:
            assert back.bot not in (ann.bot, playing.bot)
            assert back.is_usable
        await pool.close()
        assert host.stopped == [ann.bot, playing.bot]
        assert other.is_usable

    asyncio.run(work())


def test_who_is_banned_while_it_starts_ends_as_soon_as_it_has_started() -> None:
    host = FakeBotHost()

    async def work() -> None:
        pool = BotPool(host, tables=4, idle_limit=100)  # type: ignore[arg-type]
        host.refuse = lambda spec, number: pool.set_banned({"ann": "it swears"})
        async with pool.acquire([ANN], 0, 1.0, fresh=False):
            pass
        await pool.close()
        assert [bot.expelled for bot in host.started] == ["it swears"]
        assert host.alive == []

    asyncio.run(work())


def test_the_processes_of_a_replaced_bot_finish_their_matches_and_go() -> None:
    host = FakeBotHost()

    async def work() -> None:
        pool = BotPool(host, tables=4, idle_limit=100)  # type: ignore[arg-type]
        async with pool.acquire([ANN], 0, 1.0, fresh=False, names=["own"]) as [idle]:
            pass
        async with pool.acquire([ANN], 1, 1.0, fresh=False, names=["own"]) as [playing]:
            pool.retire_all("ann")
            assert playing.is_usable, "it sits there as ann, and is another bot"
            host.refuse = lambda spec, number: pool.retire_all("own")
            async with pool.acquire([ANN], 2, 1.0, fresh=False, names=["own"]) as [starting]:
                assert host.stopped == [idle.bot]
                assert not starting.is_usable
            assert not any(bot.expelled for bot in host.started)
        await pool.close()
        assert len(host.started) == 3
        assert host.alive == []

    asyncio.run(work())
