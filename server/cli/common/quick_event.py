"""An event made from flags, for `tournament run` and `sprt`: its manifest, written into a new folder."""

from __future__ import annotations

from typing import Any

import click

from referee.errors import ConfigError
from referee.records.files import write_atomically
from server.bots.spec import absolute_spec, find_bot
from server.cli.common.command import new_seed, read_variants, split_game
from server.jail.limits import caps_for, write_limits
from server.system.files import make_private, naming
from server.tournament.folder import Folder
from server.tournament.manifest import (
    Manifest,
    as_table,
    differences,
    find_bots,
    make_manifest,
    read_manifest,
    write_text,
)


def quick_manifest(
    *,
    games: tuple[str, ...],
    bots: tuple[str, ...],
    format_name: str,
    rounds: int,
    seed: str | None,
    variants: tuple[str, ...],
    clock: str,
    faults: str,
    no_mirror: bool,
    restart: str,
) -> Manifest:
    """An event from flags."""
    if not games or not bots:
        raise ConfigError("a quick event needs --game and --bot (at least as many bots as seats)")
    if not rounds and format_name != "ladder":
        raise ConfigError(f"--rounds 0, without end, is for --format ladder, not for {format_name}")
    contests: list[dict[str, Any]] = []
    for game in games:
        info, seats = split_game(game)
        contests.append(
            {"id": info.id, "variant": read_variants(variants), **({} if seats is None else {"seats": seats})}
        )
    entries: list[dict[str, Any]] = []
    specs = [find_bot(bot) for bot in bots]
    for bot, spec in zip(bots, specs, strict=True):
        taken, name, number = {entry["name"] for entry in entries}, spec.name, 2
        while name in taken:
            name, number = f"{spec.name}-{number}", number + 1
        entries.append({"spec": absolute_spec(bot), "name": name})
    return make_manifest(
        {
            "name": ", ".join(contest["id"] for contest in contests),
            "seed": seed or new_seed(),
            "format": format_name,
            "rounds": rounds,
            "clock": clock,
            "faults": faults,
            "mirrored": not no_mirror,
            "restart": restart,
            "games": contests,
            "bots": entries,
            "limits": write_limits(caps_for([spec.asked for spec in specs])),
        }
    )


def start_quick_event(folder: Folder, manifest: Manifest) -> None:
    """Write the manifest of a quick event; the same flags go on with the same event."""
    for name, spec in find_bots(manifest, folder.path).items():
        missed = [contest.id for contest in manifest.contests if spec.games and contest.game not in spec.games]
        if missed:
            text = f"{name} takes no part in {', '.join(missed)}: it plays {', '.join(spec.games)}"
            click.echo(f"tortuga: {text}", err=True)
    if not folder.manifest.exists():
        write_manifest(folder, write_text(manifest))
        return
    changed = differences(as_table(read_manifest(folder.manifest)), as_table(manifest))
    if changed:
        raise ConfigError(f"{folder.manifest} holds another event: {'; '.join(changed)}")


def write_manifest(folder: Folder, text: str) -> None:
    """A new manifest, in a folder that is made if needed."""
    for words in make_private(folder.path):
        click.echo(f"tortuga: {words}", err=True)
    with naming(folder.path):
        write_atomically(folder.manifest, text.encode(), private=True)
