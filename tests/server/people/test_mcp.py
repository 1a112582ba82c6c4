"""A language model's own program plays by the tools of `tortuga mcp`."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from referee.errors import ConfigError
from referee.match.clock import TimeControl
from referee.match.match import Match, MatchResult
from referee.records.record import read_record
from server.bots.spec import find_bot
from server.jail.confinement import Confinement
from server.people.asked_mind import STILL_WAITING, AskedMind
from server.people.guest import Guest, at_table
from server.people.mcp_server import McpTable, make_server
from support.command import ROOT
from support.players import QuietHost, ScriptedPlayer
from support.tortoise import terms

TOOLS = {"games", "rules", "play", "next_question", "choose", "resign", "standings"}


def begin(mind: AskedMind) -> asyncio.Task[MatchResult]:
    """A race of the mind against a scripted player."""

    async def play() -> MatchResult:
        guest = Guest("model", mind)
        async with at_table(guest):
            other = ScriptedPlayer(lambda question: 1)
            result = await Match(terms(), [await guest.player(terms()), other], QuietHost()).play()
        mind.finish("It is recorded.")
        return result

    return asyncio.create_task(play())


async def test_questions_are_fetched_and_answered_to_the_end() -> None:
    mind = AskedMind()
    match = begin(mind)
    texts = []
    while not (text := await mind.next_question(10)).startswith("The match is over"):
        assert text == await mind.next_question(10), "a question may be fetched twice"
        texts.append(text)
        mind.answer(1, f"reason {len(texts)}")
    result = await match
    assert text.endswith("\nIt is recorded.")
    assert len(texts) == 4
    assert [note.text for note in result.notes] == [f"reason {number}" for number in range(1, 5)]
    assert not result.faults


async def test_nothing_is_asked_yet() -> None:
    mind = AskedMind()
    assert await mind.next_question(0.01) == STILL_WAITING
    with pytest.raises(ConfigError, match="no question is open"):
        mind.answer(0, "")


async def test_an_option_that_is_not_there_is_refused_and_the_question_stays_open() -> None:
    mind = AskedMind()
    match = begin(mind)
    text = await mind.next_question(10)
    for index in (-1, 4, 10**9):
        with pytest.raises(ConfigError, match="no option"):
            mind.answer(index, "")
    assert await mind.next_question(10) == text
    mind.resign()
    assert "over (fault)" in await mind.next_question(10)
    assert [fault.message for fault in (await match).faults] == ["resigned"]


def table(folder: Path) -> McpTable:
    """A table without a jail, for these tests."""
    return McpTable(
        opponents={name: find_bot(name) for name in ("random", "gunner")},
        confinement=Confinement(),
        clock=TimeControl.read("person"),
        records=folder,
    )


def told(result: Any) -> str:
    """The text that a tool returned."""
    [content] = result.content
    text: str = content.text
    return text


@pytest.mark.parametrize(
    ("tool", "arguments", "why"),
    [
        ("rules", {"game": "chess"}, "no game 'chess'"),
        ("play", {"game": "chess", "opponents": ["random"]}, "no game 'chess'"),
        ("play", {"game": "broadsides", "opponents": ["cmd: touch /tmp/x"]}, "no opponent"),
        ("play", {"game": "broadsides", "opponents": ["gunner"]}, "does not play broadsides"),
        ("play", {"game": "broadsides", "opponents": ["random", "random"]}, "2 seats"),
        ("play", {"game": "broadsides", "opponents": ["random"], "seat": 2}, "seat 2 of 2"),
        ("next_question", {}, "call play first"),
        ("choose", {"index": 0}, "call play first"),
        ("resign", {}, "call play first"),
    ],
)
async def test_what_cannot_be_done_is_told_to_the_model(
    tool: str, arguments: dict[str, Any], why: str, tmp_path: Path
) -> None:
    async with Client(make_server(table(tmp_path))) as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert why in told(result)


async def test_the_tools_say_what_there_is(tmp_path: Path) -> None:
    async with Client(make_server(table(tmp_path))) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
        games = told(await client.call_tool("games", {}))
        [line] = [line for line in games.splitlines() if line.startswith("pavillon_noir: ")]
        assert line.endswith(": random, gunner")
        assert "melee" in told(await client.call_tool("rules", {"game": "broadsides"}))
        assert "record" not in told(await client.call_tool("standings", {})), "no match has been finished"


@pytest.mark.system
async def test_a_scripted_client_plays_a_whole_match_and_resigns_another(tmp_path: Path) -> None:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "server", "mcp", "--records", "kept", "--bot", "random"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
    )
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(Client(stdio_client(parameters)))

        async def call(tool: str, **arguments: Any) -> str:
            return told(await client.call_tool(tool, arguments))

        await call("play", game="pirates_cove", opponents=["random", "random"], seat=1)
        assert "a match is running" in await call("play", game="broadsides", opponents=["random"])
        count = await play_out(call)
        [first] = (await call("standings")).split("\n")
        assert first.startswith("pirates_cove: 1. ")
        await call("play", game="broadsides", opponents=["random"])
        await call("resign")
        while not (text := await call("next_question")).startswith("resigned"):
            assert "Still waiting" in text
        assert "The match is over" in text
        records = [read_record(path)[0] for path in (tmp_path / "kept").glob("pirates*.tortuga")]
    assert [seat.bot_name for seat in records[0].seats] == ["random", "model", "random"]
    assert not records[0].faults
    assert [note.text for note in records[0].notes] == ["the last one"] * count


async def play_out(call: Callable[..., Any]) -> int:
    """Answer every question with its last option. Returns how many there were."""
    count = 0
    while "The match is over" not in (text := await call("next_question")):
        if options := re.search(r"Your options, 0 to (\d+):", text):
            count += 1
            await call("choose", index=int(options[1]), why="the last one")
    return count
