"""The folder of an arena in which something was played, without any server: for tests of what repairs folders."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.arena.config import FILE, write_text
from server.arena.ladders.ladder import open_ladder
from server.arena.registry import Registry
from server.arena.registry_schema import EventState
from server.cli.main import main
from server.tournament.folder import Folder
from support.events import make_event, run
from support.ladders import LADDER, make_config, play_finished

PAIRS = [("ann", "crash"), ("crash", "cid"), ("cid", "ann"), ("ann", "cid")]


def write_settings(path: Path) -> None:
    """Write the settings of a new arena."""
    (path / FILE).write_text(write_text(make_config()))
    (path / FILE).chmod(0o600)


def make_played_arena(path: Path) -> Path:
    """Make an arena with a ladder, an event that is over and one that is announced."""
    write_settings(path)
    with Registry.open(path / "arena.db", clock=lambda: 7) as registry:
        for number in range(40):
            registry.add(f"bot{number}", "o" * 200, bytes([number]) * 32)
        registry.pause([LADDER])
        for name in ("cup", "league"):
            registry.create_event(name, "name = 'x'", bots=["bot1", "bot2"])
        registry.set_state("cup", EventState.FINISHED)
    asyncio.run(_play_ladder(Folder(path / "ladder")))
    run(make_event(path / "events" / "cup", bots=["ann", "ben"], rounds=1))
    return path


async def _play_ladder(folder: Folder) -> None:
    with open_ladder(folder, make_config(), pytest.fail) as ladder:
        for number, pair in enumerate(PAIRS):
            for name in pair:
                ladder.enter(name, "1", ())
            ladder.begin(f"m{number}", LADDER, pair)
            await ladder.store([await play_finished(ladder, f"m{number}", pair)], pytest.fail)


def fsck(path: Path, *words: str) -> tuple[int, str]:
    """Run `tortuga fsck` on a folder: its exit code, and what it printed."""
    done = CliRunner().invoke(main, ["fsck", str(path), *words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output
