"""`tortuga replay`: look into records."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from referee.errors import ConfigError
from referee.records.signature import read_public_key
from server.cli.common.command import LazyCommand, LazyGroup, json_flag
from server.cli.common.output import print_json

LAZY = {
    "ask": LazyCommand(
        "server.cli.replay.ask:ask",
        "Ask a bot a question from a record, and show its answer beside the recorded one.",
    ),
    "html": LazyCommand(
        "server.cli.replay.export:html", "Write a match as one HTML file that opens in any browser, without network."
    ),
    "svg": LazyCommand("server.cli.replay.export:svg", "Draw one moment of a match; without --at or --scene, its end."),
}

record_argument = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))


@click.group(cls=LazyGroup, lazy=LAZY)
def replay() -> None:
    """Study and verify records."""


@replay.command()
@record_argument
@click.option("--at", "decision", type=click.IntRange(1), help="Only this decision, counted from 1 over all seats.")
@click.option(
    "--seat", type=click.IntRange(0), help="What this seat knew and was asked. With --json, the exact message."
)
@click.option(
    "--logs",
    type=click.Path(exists=True, path_type=Path),
    help="With --seat: its bot's log, or a folder of logs; shows what it printed beside the question.",
)
@json_flag
def show(file: Path, decision: int | None, seat: int | None, logs: Path | None, as_json: bool) -> None:
    """Narrate a recorded match, or show one of its decisions."""
    from server.play.replay import read_moments, tell_record

    if logs is not None and seat is None:
        raise ConfigError("--logs needs --seat: whose log is it?")
    if decision is None and seat is None and not as_json:
        for line in tell_record(file):
            click.echo(line)
        return
    moments = read_moments(file, decision, seat, logs)
    if as_json:
        print_json(moments[0] if decision is not None else moments)
    else:
        for moment in moments:
            print_moment(moment)


def print_moment(moment: dict[str, Any]) -> None:
    """Print a moment for people."""
    if "text" in moment:
        click.echo(moment["text"])
    elif "table" in moment:
        click.echo(moment["table"])
    for answer in moment["answers"]:
        number = f", question {moment['question']['question_id']}" if "question" in moment else ""
        took = answer_words(answer)
        click.echo(f"{answer['decision']:>4}  {answer['seat']} {answer['bot']}  {moment['kind']}{number}, {took}")
        for index, option in enumerate(answer["options"]):
            if index == answer["option_index"]:
                click.echo(f"      > {index:>3}  {option}")
            elif "text" not in moment:  # the text lists the options already
                click.echo(f"        {index:>3}  {option}")
        for note in answer["notes"]:
            click.echo(f"      note: {note}")
    for line in moment.get("printed", ()):
        click.echo(f"      | {line}")


def answer_words(answer: dict[str, Any]) -> str:
    """Return who answered, and how long that took, as text."""
    match answer["source"]:
        case "bot":
            return f"{answer['seconds']:.3f} s"
        case "nobody":
            return "never answered: the bot failed here"
    return f"played by the referee: {answer['source']}"


@replay.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--course-only",
    is_flag=True,
    help="Also accept records of a version with other messages: only their course can be compared.",
)
@click.option(
    "--key", "key_text", metavar="PUBLIC", help="Accept only what the owner of this public key signed (digits or file)."
)
@json_flag
def verify(files: tuple[Path, ...], course_only: bool, key_text: str | None, as_json: bool) -> None:
    """Replay records and check everything in them that follows from the rules.

    With --key, FILES may also be signed result tables, such as report.html.
    """
    from referee.records.verify import NOT_PROVEN, NOTES, PROVEN, SIGNED
    from server.play.replay import verify_records

    verdicts = verify_records(files, None if key_text is None else read_public_key(key_text))
    if as_json:
        print_json(verdicts)
    else:
        for verdict in verdicts:
            print_verdict(verdict)
        if any(verdict["holds"] for verdict in verdicts):
            click.echo(f"{PROVEN}; {NOT_PROVEN if key_text is None else SIGNED}")
        if any(verdict.get("notes") for verdict in verdicts):
            click.echo(NOTES)
    sys.exit(
        0 if all(verdict["holds"] and (verdict["messages_compared"] or course_only) for verdict in verdicts) else 1
    )


def print_verdict(verdict: dict[str, Any]) -> None:
    """Print in a line whether a record holds."""
    if not verdict["holds"]:
        click.echo(f"{verdict['record']}: DOES NOT HOLD: {verdict['reason']}", err=True)
    elif "decisions" not in verdict:
        click.echo(f"{verdict['record']}: signed")
    elif verdict["messages_compared"]:
        signed = ", signed" if verdict["signed_by"] else ""
        click.echo(f"{verdict['record']}: holds, {verdict['decisions']} decisions{signed}")
    else:
        scope = "course only: it was written by a version that sent other messages, which were not compared"
        click.echo(f"{verdict['record']}: {scope}, {verdict['decisions']} decisions")


@replay.command("json")
@record_argument
def to_json(file: Path) -> None:
    """Print a whole record as JSON."""
    from server.play.replay import record_json

    click.echo(record_json(file))
