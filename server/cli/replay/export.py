"""`tortuga replay html` and `tortuga replay svg`: a match as a file that a browser shows, and a moment as a picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from referee.errors import ConfigError
from referee.records.files import write_atomically
from server.cli.replay.group import record_argument
from server.viewer import Perspectives

if TYPE_CHECKING:
    from server.viewer.frames import Json

Callback = TypeVar("Callback", bound=Callable[..., Any])

force_flag = click.option("--force", is_flag=True, help="Overwrite an existing file.")


def out_option(default: str) -> Callable[[Callback], Callback]:
    """Return the option for the file to write; `-` is the standard output."""
    return click.option(
        "-o", "--out", type=click.Path(path_type=Path), help=f"Where to write; - is stdout. [default: {default}]"
    )


@click.command("html")
@record_argument
@out_option("FILE.html")
@click.option(
    "--perspectives",
    type=click.Choice([str(choice) for choice in Perspectives]),
    default=str(Perspectives.ALL),
    show_default=True,
    help="Whose view to include: only the spectators', or everybody's.",
)
@click.option(
    "--beside",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A second record to show beside it, e.g. the other rotation of its block.",
)
@force_flag
def html(file: Path, out: Path | None, perspectives: str, beside: Path | None, force: bool) -> None:
    """Write a match as one HTML file that opens in any browser, without network."""
    from server.viewer.pages import offline_page

    files = [file] if beside is None else [file, beside]
    page = offline_page([read_document(path, Perspectives(perspectives)) for path in files])
    write(page, out or file.with_name(f"{file.name}.html"), force=force)


@click.command("svg")
@record_argument
@click.option("--at", "decision", type=click.IntRange(1), help="The decision, counted from 1 over all seats.")
@click.option("--scene", "place", type=click.IntRange(0), help="The moment instead, as in the viewer's links (#s=…).")
@click.option("--seat", type=click.IntRange(0), help="As this seat sees it. [default: as a spectator does]")
@out_option("FILE.svg")
@force_flag
def svg(file: Path, decision: int | None, place: int | None, seat: int | None, out: Path | None, force: bool) -> None:
    """Draw one moment of a match; without --at or --scene, its end."""
    from server.viewer.picture import svg_at

    if decision is not None and place is not None:
        raise ConfigError("pass --at or --scene, not both")
    document = read_document(file, Perspectives.SPECTATOR if seat is None else Perspectives.ALL)
    try:
        picture = svg_at(document, seat=seat, decision=decision, place=place)
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from None
    write(picture, out or file.with_name(f"{file.name}.svg"), force=force)


def read_document(file: Path, perspectives: Perspectives) -> Json:
    """Return the document of a record file. Errors name the file."""
    from referee.records.record import read_packed
    from server.play.replay import naming
    from server.viewer.document import document_of

    with naming(file):
        return document_of(
            read_packed(file), perspectives=perspectives, file=file.name, attach=perspectives is Perspectives.ALL
        )


def write(text: str, out: Path, *, force: bool) -> None:
    """Write to a file, or to stdout if it is called `-`. An existing file is overwritten only with `force`."""
    if str(out) == "-":
        click.echo(text, nl=False)
        return
    if out.exists() and not force:
        raise ConfigError(f"{out} already exists: pass --force to overwrite it, or -o FILE to write elsewhere")
    try:
        write_atomically(out, text.encode())
    except OSError as error:
        raise ConfigError(f"{out} cannot be written: {error.strerror}") from None
    click.echo(f"{out}: {max(1, len(text.encode()) // 1000)} kB")
