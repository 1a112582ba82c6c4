"""`tortuga bot connect`: runs a bot on its author's machine that plays at an arena, and restarts it when it exits.

The bot's own SDK dials the arena, and dials again after a broken stream. This module handles what goes beyond one
process: a server that is restarted, a bot that fails, a user who stops it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from referee.door.tls import is_loopback
from referee.errors import ConfigError, TortugaError
from server.bots.spec import BotSpec
from server.hosting import keeper
from server.hosting.bot_process import BotCommand, make_bot_command, name_exit, variables_for_bots

QUICK_SECONDS = 5.0
QUICK_ENDS = 5
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0
LEAVE_SECONDS = 2.0
DIAL_SECONDS = 10.0
KILL_ROUNDS = 50

Say = Callable[[str], None]


class BotKeepsExiting(TortugaError):
    """The bot ended at once, time after time: there is no point in starting it again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ArenaAddress:
    """The address where a bot plays, and its token there."""

    host: str
    port: int
    token: str
    trust: str = ""
    """The value for TORTUGA_TLS: `system`, a file, or nothing."""

    @property
    def environment(self) -> dict[str, str]:
        """Return the address and the token as environment variables for the bot."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        variables = {"TORTUGA_ADDRESS": f"{host}:{self.port}", "TORTUGA_TOKEN": self.token}
        return variables | ({"TORTUGA_TLS": self.trust} if self.trust else {})


def read_arena_address(
    address: str, token_file: Path | None, trust: str, *, insecure: bool, token: str = ""
) -> ArenaAddress:
    """Read the options. The token comes from an invite, a file or TORTUGA_TOKEN: a command line is no secret."""
    host, _, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not (port.isascii() and port.isdigit() and 1 <= int(port) <= 65535):
        raise ConfigError(f"--server is {address!a}, expected HOST:PORT")
    try:
        host.encode("idna")
    except UnicodeError:
        raise ConfigError(f"--server is {address!a}, but {host!a} cannot be a host name") from None
    if not trust and not insecure and not is_loopback(address):
        raise ConfigError(
            f"without TLS anybody on the way to {address} can read the token: pass --tls system, --tls FILE with the "
            "organiser's certificate, or --insecure to do it anyway"
        )
    if trust and trust != "system":
        if not Path(trust).is_file():
            raise ConfigError(f"--tls is {trust!a}, which is not a file: expected system, or the roots to trust as PEM")
        trust = str(Path(trust).resolve())  # the bot runs elsewhere
    return ArenaAddress(host=host, port=int(port), token=token or read_token(token_file), trust=trust)


def read_token(path: Path | None) -> str:
    """Read the token: one word of ASCII."""
    where = str(path) if path else "TORTUGA_TOKEN"
    try:
        token = (path.read_text() if path else os.environ.get("TORTUGA_TOKEN", "")).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the token cannot be read from {path}: {error}") from None
    if not token:
        raise ConfigError(f"{where} does not contain a token: set it there, or pass --token-file")
    if not token.isascii() or not token.isprintable() or " " in token:
        raise ConfigError(f"{where} does not contain a token, which is one word")
    return token


async def stay_connected(bot: BotSpec, arena: ArenaAddress, say: Say) -> None:
    """Run a bot again and again, until Ctrl-C or SIGTERM; BotKeepsExiting when it ends at once each time."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(sign) is not signal.SIG_IGN:  # not under nohup
            loop.add_signal_handler(sign, stop.set)
    keeper.prctl(keeper.PR_SET_CHILD_SUBREAPER, 1)  # what a bot leaves behind comes to us
    pause, quick_ends, announced = FIRST_PAUSE_SECONDS, 0, False
    while not stop.is_set():
        trouble = await unreachable(arena, stop)
        if trouble:  # a bot would only end, and be blamed for it
            say(f"{arena.host}:{arena.port} cannot be reached: {trouble}; tried again in {pause:g} s")
        elif not stop.is_set():
            if not announced:
                say(f"{bot.name} goes to {arena.host}:{arena.port}; Ctrl-C ends it")
                announced = True
            began = time.monotonic()
            ending = await run_once(bot, arena, stop)
            if stop.is_set():
                break
            is_quick = time.monotonic() - began < QUICK_SECONDS
            quick_ends = quick_ends + 1 if is_quick else 0
            pause = pause if is_quick else FIRST_PAUSE_SECONDS
            if quick_ends == QUICK_ENDS:
                raise BotKeepsExiting(
                    f"{bot.name} {ending}, for the {QUICK_ENDS}th time in a row within {QUICK_SECONDS:g} s of its "
                    "start: its last output above says why"
                )
            say(f"{bot.name} {ending}; started again in {pause:g} s")
        await pause_unless(stop, pause)
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


async def unreachable(arena: ArenaAddress, stop: asyncio.Event) -> str:
    """Say why the arena cannot be reached; empty if it can."""
    dialled = asyncio.ensure_future(asyncio.open_connection(arena.host, arena.port))
    stopped = asyncio.ensure_future(stop.wait())
    await asyncio.wait([dialled, stopped], timeout=DIAL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if not dialled.done():
        dialled.cancel()
        return "" if stop.is_set() else f"no answer within {DIAL_SECONDS:g} s"
    try:
        dialled.result()[1].close()
    except OSError as error:
        # For a host with several addresses asyncio reports every failure in words, for one only an error number.
        return os.strerror(error.errno) if error.errno is not None and error.errno > 0 else str(error)
    return ""


async def run_once(bot: BotSpec, arena: ArenaAddress, stop: asyncio.Event) -> str:
    """Run the bot once, in a scratch folder of its own; gives how it ended. Nothing of it is left afterwards."""
    with tempfile.TemporaryDirectory(prefix=f"tortuga-{bot.name}-", ignore_cleanup_errors=True) as scratch:
        variables = variables_for_bots() | arena.environment
        process = await start(bot.name, make_bot_command(bot.run, Path(scratch), variables))
        ended, stopped = asyncio.ensure_future(process.wait()), asyncio.ensure_future(stop.wait())
        try:
            await asyncio.wait([ended, stopped], return_when=asyncio.FIRST_COMPLETED)
            if not ended.done():
                keeper.signal_groups({process.pid}, signal.SIGTERM)
                await asyncio.wait([ended], timeout=LEAVE_SECONDS)
        finally:
            stopped.cancel()
            keeper.signal_groups({process.pid}, signal.SIGKILL)
            code = await ended
            await kill_leftovers()
    return name_exit(code)


async def start(name: str, command: BotCommand) -> asyncio.subprocess.Process:
    """Start a bot in a session of its own, out of reach of our terminal's Ctrl-C; it prints where we print."""
    try:
        return await asyncio.create_subprocess_exec(
            *command.argv,
            stdin=subprocess.DEVNULL,
            cwd=command.folder,
            env=command.environment,
            start_new_session=True,
            preexec_fn=die_with_parent,
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise ConfigError(f"bot {name}: cannot start `{shlex.join(command.argv)}`: {error}") from None


def die_with_parent() -> None:
    """Run in the child: a bot must not play on when we were killed and nobody can stop it."""
    keeper.prctl(keeper.PR_SET_PDEATHSIG, signal.SIGKILL)


async def kill_leftovers() -> None:
    """Kill and reap what the bot left: all our children, for we have no others."""
    for _ in range(KILL_ROUNDS):
        keeper.kill_groups(find_groups, KILL_ROUNDS)
        if reap():
            return
        await asyncio.sleep(0.02)


def find_groups() -> set[int]:
    """Return the process groups of all processes below us."""
    table, me = keeper.read_processes(), os.getpid()
    return keeper.groups_of([pid for pid, (parent, _, _) in table.items() if parent == me], table)


def reap() -> bool:
    """Reap dead children. True if no child is left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return True
    return False


async def pause_unless(stop: asyncio.Event, seconds: float) -> None:
    """Wait that long, or until we are stopped."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
