"""`tortuga server kits …`: packages for the builds of submissions, which have no network."""

from __future__ import annotations

from pathlib import Path

import click

from server.bots.kit_cache import FOLDER, Fetched, KitCache
from server.bots.kits import find_kits
from server.cli.common.command import Group, json_flag
from server.cli.common.output import print_json
from server.cli.server.group import DIR_OPTION


@click.group(cls=Group)
def kits() -> None:
    """Manage packages for the builds of submissions, which have no network."""


@kits.command("fetch")
@DIR_OPTION
@click.option("--language", "languages", multiple=True, metavar="LANGUAGE", help="Only this kit; may be repeated.")
@click.option(
    "--extra",
    "extras",
    multiple=True,
    metavar="LANGUAGE:PACKAGE",
    help="Also allow this package: python:numpy==2.3.5, go:github.com/x/y@v1.2.3; may be repeated.",
)
@json_flag
def fetch(directory: Path, languages: tuple[str, ...], extras: tuple[str, ...], as_json: bool) -> None:
    """Download what the kits' lock files list, and extras, into the folder kits of the arena's data folder.

    Needs the network once. Builds of submissions then use only these packages.
    """
    cache = KitCache(directory / FOLDER)
    found = cache.fetch(languages, extras, tell=lambda text: click.echo(f"fetching: {text}", err=True))
    if as_json:
        print_json({"kits": [as_table(one) for one in found]})
        return
    for one in found:
        what = f"left out: {one.left_out}" if one.left_out else f"{len(one.packages)} packages"
        click.echo(f"{one.language}: {what}")


@kits.command("list")
@DIR_OPTION
@json_flag
def list_packages(directory: Path, as_json: bool) -> None:
    """List the packages that submissions may use."""
    cache = KitCache(directory / FOLDER)
    rows = {language: list(cache.packages(language)) for language in find_kits()}
    if as_json:
        print_json({"packages": rows})
        return
    for language, packages in rows.items():
        click.echo(f"{language}: {len(packages)}")
        for name in packages:
            click.echo(f"  {name}")


def as_table(one: Fetched) -> dict[str, object]:
    """What became of a language, for programs."""
    return {"language": one.language, "packages": list(one.packages), "left_out": one.left_out or None}
