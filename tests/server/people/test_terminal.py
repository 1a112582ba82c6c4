"""A person at a terminal: what is shown, what may be typed, and when a match is given up."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.games import GAMES
from referee.match.match import Match, MatchResult, Terms
from referee.records.record import read_record
from referee.rules.chance import derive_secret
from referee.wire import WIRES
from server.people.guest import Guest, at_table
from server.people.terminal import Terminal, read_lines, wrap
from support.command import ROOT
from support.players import QuietHost, ScriptedPlayer


class Screen:
    """A terminal without a screen: what was shown, and the lines that are typed when something is asked."""

    def __init__(self, *typed: str | None) -> None:
        self._typed = list(typed)
        self.shown = ""
        self.lines: asyncio.Queue[str | None] = asyncio.Queue()
        self.terminal = Terminal(self.lines, self._show)

    def _show(self, text: str) -> None:
        self.shown += text
        if text.startswith("Your choice ("):
            self.lines.put_nowait(self._typed.pop(0) if len(self._typed) > 1 else self._typed[0])


async def play(screen: Screen, game_id: str = "broadsides", seats: int = 2, name: str = "b") -> MatchResult:
    """A match of the person against bots that take the first option."""
    game = GAMES[game_id]
    terms = Terms(
        match_id="m",
        game=game,
        wire=WIRES[game_id],
        variant=game.info.read_variant({}),
        secret=derive_secret("person"),
    )
    guest = Guest("me", screen.terminal)
    others: list[Any] = [ScriptedPlayer(lambda question: 0, name=name) for _ in range(seats - 1)]
    async with at_table(guest):
        return await Match(terms, [await guest.player(terms), *others], QuietHost()).play()


@pytest.mark.parametrize("game_id", GAMES)
async def test_a_whole_match_is_played_by_typing_numbers(game_id: str) -> None:
    screen = Screen("0")
    result = await play(screen, game_id)
    assert not result.faults
    asked = screen.shown.count("Your choice (")
    assert asked == sum(answer.seat == 0 for moment in result.moments for answer in moment.answers)
    assert "The match is over" in screen.shown
    assert max(map(len, screen.shown.split("\n"))) <= 80, "it fits on a terminal of 80 columns"


async def test_the_board_is_shown_at_first_and_on_request() -> None:
    screen = Screen("b", None)
    await play(screen)
    assert screen.shown.count("Map cays, round 0") == 2


async def test_what_is_no_number_is_explained_and_asked_again() -> None:
    screen = Screen("", "99", "-1", "fire", "?", "? melee", "? submarine", "r", "o", None)
    result = await play(screen)
    assert screen.shown.count("Your choice (0 to 21, ") == 10
    assert "no option 99" in screen.shown
    assert "'fire' is no number" in screen.shown
    assert "Ctrl-C" in screen.shown
    assert "the bank" not in screen.shown
    assert screen.shown.count("A melee") == 2, "once for its word, once in the rules"
    assert "'submarine'" in screen.shown
    assert [fault.message for fault in result.faults] == ["resigned"], "the input ended"


async def test_ctrl_c_asks_before_it_resigns() -> None:
    screen = Screen("no", "0", "yes")
    seen: list[bool] = []
    show = screen._show

    def press(text: str) -> None:
        if text.startswith("Your choice (") and len(seen) < 2 and "goes on" not in screen.shown[-40:]:
            seen.append(screen.terminal.interrupt())
        show(text)

    screen.terminal._show = press
    result = await play(screen)
    assert seen == [True, True]
    assert screen.shown.count("Resign this match?") == 2
    assert screen.shown.count("The match goes on.") == 1
    assert [(fault.decision, fault.message) for fault in result.faults] == [(3, "resigned")]


def test_ctrl_c_twice_breaks_the_match_off() -> None:
    screen = Screen("0")
    assert screen.terminal.interrupt()
    assert not screen.terminal.interrupt()


async def test_names_of_bots_move_no_cursor() -> None:
    screen = Screen(None)
    await play(screen, name="\x1b[2Jred")
    assert "\x1b" not in screen.shown


def test_a_wide_line_is_broken_between_options() -> None:
    line = "  hull +0, …  0: crew +0  1: crew +1  2: crew +2  3: crew +3  4: crew +4"
    lines = wrap(line, 40)
    assert all(len(part) <= 40 for part in lines)
    assert [number for part in lines for number in re.findall(r"(\d): crew \+\1", part)] == list("01234")
    assert wrap("short   line", 40) == ["short   line"]


async def test_lines_are_read_from_a_descriptor_until_it_ends() -> None:
    reader, writer = os.pipe()
    lines = read_lines(reader)
    os.write(writer, b"1\n2\xff\n")
    assert [await lines.get(), await lines.get()] == ["1", "2�"]
    os.close(writer)
    assert await lines.get() is None
    os.close(reader)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--bot", "me", "--bot", "me"], "one person"),
        (["--bot", "me", "--bot", "random", "--watch"], "--watch"),
        (["--bot", "me", "--bot", "random", "--json"], "--json"),
    ],
)
def test_what_does_not_go_with_a_person_is_refused(words: list[str], why: str) -> None:
    from click.testing import CliRunner

    from server.cli.main import main

    done = CliRunner().invoke(main, ["play", "broadsides", *words])
    assert done.exit_code != 0
    assert why in str(done.exception) + done.output


@pytest.mark.system
def test_a_person_plays_gunner_to_the_end(tmp_path: Path) -> None:
    words = ("play", "pavillon_noir", "--bot", "me", "--bot", "gunner", "--seed", "person", "--record", "m.tortuga")
    done = subprocess.run(
        [sys.executable, "-m", "server", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input="0\n" * 3000,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    record, _ = read_record(tmp_path / "m.tortuga")
    assert [seat.bot_name for seat in record.seats] == ["me", "gunner"]
    assert not record.faults
    assert record.clock.cap_millis == 900_000, "the clock for people"
    assert "The match is over" in done.stdout
