"""What all commands share: errors in one line, the same words for the same options, and a loop that ends cleanly."""

from __future__ import annotations

import asyncio
import secrets
import signal
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

import click

from referee.errors import ConfigError, TortugaError

T = TypeVar("T")

json_flag = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
timeout_option = click.option(
    "--timeout",
    default=10.0,
    show_default=True,
    type=click.FloatRange(0.1, 3600),
    help="Seconds to wait for an answer.",
)


class Interrupted(TortugaError):
    """The user stopped us."""


class Group(click.Group):
    """Turns our own errors into one line on stderr and an exit code."""

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


def pairs(variants: tuple[str, ...]) -> dict[str, str]:
    """NAME=VALUE words as a table."""
    found: dict[str, str] = {}
    for text in variants:
        name, equals, value = text.partition("=")
        if not equals:
            raise ConfigError(f"--variant is {text!r}, expected NAME=VALUE")
        found[name.strip()] = value.strip()
    return found


def new_seed() -> str:
    """A seed nobody can guess, short enough to type again."""
    return secrets.token_hex(16)


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run on the fastest event loop there is."""
    import uvloop

    async def plain() -> T:
        try:
            return await work
        except TortugaError as error:
            # Without its frames: the servers they hold would outlive the loop, without which gRPC cannot end them.
            raise error.with_traceback(None) from None

    return uvloop.run(plain())


def run_match(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, or until Ctrl-C or SIGTERM; then clean up and say so."""

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
