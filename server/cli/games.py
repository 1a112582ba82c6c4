"""`tortuga games`: the games and their variants."""

from __future__ import annotations

from typing import Any

import click

from referee.rules.engine import GameInfo, NumberSetting, WordSetting
from referee.rules.infos import PLUGINS
from referee.rules.plugins import GamePlugin
from server import __version__
from server.cli.common.command import json_flag
from server.cli.common.output import console, print_json

OUR_PACKAGE = "tortuga-arena"


@click.command()
@json_flag
def games(as_json: bool) -> None:
    """List the games and their variants."""
    plugins = list(PLUGINS.values())
    if as_json:
        print_json([game_json(plugin.info) | source_json(plugin) for plugin in plugins])
        return
    from rich.markup import escape
    from rich.table import Table

    # Two tables, so that everything one has to type fits into 80 columns.
    games_table = Table("id", "title", "seats", "rules", "package")
    settings_table = Table("game", "setting", "values", "default")
    for plugin in plugins:
        info, source = plugin.info, source_json(plugin)
        seats = str(info.min_seats) if info.min_seats == info.max_seats else f"{info.min_seats}-{info.max_seats}"
        games_table.add_row(
            *map(
                escape,
                [
                    info.id,
                    info.title,
                    seats,
                    str(info.rules_version),
                    f"{source['package']} {source['version']}".strip(),
                ],
            )
        )
        head = info.id
        for setting in info.settings:
            settings_table.add_row(*map(escape, [head, *setting_row(setting)]))
            head = ""
    out = console()
    out.print(games_table)
    out.print("settings, for --variant NAME=VALUE:", markup=False)
    out.print(settings_table)


def source_json(plugin: GamePlugin) -> dict[str, str]:
    """Return the package that a game comes from, and its version."""
    if not plugin.package:
        return {"package": OUR_PACKAGE, "version": __version__}
    return {"package": plugin.package, "version": plugin.version}


def setting_row(setting: WordSetting | NumberSetting) -> list[str]:
    """Return the name, the values and the default of a setting."""
    if isinstance(setting, WordSetting):
        return [setting.name, ", ".join(setting.values), setting.default]
    return [setting.name, f"{setting.low} to {setting.high}", str(setting.default)]


def game_json(info: GameInfo) -> dict[str, Any]:
    """Return a game for programs."""
    variants: list[dict[str, Any]] = []
    for setting in info.settings:
        if isinstance(setting, WordSetting):
            values: dict[str, Any] = {"values": list(setting.values)}
        else:
            values = {"low": setting.low, "high": setting.high}
        variants.append({"name": setting.name, **values, "default": setting.default, "meaning": setting.meaning})
    return {
        "id": info.id,
        "title": info.title,
        "seats": list(range(info.min_seats, info.max_seats + 1)),
        "rules_version": info.rules_version,
        "variants": variants,
    }
