"""`tortuga tune`: find the parameters of a bot by playing it against itself or a field."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.errors import ConfigError
from referee.match.clock import TimeControl
from server.cli.common.command import json_flag
from server.cli.common.jail import jail_option, make_confinement
from server.cli.common.output import StatusLine, print_json, show_rows, warn
from server.cli.compare import jobs_option
from server.system.files import check_writable
from server.system.processes import Workers
from server.tuning.difference import Difference
from server.tuning.manifest import TuneManifest, read_tune_manifest
from server.tuning.plot import draw_run
from server.tuning.spsa import Spsa
from server.tuning.state import StateFile

if TYPE_CHECKING:
    from server.tuning.tune import Play


@click.command()
@click.argument("manifest", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--state",
    "state_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file that stores the run. [default: MANIFEST with .state.jsonl]",
)
@click.option(
    "--plot",
    "plot_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The plot to write. [default: MANIFEST with .svg]",
)
@click.option(
    "--confirm",
    default=0,
    type=click.IntRange(0),
    metavar="BLOCKS",
    help="At the end, play this many blocks of the values found against the starting values. [default: none]",
)
@jobs_option
@click.option("--processes", is_flag=True, help="Start the bots as processes, even if all of them are Python.")
@jail_option
@json_flag
def tune(
    manifest: Path, state_path: Path | None, plot_path: Path | None, confirm: int, as_json: bool, **how: Any
) -> None:
    """Find good values for the parameters of a bot, by SPSA over mirrored blocks.

    After Ctrl-C or a crash, the same command continues exactly where it stopped.
    """
    from server.tuning.tune import tune as run_tuning

    wanted = read_tune_manifest(manifest)
    state_path = state_path or manifest.with_suffix(".state.jsonl")
    plot_path = plot_path or manifest.with_suffix(".svg")
    check_apart(manifest, state_path, plot_path)
    interrupted, checked = False, None
    with player(wanted, quiet=as_json, **how) as play, open_state(state_path, wanted) as state:
        try:
            with StatusLine(quiet=as_json) as status:
                run_tuning(wanted, state, play, lambda: status.tell(state.run.done, state_line(state.run)))
            checked = confirm_values(wanted, state.run, play, confirm) if confirm else None
        except KeyboardInterrupt:
            interrupted = True
        finally:
            title = f"{wanted.bot.name}, {wanted.game}: {state.run.done} of {wanted.iterations} iterations"
            plot = draw_run(wanted.parameters, state.history, iterations=wanted.iterations, title=title)
            plot_path.write_text(plot)
    if as_json:
        print_json(tune_json(wanted, state.run, state_path, plot_path, checked))
    else:
        show(wanted, state.run, state_path, plot_path, checked)
    if interrupted:
        warn("interrupted; run the same command to continue")
        sys.exit(1)


def check_apart(*paths: Path) -> None:
    """Refuse a state or a picture that would overwrite something else of the run, or cannot be written."""
    if len({path.absolute() for path in paths}) < len(paths):
        raise ConfigError("manifest, state and plot must be three different files")
    for path in paths[1:]:
        if not path.absolute().parent.is_dir():
            raise ConfigError(f"there is no folder {path.parent}")
        check_writable(path.parent)
        if path.exists() and not os.access(path, os.W_OK):
            raise ConfigError(f"cannot write {path}")


def open_state(path: Path, manifest: TuneManifest) -> StateFile:
    """The state of the run."""
    if path.is_dir():
        raise ConfigError(f"{path} is a folder")
    return StateFile(path, manifest)


@contextmanager
def player(manifest: TuneManifest, *, jobs: int, processes: bool, jail: str, quiet: bool) -> Iterator[Play]:
    """How blocks are played: in this process where all bots are Python."""
    from server.tuning.in_process import can_play_in_process
    from server.tuning.tune import play_here, play_hosted

    if can_play_in_process(manifest.comparison((), ())) and not processes:
        with Workers(jobs) as workers:
            yield partial(play_here, workers)
    else:
        confinement = make_confinement(jail, quiet=quiet)
        yield partial(play_hosted, jobs=jobs, clock=TimeControl.read(manifest.clock), confinement=confinement)


def confirm_values(manifest: TuneManifest, run: Spsa, play: Play, blocks: int) -> Difference:
    """The values found against those at the start, under luck of their own."""
    found = tuple((one.name, one.best(value)) for one, value in zip(run.parameters, run.values, strict=True))
    start = tuple((one.name, one.best(one.start)) for one in run.parameters)
    difference = Difference()
    comparison = replace(manifest.comparison(found, start), seed=f"{manifest.seed}/confirm")
    for score in play(comparison, range(blocks)):
        difference.add(score)
    return difference


def state_line(run: Spsa) -> str:
    """Where a run stands, in one line."""
    values = ", ".join(f"{one.name} {one.best(value)}" for one, value in zip(run.parameters, run.values, strict=True))
    return f"iteration {run.done} of {run.iterations}: {values}"


def show(manifest: TuneManifest, run: Spsa, state_path: Path, plot_path: Path, checked: Difference | None) -> None:
    """A run for people."""
    show_rows(
        ("parameter", "start", f"after {run.done} of {run.iterations} iterations", "range"),
        [
            (one.name, one.best(one.start), one.best(value), f"{one.low:g} to {one.high:g}")
            for one, value in zip(run.parameters, run.values, strict=True)
        ],
    )
    click.echo(f"state: {state_path}\nplot: {plot_path}")
    if checked:
        click.echo(checked.line("start", "tuned"))
        click.echo(checked.verdict("the bot at the start", "the tuned bot"))
    elif run.done == manifest.iterations:
        click.echo("to test whether that is better, pass `--confirm BLOCKS`")


def tune_json(
    manifest: TuneManifest, run: Spsa, state_path: Path, plot_path: Path, checked: Difference | None
) -> dict[str, Any]:
    """A run for programs."""
    return {
        "bot": manifest.bot.name,
        "game": manifest.game,
        "seats": manifest.seats,
        "seed": manifest.seed,
        "iterations": run.done,
        "iterations_planned": run.iterations,
        "blocks_per_iteration": manifest.blocks,
        "games_per_block": manifest.comparison((), ()).games_per_block,
        "rate": manifest.rate,
        "parameters": {
            one.name: {"start": one.start, "value": value, "rounded": one.best(value), "low": one.low, "high": one.high}
            for one, value in zip(run.parameters, run.values, strict=True)
        },
        "state": str(state_path),
        "plot": str(plot_path),
        "confirmed": {
            "blocks": checked.blocks,
            "difference": checked.score.mean,
            "difference_95": list(checked.interval) if checked.interval else None,
        }
        if checked
        else None,
    }
