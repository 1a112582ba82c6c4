"""`tortuga play`: one match between bot processes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from referee.errors import ConfigError
from referee.games import find_game
from referee.match.clock import TimeControl
from referee.rules.course import Course
from referee.rules.infos import end_words
from server.bots.spec import BotSpec, find_bot, read_faults
from server.cli.common.command import (
    clock_option,
    fail_on_fault_option,
    faults_option,
    json_flag,
    new_seed,
    read_variants,
    run_match,
    seed_option,
    variant_option,
)
from server.cli.common.jail import jail_option, make_confinement
from server.cli.common.output import console, print_json

if TYPE_CHECKING:
    from referee.match.match import Choices, MatchResult, SeatFault, Watcher
    from server.play.match_setup import MatchSetup
    from server.play.single_match import LastWords

ME = "me"
"""The SPEC of the person at this terminal."""


@click.command()
@click.argument("game")
@click.option(
    "--bot",
    "bots",
    multiple=True,
    required=True,
    metavar="SPEC",
    help='A folder with a bot.toml, the name of a sample bot, "cmd: COMMAND", or me: you, here; one per seat.',
)
@seed_option
@variant_option
@clock_option
@click.option("--no-clock", is_flag=True, help="No time limits at all, for debugging.")
@click.option(
    "--start-seconds",
    default=10.0,
    show_default=True,
    type=click.FloatRange(0.1, 3600),
    help="Seconds a bot has to start and get ready.",
)
@faults_option
@fail_on_fault_option
@click.option("--listen", metavar="HOST:PORT", help="Let bots connect over TCP. [default: a private Unix socket]")
@click.option(
    "--logs", type=click.Path(file_okay=False, path_type=Path), help="Save what the bots print in this folder."
)
@click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The record file to write. [default: records/ID.tortuga]",
)
@click.option("--no-record", is_flag=True, help="Write no record.")
@jail_option
@click.option("--watch", is_flag=True, help="Narrate the match live, with everything visible.")
@json_flag
def play(
    game: str,
    bots: tuple[str, ...],
    listen: str | None,
    logs: Path | None,
    record: Path | None,
    no_record: bool,
    watch: bool,
    jail: str,
    fail_on_fault: bool,
    as_json: bool,
    **flags: Any,
) -> None:
    """Play one match of GAME between real bot processes, over gRPC."""
    from server.people.terminal import play_at_terminal
    from server.play.single_match import RecordNotWritten, play_one

    if ME in bots:
        refuse_for_people(bots, watch=watch, as_json=as_json)
        if click.get_current_context().get_parameter_source("clock") is ParameterSource.DEFAULT:
            flags["clock"] = "person"
    setup = make_setup(game, **flags)
    specs = [BotSpec(name=ME, run=(), remote=True) if bot == ME else find_bot(bot) for bot in bots]
    path = None if no_record else record or Path("records") / f"{setup.terms().match_id}.tortuga"
    teller = make_teller([spec.name for spec in specs], to_stderr=as_json) if watch else None
    confinement = make_confinement(jail, network=listen is not None, quiet=as_json)
    play_with = partial(
        play_one,
        setup,
        specs,
        listen=listen,
        logs=logs,
        record_path=path,
        teller=teller,
        confinement=confinement,
    )
    work = play_at_terminal(ME, lambda guest: play_with(guest=guest)) if ME in bots else play_with()
    unwritten: RecordNotWritten | None = None
    try:
        result, last_words = run_match(work)
    except RecordNotWritten as error:  # the match counts all the same: show it, then fail
        result, last_words, path, unwritten = error.result, error.last_words, None, error
    if as_json:
        print_json(match_json(result, last_words, path, str(confinement.level)))
    else:
        show_match(result, last_words, path)
    if unwritten:
        raise unwritten
    sys.exit(1 if result.void or (fail_on_fault and result.faults) else 0)


def refuse_for_people(bots: Sequence[str], *, watch: bool, as_json: bool) -> None:
    """Refuse options that do not go with a person at this terminal."""
    if bots.count(ME) > 1:
        raise ConfigError(f"--bot {ME} is given {bots.count(ME)} times: one person can play at a terminal")
    if watch or as_json:
        raise ConfigError(f"--watch and --json do not go with --bot {ME}: one tells secrets, both print in between")


def make_setup(
    game: str,
    *,
    variants: tuple[str, ...],
    seed: str | None,
    clock: str,
    no_clock: bool,
    start_seconds: float,
    faults: str,
) -> MatchSetup:
    """The setup of a match that its options ask for."""
    from server.play.match_setup import MatchSetup

    rules = find_game(game)
    return MatchSetup(
        game=rules,
        variant=rules.info.read_variant(read_variants(variants)),
        seed=seed if seed is not None else new_seed(),
        clock=replace(TimeControl.read(clock), start_seconds=start_seconds, unlimited=no_clock),
        faults_allowed=read_faults(faults),
    )


def make_teller(names: Sequence[str], *, to_stderr: bool) -> Watcher:
    """A watcher that tells the match as it goes; on stderr if stdout has to stay clean for JSON."""
    from server.play.narrate import Narrator

    narrator = Narrator(names)

    def tell(course: Course, kind: str, choices: Choices) -> None:
        for line in narrator.moment(course, kind, choices):
            click.echo(line, err=to_stderr)

    return tell


def match_json(result: MatchResult, last_words: LastWords, record: Path | None, level: str) -> dict[str, Any]:
    """Return a match as JSON for programs; `level` is how its bots were confined."""
    return {
        "match_id": result.terms.match_id,
        "game": result.terms.game.info.id,
        "seed": result.terms.seed,
        "decisions": result.decisions,
        "reason": result.reason,
        "void": result.void,
        "jail_level": level,
        "seats": [
            {
                "bot": name,
                "seat": seat,
                "rank": None if result.void else result.ranks[seat],
                "score": None if result.void else result.scores[seat],
                "faults": [
                    {"kind": str(fault.kind), "decision": fault.decision, "message": describe(fault, last_words)}
                    for fault in result.faults
                    if fault.seat == seat
                ],
                "time_used_seconds": round(result.time_used_seconds[seat], 6),
            }
            for seat, name in enumerate(result.names)
        ],
        "record": str(record) if record else None,
    }


def show_match(result: MatchResult, last_words: LastWords, record: Path | None) -> None:
    """Print a match for people."""
    from rich.markup import escape
    from rich.table import Table

    table = Table("seat", "bot", "rank", "score", "faults", "time used")
    for seat, name in enumerate(result.names):
        rank, score = ("-", "-") if result.void else (str(result.ranks[seat]), f"{result.scores[seat]:g}")
        faults = sum(fault.seat == seat for fault in result.faults)
        used = f"{result.time_used_seconds[seat]:.2f} s"
        table.add_row(str(seat), escape(name), rank, score, str(faults), used)
    out = console()
    out.print(table)
    for fault in result.faults:
        who = f"{result.names[fault.seat]} (seat {fault.seat})"
        text = f"{who}: {fault.kind} at decision {fault.decision}: {describe(fault, last_words)}"
        out.print(text, markup=False, style="red")
    out.print(f"{end_words(result.reason)} after {result.decisions} decisions; seed {result.terms.seed}", markup=False)
    if record:
        out.print(f"record: {record}", markup=False)


def describe(fault: SeatFault, last_words: LastWords) -> str:
    """Describe a fault, with what the bot printed last where that may explain it."""
    printed = last_words[fault.seat]
    return f"{fault.message}; its last output: {printed}" if printed and fault.out else fault.message
