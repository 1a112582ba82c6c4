"""Matches at the tables of an arena, with processes that are started for them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from server.arena.lobby import Member
from server.arena.seating import Played, Tables
from server.config import find_bot
from server.stage import Stage
from server.tournament.crew import Crew
from support.ladders import make_config
from support.tables import make_terms


def test_what_a_hosted_bot_printed_before_it_fell_outlives_its_process(tmp_path: Path) -> None:
    spec = find_bot("cmd: sh -c 'echo last words; exit 3'")
    members = [(name, Member(name=name, version="1", spec=spec)) for name in ("ann", "bob")]

    async def scenario() -> Played:
        async with Stage(folder=tmp_path / "stage") as stage:
            crew = Crew(stage, tables=2, idle_limit=2)
            played = await Tables(stage, crew).play(make_terms(make_config()), members)
            await crew.close()
            assert not list((tmp_path / "stage" / "logs").iterdir()), "the stage keeps the log of nobody who is gone"
            return played

    played = asyncio.run(scenario())
    assert played.logs == {0: b"last words\n", 1: b"last words\n"}
