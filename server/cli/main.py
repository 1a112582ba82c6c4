"""The command line: parse, call, print; nothing else.

Exit codes: 0 fine, 1 a match failed or was interrupted or a record does not hold, 2 wrong usage. With --json, stdout
holds one JSON document and nothing else. Heavy modules are imported by the command that needs them: `tortuga --help`
is quick.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from server import __version__
from server.cli.bot import bot_group
from server.cli.client import client
from server.cli.command import Group, json_flag, new_seed, pairs, run_match
from server.cli.serve import serve
from server.cli.server import server
from server.cli.tournament import ladder, sprt, tournament

if TYPE_CHECKING:
    from server.matches.setting import Setting

Command = TypeVar("Command", bound=Callable[..., Any])

seed_option = click.option("--seed", metavar="TEXT", help="The same words give the same luck. [default: a random one]")
variant_option = click.option(
    "--variant", "variants", multiple=True, metavar="NAME=VALUE", help="Set an option of the game; may be repeated."
)
bot_option = click.option(
    "--bot",
    "bots",
    multiple=True,
    required=True,
    metavar="SPEC",
    help='A folder with a bot.toml, the name of a sample bot, or "cmd: COMMAND"; one per seat.',
)
clock_options = [
    click.option("--clock", default="60+0.1/1", show_default=True, metavar="BANK+INC/CAP", help="Seconds per seat."),
    click.option("--no-clock", is_flag=True, help="No time limits at all, for debugging."),
    click.option(
        "--start-seconds",
        default=10.0,
        show_default=True,
        type=click.FloatRange(0.1, 3600),
        help="Seconds to start up and to get ready.",
    ),
    click.option(
        "--faults", default="strict", show_default=True, metavar="strict|lenient:N", help="What a failing bot may cost."
    ),
    click.option("--listen", metavar="HOST:PORT", help="Let bots dial in over TCP. [default: a private Unix socket]"),
    click.option("--logs", type=click.Path(file_okay=False, path_type=Path), help="Keep what the bots print here."),
]


def with_clock(command: Command) -> Command:
    """Add the options that matches over gRPC have in common."""
    for option in reversed(clock_options):
        command = option(command)
    return command


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tortuga")
@click.option("-v", "--verbose", is_flag=True, help="Log on stderr what happens.")
def main(verbose: bool) -> None:
    """A headless tournament server for pirate-game bots."""
    from server import logs

    logs.configure(verbose)


@main.command()
@json_flag
def games(as_json: bool) -> None:
    """List the games and their options."""
    from server.cli import output

    output.show_games(as_json)


@main.command()
@click.argument("game")
@bot_option
@seed_option
@variant_option
@with_clock
@click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the record goes. [default: records/ID.tortuga]",
)
@click.option("--no-record", is_flag=True, help="Keep no record.")
@click.option("--watch", is_flag=True, help="Tell the match as it goes, as somebody who sees everything.")
@json_flag
def play(
    game: str,
    bots: tuple[str, ...],
    seed: str | None,
    variants: tuple[str, ...],
    clock: str,
    no_clock: bool,
    start_seconds: float,
    faults: str,
    listen: str | None,
    logs: Path | None,
    record: Path | None,
    no_record: bool,
    watch: bool,
    as_json: bool,
) -> None:
    """Play one match of GAME between real bot processes, over gRPC."""
    from server.bots.spec import find_bot
    from server.cli import output
    from server.matches import playing

    setting = make_setting(game, variants, seed, clock, no_clock, start_seconds, faults)
    specs = [find_bot(bot) for bot in bots]
    path = None if no_record else record or Path("records") / f"{setting.terms().match_id}.tortuga"
    teller = output.teller([spec.name for spec in specs], to_stderr=as_json) if watch else None
    report = run_match(playing.play_one(setting, specs, listen=listen, logs=logs, record_path=path, teller=teller))
    output.show_match(report, as_json)
    sys.exit(1 if report.result.void else 0)


@main.command()
@click.argument("game")
@click.option("--games", "count", default=1000, show_default=True, type=click.IntRange(1), help="How many games.")
@click.option("--seats", type=int, help="How many seats. [default: as many as bots, or the fewest the game allows]")
@click.option("--bot", "bots", multiple=True, metavar="NAME", help="A Python bot, one per seat. [default: random]")
@seed_option
@variant_option
@json_flag
def simulate(
    game: str,
    count: int,
    seats: int | None,
    bots: tuple[str, ...],
    seed: str | None,
    variants: tuple[str, ...],
    as_json: bool,
) -> None:
    """Play many games in this process, without gRPC, and count what happens."""
    from referee.games import find_game
    from server.bots.spec import find_bot
    from server.cli import output
    from server.matches.simulate import simulate as run_games

    found = find_game(game)
    specs = [find_bot(bot) for bot in bots]
    for spec in specs:
        spec.check_game(found.info.id)
    with output.progress("games", count, quiet=as_json) as advance:
        tally = run_games(
            found,
            found.info.read_variant(pairs(variants)),
            seats=seats if seats is not None else len(specs) or found.info.min_seats,
            games=count,
            seed=seed or new_seed(),
            bots=specs,
            progress=lambda _: advance(),
        )
    output.show_tally(tally, [spec.name for spec in specs], as_json)


main.add_command(bot_group)


@main.group(cls=Group)
def replay() -> None:
    """Look into records and prove them."""


record_argument = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))


@replay.command()
@record_argument
@click.option("--at", "decision", type=click.IntRange(1), help="Only this decision, counted over all seats from 1.")
@click.option("--seat", type=click.IntRange(0), help="What exactly this seat was sent.")
@json_flag
def show(file: Path, decision: int | None, seat: int | None, as_json: bool) -> None:
    """Tell a recorded match, or show one decision of it."""
    from server.matches import retell

    retell.show(file, decision, seat, as_json)


@replay.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_flag
def verify(files: tuple[Path, ...], as_json: bool) -> None:
    """Play records again and compare every link of their hash chains."""
    from server.matches import retell

    sys.exit(0 if retell.verify_files(files, as_json) else 1)


@replay.command("json")
@record_argument
def to_json(file: Path) -> None:
    """Print a whole record as JSON."""
    from server.matches import retell

    retell.print_json(file)


@replay.command()
@record_argument
@click.option("--at", "decision", type=click.IntRange(1), required=True, help="The decision, counted from 1.")
@click.option("--seat", type=click.IntRange(0), help="Whose question. [default: the seat whose decision that was]")
@click.option("--bot", required=True, metavar="SPEC", help="The bot to ask.")
@click.option("--cold", is_flag=True, help="Ask this question only, and not first all that the seat was asked before.")
@click.option("--no-clock", is_flag=True, help="Give the bot all the time it wants, for a debugger.")
@json_flag
def ask(file: Path, decision: int, seat: int | None, bot: str, cold: bool, no_clock: bool, as_json: bool) -> None:
    """Ask a bot of today what was asked in a record, and show its answer beside the one given then."""
    from server.bots.spec import find_bot
    from server.cli.bot import refuse_unbuilt
    from server.matches import asking

    spec = find_bot(bot)
    refuse_unbuilt(spec, bot)
    cue = asking.find_cue(file, decision, seat, no_clock=no_clock)
    answer = run_match(asking.ask(cue, spec, cold=cold))
    asking.show(cue, answer, as_json)
    sys.exit(1 if answer.fault else 0)


@main.command()
@click.option(
    "--game", "games", multiple=True, metavar="GAME", help="A game to measure with; may be repeated. [default: all]"
)
@click.option(
    "--seconds", default=2.0, show_default=True, type=click.FloatRange(0.5, 600), help="Seconds per measurement."
)
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1, 50), help="Medians of this many.")
@click.option("--growth/--no-growth", default=True, show_default=True, help="Also play 10 000 short matches in a row.")
@click.option("--pin", is_flag=True, help="Referee and bots on one core: less noise.")
@click.option("--bots", is_flag=True, help="Instead: the bots side by side: start, memory, cost of a decision.")
@click.option("--bot", "specs", multiple=True, metavar="SPEC", help="Of --bots. [default: random in every language]")
@click.option("--mirrors", is_flag=True, help="Instead: how many games mirrored blocks save.")
@click.option("--games", "count", default=200, show_default=True, type=click.IntRange(4), help="Of --mirrors, per row.")
@click.option("--scale", is_flag=True, help="Instead: large events, from the schedule to the table.")
@click.option(
    "--matches", default=10_000, show_default=True, type=click.IntRange(0), help="Of the event that --scale plays."
)
@click.option("--arena", is_flag=True, help="Instead: an arena with many remote bots, for --minutes.")
@click.option("--connected", default=200, show_default=True, type=click.IntRange(4, 2000), help="Of --arena: bots.")
@click.option("--tables", default=60, show_default=True, type=click.IntRange(1, 1000), help="Of --arena: at once.")
@click.option("--minutes", default=5.0, show_default=True, type=click.FloatRange(0.2, 600), help="Of --arena.")
@json_flag
def bench(
    games: tuple[str, ...],
    seconds: float,
    rounds: int,
    growth: bool,
    pin: bool,
    bots: bool,
    specs: tuple[str, ...],
    mirrors: bool,
    count: int,
    scale: bool,
    matches: int,
    arena: bool,
    connected: int,
    tables: int,
    minutes: float,
    as_json: bool,
) -> None:
    """Measure the referee side by side with bare gRPC, and the engines alone."""
    from server.bench import arena as bench_arena
    from server.bench import bots as bench_bots
    from server.bench import mirrors as bench_mirrors
    from server.bench import referee as benchmark
    from server.bench import scale as bench_scale

    if bots + mirrors + scale + arena > 1:
        raise click.UsageError("one of --bots, --mirrors, --scale and --arena at a time")
    if bots:
        bench_bots.run(specs, games=games, seconds=seconds, rounds=rounds, as_json=as_json)
    elif mirrors:
        bench_mirrors.run(games, count=count, as_json=as_json)
    elif scale:
        bench_scale.run(matches=matches, as_json=as_json)
    elif arena:
        bench_arena.run(bots=connected, tables=tables, seconds=60 * minutes, as_json=as_json)
    else:
        benchmark.run(games, seconds=seconds, rounds=rounds, growth=growth, pin=pin, as_json=as_json)


def make_setting(
    game: str,
    variants: tuple[str, ...],
    seed: str | None,
    clock: str,
    no_clock: bool,
    start_seconds: float,
    faults: str,
) -> Setting:
    """What the options of a match come to."""
    from dataclasses import replace

    from referee.clock import TimeControl
    from referee.games import find_game
    from server.bots.spec import read_faults
    from server.matches.setting import Setting

    found = find_game(game)
    return Setting(
        game=found,
        variant=found.info.read_variant(pairs(variants)),
        seed=seed if seed is not None else new_seed(),
        clock=replace(TimeControl.read(clock), start_seconds=start_seconds, unlimited=no_clock),
        faults_allowed=read_faults(faults),
    )


main.add_command(serve)
main.add_command(tournament)
main.add_command(ladder)
main.add_command(sprt)
main.add_command(client)
main.add_command(server)
