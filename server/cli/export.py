"""`tortuga export`: the decisions of an event as data for learning."""

from __future__ import annotations

import os
from pathlib import Path

import click

from referee.errors import ConfigError
from server import __version__
from server.cli.common.command import folder_argument, json_flag
from server.cli.common.output import print_json, progress, warn
from server.tournament.folder import Folder


@click.command()
@folder_argument
@click.option(
    "--decisions",
    "out",
    required=True,
    metavar="OUT",
    type=click.Path(file_okay=False, path_type=Path),
    help="The new folder to write: a row for each decision, split by block, with a manifest.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["parquet", "jsonl"]),
    default="parquet",
    show_default=True,
    help="Parquet needs the extra `data`; JSON lines have bytes in base64.",
)
@click.option("--jobs", type=click.IntRange(1, 256), help="Processes. [default: one for each core]")
@json_flag
def export(directory: Path, out: Path, form: str, jobs: int | None, as_json: bool) -> None:
    """Export every decision of the event in DIR: what the bot was sent, what it chose, and how the match ended.

    Matches of finished blocks only. docs/data.md shows how to load what is written.
    """
    from server.tournament.decision_export import export_decisions
    from server.tournament.store import Store

    folder = Folder(directory)
    contests = folder.require_agreement().manifest.contests
    with Store.read_only(folder.database) as store:
        total = sum(store.decisions(contest.id) for contest in contests)
    if not total:
        raise ConfigError(f"{directory} has no decisions yet: `tortuga tournament run {directory}` plays its matches")
    with progress("decisions", total, quiet=as_json) as advance:
        processes = jobs or len(os.sched_getaffinity(0))
        made_by = f"tortuga {__version__}"
        manifest = export_decisions(folder, out, form, made_by=made_by, jobs=processes, advance=advance)
    for problem in manifest["problems"]:
        warn(f"{problem['match']} is left out: {problem['reason']}")
    if as_json:
        print_json(manifest)
        return
    click.echo(f"{out}: {manifest['decisions']} decisions of {manifest['matches']} matches")
    for split, counts in manifest["splits"].items():
        click.echo(f"{split}: {counts['decisions']} decisions, {counts['matches']} matches, {counts['blocks']} blocks")
    for reason, count in manifest["left_out"].items():
        click.echo(f"left out: {count} matches, because {reason}")
