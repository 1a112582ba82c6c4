"""Who is to blame for an overrun, in virtual time: evidence is put in by hand, the match and the judgement are real."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from referee.errors import FaultKind
from referee.match.clock import HOST_LATE_SECONDS
from referee.match.match import Match, MatchResult
from referee.match.question import Question
from server.hosting.fair_blame import READ_SECONDS, FairBlame, FairMatchHost
from server.hosting.hold_ups import HoldUp
from support.logged import captured
from support.players import ScriptedPlayer
from support.tortoise import terms

pytestmark = pytest.mark.virtual_time


@dataclass(slots=True)
class Machine:
    """What we measured of it: how long the referee and a core were held up while the question was open."""

    lag: float = 0.0
    held_up: float = 0.0

    def longest_stall_since(self, moment: float) -> float:
        return self.lag

    def stalled_since(self, moment: float) -> float:
        return self.lag if self.lag > HOST_LATE_SECONDS else 0.0

    def longest(self, since: float, until: float) -> HoldUp | None:
        return HoldUp(core=1, seconds=self.held_up) if self.held_up else None


@dataclass(eq=False)
class Bot:
    """A bot that takes so many cores, all the time, and waits for one for so much of it."""

    name: str
    player: ScriptedPlayer
    cores: float | None = 0.0
    waits: float | None = None
    threads: int = 1
    share_cores: float = 1.0
    is_gone: bool = False
    readings: int = 0
    asked_since: float | None = None
    ended: list[str] = field(default_factory=list)

    @property
    def asked_at(self) -> float | None:
        return self.asked_since

    def cpu_seconds(self) -> float | None:
        self.readings += 1
        return None if self.cores is None else self.cores * asyncio.get_running_loop().time()

    def waited_seconds(self) -> float | None:
        return None if self.waits is None else self.waits * asyncio.get_running_loop().time()

    def running_threads(self) -> int:
        return self.threads

    def end_for_overuse(self, message: str) -> None:
        self.ended.append(message)
        self.player.fall(FaultKind.RESOURCE)


def thinker(name: str = "thinker", **facts: float | None) -> Bot:
    """Answers all but its third question, which all seats are asked together, and at which it runs out of time."""

    def answer(question: Question) -> int | None:
        bot.asked_since = 0.0
        return None if question.question_id == 3 else 0

    bot = Bot(name, ScriptedPlayer(answer, name=name), **facts)  # type: ignore[arg-type]
    return bot


def quick(name: str = "quick", **facts: float | None) -> Bot:
    """Answers at once."""
    return Bot(name, ScriptedPlayer(lambda question: 0, name=name), **facts)  # type: ignore[arg-type]


async def play(
    machine: Machine,
    *bots: Bot,
    cores: int = 2,
    others: tuple[Bot, ...] = (),
    excuses_left: Mapping[str, int] | None = None,
) -> MatchResult:
    """A match between these bots, while others play elsewhere."""
    blame = FairBlame(machine, machine, cores)
    blame.limit_excuses(excuses_left or {})
    for bot in (*bots, *others):
        blame.add(bot)
    blame.start()
    host = FairMatchHost(blame, "m", bots, [bot.name for bot in bots])
    result = await Match(terms(), [bot.player for bot in bots], host).play()
    blame.stop()
    return result


def faults(result: MatchResult) -> list[tuple[int, FaultKind]]:
    return [(fault.seat, fault.kind) for fault in result.faults]


def evidence(result: MatchResult) -> list[str]:
    """The facts in the reason of a void match."""
    return re.findall(r"void|seat \d|core \d|referee|\d\.\d+ s", result.reason)


async def test_a_quiet_machine_is_not_to_blame() -> None:
    result = await play(Machine(lag=0.1, held_up=0.1), thinker(), quick())
    assert (result.void, faults(result)) == (False, [(0, FaultKind.TIMEOUT)])


async def test_a_core_that_was_held_up_by_something_of_ours_is_to_blame() -> None:
    with captured() as logs:
        result = await play(Machine(held_up=0.25), quick(), thinker(cores=0.9))
    assert result.void
    assert evidence(result) == ["void", "seat 1", "core 1", "0.25 s"]
    [line] = [line for line in logs if line["event"] == "overrun_excused"]
    assert (line["match"], line["bot"], line["core"], line["held_up_seconds"]) == ("m", "thinker", 1, 0.25)


async def test_all_evidence_is_named() -> None:
    result = await play(Machine(held_up=0.25, lag=0.6), quick(), thinker())
    assert evidence(result) == ["void", "seat 1", "core 1", "0.25 s", "referee", "0.60 s"]


async def test_a_referee_that_was_held_up_is_to_blame_whatever_the_bot_takes() -> None:
    """No core was held up: it was our own work, and no bot's."""
    result = await play(Machine(lag=0.3), thinker(cores=2.0, threads=50), quick())
    assert evidence(result) == ["void", "seat 0", "referee", "0.30 s"]


async def test_three_bots_that_sleep_together_are_not_excused() -> None:
    result = await play(Machine(), *(thinker(name) for name in ("ann", "bob", "cat")))
    assert (result.void, faults(result)) == (False, [(seat, FaultKind.TIMEOUT) for seat in range(3)])


@pytest.mark.parametrize("lag", [0.0, 0.5])
async def test_a_bot_that_starves_itself_with_threads_is_not_excused(lag: float) -> None:
    """Though cores were held up, and perhaps the referee as well: it may have done that itself."""
    with captured() as logs:
        result = await play(Machine(held_up=0.4, lag=lag), thinker(cores=1.8, threads=40), quick())
    assert (result.void, faults(result)) == (False, [(0, FaultKind.TIMEOUT)])
    assert [line["took_cores"] for line in logs if line["event"] == "overrun_not_excused"] == [1.8]


@pytest.mark.parametrize(("cores", "is_void"), [(0.5, True), (0.8, True), (0.97, False)])
async def test_on_a_single_core_a_bot_that_had_all_of_it_was_not_held_up(cores: float, is_void: bool) -> None:
    result = await play(Machine(held_up=0.2), thinker(cores=cores), quick(), cores=1)
    assert result.void == is_void


@pytest.mark.parametrize(("share_cores", "is_void"), [(1.0, False), (2.0, True)])
async def test_a_bot_may_take_what_its_limits_grant(share_cores: float, is_void: bool) -> None:
    result = await play(Machine(held_up=0.2), thinker(cores=1.9, share_cores=share_cores), quick(), cores=4)
    assert result.void == is_void


@pytest.mark.parametrize("machine", [Machine(held_up=0.4), Machine(lag=0.2), Machine(held_up=0.4, lag=0.2)])
@pytest.mark.parametrize(
    ("cores", "waits", "is_void"),
    [
        (0.0, 0.0, False),  # it slept
        (0.0, 0.3, False),  # it woke up now and then, and had to wait each time
        (0.2, 0.2, False),  # it computed until it sensed the hold-up, and then slept
        (0.4, 0.6, True),  # it wanted to compute all the time
        (0.3, 0.5, True),  # as an honest bot that reads a file
    ],
)
async def test_a_bot_that_sleeps_is_not_excused_whatever_the_machine_does(
    machine: Machine, cores: float, waits: float, is_void: bool
) -> None:
    result = await play(machine, thinker(cores=cores, waits=waits), quick())
    assert (result.void, faults(result)) == (is_void, [] if is_void else [(0, FaultKind.TIMEOUT)])


async def test_a_bot_that_did_not_have_to_wait_is_not_excused_by_a_core_that_others_had_to_wait_for() -> None:
    result = await play(Machine(held_up=0.4), thinker(cores=0.99, waits=0.01), quick())
    assert (result.void, faults(result)) == (False, [(0, FaultKind.TIMEOUT)])


@pytest.mark.parametrize(
    ("left", "opponent_waits", "is_void"), [(1, 0.0, True), (0, 0.0, False), (0, None, False), (0, 0.5, True)]
)
async def test_without_excuses_left_an_opponent_has_to_have_waited_too(
    left: int, opponent_waits: float | None, is_void: bool
) -> None:
    machine, bots = Machine(held_up=0.4), (thinker(cores=0.4, waits=0.6), quick(cores=0.1, waits=opponent_waits))
    assert (await play(machine, *bots, excuses_left={"thinker": left})).void == is_void


async def test_excuses_are_used_up_within_a_job_and_not_given_back_by_an_older_count() -> None:
    blame = FairBlame(Machine(), Machine(held_up=0.4), 2)
    for given, excused in ((2, True), (2, True), (2, False), (5, False)):
        blame.limit_excuses({"ann": given})
        assert bool(blame.excuse_overrun(object(), "ann", 0.0, "m")) == excused


async def test_a_bot_of_which_we_know_nothing_is_excused() -> None:
    assert (await play(Machine(held_up=0.2), thinker(cores=None), quick())).void


async def test_a_bot_that_holds_up_its_opponent_loses_by_resource() -> None:
    hog = quick(cores=1.9, threads=60)
    result = await play(Machine(held_up=0.2), hog, thinker())
    assert (result.void, faults(result), result.ranks) == (False, [(0, FaultKind.RESOURCE)], (2, 1))
    [message] = hog.ended
    assert re.match(r"took 1\.9 cores.* is 1,", message)


async def test_a_bot_that_holds_up_another_match_ends_and_that_match_is_void() -> None:
    hog = quick(cores=1.9, threads=60)
    result = await play(Machine(held_up=0.2), thinker(), quick(), others=(hog,))
    assert result.void
    assert result.reason.endswith("more than its share")
    assert len(hog.ended) == 1


@pytest.mark.parametrize(("cores", "threads"), [(1.0, 60), (1.9, 4), (0.1, 1)])
async def test_nobody_else_ends_for_a_hold_up(cores: float, threads: int) -> None:
    """A bot that thinks with one thread, or whose runtime has a few of its own, holds up nobody."""
    other = quick(cores=cores, threads=threads)
    result = await play(Machine(held_up=0.2), thinker(), quick(), others=(other,))
    assert (result.void, other.ended) == (True, [])


async def test_processor_time_is_read_only_while_somebody_thinks_for_long() -> None:
    idle, gone = quick(), quick()
    gone.is_gone = True
    blame = FairBlame(Machine(), Machine(), 2)
    blame.add(idle)
    blame.add(gone)
    blame.start()
    await asyncio.sleep(10 * READ_SECONDS)
    assert idle.readings == 0
    idle.asked_since = asyncio.get_running_loop().time()
    await asyncio.sleep(10 * READ_SECONDS)
    blame.stop()
    assert (idle.readings > 5, gone.readings) == (True, 0)
