"""`tortuga serve`: the arena on the command line."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from server import logs
from server.cli.event_loop import run_loop
from server.cli.serve_output import TerminalOutput
from server.folders import naming
from server.jail.level import JailLevel


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--listen", metavar="HOST:PORT", help="The bots' door. [default: 127.0.0.1:7071]")
@click.option("--public", metavar="HOST:PORT", help='The public door; "" for none. [default: 127.0.0.1:7072]')
@click.option("--admin", metavar="SOCKET", help="The organiser's door. [default: DIR/admin.sock]")
@click.option("--metrics", metavar="HOST:PORT", help="Where Prometheus may look. [default: nowhere]")
@click.option("--tls-cert", metavar="FILE", help="Certificate chain of both doors, PEM.")
@click.option("--tls-key", metavar="FILE", help="Its private key, PEM.")
@click.option(
    "--jail",
    envvar="TORTUGA_JAIL",
    metavar="auto|LEVEL",
    help=f"How hosted bots are confined: {', '.join(JailLevel)}. [default: auto, the best there is]",
)
@click.option("--insecure", is_flag=True, default=None, help="Speak plain text beyond this machine all the same.")
def serve(directory: Path, **flags: str | bool | None) -> None:
    """Run an arena: bots dial in, ladders run by themselves, events begin on time.

    DIR is all its state. The first run writes DIR/arena.toml, which holds every setting; these flags override it.
    """
    from server.arena.config import read_config  # lazily: `--help` does without the whole arena
    from server.arena.serve import prepare
    from server.arena.serve import serve as run

    output = TerminalOutput()
    for name in ("tls_cert", "tls_key", "admin"):  # relative to here on the command line, to DIR in the file
        if flags[name]:
            flags[name] = str(Path(str(flags[name])).resolve())
    with naming(directory):
        config = read_config(prepare(directory, output), flags)
        logs.configure(verbose=True, as_json=not sys.stderr.isatty())
        run_loop(run(directory.resolve(), config, output))
