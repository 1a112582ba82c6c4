"""`tortuga model`: the forward model for other languages, and how fast it is."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click

from referee.games import GAMES, find_game
from server.cli.common.command import CommandGroup, json_flag
from server.cli.common.output import console, print_json


@click.group(cls=CommandGroup)
def model() -> None:
    """Serve the forward model to bots in other languages, and measure its speed."""


@model.command()
def serve() -> None:
    """Serve the forward model on stdin and stdout, one JSON object per line: docs/model.md.

    For bots that are not written in Python. Inside a jail they start the equivalent
    `python -m tortuga_bot.model_server`.
    """
    from tortuga_bot.model_server import serve as answer_lines

    answer_lines(sys.stdin, sys.stdout)


@model.command()
@click.argument("game_ids", metavar="[GAME]...", nargs=-1)
@click.option(
    "--moments", type=click.IntRange(1, 10_000), default=30, show_default=True, help="Positions to measure per game."
)
@json_flag
def speed(game_ids: tuple[str, ...], moments: int, as_json: bool) -> None:
    """Measure clones, choices and whole random games per second on one core, for each game."""
    from rich.table import Table

    from server.play.model_speed import measure_model

    games = [find_game(game_id) for game_id in game_ids or GAMES]
    measured = [measure_model(game, game.info.min_seats, moments) for game in games]
    if as_json:
        print_json([asdict(figures) for figures in measured])
        return
    head = ("game", "seats", "bytes", "encode µs", "read µs", "worlds/s", "clones/s", "choices/s", "playouts/s")
    table = Table(*head, title="looking ahead, per second of one core")
    for figures in measured:
        times = (figures.encode_micros, figures.decode_micros, figures.worlds_per_second, figures.clones_per_second)
        rates = (*times, figures.choices_per_second, figures.playouts_per_second)
        table.add_row(figures.game, str(figures.seats), str(figures.model_bytes), *[f"{rate:,.0f}" for rate in rates])
    console().print(table)
