"""A person at a terminal: what happened and the options are printed, and a number is read.

Lines come in through a queue, so the match goes on while the person thinks. Only lines of text are printed, no wider
than the terminal: it works over ssh, in a log, and read aloud.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import sys
import textwrap
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

from referee.match.question_text import split_text
from referee.rules.infos import end_words
from referee.text import harmless
from server.hosting.hosted_bot import SeatedBot
from server.people.guest import Guest, at_table
from server.play.narrate import name_seats
from tortuga.v1 import referee_pb2 as pb

T = TypeVar("T")

HELP = """\
Type the number of an option and press Enter.
  b        the board, as far as you know it
  o        what happened, and your options, once more
  r        the rules of the game
  ? WORD   what the rules say about a word, e.g. ? ship
Ctrl-C asks whether you want to resign; pressed twice, it breaks the match off."""
RESIGN = "Resign this match? Type yes to resign, anything else to play on."
NARROWEST = 40
NEXT_OPTION = re.compile(r"  (\d+: .*?)(?=  \d+: |$)")
"""One of several options on a line. It is not broken in two."""
GLUE = "\N{NO-BREAK SPACE}"


class Terminal:
    """A person's mind, as far as a terminal shows it: a Mind for a Guest."""

    def __init__(self, lines: asyncio.Queue[str | None], show: Callable[[str], None]) -> None:
        self._lines = lines
        self._show = show
        self._match = pb.MatchStart()
        self._is_asked = False
        self._is_resigning = False
        """True once Ctrl-C was pressed, until it is answered what was meant."""
        self._has_seen_board = False

    def start(self, match: pb.MatchStart) -> None:
        """Greet the person."""
        self._match = match
        seats = ", ".join(f"{seat} {harmless(name)}" for seat, name in enumerate(match.seat_names))
        self._print(f"At the table: {seats}. You are {match.seat}. Type ? for help.")

    def interrupt(self) -> bool:
        """Ask whether to resign: Ctrl-C was pressed. False if that was just asked: the match is to be broken off."""
        if self._is_resigning:
            return False
        self._is_resigning = True
        later = "" if self._is_asked else " You are asked at your next turn; Ctrl-C once more breaks the match off."
        self._print(f"\n{RESIGN}{later}")
        return True

    async def choose(self, question: pb.Question) -> int | None:
        """Print a question and read lines until one of them answers it."""
        self._is_asked = True
        try:
            news, table, options = split_text(question.text)
            if not self._has_seen_board:
                self._print(f"\nThe board (b shows it again):\n{table}")
                self._has_seen_board = True
            self._print(f"\n{news}\n\n{options}")
            if self._is_resigning:
                self._print(RESIGN)
            while True:
                self._prompt(question)
                line = await self._lines.get()
                if line is None:
                    self._print("The input has ended: you resign.")
                    return None
                if self._is_resigning:
                    self._is_resigning = False
                    if line.strip().lower() in ("y", "yes"):
                        return None
                    self._print("The match goes on.")
                elif (index := self._read(line.strip(), question, news, table, options)) is not None:
                    return index
        finally:
            self._is_asked = False

    def note(self) -> str:
        """Return nothing: people are not asked why."""
        return ""

    def hear_fault(self, fault: pb.Fault) -> None:
        """Print what went wrong, and what it costs."""
        cost = "you are out of the match" if fault.out else f"option {fault.substituted_option} was played for you"
        self._print(f"\n{harmless(fault.message)}: {cost}.")

    def end(self, end: pb.MatchEnd) -> None:
        """Print how the match ended."""
        ranks = ", ".join(
            f"{rank}. {harmless(name)}" for rank, name in sorted(zip(end.ranks, self._match.seat_names, strict=False))
        )
        self._print(f"\nThe match is over ({harmless(end_words(end.reason))}). {ranks}")

    def _read(self, line: str, question: pb.Question, news: str, table: str, options: str) -> int | None:
        """Read one line: an option, or a wish to see something."""
        count = question.option_count
        if line.isascii() and line.isdigit() and len(line) < 6:
            if int(line) < count:
                return int(line)
            self._print(f"There is no option {int(line)}: the last is {count - 1}.")
        elif line == "b":
            self._print(table)
        elif line == "o":
            self._print(f"{news}\n\n{options}")
        elif line == "r":
            self._print(reflow(self._match.rules_text) or "This game has no short text of its rules.")
        elif line.startswith("?"):
            self._explain(line[1:].strip())
        elif line:
            self._print(f"{line[:40]!a} is no number of an option, 0 to {count - 1}. Type ? for help.")
        return None

    def _explain(self, word: str) -> None:
        if not word:
            self._print(HELP)
            return
        rules = reflow(self._match.rules_text).split("\n\n")
        found = [part for part in rules if word.lower() in part.lower()]
        self._print("\n\n".join(found) or f"The rules do not mention {word[:40]!a}.")

    def _prompt(self, question: pb.Question) -> None:
        seconds = question.time_left_millis / 1000
        clock = f", {seconds:.0f} s" if seconds else ""
        self._show(f"Your choice (0 to {question.option_count - 1}{clock}, ? for help): ")

    def _print(self, text: str) -> None:
        width = max(NARROWEST, shutil.get_terminal_size().columns)
        lines = [part for line in self._name_seats(text).split("\n") for part in wrap(line, width)]
        self._show("\n".join(lines) + "\n")

    def _name_seats(self, text: str) -> str:
        return name_seats(text, [harmless(name) for name in self._match.seat_names])


async def play_at_terminal(name: str, play: Callable[[SeatedBot], Awaitable[T]]) -> T:
    """Play a match in which the person at this terminal has a seat. Ctrl-C asks before it breaks the match off."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    terminal = Terminal(read_lines(sys.stdin.fileno()), show)
    loop.add_signal_handler(signal.SIGINT, lambda: terminal.interrupt() or task.cancel())
    guest = Guest(name, terminal)
    async with at_table(guest):
        return await play(guest)


def show(text: str) -> None:
    """Print text that may be the beginning of a line."""
    sys.stdout.write(text)
    sys.stdout.flush()


def reflow(text: str) -> str:
    """Make one line of each paragraph of prose; lists, tables and headings stay as they are."""
    parts = [part if part.startswith(("|", "- ", "#")) else " ".join(part.split()) for part in text.split("\n\n")]
    return "\n\n".join(parts)


def wrap(line: str, width: int) -> list[str]:
    """Break a line that is too wide, and indent what follows."""
    if len(line) <= width:
        return [line]
    indent = " " * min(len(line) - len(line.lstrip()) + 4, width // 2)
    whole = NEXT_OPTION.sub(lambda match: f"  {match[1].replace(' ', GLUE)}", line)
    wrapped = textwrap.wrap(whole, width, subsequent_indent=indent, break_on_hyphens=False)
    return [part.replace(GLUE, " ") for part in wrapped]


def read_lines(descriptor: int) -> asyncio.Queue[str | None]:
    """Read lines in a thread of their own, into a queue; None at their end. Reads the descriptor itself: a thread that
    waits in `sys.stdin` would keep the process from ending."""
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def put(line: str | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        rest = b""
        while data := _read_some(descriptor):
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                put(line.decode("utf-8", "replace"))
        put(None)

    threading.Thread(target=read, daemon=True).start()
    return lines


def _read_some(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # the terminal is gone
        return b""
