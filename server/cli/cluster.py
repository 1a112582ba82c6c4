"""`tortuga cluster …`: several machines that play an event together, through Dask (the extra `cluster`)."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
from dataclasses import asdict
from pathlib import Path

import click

from referee.errors import ConfigError
from referee.text import plural
from server.cli.common.command import CommandGroup, certificates_option, json_flag
from server.cluster.certificates import make_certificates
from server.cluster.settings import (
    CA,
    PORT,
    check_address,
    dask_environment,
    find_certificates,
    require_dask,
    scheduler_command,
    worker_command,
)


@click.group(cls=CommandGroup)
def cluster() -> None:
    """Play events on several machines: certificates, scheduler, workers."""


@cluster.command()
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.argument("names", metavar="[NAME]...", nargs=-1)
def certificates(directory: Path, names: tuple[str, ...]) -> None:
    """Create the certificates of a cluster in DIR, and those of each NAME in DIR/NAME.

    Whoever holds a certificate can run code on every machine of the cluster.
    """
    for place in [make_certificates(directory, name) for name in names or ("",)]:
        click.echo(f"wrote {place}: ca.pem, cert.pem, key.pem")


@cluster.command()
@certificates_option
@click.option("--host", default="", metavar="HOST", help="Listen on this address only. [default: on all]")
@click.option("--port", type=click.IntRange(1, 65535), default=PORT, show_default=True, help="Listen on this port.")
def scheduler(certificates: Path | None, host: str, port: int) -> None:
    """Run the scheduler: `dask scheduler` with our settings, in place of this process."""
    require_dask()
    from server.cluster.local import refuse_used_port

    credentials = find_certificates(certificates)
    refuse_used_port(port)
    replace_process(scheduler_command(credentials, host=host, port=port))


@cluster.command()
@click.argument("address", metavar="tls://HOST:PORT")
@certificates_option
@click.option("--name", default="", metavar="NAME", help="Its name. [default: host and process]")
@click.option("--host", default="", metavar="HOST", help="The address at which the scheduler reaches this machine.")
@click.option("--ports", default="", metavar="FIRST:LAST", help="Listen on one of these ports. [default: any]")
def worker(address: str, certificates: Path | None, name: str, host: str, ports: str) -> None:
    """Let this machine play: `dask worker` with our settings. One per machine.

    It joins again by itself after a network fault. On SIGTERM it finishes its blocks, for at most 25 s, and leaves.
    """
    require_dask()
    from server.cluster.rejoin import keep_joined

    name = name or f"{socket.gethostname()}-{os.getpid()}"
    credentials = find_certificates(certificates)
    command = worker_command(credentials, check_address(address), name=name, host=host, ports=ports)
    sys.exit(keep_joined(command, dask_environment(), address))


def replace_process(command: list[str]) -> None:
    """Become another program: signals and the exit code are its own."""
    os.execvpe(command[0], command, dask_environment())


@cluster.command()
@certificates_option
@click.option(
    "--workers",
    type=click.IntRange(0, 64),
    default=2,
    show_default=True,
    help="Number of workers, which share the cores.",
)
@click.option("--port", type=click.IntRange(1, 65535), default=PORT, show_default=True, help="Port of the scheduler.")
@click.option("-v", "--verbose", is_flag=True, help="Show Dask's log.")
def up(certificates: Path | None, workers: int, port: int, verbose: bool) -> None:
    """Start a trial cluster on this machine: certificates, a scheduler, workers. Ctrl-C ends it."""
    require_dask()
    from server.cluster.local import local_cluster

    private = Path(tempfile.mkdtemp(prefix="tortuga-cluster-"))
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    try:
        folder = certificates or private / "certificates"
        if not (folder / CA).exists():
            make_certificates(folder)
        log = None if verbose else private / "log"
        with local_cluster(find_certificates(folder), workers=workers, port=port, log=log) as running:
            click.echo(f"a cluster of {plural(workers, 'worker')} at {running.address}; Ctrl-C ends it")
            click.echo(f"  tortuga tournament run DIR --cluster {running.address} --certificates {folder}")
            click.echo(f"  tortuga cluster status {running.address} --certificates {folder}")
            while not stop.wait(1.0):
                if running.scheduler is not None and running.scheduler.poll() is not None:
                    raise ConfigError(f"the scheduler ended with code {running.scheduler.returncode}")
            click.echo("stopping: workers finish their blocks", err=True)
    finally:
        shutil.rmtree(private, ignore_errors=True)


@cluster.command()
@click.argument("address", metavar="tls://HOST:PORT")
@certificates_option
@json_flag
def status(address: str, certificates: Path | None, as_json: bool) -> None:
    """Show the machines of a cluster: what they play, how fast they are, and why a machine does not play."""
    require_dask()
    from server.cli.common.command import run_loop
    from server.cli.common.output import print_json, show_rows
    from server.cluster.status import read_status

    machines = run_loop(read_status(address, find_certificates(certificates)))
    if as_json:
        print_json({"machines": [asdict(machine) for machine in machines]})
        return
    if not machines:
        click.echo(f"no machine has joined; on each one: tortuga cluster worker {address} --certificates DIR")
        return
    head = (
        "host",
        "address",
        "state",
        "event",
        "cores",
        "speed",
        "all busy",
        "blocks",
        "in hand",
        "matches/s",
        "faults",
        "void",
    )
    show_rows(
        head,
        [
            (
                *(machine.host, machine.address, machine.state, machine.event),
                *(str(round(known) or "") for known in (machine.cores, machine.speed, machine.busy_speed)),
                *(str(machine.blocks), str(machine.blocks_in_hand), f"{machine.matches_per_second:.2f}"),
                *(str(machine.faults), str(machine.voids)),
            )
            for machine in machines
        ],
    )
    for machine in machines:
        if machine.reason:
            click.echo(f"{machine.host} ({machine.address}) does not play: {machine.reason}")
