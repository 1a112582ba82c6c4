"""`tortuga server bundle|kits|backup …`: commands that work on the data folder, whether or not its server runs."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from pathlib import Path

import click

from referee.errors import ConfigError
from referee.text import harmless, plural
from server.bots.bundle_store import FOLDER as BUNDLES
from server.bots.bundle_store import BundleStore
from server.bots.kit_cache import FOLDER as KITS
from server.bots.kit_cache import Fetched, KitCache
from server.bots.kits import find_kits
from server.cli.common.command import CommandGroup, json_flag
from server.cli.common.output import print_json
from server.cli.server.group import DIR_OPTION

SHORTEST = 6
"""Fewest digits of a hash to find a bundle by."""


@click.group(cls=CommandGroup)
def bundle() -> None:
    """The exact programs of hosted bots."""


@bundle.command("list")
@DIR_OPTION
@json_flag
def list_bundles(directory: Path, as_json: bool) -> None:
    """List all bundles: hash, size and description."""
    store = open_store(directory)
    rows = []
    for sha256 in store.all():
        try:
            rows.append({"sha256": sha256, "bytes": store.find(sha256).size, **asdict(store.describe(sha256))})
        except ConfigError as error:
            rows.append({"sha256": sha256, "problem": str(error)})
    if as_json:
        print_json({"bundles": rows})
        return
    for row in rows:
        facts = [row["bot"], row["version"], row["language"], row["platform"]] if "bot" in row else [row["problem"]]
        click.echo(harmless(f"{row['sha256']}  {row.get('bytes', 0):>10}  {' '.join(filter(None, map(str, facts)))}"))
    click.echo(plural(len(rows), "bundle"))


@bundle.command("get")
@DIR_OPTION
@click.argument("sha256", metavar="HASH")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The file to write. [default: HASH.tar]"
)
@json_flag
def get_bundle(directory: Path, sha256: str, output: Path | None, as_json: bool) -> None:
    """Copy the bundle with this HASH, or a prefix of it, to a tar file."""
    store = open_store(directory)
    stored = store.find(find_hash(store, sha256.lower()))
    path = output or Path(f"{stored.sha256}.tar")
    try:
        shutil.copyfile(stored.path, path)
    except (OSError, shutil.SameFileError) as error:
        raise ConfigError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}") from None
    if as_json:
        print_json({"bundle": str(path), "sha256": stored.sha256, "bytes": stored.size})
    else:
        click.echo(f"{path}: {stored.size} bytes, SHA-256 {stored.sha256}")


@bundle.command("of")
@click.argument("record", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_flag
def bundles_of(record: Path, as_json: bool) -> None:
    """Show the hashes of the programs that played the match in the record FILE, by seat."""
    from referee.records.record import read_record

    seats = read_record(record)[0].seats
    rows = [
        {"seat": number, "bot": seat.bot_name, "version": seat.bot_version, "sha256": seat.bundle_hash.hex() or None}
        for number, seat in enumerate(seats)
    ]
    if as_json:
        print_json({"seats": rows})
        return
    for row in rows:
        program = row["sha256"] or "not played from a bundle"
        click.echo(harmless(f"{row['seat']} {row['bot']} {row['version']}: {program}"))


def open_store(directory: Path) -> BundleStore:
    """Return the bundles of an arena's folder."""
    if not (directory / "arena.db").is_file():
        raise ConfigError(f"{directory} is not the data folder of an arena; pass --dir")
    return BundleStore(directory / BUNDLES)


def find_hash(store: BundleStore, beginning: str) -> str:
    """Return the one hash that begins like this."""
    if len(beginning) < SHORTEST:
        raise ConfigError(f"give at least {SHORTEST} digits of the hash")
    matching = [sha256 for sha256 in store.all() if sha256.startswith(beginning)]
    if len(matching) == 1:
        return matching[0]
    how_many = f"{len(matching)} bundles begin" if matching else "no bundle begins"
    raise ConfigError(f"{how_many} with {beginning[:64]!a} in {store.folder}; `tortuga server bundle list` lists them")


@click.group(cls=CommandGroup)
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
    cache = KitCache(directory / KITS)
    results = cache.fetch(languages, extras, tell=lambda text: click.echo(f"fetching: {text}", err=True))
    if as_json:
        print_json({"kits": [as_table(fetched) for fetched in results]})
        return
    for fetched in results:
        what = f"left out: {fetched.left_out}" if fetched.left_out else f"{len(fetched.packages)} packages"
        click.echo(f"{fetched.language}: {what}")


@kits.command("list")
@DIR_OPTION
@json_flag
def list_packages(directory: Path, as_json: bool) -> None:
    """List the packages that submissions may use."""
    cache = KitCache(directory / KITS)
    rows = {language: list(cache.packages(language)) for language in find_kits()}
    if as_json:
        print_json({"packages": rows})
        return
    for language, packages in rows.items():
        click.echo(f"{language}: {len(packages)}")
        for name in packages:
            click.echo(f"  {name}")


def as_table(fetched: Fetched) -> dict[str, object]:
    """Return the result of one language, for programs."""
    return {"language": fetched.language, "packages": list(fetched.packages), "left_out": fetched.left_out or None}


@click.command()
@click.argument("dest", type=click.Path(path_type=Path))
@DIR_OPTION
@json_flag
def make_backup(dest: Path, directory: Path, as_json: bool) -> None:
    """Copy the data folder to DEST, whether or not the server is running."""
    from server.arena.backup import backup

    copied = backup(directory, dest)
    summary = f"{dest}: {copied.databases} databases, {copied.records} records, {copied.files} other files"
    if as_json:
        print_json({"backup": str(dest), **asdict(copied)})
    else:
        click.echo(summary)
