"""A click group that imports a command only when it is run.

Command modules import at their top whatever they need, gRPC and numpy included. A LazyGroup knows of each command only
where it is and the first sentence of its help, so that `tortuga --help` imports none of them. A test compares the
sentences here with those of the commands.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click

from server.cli.command import Group


class LazyCommand(NamedTuple):
    """A command that is not imported yet."""

    target: str
    """module:attribute"""
    help: str
    """The first sentence of its help."""

    def load(self) -> click.Command:
        """Import it."""
        import_module("server.logs")  # before anybody imports structlog: it says why
        module, _, attribute = self.target.partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command


class LazyGroup(Group):
    """A group of commands of which some are imported when they are needed."""

    def __init__(self, *args: Any, lazy: Mapping[str, LazyCommand], **keys: Any) -> None:
        super().__init__(*args, **keys)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in alphabetical order."""
        return sorted({*self.commands, *self.lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command, imported if need be."""
        if cmd_name not in self.commands and cmd_name in self.lazy:
            self.add_command(self.lazy[cmd_name].load(), cmd_name)
        return super().get_command(ctx, cmd_name)

    def outline(self, ctx: click.Context, name: str) -> click.Command:
        """A command as the group's help needs it, without importing it."""
        return self.commands.get(name) or click.Command(name, help=self.lazy[name].help)
