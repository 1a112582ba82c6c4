"""The process of the pages, with a stand-in for `tortuga web`: started again, and ended. tests/e2e has the real one."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import socket
import sys
from pathlib import Path

import pytest

from server.arena.operations import web_process as module
from server.arena.operations.web_process import PagesUnavailable, WebProcess, open_port

LIVES = "import sys; sys.stdin.read()"
"""Ends when whoever started it does."""
DIES = "import os; os._exit(3)"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"


def make(script: str) -> WebProcess:
    web = WebProcess("127.0.0.1:0", Path("web.sock"))
    web._command = [sys.executable, "-c", script]
    return web


async def running(web: WebProcess, not_pid: int = 0) -> int:
    """The process that runs now, another than that one."""
    for _ in range(10_000):
        if web.process is not None and web.process.returncode is None and web.process.pid != not_pid:
            return web.process.pid
        await asyncio.sleep(0.01)
    raise AssertionError("nothing was started")


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_it_is_started_again_and_ends_with_us(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_PAUSE_SECONDS", 0.01)
    web = make(LIVES)
    first = await running(web)
    os.kill(first, 9)
    second = await running(web, first)
    await web.close()
    assert not is_there(first)
    assert not is_there(second)


async def test_it_is_started_later_and_later_if_it_fails_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_PAUSE_SECONDS", 0.001)
    pauses: list[float] = []
    sleep = asyncio.sleep

    async def slept(seconds: float) -> None:
        pauses.append(seconds)
        await sleep(0)

    monkeypatch.setattr(module, "LONGEST_PAUSE_SECONDS", 0.004)
    web = make(DIES)
    monkeypatch.setattr(asyncio, "sleep", slept)
    while len(pauses) < 4:
        await sleep(0.01)
    monkeypatch.setattr(asyncio, "sleep", sleep)
    await web.close()
    assert pauses[:4] == [0.001, 0.002, 0.004, 0.004]


async def test_it_is_killed_if_it_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "END_SECONDS", 0.05)
    web = make(STUBBORN)
    pid = await running(web)
    await web.close()
    assert not is_there(pid)


def test_a_port_that_is_taken_and_a_wrong_address_are_explained() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(PagesUnavailable, match=rf"{address} cannot be opened.*in use"):
            open_port(address)
    with pytest.raises(PagesUnavailable, match="cannot be opened"):
        open_port("203.0.113.7:1")


async def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "uvicorn" else find(name))
    with pytest.raises(PagesUnavailable, match=r"uvicorn.*arena\[web\]"):
        WebProcess("127.0.0.1:0", Path("web.sock"))


async def test_the_address_is_one_that_a_browser_can_open() -> None:
    for address, host in (("127.0.0.1:0", "127.0.0.1"), ("0.0.0.0:0", "127.0.0.1")):
        web = WebProcess(address, Path("web.sock"))
        web._command = [sys.executable, "-c", LIVES]
        assert web.url.startswith(f"http://{host}:")
        await web.close()
