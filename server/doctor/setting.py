"""What attempts could be after: an event with a seed, a database, doors, a home, other bots.

All of it is made for the run and removed afterwards; nothing real is touched. A bot is told where everything
is (targets.json in its folder): what holds must not rest on ignorance.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import secrets
import shutil
import socket
import sqlite3
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from server.bots.spec import ROOT, BotSpec
from server.doctor.attempts.tries import start_time
from server.jail.limits import ResourceLimits

ATTEMPTS = Path(__file__).with_name("attempts")
BOT = "from attempts.bot import main\n\nmain()\n"
SMALL_BYTES = 40 << 20
"""Memory of a program that makes empty files: a cgroup counts what they cost the kernel, a kibibyte each, as memory
of the bot. With a larger limit it would have to make very many of them."""
IPC_CREAT, IPC_RMID = 0o1000, 0
LIBC = ctypes.CDLL(None, use_errno=True)


class Setting:
    """The files, doors and secrets around an attempt. Made by `setting`, below."""

    def __init__(self, folder: Path, limits: ResourceLimits) -> None:
        self.folder = folder
        self.nonce = f"tortuga-doctor-{secrets.token_hex(6)}"
        self.bot = folder / "bots" / "attacker"
        self.event, self.arena = folder / "event", folder / "arena"
        self.hidden = (self.event, self.arena)
        self.python = "python"
        self._limits = limits
        self._told: dict[str, Any] = {}

    def spec(self, program: str) -> BotSpec:
        """Return a bot that runs one of the programs."""
        run = (self.python, "-B", str(self.bot / "bot.py"), program)
        limits = replace(self._limits, memory_bytes=SMALL_BYTES) if program == "disk_inodes" else self._limits
        return BotSpec(name=f"attacker-{program}", run=run, folder=self.bot, limits=limits)

    def build_spec(self, program: str) -> BotSpec:
        """Return a bot that runs one of the programs when it is built."""
        # Files that a command names must not become visible by that.
        named = (self.event / "event.json", self.arena / "tokens", self.folder / "home" / "id_ed25519")
        build = (sys.executable, "-B", str(self.bot / "bot.py"), program, *map(str, named))
        return BotSpec(name=f"attacker-{program}", run=("python",), build=build, folder=self.bot)

    def tell(self, **facts: Any) -> None:
        """Tell bots that are started from now on something more."""
        self._told |= facts
        replace_text(self.bot / "targets.json", json.dumps(self._told))

    def tell_running(self, **facts: Any) -> None:
        """Tell the bot that runs now something that is known only since it runs."""
        replace_text(self.bot / "self.json", json.dumps(facts))

    def forget_running(self) -> None:
        """Take back what tell_running told."""
        (self.bot / "self.json").unlink(missing_ok=True)

    def is_left(self, path: str) -> bool:
        """Check whether a file that a program wrote is really there, and remove it."""
        try:
            is_there = Path(path).read_text() == self.nonce
        except OSError:
            return False
        if is_there:
            Path(path).unlink()
        return is_there

    def sweep(self, names: str = "*") -> None:
        """Remove what bots left in places that are not ours."""
        for place in ("/tmp", "/var/tmp", "/dev/shm", "/run", "/dev/mqueue"):
            for path in Path(place).glob(f"{self.nonce}{names}"):
                with contextlib.suppress(OSError):
                    path.unlink()

    def make_files(self) -> None:
        """Make everything that lies on the disk."""
        self.folder.chmod(0o755)  # a bot under its own user has to get to its folder
        for folder in (self.bot, self.folder / "bots" / "other"):
            folder.mkdir(parents=True)
        for folder in (self.event, self.arena, self.folder / "home"):
            folder.mkdir(mode=0o700)
        drop = self.folder / "drop"
        drop.mkdir()
        drop.chmod(0o1777)
        shutil.copytree(ATTEMPTS, self.bot / "attempts", ignore=shutil.ignore_patterns("__pycache__"))
        (self.bot / "bot.py").write_text(BOT)
        (self.folder / "bots" / "other" / "bot.py").write_text("print('the other bot')\n")
        for path in (
            *(self.event / "event.json", self.event / "record.tortuga", self.arena / "admin.key"),
            *(self.arena / "tokens", self.folder / "home" / "id_ed25519"),
        ):
            path.touch(mode=0o600)
            path.write_text(secrets.token_hex(32))
        with contextlib.closing(sqlite3.connect(self.arena / "arena.db")) as database:
            database.execute("CREATE TABLE result (match TEXT)")
        (self.arena / "arena.db").chmod(0o600)
        self._told = {
            "nonce": self.nonce,
            "event": str(self.event),
            "seed": str(self.event / "event.json"),
            "record": str(self.event / "record.tortuga"),
            "database": str(self.arena / "arena.db"),
            "tokens": str(self.arena / "tokens"),
            "admin_key": str(self.arena / "admin.key"),
            "admin_socket": str(self.arena / "admin.sock"),
            "other_door": str(self.arena / "door"),
            "other_bot": str(self.folder / "bots" / "other"),
            "drop": str(drop),
            "checkout": str(ROOT),
            "home": str(Path.home()),
            "home_secret": str(self.folder / "home" / "id_ed25519"),
            "server": [os.getpid(), start_time(os.getpid())],
            **{name: getattr(self._limits, name) for name in self._limits.__slots__},
        }


def replace_text(path: Path, text: str) -> None:
    """Write a file that somebody may be reading."""
    new = path.with_suffix(".new")
    new.write_text(text)
    new.rename(path)


@asynccontextmanager
async def setting(limits: ResourceLimits) -> AsyncIterator[Setting]:
    """Set up everything that an attempt could be after, for as long as the block runs."""
    async with contextlib.AsyncExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="tortuga-doctor-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        scene = Setting(folder, limits)
        scene.make_files()
        stack.callback(scene.sweep)
        scene.tell(**await open_doors(stack, scene), **share_memory(stack, scene), **open_terminal(stack))
        yield scene


async def open_doors(stack: contextlib.AsyncExitStack, scene: Setting) -> Mapping[str, Any]:
    """Open sockets of every kind, behind each of which somebody answers."""

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"ahoy")
        await hang_up(writer)

    async def ask_for_key(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        key = (scene.arena / "admin.key").read_bytes()
        with contextlib.suppress(asyncio.IncompleteReadError, OSError):
            if await reader.readexactly(len(key)) == key:
                writer.write(b"welcome")
        await hang_up(writer)

    abstract = f"{scene.nonce}-server"
    address = find_lan_address()
    await stack.enter_async_context(await asyncio.start_unix_server(ask_for_key, scene.arena / "admin.sock"))
    await stack.enter_async_context(await asyncio.start_unix_server(greet, scene.arena / "door"))
    await stack.enter_async_context(await asyncio.start_unix_server(greet, f"\0{abstract}"))
    hosts = ["127.0.0.1", *([address] if address else [])]
    first = await stack.enter_async_context(await asyncio.start_server(greet, hosts[0], 0))
    tcp_port = first.sockets[0].getsockname()[1]
    udp_port = 0
    for host in hosts[1:]:
        await stack.enter_async_context(await asyncio.start_server(greet, host, tcp_port))
    for host in hosts:
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(Echo, (host, udp_port))
        udp_port = transport.get_extra_info("sockname")[1]
        stack.callback(transport.close)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        bits_port = free.getsockname()[1]
    return {
        "abstract": abstract,
        "lan": address,
        "tcp_port": tcp_port,
        "udp_port": udp_port,
        "bits_port": bits_port,
    }


async def hang_up(writer: asyncio.StreamWriter) -> None:
    """Send what is left and close."""
    with contextlib.suppress(OSError):
        await writer.drain()
    writer.close()


class Echo(asyncio.DatagramProtocol):
    """Sends back what comes."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        self._transport: Any = transport  # asyncio's own is no DatagramTransport by type

    def datagram_received(self, data: bytes, addr: Any) -> None:
        """Answer."""
        self._transport.sendto(data, addr)


def find_lan_address() -> str:
    """Return this machine's address in its network; empty if it has none. Nothing is sent."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.connect(("192.0.2.1", 9))  # an address for examples
        return str(line.getsockname()[0])
    return ""


def share_memory(stack: contextlib.AsyncExitStack, scene: Setting) -> Mapping[str, Any]:
    """Make System V memory and semaphores, a message queue and a file in /dev/shm, all open to everybody."""
    keys = [secrets.randbelow(1 << 30) + 1 for _ in range(3)]
    segment = LIBC.shmget(keys[0], 4096, IPC_CREAT | 0o666)
    stack.callback(LIBC.shmctl, segment, IPC_RMID, None)
    semaphores = LIBC.semget(keys[0], 1, IPC_CREAT | 0o666)
    stack.callback(LIBC.semctl, semaphores, 0, IPC_RMID)
    for key in keys[1:]:  # an attempt makes these, and may leave them
        stack.callback(remove_segment, key)
    shm_file = Path(f"/dev/shm/{scene.nonce}-server")
    with contextlib.suppress(OSError):
        shm_file.write_text(scene.nonce)
        shm_file.chmod(0o644)
    queue = f"/{scene.nonce}"
    number = LIBC.mq_open(queue.encode(), os.O_RDWR | os.O_CREAT, 0o666, None) if sys.platform == "linux" else -1
    if number >= 0:
        stack.callback(os.close, number)
        stack.callback(LIBC.mq_unlink, queue.encode())
    return {
        "shm_key": keys[0],
        "marker_key": keys[1],
        "bits_key": keys[2],
        "shm_file": str(shm_file),
        "queue": queue if number >= 0 else "",
    }


def remove_segment(key: int) -> None:
    """Remove a segment, if it is there."""
    number = LIBC.shmget(key, 0, 0)
    if number >= 0:
        LIBC.shmctl(number, IPC_RMID, None)


def open_terminal(stack: contextlib.AsyncExitStack) -> Mapping[str, Any]:
    """Open a terminal that stands for the organiser's."""
    ours, theirs = os.openpty()
    stack.callback(os.close, ours)
    stack.callback(os.close, theirs)
    return {"terminal": os.ttyname(theirs)}
