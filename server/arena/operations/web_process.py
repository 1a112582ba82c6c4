"""Runs the web pages of an arena: `tortuga web` as a separate process, so that many readers cannot delay a match.

We open its port and pass it on, so no connection is lost when the process has to be restarted, and a port that is taken
is noticed before it starts. Its stdin is a pipe whose other end only we hold: it ends when we end, even by
`kill -9`. What it logs goes where our logs go.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from referee.errors import ConfigError
from referee.match import clock
from server.system.logs import get_logger

NEEDED = ("starlette", "uvicorn", "jinja2")
"""Packages that the extra `web` installs."""
BACKLOG = 1024
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0
STEADY_SECONDS = 60.0
"""A process that lived this long did not fail to start: the next one is started soon."""
END_SECONDS = 5.0
QUIET_GRPC = {"GRPC_ENABLE_FORK_SUPPORT": "false", "GRPC_VERBOSITY": "NONE"}

log = get_logger()


class PagesUnavailable(ConfigError):
    """The pages cannot be served; the message says why. The arena continues without them."""


class WebProcess:
    """`tortuga web` beside this process. Call `close` at the end."""

    def __init__(self, address: str, door: Path) -> None:
        """Open the port of the pages. Raises PagesUnavailable. `door` is the socket where it finds the arena."""
        missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
        if missing:
            raise PagesUnavailable(
                f'there are no pages: they need {", ".join(missing)}. Install tortuga-arena[web], or set web = ""'
            )
        self._socket = open_port(address)
        self._command = [sys.executable, "-m", "server", "web", "--arena", str(door)]
        self._command += ["--inherited", str(self._socket.fileno())]
        self.process: asyncio.subprocess.Process | None = None
        self._task = asyncio.create_task(self._run())

    @property
    def url(self) -> str:
        """Return the address of the pages for a browser on this machine."""
        host, port = self._socket.getsockname()[:2]
        if host in ("0.0.0.0", "::"):
            host = "127.0.0.1" if host == "0.0.0.0" else "::1"
        return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"

    async def close(self) -> None:
        """End the process and wait for it."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        if self.process is not None:
            await end_process(self.process)
        self._socket.close()

    async def _run(self) -> None:
        """Start the process whenever it is not running, each time a little later if it fails at once."""
        pause = FIRST_PAUSE_SECONDS
        while True:
            began = clock.now()
            try:
                self.process = await self._start()
                code = await self.process.wait()
            except Exception as error:  # no memory, or no processes left: the arena continues, and tries again
                log.error("web_not_started", reason=repr(error))
            else:
                log.error("web_ended", code=code, again_seconds=pause)
            if clock.now() - began >= STEADY_SECONDS:
                pause = FIRST_PAUSE_SECONDS
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    async def _start(self) -> asyncio.subprocess.Process:
        # PYTHONPATH: the child finds the code that we run, in any folder.
        here = str(Path(__file__).parents[3])
        path = os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH", ""))))
        return await asyncio.create_subprocess_exec(
            *self._command,
            stdin=subprocess.PIPE,
            stdout=sys.stderr,
            pass_fds=[self._socket.fileno()],
            env={**os.environ, **QUIET_GRPC, "PYTHONPATH": path},
            start_new_session=True,  # Ctrl-C is for this process alone: the pages end after the matches
        )


async def end_process(process: asyncio.subprocess.Process) -> None:
    """End a process that we started."""
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), END_SECONDS)
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def open_port(address: str) -> socket.socket:
    """Open a port for the pages, with nobody behind it yet. Raises PagesUnavailable."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, int(port)))
        opened.listen(BACKLOG)
    except OSError as error:
        opened.close()
        reason = error.strerror or str(error)
        raise PagesUnavailable(
            f"there are no pages: {address} cannot be opened ({reason}). Set web in arena.toml, or pass --web"
        ) from None
    return opened
