"""How often bots that run out of time are excused: real sleepers, a slow bot and a hog, at levels, loaded and quiet.

    python -m bench.excuses --level fence --level jail --busy 0 --busy 50 --matches 20

Each late bot plays matches against a quick one, and is late at its third question:

    asleep    sleeps until its clock has run out
    senses    looks now and then whether it has to wait for a core, and sleeps once it had to; otherwise it is in time
    slow      computes for as long as most of its clock: on a quiet machine it is in time
    hogged    the same, against a bot that keeps 64 processes busy

`before` is the rule up to now: whoever is late while a core or the referee was held up is excused, unless it took more
than its share. It is computed from the same matches, so the two columns differ by the rule alone.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog
from structlog.testing import capture_logs

from referee.errors import FaultKind
from referee.games import find_game
from referee.match.clock import TimeControl
from referee.rules.chance import derive_secret
from referee.wire import make_terms
from server.bots.spec import BotSpec
from server.hosting.bot_host import BotHost
from server.hosting.fair_blame import OVER_SHARE
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.system import logs

CLOCK_SECONDS = 2.0
QUESTIONS = 4
"""After so many of its questions a late bot resigns: the rest of the game shows nothing."""

BOT = r"""
import os, subprocess, sys, time
from tortuga_bot import Question, play

kind = sys.argv[1]
burn = "import os, time\nend = time.monotonic() + 30\nfor _ in range(6): os.fork()\nos.setsid()\n"
burn += "while time.monotonic() < end: pass"

def choose(question: Question) -> int:
    number = question.message.question_id
    if kind == "hog" and number == 2:
        subprocess.Popen([sys.executable, "-I", "-S", "-c", burn])
    if kind == "asleep" and number == 3:
        time.sleep(600)
    if kind == "senses" and number == 3:
        end = time.monotonic() + 1.6
        while (before := time.monotonic()) < end:
            until = time.process_time() + 0.004
            while time.process_time() < until:
                pass
            if time.monotonic() - before > 0.105:
                time.sleep(600)
            time.sleep(0.02)
    if kind == "slow" and number == 3:
        until = time.process_time() + 1.5
        while time.process_time() < until:
            pass
    if number > 3 and kind in ("asleep", "senses", "slow"):
        sys.exit(0)
    return 0

play(choose, name=kind)
"""

PAIRS = {
    "asleep": ("asleep", "quick"),
    "senses": ("senses", "quick"),
    "slow": ("slow", "quick"),
    "hogged": ("slow", "hog"),
}


@dataclass(slots=True)
class Verdicts:
    """What became of one kind of bot on one machine."""

    matches: int = 0
    late: int = 0
    before: int = 0
    """Excused by the former rule."""
    now: int = 0
    """Excused by the present one, or asked again because another bot held it up."""


async def measure(kind: str, level: JailLevel, matches: int, folder: Path) -> Verdicts:
    """Play matches of one kind of late bot, each by new processes."""
    verdicts, game = Verdicts(), find_game("pirates_cove")
    script = folder / "bot.py"
    clock = TimeControl(bank_seconds=600.0, cap_seconds=CLOCK_SECONDS, start_seconds=120.0)
    for number in range(matches):
        secret = derive_secret(f"excuses/{kind}/{number}")
        terms = make_terms(game, game.info.read_variant({}), secret, match_id=f"{kind}-{number}", clock=clock)
        async with BotHost(confinement=Confinement(level=level)) as host:
            bots = [
                await host.start_bot(
                    BotSpec(name=f"{name}-{seat}", folder=folder, run=(sys.executable, str(script), name))
                )
                for seat, name in enumerate(PAIRS[kind])
            ]
            with logged() as lines:
                result = await host.play(terms, bots)
        judged = [line for line in lines if str(line["event"]).startswith("overrun_") and line["bot"] == bots[0].name]
        for line in judged:
            print(kind, dict(line), file=sys.stderr, flush=True)
        timed_out = any(fault.seat == 0 and fault.kind is FaultKind.TIMEOUT for fault in result.faults)
        excused = [line for line in judged if line["event"] == "overrun_excused"]
        verdicts.matches += 1
        verdicts.late += bool(judged) or timed_out
        verdicts.now += bool(excused)
        verdicts.before += bool(excused) or any(line["why"] != OVER_SHARE for line in judged)
    return verdicts


@contextmanager
def logged() -> Iterator[list[structlog.typing.EventDict]]:
    """Yield the list of all that is logged meanwhile."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(0))
    try:
        with capture_logs() as lines:
            yield lines
    finally:
        structlog.configure(**before)


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep so many processes busy."""
    burners = [subprocess.Popen([sys.executable, "-I", "-S", "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
        for burner in burners:
            burner.wait()


def main(words: Sequence[str] | None = None) -> None:
    """Print one row for each level, load and kind of bot."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--level", action="append", type=JailLevel, help="repeatable; fence and jail by default")
    parser.add_argument(
        "--busy", action="append", type=int, help="busy processes beside; repeatable; 0 and 50 by default"
    )
    parser.add_argument("--kind", action="append", choices=list(PAIRS), help="repeatable; all by default")
    parser.add_argument("--matches", type=int, default=10, help="matches for each row")
    asked = parser.parse_args(words)
    logs.get_ready()
    print("| level | busy | load | bot | matches | late | excused before | excused now |\n" + "| --- " * 8 + "|")
    with tempfile.TemporaryDirectory(prefix="tortuga-excuses-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "bot.py").write_text(BOT)
        for level in asked.level or [JailLevel.FENCE, JailLevel.JAIL]:
            for count in asked.busy or [0, 50]:
                with busy(count):
                    for kind in asked.kind or PAIRS:
                        row = asyncio.run(measure(kind, level, asked.matches, folder))
                        print(
                            f"| `{level}` | {count} | {os.getloadavg()[0]:.0f} | {kind} | {row.matches} | {row.late} "
                            f"| {row.before} | {row.now} |",
                            flush=True,
                        )


if __name__ == "__main__":
    main()
