"""Who is to blame for an overrun, with real bots and a real core watch, which is held up by being stopped."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.errors import FaultKind
from referee.games import find_game
from referee.match.clock import HOST_LATE_SECONDS, TimeControl, now
from referee.match.match import MatchResult
from referee.rules.chance import derive_secret
from referee.wire import make_terms
from server.bots.spec import BotSpec
from server.hosting.bot_host import BotHost
from server.hosting.cores import available_cores
from support.bots import until

BOT = r"""
import subprocess, sys, time
from tortuga_bot import Question, play

burns, late = int(sys.argv[1]), sys.argv[2]
burners = []
burn = "import os, time\nend = time.monotonic() + 60\nfor _ in range(6): os.fork()\n"
burn += "os.setsid()\nwhile time.monotonic() < end: pass"

def choose(question: Question) -> int:
    if question.message.question_id == 2 and burns and not burners:
        burners.append(subprocess.Popen([sys.executable, "-I", "-S", "-c", burn]))
    if question.message.question_id == 3 and late == "sleeps":
        time.sleep(600)
    while question.message.question_id == 3 and late == "thinks":
        pass
    return 0

play(choose, name="bot")
"""


@pytest.fixture
def busy_machine() -> Iterator[None]:
    """Three busy processes for each core, each with a session of its own."""
    burn = [sys.executable, "-I", "-S", "-c", "while True: pass"]
    burners = [subprocess.Popen(burn, start_new_session=True) for _ in range(3 * len(available_cores()))]
    yield
    for burner in burners:
        burner.kill()
        burner.wait()


async def play(folder: Path, *bots: tuple[int, str]) -> MatchResult:
    """A match of bots that perhaps start 64 busy processes at their second question and perhaps fall asleep at their
    third, or think for ever. The core watch is held up while somebody does.

    Each of the 64 has a session of its own: the kernel may divide the processor by sessions.
    """
    script = folder / "bot.py"
    script.write_text(BOT)
    game = find_game("pirates_cove")
    terms = make_terms(
        game,
        game.info.read_variant({}),
        derive_secret("blame"),
        match_id="blame",
        clock=TimeControl(bank_seconds=600.0, cap_seconds=5.0, start_seconds=120.0),
    )
    async with BotHost() as host:
        hosted = [
            await host.start_bot(BotSpec(name=f"bot-{seat}", run=(sys.executable, str(script), str(burns), late)))
            for seat, (burns, late) in enumerate(bots)
        ]
        match = asyncio.create_task(host.play(terms, hosted))
        late_bots = [bot for bot, (_, late) in zip(hosted, bots, strict=True) if late]
        await until(
            lambda: match.done() or any((at := bot.asked_at) is not None and now() - at > 2.0 for bot in late_bots)
        )
        watch = host.core_watch
        assert watch is not None
        os.kill(watch.pid, signal.SIGSTOP)
        await asyncio.sleep(5 * HOST_LATE_SECONDS)
        os.kill(watch.pid, signal.SIGCONT)
        return await match


def faults(result: MatchResult) -> list[tuple[int, FaultKind]]:
    return [(fault.seat, fault.kind) for fault in result.faults]


@pytest.mark.system  # it waits for a bot that runs out of time
@pytest.mark.usefixtures("busy_machine")
async def test_a_bot_that_thinks_while_a_core_is_held_up_is_excused(tmp_path: Path) -> None:
    result = await play(tmp_path, (0, ""), (0, "thinks"), (0, ""))
    assert (result.void, result.excused) == (True, (1,))
    assert re.match(r"void: seat 1 .*\bcore \d", result.reason)


@pytest.mark.system  # it waits for a bot that runs out of time
@pytest.mark.usefixtures("busy_machine")
async def test_a_bot_that_sleeps_while_a_core_is_held_up_is_not_excused(tmp_path: Path) -> None:
    result = await play(tmp_path, (0, ""), (0, "sleeps"))
    assert (result.void, faults(result)) == (False, [(1, FaultKind.TIMEOUT)])


needs_two_cores = pytest.mark.skipif(
    len(available_cores()) < 2, reason="a bot can take more than its share, one core, only where there are two"
)


@needs_two_cores
@pytest.mark.system  # it keeps all cores busy
async def test_a_bot_that_starves_itself_is_not_excused(tmp_path: Path) -> None:
    result = await play(tmp_path, (1, "thinks"), (0, ""))
    assert (result.void, faults(result)) == (False, [(0, FaultKind.TIMEOUT)])


@needs_two_cores
@pytest.mark.system  # it keeps all cores busy
async def test_a_bot_that_starves_another_is_out_and_nothing_of_it_is_left(tmp_path: Path) -> None:
    result = await play(tmp_path, (1, ""), (0, "thinks"))
    assert (result.void, faults(result), result.ranks) == (False, [(0, FaultKind.RESOURCE)], (2, 1))
    [fault] = result.faults
    assert "where its share is 1," in fault.message
