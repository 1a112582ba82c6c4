"""`tortuga tournament …`: events in a folder.

Code that plays matches or draws standings is imported when it is needed: no match should wait for rich, jinja and
numpy, and no other command for gRPC.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from referee.errors import ConfigError
from referee.rules.infos import BUILTIN
from referee.text import plural
from server.cli.common.command import (
    BotsFailed,
    Interrupted,
    LazyCommand,
    LazyGroup,
    certificates_option,
    clock_option,
    fail_on_fault_option,
    faults_option,
    folder_argument,
    json_flag,
    new_seed,
    seed_option,
    variant_option,
)
from server.cli.common.jail import jail_option, make_confinement
from server.cli.common.quick_event import quick_manifest, start_quick_event, write_manifest
from server.jail.level import AUTO, JailLevel
from server.system.files import naming
from server.tournament.folder import Folder
from server.tournament.manifest import FORMATS, Contest, Manifest, ManifestBot, find_bots, read_manifest, write_text

if TYPE_CHECKING:
    from server.cli.common.progress import QuietListener
    from server.standings.host_check import HostCheck
    from server.tournament.status import Status

REPLAYS = LazyCommand(
    "server.cli.tournament.replays:replays",
    "Write matches of the event in DIR as HTML files into DIR/replays, and link them in its report.",
)


PLAN = LazyCommand(
    "server.cli.tournament.plan:plan",
    "Estimate the matches, time and disk space of the event in DIR, before anything is played.",
)
DISQUALIFY = LazyCommand("server.cli.tournament.rulings:disqualify", "Disqualify BOT in the event in DIR.")
ANNUL = LazyCommand(
    "server.cli.tournament.rulings:annul", "Annul MATCH of the event in DIR, so that it counts for nobody."
)
RULINGS = LazyCommand(
    "server.cli.tournament.rulings:rulings", "List the rulings of the event in DIR, or withdraw one of them."
)
LAZY = {"annul": ANNUL, "disqualify": DISQUALIFY, "plan": PLAN, "replays": REPLAYS, "rulings": RULINGS}


@click.group(cls=LazyGroup, lazy=LAZY)
def tournament() -> None:
    """Play events: round-robin, gauntlet, swiss, knockout, league, ladder."""


@tournament.command()
@folder_argument
def new(directory: Path) -> None:
    """Write a commented tournament.toml into DIR."""
    folder = Folder(directory)
    if folder.manifest.exists():
        raise ConfigError(f"{folder.manifest} already exists")
    write_manifest(folder, write_text(example_manifest(directory.name[:80] or "event")))
    click.echo(f"wrote {folder.manifest}; edit it, then: tortuga tournament run {directory}")


def example_manifest(name: str) -> Manifest:
    """Return the manifest that `new` writes: a small event that runs as it is."""
    return Manifest(
        name=name,
        seed=new_seed(),
        contests=(Contest(game=BUILTIN[0].info.id, seats=BUILTIN[0].info.min_seats, variant={}),),
        bots=(ManifestBot(spec="gunner"), ManifestBot(spec="random")),
    )


@tournament.command()
@click.argument("directory", metavar="[DIR]", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--game", "games", multiple=True, metavar="GAME[:SEATS]", help="For a quick event: a game; may be repeated."
)
@click.option("--bot", "bots", multiple=True, metavar="SPEC", help="For a quick event: a bot; may be repeated.")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(FORMATS),
    default="round-robin",
    show_default=True,
    help="Who meets whom.",
)
@click.option(
    "--rounds",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="How often everybody meets; for swiss, the rounds; for ladder, the waves (0: endless).",
)
@seed_option
@variant_option
@clock_option
@faults_option
@click.option("--no-mirror", is_flag=True, help="Use new luck in every match.")
@click.option(
    "--restart",
    type=click.Choice(["never", "match"]),
    default="never",
    show_default=True,
    help="match: start new processes for every match.",
)
@click.option("--concurrency", type=click.IntRange(1, 1024), help="Matches at once. [default: chosen by measurement]")
@click.option("--pin/--no-pin", default=None, help="Keep each worker and its bots on one core.")
@click.option("--cluster", metavar="tls://HOST:PORT", help="Play on the machines of this cluster.")
@certificates_option
@click.option(
    "--min-speed",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="On a cluster: refuse machines slower than this share of the fastest.",
)
@fail_on_fault_option
@jail_option
@json_flag
def run(
    directory: Path | None,
    concurrency: int | None,
    pin: bool | None,
    cluster: str | None,
    certificates: Path | None,
    min_speed: float,
    fail_on_fault: bool,
    jail: str,
    as_json: bool,
    **flags: Any,
) -> None:
    """Play the event in DIR, or continue it.

    With --game and --bot, play a quick event; its options are written into a new DIR. [default: under tournaments/]
    """
    from server.bots.strangers import refuse_strangers
    from server.cli.common.command import run_loop
    from server.tournament.event import run_event
    from server.tournament.runner import Ending

    if flags["games"] or flags["bots"]:
        manifest = quick_manifest(**flags)
        directory = directory or Path("tournaments") / f"{manifest.contests[0].id}-{manifest.seed[:8]}"
        folder = Folder(directory)
        start_quick_event(folder, manifest)
    elif directory is None:
        raise ConfigError("name a folder with a tournament.toml, or pass --game and --bot")
    else:
        folder = Folder(directory)
        manifest = read_manifest(folder.manifest)  # create nothing in a folder without an event
        if given := quick_options(flags):
            raise ConfigError(f"{', '.join(given)}: only for a quick event; this one follows {folder.manifest}")
    again = f"tortuga tournament run {directory}"
    if not as_json:
        click.echo(f"event folder: {directory} (after an interruption: {again})", err=True)
    cluster = manifest.cluster if cluster is None else cluster
    confinement = make_confinement(jail, hidden=[directory], elsewhere=bool(cluster), quiet=as_json)
    if jail == AUTO and manifest.jail == JailLevel.NONE and not cluster:
        refuse_strangers(find_bots(manifest, directory).values(), confinement.level)
    keys: dict[str, Any] = {"concurrency": concurrency, "pin": pin, "confinement": confinement}
    if cluster:
        from server.cli.common.cluster_pool import cluster_pool  # lazily: without a cluster, Dask is never imported

        keys["make_pool"] = cluster_pool(
            *(cluster, certificates),
            event=manifest.name,
            min_speed=min_speed,
            replayed=manifest.cluster_replayed,
            repeated=manifest.cluster_repeated,
        )
    listener = make_listener(quiet=as_json)
    with naming(directory):
        ending = run_loop(run_event(folder, listener, **keys))
        faults = print_results(folder, as_json=as_json)
    if ending is not Ending.FINISHED:
        raise Interrupted(f"interrupted; everything that was finished is kept. Go on with: {again}")
    if not as_json:
        from server.cli.common.output import console

        seed = folder.require_agreement().manifest.seed
        console().print(f"\nseed: {seed}\nreport: {folder.report}", markup=False)
    if fail_on_fault and faults:
        raise BotsFailed(f"{plural(faults, 'fault')}: `tortuga matches {directory} --faults` lists the matches")


def make_listener(*, quiet: bool) -> QuietListener:
    """Return the listener that suits the output."""
    from server.cli.common.progress import LineListener, QuietListener, ScreenListener

    if quiet:
        return QuietListener()
    return ScreenListener() if sys.stderr.isatty() and sys.stdout.isatty() else LineListener()


def quick_options(flags: Mapping[str, Any]) -> list[str]:
    """Return the options of a quick event that were given. A manifest sets all of them itself."""
    context = click.get_current_context()
    given = {name for name in flags if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    return [option.opts[0] for option in context.command.params if option.name in given]


def print_results(folder: Folder, *, as_json: bool) -> int:
    """Print the standings and write the report. Returns the number of faults."""
    from server.cli.common.output import console, print_json
    from server.cli.common.printed_standings import show_ladders
    from server.standings.crashes import group_crashes
    from server.standings.host_check import check_hosts
    from server.standings.report import write_report
    from server.tournament.standings import read_standings
    from server.tournament.status import read_status

    ladders, status = read_standings(folder), read_status(folder)
    crashes, hosts = group_crashes(folder, ladders), check_hosts(folder, ladders)
    write_report(folder, folder.require_agreement(), status, ladders, crashes)
    if as_json:
        print_json(
            {
                "folder": str(folder.path),
                "status": status_json(status),
                "ladders": [ladder.as_json() for ladder in ladders],
                "crashes": [asdict(crash) for crash in crashes],
                "hosts": hosts.as_json() if hosts else None,
            }
        )
    else:
        show_ladders(console(), ladders, crashes, folder.logs)
        show_hosts(hosts)
    return status.faults


def show_hosts(hosts: HostCheck | None) -> None:
    """Print the machines that played an event, if it was more than one."""
    if hosts is not None:
        from server.cli.common.output import show_rows
        from server.standings.host_check import HEADS

        show_rows(HEADS, hosts.cells())
        click.echo(f"hosts: {hosts.verdict}")


def status_json(found: Status) -> dict[str, Any]:
    """Return the progress of an event for programs."""
    return asdict(found)


@tournament.command("status")
@folder_argument
@json_flag
def show_status(directory: Path, as_json: bool) -> None:
    """Show the progress of the event in DIR, and the placings so far."""
    from server.standings.host_check import check_hosts
    from server.tournament.standings import read_standings
    from server.tournament.status import read_status

    folder = Folder(directory)
    status = read_status(folder)
    ladders = read_standings(folder) if status.matches_done else []
    hosts = check_hosts(folder, ladders) if ladders else None
    if as_json:
        from server.cli.common.output import print_json

        standings = {"ladders": [ladder.as_json() for ladder in ladders], "hosts": hosts.as_json() if hosts else None}
        print_json({**status_json(status), **standings})
        return
    if not status.matches_done:
        show_nothing_played(folder, status)
        return
    of = f" of {status.matches_planned}" if status.matches_planned is not None else ""
    state = f"{status.running} being played by process {status.pid}" if status.pid else "not running"
    click.echo(f"{status.matches_done}{of} matches done, {status.void} void, {status.faults} faults; {state}")
    if status.void_for:
        counts = ", ".join(f"{bot} {count}" for bot, count in status.void_for.items())
        click.echo(f"void because a bot ran out of time while the host was held up: {counts}")
    if status.jail_levels:
        click.echo(f"bots confined: {', '.join(status.jail_levels)}")
    if status.quarantined:
        click.echo(f"quarantined: {', '.join(status.quarantined)}")
    from server.cli.common.output import console
    from server.cli.common.printed_standings import show_lines, show_placings, show_rulings
    from server.standings.cells import warning_lines
    from server.standings.messages import make_listing

    for ladder in ladders:
        listing = make_listing(ladder)
        show_placings(console(), listing)
        show_lines(console(), warning_lines(listing))
    if ladders:
        show_rulings(console(), ladders[0].rulings.texts())
    show_hosts(hosts)
    click.echo(f"to list and study the matches: tortuga matches {directory}")


def show_nothing_played(folder: Folder, status: Status) -> None:
    """Print the state of an event before its first match."""
    from server.cli.tournament.plan import show_counts
    from server.tournament.forecast import forecast_event

    state = f"process {status.pid} is playing the first ones" if status.pid else "not running"
    click.echo(f"no match was played yet; {state}")
    show_counts(forecast_event(folder))
    click.echo(f"to play it: tortuga tournament run {folder.path}")


@tournament.command()
@folder_argument
@click.option("--csv", "as_csv", is_flag=True, help="One row per seat and match.")
@click.option("--json", "as_json", is_flag=True, help="One document with all matches.")
@click.option("--placings", is_flag=True, help="The placings instead of the matches: one row per bot.")
def export(directory: Path, as_csv: bool, as_json: bool, placings: bool) -> None:
    """Print every result of the event in DIR, or its placings."""
    if as_csv == as_json:
        raise ConfigError("pass --csv or --json")
    from server.standings.export import export_csv, export_json, export_placings

    if placings:
        export_placings(Folder(directory), sys.stdout, as_csv=as_csv)
        return
    (export_csv if as_csv else export_json)(Folder(directory), sys.stdout)
