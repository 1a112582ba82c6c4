"""Write docs/commands.md from the help of every command, and the rules that bots are sent on request from docs/games.

python docs/generate.py            writes
python docs/generate.py --check    exits 1 if a file is not current

Nothing depends on the machine: neither the width of a terminal, nor the environment, nor the folder it is run in.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import NamedTuple

import click

from server.cli.main import main

OFTEN = 8
"""An option that this many commands share, word for word, is explained once."""
FOLDER = Path(__file__).parent
RULES = re.compile(r"<!-- rules -->\n(.*?)<!-- end of rules -->", re.DOTALL)
"""A part of a page in docs/games that belongs to the rules as bots are sent them (Hello.want_rules)."""
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
MOST_WORDS = 1500
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


def make_rules(page: Path) -> str:
    """Return the module that holds the rules of one game: the marked parts of its page."""
    text = LINK.sub(r"\1", "\n".join(part.strip() + "\n" for part in RULES.findall(page.read_text())))
    if count_words(text) > MOST_WORDS or '"""' in text or "\\" in text:
        sys.exit(f"{page}: the rules have more than {MOST_WORDS} words, or signs that a string of Python cannot hold")
    source = f"docs/games/{page.name}"
    return (
        f'"""The rules, for bots that ask. Written by `make docs` from the marked parts of {source}."""\n'
        f'# ruff: noqa: E501\n\nfrom __future__ import annotations\n\nRULES = """\\\n{text}"""\n'
    )


def count_words(text: str) -> int:
    """Count the words of a page: what holds a letter or a digit."""
    return sum(any(sign.isalnum() for sign in word) for word in text.split())


def generated() -> Iterator[tuple[Path, str]]:
    """Yield every file that is written here, with what it should hold."""
    yield FOLDER / "commands.md", make_page()
    for page in sorted((FOLDER / "games").glob("*.md")):
        yield FOLDER.parent / "referee/games" / page.stem / "rules_text.py", make_rules(page)


if __name__ == "__main__":
    for path, content in generated():
        if "--check" not in sys.argv:
            path.write_text(content)
        elif not path.is_file() or path.read_text() != content:
            sys.exit(f"{path.relative_to(FOLDER.parent)} is not current: make docs")
