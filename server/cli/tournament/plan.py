"""`tortuga tournament plan`: the time and space that an event will take, before anything is played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.text import plural
from server.cli.common.command import json_flag, run_loop
from server.cli.common.jail import jail_option, make_confinement
from server.cli.common.output import print_json
from server.tournament.folder import Folder

if TYPE_CHECKING:
    from server.tournament.forecast import ContestForecast, TrialCost

UNSURE = {
    "knockout": "a level tie takes more",
    "swiss": "who has a bye depends on the results",
    "ladder": "newcomers play more",
}
"""Reasons why the numbers of a format are uncertain."""

TRIALS = 8
"""Trial matches, unless --trials says otherwise."""


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--trials",
    type=click.IntRange(0, 1000),
    default=TRIALS,
    show_default=True,
    help="Trial matches to estimate time and disk from; they are not recorded. 0: none.",
)
@click.option(
    "--formats", is_flag=True, help="Compare formats too: the chance that the best bot comes first, simulated."
)
@jail_option
@json_flag
def plan(directory: Path, trials: int, formats: bool, jail: str, as_json: bool) -> None:
    """Estimate the matches, time and disk space of the event in DIR, before anything is played.

    Trial matches are real matches between the bots of the event, with other luck.
    """
    from server.tournament.forecast import forecast_event, planned_matches, try_matches

    folder = Folder(directory)
    contests = forecast_event(folder, with_power=True, with_formats=formats)
    trial = None
    if trials:
        if not as_json:
            click.echo(f"{plural(trials, 'trial match', 'trial matches')}, which do not count …", err=True)
        confinement = make_confinement(jail, hidden=[directory], quiet=True)
        trial = run_loop(try_matches(folder, trials, confinement))
    if as_json:
        print_json(plan_json(contests, trial))
        return
    show_counts(contests)
    for contest in contests:
        show_formats(contest)
    if trial is not None:
        show_costs(planned_matches(contests), trial)
    click.echo(f"to play it: tortuga tournament run {directory}")


def show_counts(contests: Sequence[ContestForecast]) -> None:
    """Print the number of matches in all and per bot."""
    from server.tournament.forecast import planned_matches

    for contest in contests:
        if contest.matches is None:
            click.echo(f"{contest.contest}: matches without end (rounds = 0)")
            continue
        counts = set(contest.per_bot.values())
        caveat = "" if contest.exact else f"; {UNSURE.get(contest.format, '')}"
        if contest.format == "swiss" and len(counts) == 1:
            caveat = ""  # nobody has a bye
        least = "at least " if contest.among_equals else ""
        click.echo(f"{contest.contest}: {least}{plural(contest.matches, 'match', 'matches')} in all{caveat}")
        if contest.among_equals:
            click.echo(f"  among bots that are equally good, it takes about {contest.among_equals:.0f}")
        if len(counts) == 1:
            click.echo(f"  each of {len(contest.per_bot)} bots plays {counts.pop()}")
        else:
            click.echo(f"  per bot: {', '.join(f'{bot} {count}' for bot, count in contest.per_bot.items())}")
        if contest.unequal:
            click.echo(f"  {contest.unequal}")
        show_power(contest)
    total = planned_matches(contests)
    if len(contests) > 1 and total is not None:
        click.echo(f"all contests: {plural(total, 'match', 'matches')}")


def show_power(contest: ContestForecast) -> None:
    """Print how small a gap the ratings of a contest will tell, and what would tell a smaller one."""
    from server.ratings.leader import rough

    power = contest.power
    if power is None:
        return
    blocks = plural(power.blocks, "block")
    if power.gap is None:
        click.echo(f"  {blocks}: too few to tell even a gap of {power.widest:.0f} Elo between two bots")
    else:
        click.echo(
            f"  {blocks}: if one of two bots is {power.gap:.0f} Elo better, the ratings call it surely better "
            f"in {10 * power.share:.0f} of 10 events"
        )
    if power.blocks_for_goal > power.blocks:
        rounds = f" (rounds = {contest.rounds_for_goal})" if contest.rounds_for_goal else ""
        blocks = f"about {rough(power.blocks_for_goal)} blocks"
        click.echo(f"  to tell a gap of {power.goal:.0f} Elo as often, you need {blocks}{rounds}")


def show_formats(contest: ContestForecast) -> None:
    """Print how often the best bot comes first, by format."""
    if contest.formats is None:
        return
    from server.tournament.format_chances import SCATTER

    click.echo(
        f"{contest.contest}: chance that the best bot comes first, with about as many matches (simulated: strengths "
        f"scatter by {SCATTER:.0f} Elo, nobody draws)"
    )
    for row in contest.formats:
        if row.best_first is None or row.plus_minus is None:
            click.echo(f"  {row.format:<12} {row.reason} ({row.matches:.0f})")
            continue
        chance = f"{100 * row.best_first:.0f} % ± {100 * row.plus_minus:.0f}"
        click.echo(f"  {row.format:<12} {chance:<11} rounds = {row.rounds}, {row.matches:.0f} matches")


def show_costs(matches: int | None, trial: TrialCost) -> None:
    """Print the expected time and disk space, from the trial matches."""
    from server.cli.common.progress import duration

    each, size = trial.seconds / trial.matches, trial.expected_bytes(1)
    per_match = f"{each:.2f} s and {size / 1000:.1f} kB for each"
    measured = f"{plural(trial.matches, 'trial match', 'trial matches')} took {trial.seconds:.1f} s: {per_match}"
    if matches is None:
        click.echo(measured)
        return
    disk = trial.expected_bytes(matches)
    amount = f"{disk / 1e9:.1f} GB" if disk >= 1e9 else f"{disk / 1e6:.1f} MB"
    click.echo(f"expected: about {duration(trial.expected_seconds(matches))}, and {amount} on disk ({measured})")


def plan_json(contests: Sequence[ContestForecast], trial: TrialCost | None) -> dict[str, Any]:
    """Return the forecast for programs."""
    from server.tournament.forecast import planned_matches

    matches = planned_matches(contests)
    known = trial is not None and matches is not None
    return {
        "matches": matches,
        "contests": [asdict(contest) for contest in contests],
        "trial": None if trial is None else asdict(trial),
        "expected_seconds": trial.expected_seconds(matches) if known and trial and matches is not None else None,
        "expected_bytes": trial.expected_bytes(matches) if known and trial and matches is not None else None,
    }
