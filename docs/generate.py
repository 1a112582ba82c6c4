"""Write docs/commands.md from the help of every command, or check that the committed page is current.

python docs/generate.py            writes
python docs/generate.py --check    exits 1 if the page is not current

Nothing depends on the machine: neither the width of a terminal, nor the environment, nor the folder it is run in.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import NamedTuple

import click

from server.cli.main import main

PAGE = Path(__file__).parent / "commands.md"
OFTEN = 8
"""An option that this many commands share, word for word, is explained once."""
HEAD = """# Commands

Written by `make docs` from the help of every command: to change it, change the help. `--help` or `-h` after a command
shows the same. Exit codes: 0 for success; 1 if a match failed or was interrupted, a record does not verify or a check
found problems; 2 for wrong usage.
"""


class Command(NamedTuple):
    """A command as the page shows it."""

    path: str
    usage: str
    text: str
    options: list[tuple[str, str]]
    """The names of each option, and its help."""
    is_group: bool


def read_commands(command: click.Command = main, path: str = "tortuga") -> Iterator[Command]:
    """Return a command and all commands within it, in alphabetical order."""
    context = click.Context(command, info_name=path)
    records = [option.get_help_record(context) for option in command.params if isinstance(option, click.Option)]
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    options = [record for record in records if record]
    yield Command(path, usage, cleandoc(command.help or ""), options, isinstance(command, click.Group))
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            if not inner.hidden:
                yield from read_commands(inner, f"{path} {name}")


def make_page() -> str:
    """Return the whole page."""
    commands = list(read_commands())
    counts = Counter(option for command in commands for option in command.options)
    shared = {option for option, count in counts.items() if count >= OFTEN}
    lines = [HEAD, "| Command | Does |", "| --- | --- |"]
    for command in commands:
        if not command.is_group:
            first = cell(command.text.split("\n\n")[0])
            lines.append(f"| [`{command.path}`](#{command.path.replace(' ', '-')}) | {first} |")
    lines += ["", "## Options that many commands share", "", *option_table(sorted(shared))]
    for command in commands:
        lines += ["", *command_section(command, shared)]
    return "\n".join(lines) + "\n"


def command_section(command: Command, shared: set[tuple[str, str]]) -> list[str]:
    """Return the lines about one command."""
    depth = min(command.path.count(" ") + 2, 4)
    lines = [f"{'#' * depth} {command.path}", "", command.text]
    if not command.is_group:
        lines += ["", "```", command.usage, "```"]
    if own := [option for option in command.options if option not in shared]:
        lines += ["", *option_table(own)]
    if also := [f"`{names.split(' ')[0].rstrip(',')}`" for names, text in command.options if (names, text) in shared]:
        lines += ["", f"Also {', '.join(also)}: [shared options](#options-that-many-commands-share)."]
    return lines


def option_table(options: list[tuple[str, str]]) -> list[str]:
    """Return a table of options with their help."""
    rows = [f"| `{names.replace('|', chr(92) + '|')}` | {cell(text)} |" for names, text in options]
    return ["| Option | Means |", "| --- | --- |", *rows]


def cell(text: str) -> str:
    """Return text as one cell of a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    if "--check" not in sys.argv:
        PAGE.write_text(make_page())
    elif not PAGE.is_file() or PAGE.read_text() != make_page():
        sys.exit("docs/commands.md is not current: make docs")
