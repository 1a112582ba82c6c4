"""`tortuga tournament`, `tortuga ladder` and `tortuga sprt`: parse, call, print."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from referee.errors import ConfigError
from server.cli.command import Group, Interrupted, json_flag, new_seed, pairs, run_loop

if TYPE_CHECKING:
    from server.tournament.folder import Folder
    from server.tournament.manifest import Manifest

FORMATS = ("round-robin", "gauntlet", "swiss", "knockout", "league", "ladder")
folder_argument = click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))


@click.group(cls=Group)
def tournament() -> None:
    """Play events: round-robin, gauntlet, swiss, knockout, league, ladder."""


@tournament.command()
@folder_argument
def new(directory: Path) -> None:
    """Write a commented tournament.toml into DIR."""
    from server.tournament.folder import Folder
    from server.tournament.manifest import write_text

    folder = Folder(directory)
    if folder.manifest.exists():
        raise ConfigError(f"{folder.manifest} is there already")
    write_manifest(folder, write_text(example(directory.name[:80] or "event")))
    click.echo(f"wrote {folder.manifest}; edit it, then: tortuga tournament run {directory}")


def example(name: str) -> Manifest:
    """What `new` writes: a small event that runs as it is."""
    from server.tournament.manifest import Contest, Manifest, ManifestBot

    return Manifest(
        name=name,
        seed=new_seed(),
        contests=(Contest(game="pavillon_noir", seats=2, variant={}),),
        bots=(ManifestBot(spec="gunner"), ManifestBot(spec="random")),
    )


def write_manifest(folder: Folder, text: str) -> None:
    """A new manifest, in a folder that is made if needed."""
    from server.folders import check_writable

    check_writable(folder.path)
    folder.manifest.write_text(text)


@tournament.command()
@click.argument("directory", metavar="[DIR]", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.option("--game", "games", multiple=True, metavar="GAME[:SEATS]", help="A quick event: a game; may be repeated.")
@click.option("--bot", "bots", multiple=True, metavar="SPEC", help="A quick event: a bot; may be repeated.")
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
    help="How often everybody meets; of a swiss its rounds, of a ladder its waves, 0 without end.",
)
@click.option("--seed", metavar="TEXT", help="The same words give the same luck. [default: a random one]")
@click.option("--variant", "variants", multiple=True, metavar="NAME=VALUE", help="Set an option of the game.")
@click.option("--clock", default="60+0.1/1", show_default=True, metavar="BANK+INC/CAP", help="Seconds per seat.")
@click.option(
    "--faults", default="strict", show_default=True, metavar="strict|lenient:N", help="What a failing bot may cost."
)
@click.option("--no-mirror", is_flag=True, help="New luck in every match.")
@click.option(
    "--restart",
    type=click.Choice(["never", "match"]),
    default="never",
    show_default=True,
    help="match: fresh processes for every match.",
)
@click.option("--concurrency", type=click.IntRange(1, 1024), help="Matches at once. [default: four for each core]")
@click.option("--pin/--no-pin", default=None, help="Keep each worker and its bots on one core.")
@json_flag
def run(directory: Path | None, concurrency: int | None, pin: bool | None, as_json: bool, **flags: Any) -> None:
    """Play the event in DIR, or go on with it.

    With --game and --bot: a quick one, whose flags are written into a new DIR. [default: under tournaments/]
    """
    from server.cli import output
    from server.cli.progress import make_listener
    from server.tournament.event import run_event
    from server.tournament.folder import Folder
    from server.tournament.manifest import read_manifest
    from server.tournament.runner import Ending

    if flags["games"] or flags["bots"]:
        manifest = quick_manifest(**flags)
        directory = directory or Path("tournaments") / f"{manifest.contests[0].id}-{manifest.seed[:8]}"
        folder = Folder(directory)
        start_quick(folder, manifest)
    elif directory is None:
        raise ConfigError("name a folder with a tournament.toml, or give --game and --bot")
    else:
        folder = Folder(directory)
        read_manifest(folder.manifest)  # nothing is made in a folder that is no event
        if given := quick_options(flags):
            raise ConfigError(f"{', '.join(given)}: only for a quick event; this one follows {folder.manifest}")
    again = f"tortuga tournament run {directory}"
    if not as_json:
        click.echo(f"event folder: {directory} (after an interruption: {again})", err=True)
    ending = run_loop(run_event(folder, make_listener(quiet=as_json), concurrency=concurrency, pin=pin))
    finish(folder, as_json=as_json)
    if ending is not Ending.FINISHED:
        raise Interrupted(f"interrupted; everything that was finished is kept. Go on with: {again}")
    if not as_json:
        seed = folder.require_agreement().manifest.seed
        output.console().print(f"\nseed: {seed}\nreport: {folder.report}", markup=False)


def quick_options(flags: Mapping[str, Any]) -> list[str]:
    """The options of a quick event that were given: a manifest says all that itself."""
    context = click.get_current_context()
    given = {name for name in flags if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    return [option.opts[0] for option in context.command.params if option.name in given]


def quick_manifest(
    *,
    games: tuple[str, ...],
    bots: tuple[str, ...],
    format_name: str,
    rounds: int,
    seed: str | None,
    variants: tuple[str, ...],
    clock: str,
    faults: str,
    no_mirror: bool,
    restart: str,
) -> Manifest:
    """An event from flags."""
    from server.bots.spec import absolute_spec, find_bot
    from server.tournament.manifest import make_manifest

    if not games or not bots:
        raise ConfigError("a quick event needs --game and --bot (at least as many bots as seats)")
    if not rounds and format_name != "ladder":
        raise ConfigError(f"--rounds 0, without end, is for --format ladder, not for {format_name}")
    contests = []
    for game in games:
        name, _, seats = game.partition(":")
        if seats and not seats.isdigit():
            raise ConfigError(f"--game is {game!r}, expected GAME or GAME:SEATS")
        contests.append({"id": name, "variant": pairs(variants), **({"seats": int(seats)} if seats else {})})
    entries: list[dict[str, Any]] = []
    for bot in bots:
        spec = find_bot(bot)
        taken, name, number = {entry["name"] for entry in entries}, spec.name, 2
        while name in taken:
            name, number = f"{spec.name}-{number}", number + 1
        entries.append({"spec": absolute_spec(bot), "name": name})
    return make_manifest(
        {
            "name": f"{', '.join(games)}",
            "seed": seed or new_seed(),
            "format": format_name,
            "rounds": rounds,
            "clock": clock,
            "faults": faults,
            "mirrored": not no_mirror,
            "restart": restart,
            "games": contests,
            "bots": entries,
        }
    )


def start_quick(folder: Folder, manifest: Manifest) -> None:
    """Write the manifest of a quick event; the same flags go on with the same event."""
    from server.tournament.manifest import as_table, differences, find_bots, read_manifest, write_text

    find_bots(manifest, folder.path)
    if not folder.manifest.exists():
        write_manifest(folder, write_text(manifest))
        return
    changed = differences(as_table(read_manifest(folder.manifest)), as_table(manifest))
    if changed:
        raise ConfigError(f"{folder.manifest} holds another event: {'; '.join(changed)}")


def finish(folder: Folder, *, as_json: bool) -> None:
    """Print the tables and write the report."""
    from server.cli import ladder_tables, output
    from server.tournament.report import write_report
    from server.tournament.standings import read_standings
    from server.tournament.status import read_status

    ladders, found = read_standings(folder), read_status(folder)
    write_report(folder, folder.require_agreement(), found, ladders)
    if as_json:
        output.print_json(
            {
                "folder": str(folder.path),
                "status": status_json(found),
                "ladders": [one.as_json() for one in ladders],
            }
        )
    else:
        ladder_tables.show_ladders(output.console(), ladders)


def status_json(found: Any) -> dict[str, Any]:
    """How far an event is, for programs."""
    from dataclasses import asdict

    return asdict(found)


@tournament.command("status")
@folder_argument
@json_flag
def show_status(directory: Path, as_json: bool) -> None:
    """How far the event in DIR is."""
    from server.cli import output
    from server.tournament.folder import Folder
    from server.tournament.status import read_status

    found = read_status(Folder(directory))
    if as_json:
        output.print_json(status_json(found))
        return
    of = f" of {found.matches_planned}" if found.matches_planned is not None else ""
    state = f"{found.running} being played by process {found.pid}" if found.pid else "not running"
    click.echo(f"{found.matches_done}{of} matches done, {found.void} void, {found.faults} faults; {state}")
    if found.quarantined:
        click.echo(f"quarantined: {', '.join(found.quarantined)}")


@tournament.command()
@folder_argument
@click.option("--csv", "as_csv", is_flag=True, help="One row per seat and match.")
@click.option("--json", "as_json", is_flag=True, help="One document with all matches.")
def export(directory: Path, as_csv: bool, as_json: bool) -> None:
    """Print every result of the event in DIR."""
    from server.tournament.export import export_csv, export_json
    from server.tournament.folder import Folder

    if as_csv == as_json:
        raise ConfigError("say --csv or --json")
    (export_csv if as_csv else export_json)(Folder(directory), sys.stdout)


@click.group(cls=Group)
def ladder() -> None:
    """Ratings, with how sure they are."""


@ladder.command("show")
@folder_argument
@click.option("--game", metavar="GAME", help="Only this game.")
@json_flag
def show_ladder(directory: Path, game: str | None, as_json: bool) -> None:
    """Print the ladders of the event in DIR."""
    from server.cli import ladder_tables, output
    from server.tournament.folder import Folder
    from server.tournament.standings import read_standings

    ladders = read_standings(Folder(directory), game)
    if game is not None and not ladders:
        played = dict.fromkeys(one.contest.game for one in read_standings(Folder(directory)))
        raise ConfigError(f"{directory} has no {game}; it has {', '.join(played)}")
    if as_json:
        output.print_json([one.as_json() for one in ladders])
    else:
        ladder_tables.show_ladders(output.console(), ladders)


@ladder.command()
@click.argument("bot")
@click.option(
    "--dir",
    "directory",
    default=Path(),
    show_default="here",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of the event.",
)
@json_flag
def history(bot: str, directory: Path, as_json: bool) -> None:
    """How the live Elo of BOT moved, match by match."""
    from server.cli import output
    from server.tournament.export import history_of
    from server.tournament.folder import Folder

    rows = history_of(Folder(directory), bot)
    if as_json:
        output.print_json(rows)
        return
    output.show_history(bot, rows)


@ladder.command()
@folder_argument
def rebuild(directory: Path) -> None:
    """Make the database of DIR again from its records."""
    from server.tournament.event import rebuild as rebuild_database
    from server.tournament.folder import Folder

    findings = rebuild_database(Folder(directory))
    for problem in findings.problems:
        click.echo(f"tortuga: {problem}", err=True)
    click.echo(f"{len(findings.sound)} matches read from {Folder(directory).records}")


@click.command()
@click.argument("candidate", metavar="A")
@click.argument("base", metavar="B")
@click.option("--game", required=True, metavar="GAME[:SEATS]", help="The game.")
@click.option("--elo0", default=0.0, show_default=True, help="H0: A is better by so much Elo.")
@click.option("--elo1", default=10.0, show_default=True, help="H1: A is better by so much Elo.")
@click.option("--alpha", default=0.05, show_default=True, help="Risk of accepting H1 wrongly.")
@click.option("--beta", default=0.05, show_default=True, help="Risk of accepting H0 wrongly.")
@click.option(
    "--model",
    type=click.Choice(["normalized", "logistic", "bayesian"]),
    default="normalized",
    show_default=True,
    help="Which Elo; the last two are for two seats.",
)
@click.option(
    "--from", "source", type=click.Path(file_okay=False, path_type=Path), help="Judge an event already played."
)
@click.option(
    "--dir",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to play it. [default: under tournaments/]",
)
@click.option("--filler", default="random", show_default=True, metavar="SPEC", help="Sits on an odd seat.")
@click.option("--max-blocks", default=20_000, show_default=True, type=click.IntRange(1), help="Give up after these.")
@click.option("--seed", metavar="TEXT", help="The same words give the same luck. [default: a random one]")
@click.option("--variant", "variants", multiple=True, metavar="NAME=VALUE", help="Set an option of the game.")
@click.option("--clock", default="60+0.1/1", show_default=True, metavar="BANK+INC/CAP", help="Seconds per seat.")
@click.option("--concurrency", type=click.IntRange(1, 1024), help="Matches at once. [default: four for each core]")
@json_flag
def sprt(candidate: str, base: str, source: Path | None, directory: Path | None, as_json: bool, **flags: Any) -> None:
    """Is A better than B? Plays mirrored blocks until that is clear, and stops by itself."""
    from server.cli import output
    from server.cli import sprt as sequential_cli
    from server.ratings import BIASED

    if source is not None:
        test, names = sequential_cli.judge(source, candidate, base, **flags)
    else:
        test, names = sequential_cli.play(directory, candidate, base, quiet=as_json, **flags)
    if as_json:
        output.print_json(sequential_cli.as_json(test, *names))
    else:
        click.echo(test.line())
        click.echo(f"{test.conclusion(*names)} (the estimates are {BIASED})")
        if test.failed:
            click.echo(f"beware: {test.failures()}")
