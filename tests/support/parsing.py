"""Command lines of ours, as click takes them."""

from __future__ import annotations

import click

from server.cli.main import main


def parse(words: list[str]) -> str:
    """The name of a command of ours, with options and arguments that it takes; click refuses any other."""
    context = main.make_context("tortuga", list(words))
    while isinstance(context.command, click.Group):
        rest = [*context._protected_args, *context.args]
        name, command, rest = context.command.resolve_command(context, rest)
        assert command is not None, words
        context = command.make_context(name, rest, parent=context)
    return str(context.info_name)
