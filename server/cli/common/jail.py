"""`--jail`: how the bots that a command starts are confined."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.errors import ConfigError
from server.jail.level import AUTO, JailLevel, read_level

if TYPE_CHECKING:
    from server.jail.confinement import Confinement

jail_option = click.option(
    "--jail",
    default=AUTO,
    show_default=True,
    envvar="TORTUGA_JAIL",
    metavar="auto|LEVEL",
    help=f"How bots are confined: {', '.join(JailLevel)}; auto: the best available. Also TORTUGA_JAIL.",
)


def make_confinement(
    jail: str, *, hidden: Sequence[Path] = (), network: bool = False, elsewhere: bool = False, quiet: bool = False
) -> Confinement:
    """The confinement that a user asks for. The level is said in one line on stderr, unless `quiet`.

    Bots that have to dial in over the `network` cannot be confined more than as processes. Whether a level can be had
    `elsewhere`, on other machines, is tried there.
    """
    from server.jail.confinement import Confinement
    from server.jail.machine import choose_level, describe_level

    wanted = read_level(jail)
    if network and wanted is not None and wanted.holds(JailLevel.FENCE):
        raise ConfigError(f"--listen lets bots connect over TCP, but at the level {wanted} they have no network")
    if elsewhere and wanted is not None:
        level = wanted
    else:
        level = JailLevel.NONE if network and wanted is None else choose_level(wanted)
    if not quiet:
        click.echo(describe_level(level, chosen=jail == AUTO), err=True)
    return Confinement(level=level, hidden=tuple(path.resolve() for path in hidden))
