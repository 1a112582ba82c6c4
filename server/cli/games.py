"""`tortuga games`: the games and their variants."""

from __future__ import annotations

from typing import Any

import click

from referee.rules.engine import GameInfo, NumberSetting, WordSetting
from referee.rules.infos import INFOS
from server.cli.common.command import json_flag
from server.cli.common.output import console, print_json


@click.command()
@json_flag
def games(as_json: bool) -> None:
    """List the games and their variants."""
    infos = list(INFOS.values())
    if as_json:
        print_json([game_json(info) for info in infos])
        return
    from rich.markup import escape
    from rich.table import Table

    # Two tables, so that everything one has to type fits into 80 columns.
    games_table, settings_table = Table("id", "title", "seats", "rules"), Table("game", "setting", "values", "default")
    for info in infos:
        seats = str(info.min_seats) if info.min_seats == info.max_seats else f"{info.min_seats}-{info.max_seats}"
        games_table.add_row(*map(escape, [info.id, info.title, seats, str(info.rules_version)]))
        head = info.id
        for setting in info.settings:
            settings_table.add_row(*map(escape, [head, *setting_row(setting)]))
            head = ""
    out = console()
    out.print(games_table)
    out.print("settings, for --variant NAME=VALUE:", markup=False)
    out.print(settings_table)


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
