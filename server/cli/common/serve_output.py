"""What `tortuga serve` prints: where its doors are on stdout, warnings on stderr."""

from __future__ import annotations

import click


class TerminalOutput:
    """Prints for the person who runs the arena. It is `server.arena.serve.Output`."""

    def say(self, text: str) -> None:
        """On stdout."""
        click.echo(text)

    def warn(self, text: str) -> None:
        """On stderr."""
        click.echo(text, err=True)
