"""`tortuga serve`: the arena on the command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.errors import ConfigError
from server.cli.common.command import run_loop
from server.jail.level import JailLevel
from server.system import logs
from server.system.files import naming

if TYPE_CHECKING:
    from server.arena.config import ArenaConfig
    from server.arena.serve import Output


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--listen", metavar="HOST:PORT", help="The bots' door. [default: 127.0.0.1:7071]")
@click.option("--public", metavar="HOST:PORT", help='The public door; "" for none. [default: 127.0.0.1:7072]')
@click.option("--web", metavar="HOST:PORT", help='Pages for browsers; "" for none. [default: 127.0.0.1:7080]')
@click.option("--admin", metavar="SOCKET", help="The organiser's door. [default: DIR/admin.sock]")
@click.option("--metrics", metavar="HOST:PORT", help="Metrics for Prometheus. [default: none]")
@click.option("--tls-cert", metavar="FILE", help="Certificate chain of both doors, PEM.")
@click.option("--tls-key", metavar="FILE", help="Its private key, PEM.")
@click.option(
    "--jail",
    envvar="TORTUGA_JAIL",
    metavar="auto|LEVEL",
    help=f"How hosted bots are confined: {', '.join(JailLevel)}. [default: auto, the best available]",
)
@click.option(
    "--self-signed",
    metavar="NAME",
    help="Use TLS with a self-signed certificate; NAME is where others reach this machine.",
)
@click.option("--demo", is_flag=True, help="Host sample bots that play slowly enough to watch, and invite a guest.")
@click.option("--insecure", is_flag=True, default=None, help="Allow plain text to other machines.")
def serve(directory: Path, demo: bool, self_signed: str | None, **flags: str | bool | None) -> None:
    """Run an arena: bots connect, ladders run unattended, events start on schedule.

    DIR holds all its state. The first run writes DIR/arena.toml with every setting; these options override it.
    """
    import referee.door.service  # noqa: F401 - sets up gRPC, so it comes before everything that imports grpc
    from server.arena.operations.demo import prepare_demo  # lazily: `--help` does without the whole arena
    from server.arena.serve import prepare
    from server.arena.serve import serve as run

    output = TerminalOutput()
    for name in ("tls_cert", "tls_key", "admin"):  # relative to here on the command line, to DIR in the file
        if flags[name]:
            flags[name] = str(Path(str(flags[name])).resolve())
    with naming(directory):
        if demo:
            directory.mkdir(parents=True, exist_ok=True)
            prepare_demo(directory.resolve())
        path = prepare(directory, output)
        config = read_settings(directory.resolve(), path, self_signed, flags, output)
        cluster = None
        if config.cluster:  # lazily: without a cluster, Dask is never imported
            from server.cli.common.cluster_pool import arena_cluster

            cluster = arena_cluster(directory.resolve(), config)
        logs.configure(verbose=True, as_json=not sys.stderr.isatty())
        run_loop(run(directory.resolve(), config, output, demo=demo, cluster=cluster))


def read_settings(
    directory: Path, path: Path, self_signed: str | None, flags: dict[str, Any], output: Output
) -> ArenaConfig:
    """Return the settings of the file and the flags, with the arena's own certificate if it is asked for or was
    before.

    Its authority stands in the invites, so a restart must not end it.
    """
    from server.arena.config import read_config
    from server.arena.operations.self_signed import prepare_self_signed, remembered_name
    from server.arena.serve import go_public

    name = self_signed or ""
    if name and (flags.get("tls_cert") or flags.get("tls_key")):
        raise ConfigError("--self-signed makes its own certificate: leave out --tls-cert and --tls-key")
    if not name:
        config = read_config(path, flags)
        if config.tls_cert or config.insecure or not (name := remembered_name(directory)):
            return config
        output.say(f"this arena was started with --self-signed {name} before and goes on with it; --insecure: without")
    overrides = {**flags, **prepare_self_signed(directory, name)}
    return go_public(read_config(path, overrides), overrides)


class TerminalOutput:
    """Prints addresses on stdout and warnings on stderr, as `server.arena.serve.Output`."""

    def say(self, text: str) -> None:
        """Print a line on stdout."""
        click.echo(text)

    def warn(self, text: str) -> None:
        """Print a line on stderr."""
        click.echo(text, err=True)
