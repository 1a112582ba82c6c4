"""Options that the commands which call an arena have in common."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from referee.errors import ConfigError
from server.cli.common.command import json_flag, timeout_option
from server.cli.common.output import warn
from server.system.invites import Invite, open_to_others, read_invite

if TYPE_CHECKING:
    from server.cli.common.arena_client import ArenaClient

HERE = "localhost:7072"

PAGE_OPTIONS = [
    click.option("--page-size", default=0, type=click.IntRange(0, 500), help="Longest page, in rows. [default: 50]"),
    click.option("--page-token", default="", metavar="TOKEN", help="Continue where the previous page ended."),
    click.option("--all", "everything", is_flag=True, help="All pages."),
]
CALL_OPTIONS = [
    click.option(
        "--server",
        envvar="TORTUGA_ARENA",
        default=HERE,
        show_default=True,
        metavar="HOST:PORT",
        help="The arena's public door; also TORTUGA_ARENA. TORTUGA_TLS sets TLS.",
    ),
    click.option(
        "--invite",
        "invite_file",
        envvar="TORTUGA_INVITE",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Your invite file, with address, certificate and token; also TORTUGA_INVITE.",
    ),
    timeout_option,
    json_flag,
]


def calling(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that all calls have in common. The command gets them as an ArenaClient."""

    def run(server: str, invite_file: Path | None, timeout: float, as_json: bool, **words: Any) -> None:
        from server.cli.common.arena_client import ArenaClient

        invite = choose_invite(invite_file, "server")
        if invite is None:
            arena = ArenaClient(server, timeout, as_json, trust=os.environ.get("TORTUGA_TLS", ""))
        else:
            arena = remote_arena(invite, timeout, as_json)
        command(arena, **words)

    return wrap_command(command, run, CALL_OPTIONS)


def remote_arena(invite: Invite, timeout: float, as_json: bool, service: str = "Arena") -> ArenaClient:
    """Return the arena of an invite."""
    from server.cli.common.arena_client import ArenaClient

    if not invite.public:
        raise ConfigError("the arena of this invite has no public door: ask its organiser")
    return ArenaClient(invite.public, timeout, as_json, trust=invite.trust, service=service, invite=invite)


def choose_invite(path: Path | None, address_option: str) -> Invite | None:
    """Return the invite to use. A flag on the command line beats the environment; two flags are refused."""
    if path is None:
        return None
    context = click.get_current_context()
    names = ("invite_file", address_option)
    sources = [context.get_parameter_source(name) for name in names]
    invite_is_flag, address_is_flag = (source is ParameterSource.COMMANDLINE for source in sources)
    if invite_is_flag and address_is_flag:
        raise ConfigError("an invite names its arena: leave out --invite or the other option")
    if address_is_flag:
        return None
    invite = read_invite(path)
    if open_to_others(path):
        warn(f"other users of this machine can read {path}, which is a secret: chmod 600 {path}")
    return invite


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
