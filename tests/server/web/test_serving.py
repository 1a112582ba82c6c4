"""The pages on a real port: how they start, what they say if they cannot, and how they end."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from server.cli import web as web_command
from server.cli.main import main
from server.web import serving
from server.web.app import make_app
from server.web.middleware import WebSettings
from server.web.serving import listen, serve
from support import events
from support.approved import Approver
from support.web import HostileBackend, served


def run(*words: str) -> tuple[int, str]:
    """A command that is refused."""
    result = CliRunner().invoke(main, ["web", *words])
    return result.exit_code, result.output


@pytest.mark.parametrize("words", [(), ("DIR", "--arena", "web.sock")])
def test_a_folder_or_an_arena_and_not_both(words: tuple[str, ...], approve: Approver) -> None:
    code, output = run(*words)
    assert code == 2
    assert "--arena SOCKET" in output
    approve("web", output)


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, approve: Approver
) -> None:
    monkeypatch.setattr(web_command, "NEEDED", ("starlette", "no_such_package"))
    code, output = run(str(tmp_path))
    assert code == 2
    assert "need no_such_package:" in output
    assert "tortuga-arena[web]" in output
    approve("web", output)


def test_a_port_that_is_taken_is_one_line(tmp_path: Path) -> None:
    with listen("127.0.0.1:0") as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        code, output = run(str(tmp_path), "--listen", address)
    assert code == 2
    assert re.fullmatch(rf"tortuga: {address} .*in use.*--listen\n", output)


@pytest.mark.parametrize("address", ["nowhere", ":7080", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:x"])
def test_an_address_that_is_none(address: str, tmp_path: Path) -> None:
    code, output = run(str(tmp_path), "--listen", address)
    assert code == 2
    assert "expected HOST:PORT" in output


def test_a_folder_with_nothing_in_it(tmp_path: Path) -> None:
    code, output = run(str(tmp_path), "--listen", "127.0.0.1:0")
    assert code == 2
    assert f"{tmp_path} holds nothing to show" in output


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_at_once_when_told_also_with_a_reader(how: signal.Signals, tmp_path: Path) -> None:
    folder = events.make_event(tmp_path / "event")
    command = [sys.executable, "-m", "server", "web", str(folder.path), "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        address = process.stdout.readline().split()[1]
        assert urllib.request.urlopen(f"{address}healthz").read() == b"ok\n"
        host, port = address.removeprefix("http://").rstrip("/").split(":")
        with socket.create_connection((host, int(port))) as reader:
            reader.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert reader.recv(4096)
            process.send_signal(how)
            assert process.wait(timeout=60) == 0
        assert process.stderr.read() == ""


async def test_streams_end_with_the_pages() -> None:
    """With a stream open, uvicorn alone would wait for its end."""
    app = make_app(HostileBackend(), WebSettings())
    beginning = asyncio.Event()

    async def tell(request: Request) -> StreamingResponse:
        async def chunks() -> AsyncIterator[bytes]:
            yield b"data: 1\n\n"
            beginning.set()
            await app.state.stopping.wait()

        return StreamingResponse(chunks(), media_type="text/event-stream")

    app.router.routes.insert(0, Route("/stream", tell))
    with listen("127.0.0.1:0") as port:
        ready = asyncio.Event()
        pages = asyncio.create_task(serve(app, [port], ready=ready.set))
        await ready.wait()
        reader, writer = await asyncio.open_connection(*port.getsockname()[:2])
        writer.write(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
        await beginning.wait()
        os.kill(os.getpid(), signal.SIGINT)
        await pages
        assert b"data: 1" in await reader.read()
        writer.close()


async def test_a_second_signal_ends_the_app_in_order_as_well() -> None:
    ends: list[str] = []

    class Backend(HostileBackend):
        async def close(self) -> None:
            ends.append("closed")
            await super().close()

    with listen("127.0.0.1:0") as port:
        ready = asyncio.Event()
        pages = asyncio.create_task(serve(make_app(Backend(), WebSettings()), [port], ready=ready.set))
        await ready.wait()
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
        await pages
    assert ends == ["closed"]


HEAD = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"


@pytest.mark.parametrize(
    "sent",
    [b"", b"G", HEAD, b"POST /bots HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n12"],
    ids=["nothing", "a letter", "half of the headers", "half of a form"],
)
def test_a_request_that_does_not_come_to_its_end_is_ended(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "REQUEST_SECONDS", 0.2)
    with served(lambda: make_app(HostileBackend(), WebSettings())) as site:
        host, port = site.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=60) as slow:
            slow.sendall(sent)
            while slow.recv(4096):
                pass  # what is answered to half of a form


def test_an_answer_may_take_longer_than_a_request_and_the_next_request_has_its_own_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(serving, "REQUEST_SECONDS", 1.0)
    release = threading.Event()

    async def answer(request: Request) -> StreamingResponse:
        async def parts() -> AsyncIterator[bytes]:
            yield b"begun "
            await asyncio.to_thread(release.wait)
            yield b"done"

        return StreamingResponse(parts())

    with served(lambda: make_app(HostileBackend(), WebSettings(), [Route("/slow", answer)])) as site:
        host, port = site.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=60) as reader:
            reader.sendall(HEAD.replace(b"/healthz", b"/slow") + b"\r\n")
            found = reader.recv(4096)
            time.sleep(1.5)
            release.set()
            while not found.endswith(b"0\r\n\r\n"):
                found += reader.recv(4096)
            reader.sendall(HEAD + b"\r\n")
            assert reader.recv(4096).startswith(b"HTTP/1.1 200")
