"""`tortuga bot check`: try whether a bot is sound."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.rules.infos import find_info
from referee.text import plural
from server.bots.kits import refuse_unbuilt
from server.bots.spec import BotSpec, find_bot
from server.cli.common.command import json_flag, run_match
from server.cli.common.jail import make_confinement
from server.cli.common.output import console, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from server.conformance.check import Finding

COLOURS = {"pass": "green", "fail": "bold red", "skip": "yellow", "warn": "bold yellow"}


@click.command()
@click.argument("spec")
@click.option(
    "--game", "games", multiple=True, metavar="GAME", help="A game to check; may be repeated. [default: all it plays]"
)
@click.option("--step", "only", multiple=True, metavar="ID", help="Run only this step, after Hello; may be repeated.")
@click.option("--junit", type=click.Path(dir_okay=False, path_type=Path), help="Also write the steps as JUnit XML.")
@json_flag
@click.option(
    "--jail",
    metavar="auto|LEVEL",
    help="Confine the bot as a tournament does, and report what it is refused. [default: not confined]",
)
def check(
    spec: str, games: tuple[str, ...], only: tuple[str, ...], junit: Path | None, as_json: bool, jail: str | None
) -> None:
    """Check that a bot follows the protocol: run well-behaved and hostile scripts against it, one line per step."""
    from server.conformance.check import check as check_bot
    from server.conformance.report import findings_json, is_sound, write_junit

    bot = find_bot(spec)
    refuse_unbuilt(bot, spec)
    games = tuple(find_info(game).id for game in games)
    for game in games:
        bot.check_game(game)
    out, began = console(), time.monotonic()
    confinement = make_confinement(jail, quiet=as_json) if jail else None

    def tell(finding: Finding) -> None:
        if not as_json:
            show_finding(out, finding)

    findings = run_match(check_bot(bot, games, only, tell=tell, confinement=confinement))
    if junit is not None:
        write_junit(junit, bot, findings)
    if as_json:
        print_json(findings_json(bot, findings))
    else:
        show_total(out, bot, findings, time.monotonic() - began)
    sys.exit(0 if is_sound(findings) else 1)


def show_finding(out: Console, finding: Finding) -> None:
    """One step."""
    from rich.text import Text

    from server.conformance.check import Verdict
    from server.conformance.report import explanation

    line = Text()
    line.append(f"{finding.verdict:<5}", style=COLOURS[finding.verdict])
    line.append(f"{finding.id:<24}")
    is_plain = finding.verdict is Verdict.PASS and not finding.detail
    line.append(finding.title if is_plain else f"{finding.title}: {finding.detail}")
    if finding.seconds >= 0.1:
        line.append(f"  {finding.seconds:.1f} s", style="dim")
    out.print(line, soft_wrap=True)
    for explained in explanation(finding):
        out.print(Text(f"        {explained}"), soft_wrap=True)


def show_total(out: Console, spec: BotSpec, findings: Sequence[Finding], seconds: float) -> None:
    """The last line: the verdict and the counts."""
    from rich.text import Text

    from server.conformance.check import Verdict
    from server.conformance.report import is_sound

    counts = {verdict: sum(finding.verdict is verdict for finding in findings) for verdict in Verdict}
    word, style = ("sound", "green") if is_sound(findings) else ("NOT SOUND", "bold red")
    line = Text(f"{spec.name}: ")
    line.append(word, style=style)
    warned = f"{plural(counts[Verdict.WARN], 'warning')}, " if counts[Verdict.WARN] else ""
    line.append(
        f"; {counts[Verdict.PASS]} passed, {counts[Verdict.FAIL]} failed, {warned}{counts[Verdict.SKIP]} skipped "
        f"in {seconds:.1f} s"
    )
    out.print(line, soft_wrap=True)
