"""Commands as a guide shows them: whether each is a command with these options."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from server.cli.main import main


def shown_commands(text: str) -> Iterator[str]:
    """Return what follows upon every `tortuga` in the code of a page: its fenced lines, and its pieces within the text.

    A line that ends with a backslash goes on in the next one.
    """
    fenced = False
    for line in text.replace("\\\n", " ").splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        for piece in [line] if fenced else re.findall(r"`([^`]+)`", line):
            if "kubectl" not in piece and (command := re.search(r"(?:^|[\s/(])tortuga ([a-z][^#&|]*)", piece)):
                yield command.group(1)


def unknown_words(text: str) -> set[str]:
    """Return the words of a command that are no subcommand and no option of it."""
    command: click.Command = main
    words = text.split()
    while isinstance(command, click.Group) and words and words[0] != "…":
        name = words.pop(0)
        inner = command.get_command(click.Context(command), name)
        if inner is None:
            return {name}
        command = inner
    known = {option for parameter in command.params for option in parameter.opts}
    return {word for word in words if word.startswith("--")} - known
