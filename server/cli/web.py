"""`tortuga web`: pages of a folder, or of an arena that runs on this machine."""

from __future__ import annotations

import importlib.util
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.errors import ConfigError
from server.cli.common.command import run_loop

if TYPE_CHECKING:
    from server.web.middleware import WebSettings

NEEDED = ("starlette", "uvicorn")
"""Packages that the extra `web` installs."""
LISTEN = "127.0.0.1:7080"
NICENESS = 5
"""Pages give way to the matches of the arena that started them."""


@click.command()
@click.argument("directory", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option("--arena", metavar="SOCKET", type=click.Path(path_type=Path), help="The web door of a running arena.")
@click.option("--listen", metavar="HOST:PORT", help=f"The address to serve pages on. [default: {LISTEN}]")
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="Trust the X-Forwarded-For of this proxy; may be repeated.",
)
@click.option(
    "--bots-address", default="", metavar="HOST:PORT", help="The address bots connect to, as shown to their authors."
)
@click.option("--inherited", type=int, hidden=True, help="The descriptor of an open port, passed by `tortuga serve`.")
def web(
    directory: Path | None,
    arena: Path | None,
    listen: str | None,
    proxies: tuple[str, ...],
    bots_address: str,
    inherited: int | None,
) -> None:
    """Serve web pages for a folder or an arena: ladders, bots, events, matches and replays.

    DIR is the folder of an event (even a running one), of a stopped arena, or of records.
    """
    from referee.door.tls import is_loopback

    if (directory is None) == (arena is None):
        raise ConfigError("name a folder, or pass --arena SOCKET")
    if missing := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
        raise ConfigError(f"pages need {', '.join(missing)}: install tortuga-arena[web]")
    # From here on the extra is installed.
    from server.web.middleware import WebSettings
    from server.web.serving import listen as open_port

    address = listen or LISTEN
    settings = WebSettings(proxies=proxies, bots_address=bots_address)
    port = socket.socket(fileno=inherited) if inherited is not None else open_port(address)
    if inherited is not None:
        os.nice(NICENESS)
    with port:
        if inherited is None and not is_loopback(address):
            click.echo(
                f"tortuga: {address} is open to other machines over plain HTTP: signing in needs HTTPS, so put a proxy "
                "in front of it and name it with --proxy",
                err=True,
            )
        run_loop(serve_pages(directory, arena, settings, port, announced=inherited is None))


async def serve_pages(
    directory: Path | None, arena: Path | None, settings: WebSettings, port: socket.socket, *, announced: bool
) -> None:
    """Serve the pages until Ctrl-C."""
    from server.web.serving import serve

    if directory is not None:
        from server.web.app import make_app
        from server.web.folder_backend import FolderBackend

        app, what = make_app(FolderBackend(directory), settings), str(directory)
    else:
        assert arena is not None
        from server.web.app import make_arena_app

        app, what = make_arena_app(arena, settings), f"the arena at {arena}"
    host, number = port.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host

    def ready() -> None:
        if announced:
            click.echo(f"{what}: http://{shown}:{number}/ (Ctrl-C ends it)")
            sys.stdout.flush()

    await serve(app, [port], ready=ready, ends_with_stdin=not announced)
