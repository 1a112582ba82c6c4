"""`tortuga server backup`: a copy of an arena's data folder."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from server.cli.common.command import json_flag
from server.cli.common.output import print_json
from server.cli.server.group import DIR_OPTION


@click.command()
@click.argument("dest", type=click.Path(path_type=Path))
@DIR_OPTION
@json_flag
def make_backup(dest: Path, directory: Path, as_json: bool) -> None:
    """Copy the data folder to DEST, whether or not the server is running."""
    from server.arena.backup import backup

    done = backup(directory, dest)
    words = f"{dest}: {done.databases} databases, {done.records} records, {done.files} other files"
    if as_json:
        print_json({"backup": str(dest), **asdict(done)})
    else:
        click.echo(words)
