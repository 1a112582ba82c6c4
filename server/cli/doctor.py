"""`tortuga doctor`: what this machine supports, what is missing and how to get it, and what confines hostile bots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from server.cli.common.command import json_flag, run_match
from server.cli.common.output import console, print_json, progress
from server.doctor.attempt_list import ATTEMPTS
from server.jail.level import AUTO, JailLevel, read_level

if TYPE_CHECKING:
    from server.doctor.attempt_runner import JudgedAttempt
    from server.doctor.checkup import CheckupFinding

STATE_STYLES = {"good": "green", "note": "yellow", "missing": "red"}
VERDICT_STYLES = {"held": "green", "open": "red", "not testable": "dim"}


@click.command()
@click.option("--jail", default=AUTO, show_default=True, metavar="auto|LEVEL", help="Run the attempts at this level.")
@click.option("--all-levels", is_flag=True, help="Run the attempts at every level that works here.")
@click.option("--no-attempts", is_flag=True, help="Only inspect the machine.")
@click.option("--require", metavar="LEVEL", help="Exit with 1 if bots cannot be confined at this level here.")
@json_flag
def doctor(jail: str, all_levels: bool, no_attempts: bool, require: str | None, as_json: bool) -> None:
    """Report what this machine supports, and test with hostile bots whether confinement holds.

    Hostile programs are run as bots, at the chosen level and once without confinement. An attempt is `held` if it
    succeeds without confinement and fails with it, and `not testable` if it fails here anyway. The programs do no real
    harm and leave nothing behind. Exits with 1 if something required is missing, or if a level holds less than
    docs/security.md promises.
    """
    from rich.markup import escape

    from server.doctor.checkup import examine
    from server.doctor.examination import Examination, try_levels
    from server.jail.machine import choose_level, obstacle

    required = read_level(require) if require else None
    findings = list(examine())
    if no_attempts:
        levels = []
    elif all_levels:
        levels = [level for level in JailLevel if not obstacle(level)]
    else:
        levels = [choose_level(read_level(jail))]
    rounds = len({JailLevel.NONE, *levels}) if levels else 0
    with progress("attempts", rounds * len(ATTEMPTS), quiet=as_json) as done:
        judged = run_match(try_levels(levels, done)) if levels else {}
    examination = Examination(findings=findings, judged=judged)
    missing, surprises = examination.missing(required), examination.surprises()
    if as_json:
        print_json(examination.as_json(required))
    else:
        show_findings(findings)
        if judged:
            show_attempts(judged)
        for text in missing:
            console().print(f"[red]required and missing[/]: {escape(text)}")
        for surprise in surprises:
            console().print(f"[red]open, but promised to be held[/]: {escape(str(surprise))}")
    if missing or surprises:
        raise click.exceptions.Exit(1)


def show_findings(findings: list[CheckupFinding]) -> None:
    """Print the state of the machine, in groups."""
    from rich.markup import escape
    from rich.table import Table

    table = Table("", "", "state", "found", "what to do")
    group = ""
    for finding in findings:
        if finding.group != group:
            table.add_section()
        state = f"[{STATE_STYLES[finding.state]}]{finding.state}[/]"
        head = escape(finding.group) if finding.group != group else ""
        table.add_row(head, escape(finding.name), state, escape(finding.detail), escape(finding.cure))
        group = finding.group
    console().print(table)


def show_attempts(judged: dict[JailLevel, list[JudgedAttempt]]) -> None:
    """Print a row per attempt, a column per level, and below them what stays open."""
    from rich.markup import escape
    from rich.table import Table

    from server.doctor.attempt_runner import AttemptOutcome, AttemptVerdict
    from server.doctor.examination import count

    table = Table("", "what a hostile bot tries", *judged)
    table.columns[0].justify = "right"
    for place, attempt in enumerate(ATTEMPTS):
        verdicts = [rows[place].verdict for rows in judged.values()]
        cells = [f"[{VERDICT_STYLES[verdict]}]{verdict}[/]" for verdict in verdicts]
        table.add_row(str(attempt.number), escape(attempt.title), *cells)
    totals = [count(rows) for rows in judged.values()]
    table.add_section()
    for verdict in AttemptVerdict:
        table.add_row("", str(verdict), *(str(total[verdict]) for total in totals))
    console().print(table)
    for level, rows in judged.items():
        if level in (JailLevel.NONE, JailLevel.PROCESS):  # nearly everything
            continue
        for row in rows:
            for attempted in row.open_tries:
                text = f"{row.attempt.number}: {attempted.name}: {attempted.detail}"
                console().print(f"open at [bold]{level}[/]: {escape(text)}")
        for reason in sorted(
            {attempted.detail for row in rows for attempted in row.tries if attempted.outcome is AttemptOutcome.BROKEN}
        ):
            console().print(f"not testable at [bold]{level}[/]: {escape(reason)}")
