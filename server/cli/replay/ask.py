"""`tortuga replay ask`: a question of a record put to a bot of today, and both answers side by side."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.errors import ConfigError
from referee.text import plural
from server.bots.kits import refuse_unbuilt
from server.bots.spec import find_bot
from server.cli.common.command import json_flag, run_match
from server.cli.common.jail import jail_option, make_confinement
from server.cli.common.output import print_json
from server.cli.replay.group import record_argument

if TYPE_CHECKING:
    from server.play.ask import AnswerComparison, NewAnswer, RecordedQuestion


@click.command()
@record_argument
@click.option("--at", "decision", type=click.IntRange(1), help="The decision, counted from 1.")
@click.option(
    "--all", "everything", is_flag=True, help="Ask all questions of a seat, and list those it answers differently now."
)
@click.option(
    "--seat",
    type=click.IntRange(0),
    help="Whose question. [default: the seat whose decision that was; with --all, that of the bot of the same name]",
)
@click.option("--bot", required=True, metavar="SPEC", help="The bot to ask.")
@click.option("--cold", is_flag=True, help="Ask only this question, without the seat's earlier ones.")
@click.option("--no-clock", is_flag=True, help="Give the bot unlimited time, for a debugger.")
@jail_option
@json_flag
def ask(
    file: Path,
    decision: int | None,
    everything: bool,
    seat: int | None,
    bot: str,
    cold: bool,
    no_clock: bool,
    jail: str,
    as_json: bool,
) -> None:
    """Ask a bot a question from a record, and show its answer beside the recorded one.

    With --all, exits with 1 if it would answer any question of the match differently.
    """
    from server.play.ask import ask as ask_bot
    from server.play.ask import ask_all, find_question, find_questions

    if everything == (decision is not None):
        raise ConfigError("pass --at K for one question, or --all")
    spec = find_bot(bot)
    refuse_unbuilt(spec, bot)
    if decision is None:
        if cold:
            raise ConfigError("--cold asks one question only; --all asks them in order")
        past = find_questions(file, seat, spec.name, no_clock=no_clock)
        comparison = run_match(ask_all(past, spec, confinement=make_confinement(jail, quiet=True)))
        if as_json:
            print_json(asdict(comparison))
        else:
            show_comparison(comparison)
        sys.exit(1 if comparison.differences else 0)
    recorded = find_question(file, decision, seat, no_clock=no_clock)
    answer = run_match(ask_bot(recorded, spec, cold=cold, confinement=make_confinement(jail, quiet=True)))
    if as_json:
        print_json(answers_json(recorded, answer))
    else:
        show_answers(recorded, answer)
    sys.exit(1 if answer.fault else 0)


def show_comparison(comparison: AnswerComparison) -> None:
    """Print every difference in a line, and how many there are."""
    differences = comparison.differences
    for difference in differences:
        now = difference.fault if difference.now is None else difference.now
        click.echo(f"{difference.decision:>4}  {difference.kind}: then {difference.then}; now {now}")
    unasked = comparison.questions - comparison.asked
    click.echo(
        f"{comparison.bot} today, {comparison.bot_then} then: {len(differences)} of "
        f"{plural(comparison.asked, 'answer')} {'differ' if len(differences) != 1 else 'differs'}"
        + (f"; {plural(unasked, 'question')} could not be asked any more" if unasked else "")
    )


def show_answers(recorded: RecordedQuestion, answer: NewAnswer) -> None:
    """Print both answers for people, side by side."""
    from referee.match.match import Chooser

    then, now = recorded.played.index, answer.index
    click.echo(f"{recorded.played.decision:>4}  seat {recorded.introduction.seat}  {recorded.played.question.kind}")
    click.echo("      then now")
    for index, option in enumerate(recorded.options):
        marks = f"{'>' if index == then else ' ':>4} {'>' if index == now else ' ':>3}"
        click.echo(f"      {marks} {index:>4}  {option}")
    by = "" if recorded.played.source is Chooser.BOT else ", played by the referee in its place"
    click.echo(f"then: {then}, {recorded.options[then]} ({recorded.bot_then}{by}, {recorded.played.seconds:.3f} s)")
    said = answer.fault if now is None else f"{now}, {recorded.options[now]}"
    click.echo(f"now:  {said} ({answer.bot}, {answer.seconds:.3f} s)" + ("; the same" if now == then else ""))
    if answer.earlier_asked:
        count = f"{answer.earlier_same} of the {answer.earlier_asked} questions before"
        click.echo(f"{count} were answered as then")


def answers_json(recorded: RecordedQuestion, answer: NewAnswer) -> dict[str, Any]:
    """Return both answers for programs."""
    now = answer.index
    return {
        "match_id": recorded.introduction.terms.match_id,
        "decision": recorded.played.decision,
        "seat": int(recorded.introduction.seat),
        "kind": recorded.played.question.kind,
        "question_id": recorded.played.question.question_id,
        "options": list(recorded.options),
        "then": {
            "bot": recorded.bot_then,
            "option_index": recorded.played.index,
            "option": recorded.options[recorded.played.index],
            "source": recorded.played.source.name.lower(),
            "seconds": recorded.played.seconds,
        },
        "now": {
            "bot": answer.bot,
            "option_index": now,
            "option": None if now is None else recorded.options[now],
            "fault": answer.fault,
            "seconds": round(answer.seconds, 6),
        },
        "same": now == recorded.played.index,
        "earlier": {"asked": answer.earlier_asked, "same": answer.earlier_same},
    }
