"""A click group that imports a command only when it is run.

A LazyGroup knows of each command only where it is and the first sentence of its help, so that `tortuga --help` imports
none of them. A test compares the sentences here with those of the commands. A command's own module does not import at
its top what is slow to import (gRPC, protobuf, numpy, rich, asyncio): its help should not wait for that. Functions
import it, or a LateModule does.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click

from referee.errors import ConfigError
from server.cli.common.command import Group


class LazyCommand(NamedTuple):
    """A command that is not imported yet."""

    target: str
    """module:attribute"""
    help: str
    """The first sentence of its help."""

    def load(self) -> click.Command:
        """Import it."""
        name, _, attribute = self.target.partition(":")
        try:
            module = import_module(name)
        except ModuleNotFoundError as error:
            if error.name != "bench":
                raise
            raise ConfigError(
                "`tortuga bench` needs a checkout of Tortuga: its measurements are no part of the installed package"
            ) from None
        command = getattr(module, attribute)
        assert isinstance(command, click.Command)
        return command


class LateModule:
    """A module that is imported when something of it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)


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
