"""`tortuga fsck`: find damage in the folder of an event or an arena, and repair it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from referee.errors import ConfigError
from referee.text import harmless, plural
from server.cli.common.command import folder_argument, json_flag
from server.cli.common.output import print_json
from server.tournament.folder import Folder, lock_folder
from server.tournament.repair.problems import Diagnosis, Problem, diagnose


@click.command()
@folder_argument
@click.option("--repair", is_flag=True, help="Repair what can be repaired; damaged files are kept as NAME.damaged.")
@json_flag
def fsck(directory: Path, repair: bool, as_json: bool) -> None:
    """Check the folder of an event or an arena, and report problems.

    Every record is verified, and every row compared with its record. Exits with 0 if all is well, with 1 if
    problems are left, and with 2 if DIR is not such a folder or another process is using it.
    """
    kind, check, folders = find_kind(directory)
    with ExitStack() as locks:
        for folder in folders:
            locks.enter_context(lock_folder(folder))
        diagnosis = diagnose(check, repair=repair)
    if as_json:
        print_json(
            {
                "folder": str(directory),
                "kind": kind,
                "mended": [as_table(problem) for problem in diagnosis.mended],
                "problems": [as_table(problem) for problem in diagnosis.left],
            }
        )
    else:
        print_diagnosis(directory, diagnosis, repaired=repair)
    sys.exit(1 if diagnosis.left else 0)


def find_kind(directory: Path) -> tuple[str, Callable[[], list[Problem]], Sequence[Folder]]:
    """Return what a folder belongs to, how it is checked, and the folders to lock meanwhile."""
    from server.arena.operations.fsck import (  # late: `--help` does without
        check_arena,
        event_folders,
        is_arena_folder,
    )
    from server.tournament.repair.fsck import check_event, is_event_folder

    if is_arena_folder(directory):
        folders = [Folder(directory), *event_folders(directory)]
        return "arena", lambda: check_arena(directory), folders
    if is_event_folder(directory):
        return "event", lambda: check_event(Folder(directory)), [Folder(directory)]
    raise ConfigError(f"{directory} is the folder of neither an event (tournament.toml) nor an arena (arena.toml)")


def as_table(problem: Problem) -> dict[str, Any]:
    """Return a problem for programs."""
    return {name: getattr(problem, name) for name in ("file", "what", "means", "repair")} | {
        "can_be_mended": problem.mend is not None
    }


def print_diagnosis(directory: Path, diagnosis: Diagnosis, *, repaired: bool) -> None:
    """Print a line per problem, and how many there are."""
    for problem in diagnosis.mended:
        click.echo(harmless(f"mended: {problem}"))
    for problem in diagnosis.left:
        click.echo(harmless(str(problem)))
    if not diagnosis.left:
        click.echo(f"{directory}: {'all is well now' if diagnosis.mended else 'all is well'}")
        return
    mendable = sum(problem.mend is not None for problem in diagnosis.left)
    hint = f"; `tortuga fsck {directory} --repair` repairs {mendable} of them" if mendable and not repaired else ""
    click.echo(f"{directory}: {plural(len(diagnosis.left), 'problem')}{hint}")
