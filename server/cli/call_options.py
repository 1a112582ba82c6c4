"""Options that the commands which call an arena have in common."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click

from server.cli.arena_client import ArenaClient
from server.cli.command import json_flag, timeout_option

PAGE_OPTIONS = [
    click.option("--page-size", default=0, type=click.IntRange(0, 500), help="Longest page, in rows. [default: 50]"),
    click.option("--page-token", default="", metavar="TOKEN", help="Go on where the previous page ended."),
    click.option("--all", "everything", is_flag=True, help="All pages."),
]
CALL_OPTIONS = [
    click.option(
        "--server",
        envvar="TORTUGA_ARENA",
        default="localhost:7072",
        show_default=True,
        metavar="HOST:PORT",
        help="The arena's public door; also TORTUGA_ARENA. TLS as TORTUGA_TLS says.",
    ),
    timeout_option,
    json_flag,
]


def calling(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that all calls have in common; the command gets them as an ArenaClient."""

    def run(server: str, timeout: float, as_json: bool, **words: Any) -> None:
        command(ArenaClient(server, timeout, as_json, trust=os.environ.get("TORTUGA_TLS", "")), **words)

    return wrap_command(command, run, CALL_OPTIONS)


def wrap_command(command: Callable[..., None], run: Callable[..., None], options: list[Any]) -> Callable[..., None]:
    """Let `run` stand for a command, with its name, its help, its options, and these options after them."""
    run.__doc__, run.__name__ = command.__doc__, command.__name__
    with_options(run, options)
    run.__click_params__ += getattr(command, "__click_params__", ())  # type: ignore[attr-defined]
    return run


def with_options(command: Callable[..., None], options: list[Any]) -> Callable[..., None]:
    """Add options in their order."""
    for option in reversed(options):
        command = option(command)
    return command


def paged(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of lists."""
    return with_options(command, PAGE_OPTIONS)
