"""The base of all commands: groups, options that are spelled the same everywhere, errors in one line, the event loop.

A LazyGroup knows of each command only where it is and the first sentence of its help, so that `tortuga --help` imports
none of them. A test compares the sentences there with those of the commands.

A command's own module does not import at its top what is slow to import (gRPC, protobuf, numpy, rich, asyncio): its
help should not wait for that. The functions that need it import it.
"""

from __future__ import annotations

import errno
import secrets
import signal
import sys
from collections.abc import Coroutine, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from referee.errors import ConfigError, TortugaError
from referee.rules.engine import GameInfo
from referee.rules.infos import INFOS, find_info
from referee.text import did_you_mean

folder_argument = click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
json_flag = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
timeout_option = click.option(
    "--timeout",
    envvar="TORTUGA_TIMEOUT",
    show_envvar=True,
    default=10.0,
    show_default=True,
    type=click.FloatRange(0.1, 3600),
    help="Seconds to wait for an answer.",
)
certificates_option = click.option(
    "--certificates",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="TORTUGA_CERTIFICATES",
    metavar="DIR",
    help="The folder of certificates. Also TORTUGA_CERTIFICATES.",
)


def refuse_empty_seed(ctx: click.Context, parameter: click.Parameter, seed: str | None) -> str | None:
    """Refuse a seed without a character: often a variable of a script that is not set."""
    if seed == "":
        raise ConfigError("--seed is empty: expected a text, or no --seed for random luck")
    return seed


seed_option = click.option(
    "--seed",
    metavar="TEXT",
    callback=refuse_empty_seed,
    help="The same text gives the same luck. [default: a random one]",
)
variant_option = click.option(
    "--variant",
    "variants",
    multiple=True,
    metavar="NAME=VALUE",
    help="Change a setting of the game; may be repeated.",
)
clock_option = click.option(
    "--clock",
    default="60+0.1/1",
    show_default=True,
    metavar="BANK+INC/CAP",
    help="Seconds per seat, or standard, slow or person.",
)
faults_option = click.option(
    "--faults",
    default="strict",
    show_default=True,
    metavar="strict|lenient:N",
    help="What happens to a bot that fails.",
)


fail_on_fault_option = click.option(
    "--fail-on-fault",
    is_flag=True,
    help="Exit with 1 if any bot had a fault. [default: a fault is an ordinary result]",
)


HOST_TROUBLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE}
"""Errors of the machine: full or broken disks, limits on the size of files, too many open files."""
NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
NO_SCRATCH = "No usable temporary directory"
"""Python's message when nothing can be written to any folder for temporary files."""


LONGEST_HELP = 1000
"""In characters; the first sentence of every command's help is shorter."""


class Interrupted(TortugaError):
    """The user stopped us."""


class BotsFailed(TortugaError):
    """Bots had faults, and the user asked to treat that as a failure."""


class CommandGroup(click.Group):
    """A group that turns our own errors into one line on stderr and an exit code."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands in the group's help. Descriptions are wrapped, never cut."""
        commands = {name: self.outline(ctx, name) for name in self.list_commands(ctx)}
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, command.get_short_help_str(limit=LONGEST_HELP)) for name, command in commands.items()]
            )

    def outline(self, ctx: click.Context, name: str) -> click.Command:
        """Return a command as the group's help needs it."""
        command = self.get_command(ctx, name)
        assert command is not None
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is meant. An unknown one is answered with the nearest there is."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None and not ctx.resilient_parsing:
            ctx.fail(f"No such command {name!r}{did_you_mean(name, self.list_commands(ctx))}.")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except TortugaError as error:
            click.echo(f"tortuga: {error}", err=True)
            ctx.exit(2 if isinstance(error, ConfigError) else 1)
        except BrokenPipeError:  # `tortuga … | head`
            sys.stderr.close()
            ctx.exit(1)
        except OSError as error:  # caused by the machine, not a bug of ours: it needs no traceback
            if error.errno not in HOST_TROUBLE and NO_SCRATCH not in (error.strerror or ""):
                raise
            hint = (
                "" if error.errno in HOST_TROUBLE - NO_SPACE else "; free some space, then run the same command again"
            )
            click.echo(f"tortuga: {error.filename or 'a file'}: {error.strerror}{hint}", err=True)
            ctx.exit(1)


def read_variants(variants: tuple[str, ...], flag: str = "--variant") -> dict[str, str]:
    """Return NAME=VALUE texts as a table."""
    settings: dict[str, str] = {}
    for text in variants:
        name, equals, value = text.partition("=")
        if not equals:
            raise ConfigError(f"{flag} is {text!r}, expected NAME=VALUE")
        settings[name.strip()] = value.strip()
    return settings


def split_game(text: str) -> tuple[GameInfo, int | None]:
    """Read GAME or GAME:SEATS; GAME may be MODULE:NAME, the game of a file."""
    name, _, seats = text.rpartition(":")
    if name and seats.isdigit():
        return find_info(name), int(seats)
    if name in INFOS:
        raise ConfigError(f"--game is {text!r}, expected GAME or GAME:SEATS")
    return find_info(text), None


def new_seed() -> str:
    """Return a seed that nobody can guess, short enough to type again."""
    return secrets.token_hex(16)


T = TypeVar("T")


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on uvloop, the fastest event loop there is."""

    async def harmless() -> T:
        try:
            return await work
        except (TortugaError, OSError) as error:
            # Drop the frames: the servers they hold would outlive the loop, and gRPC cannot end them without it.
            raise error.with_traceback(None) from None

    import uvloop

    return uvloop.run(harmless())


def run_match(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, or until Ctrl-C or SIGTERM. Then clean up and say so."""

    import asyncio

    async def guarded() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel)
        return await work

    try:
        return run_loop(guarded())
    except asyncio.CancelledError:
        raise Interrupted("interrupted; the match counts for nobody, every bot was stopped") from None


class LazyCommand(NamedTuple):
    """A command that is not imported yet."""

    target: str
    """module:attribute"""
    help: str
    """The first sentence of its help."""

    def load(self) -> click.Command:
        """Import and return it."""
        name, _, attribute = self.target.partition(":")
        try:
            module = import_module(name)
        except ModuleNotFoundError as error:
            if error.name != "bench":
                raise
            raise ConfigError(
                "`tortuga bench` needs a checkout of Tortuga: its measurements are no part of the installed package"
            ) from None
        command = getattr(module, attribute)
        assert isinstance(command, click.Command)
        return command


class LazyGroup(CommandGroup):
    """A group of commands, some of which are imported when they are needed."""

    def __init__(self, *args: Any, lazy: Mapping[str, LazyCommand], **keys: Any) -> None:
        super().__init__(*args, **keys)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in alphabetical order."""
        return sorted({*self.commands, *self.lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, imported if need be."""
        if cmd_name not in self.commands and cmd_name in self.lazy:
            self.add_command(self.lazy[cmd_name].load(), cmd_name)
        return super().get_command(ctx, cmd_name)

    def outline(self, ctx: click.Context, name: str) -> click.Command:
        """Return a command as the group's help needs it, without importing it."""
        return self.commands.get(name) or click.Command(name, help=self.lazy[name].help)
