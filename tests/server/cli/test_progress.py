"""What people see while an event runs."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console
from rich.live import Live

from server.cli.common.progress import LineListener, QuietListener, ScreenListener, duration
from server.cli.tournament.group import make_listener
from server.tournament.live_ladder import Quarantine
from server.tournament.runner import Ending
from support.events import make_event, run
from support.summaries import make_match

CHESS_TOOL_LINES = [
    "Finished match 12 of 200 (bob vs ann): ranks 2-1 {by hand} pavillon_noir-2-00003-1; bob: crash",
    "Finished match 13 (ann vs bob): ranks 1-1 {by hand} pavillon_noir-2-00004-0",
]
"""A format that programs read, as they read that of chess tools."""


def test_one_line_per_match_in_the_words_of_chess_tools(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = LineListener()
    lines.match_finished(make_match(3, 1, ["ann", "bob"], [2, 1], failed=["bob"]), 12, 200)
    lines.match_finished(make_match(4, 0, ["ann", "bob"], [1, 1]), 13, None)
    out, err = capsys.readouterr()
    assert out.splitlines() == CHESS_TOOL_LINES
    assert err == ""


def test_what_is_wrong_is_said_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    QuietListener().quarantined("pavillon_noir-2", Quarantine("bob", 9, 4, 12, 20))
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    for fact in ("tortuga: QUARANTINE: bob ", "12 of 20 matches", "pavillon_noir-2"):
        assert fact in err


def test_a_whole_event_line_by_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_event(tmp_path, bots=["ann", "bob", "crash"], rounds=12)
    assert run(folder, LineListener()) is Ending.FINISHED
    out, err = capsys.readouterr()
    told = [line for line in out.splitlines() if line.startswith("Finished match ")]
    done = [int(line.split()[2]) for line in told]
    assert done == list(range(1, len(told) + 1)), "counted without a gap"
    assert err.count("QUARANTINE: crash") == 1


@pytest.mark.parametrize("rounds", [3, 0], ids=["an end", "endless"])
def test_the_screen_draws_bar_rate_and_table(rounds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An endless ladder is stopped by its listener."""
    monkeypatch.setattr("server.cli.common.progress.REDRAW_SECONDS", 0.0)
    out = io.StringIO()

    class Shown(ScreenListener):
        def enough(self) -> bool:
            return rounds == 0 and sum(map(len, self._inputs.values())) >= 20

    screen = Shown()
    console = Console(file=out, force_terminal=True, width=120, height=50)
    screen._live = Live(console=console, auto_refresh=False)
    folder = make_event(tmp_path, format="ladder", rounds=rounds, bots=["ann", "bob", "cid"])
    assert run(folder, screen) is Ending.FINISHED
    screen.warned(warning := "the [bold]disk[/bold] is full")
    text = out.getvalue()
    assert "matches" in text
    assert ("6 of 6 matches" in text) == bool(rounds)
    assert "Pavillon noir" in text or "Pavillon Noir" in text
    assert warning in text


def test_a_screen_that_goes_on_knows_what_was_played(tmp_path: Path) -> None:
    folder = make_event(tmp_path, format="ladder", rounds=2)
    run(folder)
    screen = ScreenListener()
    screen._live = Live(console=Console(file=io.StringIO()), auto_refresh=False)
    assert run(folder, screen) is Ending.FINISHED
    assert sum(map(len, screen._inputs.values())) == 4


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0 s"), (59.6, "1 min 00 s"), (61, "1 min 01 s"), (3725, "1 h 02 min")]
)
def test_a_time_left_as_people_say_it(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_the_listener_suits_where_the_output_goes() -> None:
    assert type(make_listener(quiet=True)) is QuietListener
    assert type(make_listener(quiet=False)) is LineListener
