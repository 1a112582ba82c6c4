"""`tortuga compare`: two variants of a bot on the same luck, and how much better one does."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import click

from referee.match.clock import TimeControl
from referee.rules.infos import find_info
from server.bots.spec import find_bot
from server.cli.common.command import (
    Interrupted,
    clock_option,
    json_flag,
    new_seed,
    read_variants,
    run_match,
    seed_option,
    variant_option,
)
from server.cli.common.jail import jail_option, make_confinement
from server.cli.common.output import StatusLine, print_json, warn
from server.ratings.scores import says_nothing
from server.system.processes import Workers
from server.tuning.comparison import BlockScore, Comparison, Side
from server.tuning.difference import Difference

jobs_option = click.option(
    "--jobs", default=1, show_default=True, type=click.IntRange(1, 256), help="Blocks played at the same time."
)


PAYS = 1.05
"""A smaller gain by the same luck is not worth a line."""


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--game", required=True, metavar="GAME[:SEATS]", help="The game.")
@click.option(
    "--against",
    "field",
    multiple=True,
    metavar="SPEC",
    help="An opponent; several take turns. [default: with two seats, OLD and NEW play each other]",
)
@click.option("--blocks", default=200, show_default=True, type=click.IntRange(2), help="How many blocks.")
@seed_option
@variant_option
@jobs_option
@click.option("--processes", is_flag=True, help="Start the bots as processes, even if all of them are Python.")
@clock_option
@jail_option
@json_flag
def compare(
    old: str,
    new: str,
    game: str,
    field: tuple[str, ...],
    blocks: int,
    seed: str | None,
    variants: tuple[str, ...],
    as_json: bool,
    **how: Any,
) -> None:
    """Measure how much better NEW does than OLD, against the same opponents and with the same luck.

    Python bots are called in this process, others are started. Ctrl-C stops and prints the result so far.
    """
    from server.cli.sprt import read_game

    game, seats = read_game(game)
    comparison = Comparison(
        game=game,
        variant=find_info(game).read_variant(read_variants(variants)),
        seats=seats,
        seed=seed or new_seed(),
        sides=(Side(bot=find_bot(old)), Side(bot=find_bot(new))),
        field=tuple(find_bot(bot) for bot in field),
    )
    names = side_names(comparison, old, new)
    found = Difference()
    with StatusLine(quiet=as_json) as status:

        def take(score: BlockScore) -> None:
            found.add(score)
            status.tell(found.blocks, found.line(*names))

        interrupted = play_comparison(comparison, range(blocks), take, quiet=as_json, **how)
    if as_json:
        print_json(compare_json(comparison, names, found, interrupted=interrupted))
    else:
        show(comparison, names, found)
    if interrupted:
        warn(f"interrupted after {found.blocks} of {blocks} blocks")
        sys.exit(1)


def play_comparison(
    comparison: Comparison,
    blocks: range,
    take: Callable[[BlockScore], None],
    *,
    jobs: int,
    processes: bool,
    clock: str,
    jail: str,
    quiet: bool,
) -> bool:
    """Play all blocks, here or between processes. Whether it was interrupted."""
    from server.tuning.hosted import play_blocks
    from server.tuning.in_process import can_play_in_process, play_block

    if can_play_in_process(comparison) and not processes:
        try:
            with Workers(jobs) as workers:
                for score in workers.run(partial(play_block, comparison), blocks):
                    take(score)
        except KeyboardInterrupt:
            return True
        return False
    confinement = make_confinement(jail, quiet=quiet)

    async def play_all() -> None:
        found = play_blocks(comparison, blocks, jobs=jobs, clock=TimeControl.read(clock), confinement=confinement)
        async for score in found:
            take(score)

    try:
        run_match(play_all())
    except Interrupted:
        return True
    return False


def side_names(comparison: Comparison, old: str, new: str) -> tuple[str, str]:
    """What the sides are called: their bots' names, or as the user named them where those are the same."""
    first, second = (side.bot.name for side in comparison.sides)
    return (first, second) if first != second else (old, new) if old != new else (f"{old} (old)", f"{new} (new)")


def show(comparison: Comparison, names: tuple[str, str], found: Difference) -> None:
    """A comparison for people."""
    click.echo(found.line(*names))
    if found.margin.half_width is not None and not says_nothing(found.interval):
        click.echo(f"difference of the lead in points: {found.margin.mean:+.2f} ± {found.margin.half_width:.2f}")
    if comparison.field and (found.gain or 0) >= PAYS:
        click.echo(f"without the same luck for both, {found.gain:.1f} times as many blocks would be needed")
    click.echo(found.verdict(*names))
    for line in found.fault_lines([*names, *(bot.name for bot in comparison.field)]):
        click.echo(line)


def compare_json(
    comparison: Comparison, names: tuple[str, str], found: Difference, *, interrupted: bool
) -> dict[str, Any]:
    """A comparison for programs; shares and differences are of 1."""
    from server.tuning.in_process import can_play_in_process

    return {
        "game": comparison.game,
        "seats": comparison.seats,
        "seed": comparison.seed,
        "old": names[0],
        "new": names[1],
        "against": [bot.name for bot in comparison.field],
        "in_process": can_play_in_process(comparison),
        "blocks": found.blocks,
        "games": found.games,
        "games_per_block": comparison.games_per_block,
        "scores": [side.mean for side in found.sides],
        "scores_95": [list(side.share_interval) for side in found.sides],
        "difference": found.score.mean,
        "difference_95": list(found.interval) if found.interval else None,
        "margin_difference": found.margin.mean,
        "margin_difference_95": list(found.margin.interval) if found.margin.interval else None,
        "same_luck_gain": found.gain if comparison.field else None,
        "faults": [
            {"bot": comparison.bots[who].name, "what": what, "count": count}
            for (who, what), count in found.faults.most_common()
        ],
        "interrupted": interrupted,
    }
