"""Seasons of the ladders: which ladders are frozen, which seasons were archived, and how the next one starts.

season_keeper.py decides when a season is archived and the next one starts. Both are operations on folders:

**Archive**: `ladder/` is copied to `archive/NAME/`, with its final tables. That is an event folder like any other:
`tortuga web`, `tortuga fsck`, `tortuga ladder show` and `tortuga tournament export` read it. Records are linked where
the disk allows it: `ladder/` gives their names up when the next season starts.

**Start**: `ladder/` is emptied, and bots begin from zero or with starting ratings, which are written to
starting-ratings.jsonl before the first match.

An operation is recorded before it is carried out, so the next start of the server completes one that was interrupted.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from referee.errors import ConfigError
from referee.records.files import sync_folder, write_atomically
from server.arena.backup import copy_database
from server.arena.caller_input import check_name, list_names, quote
from server.arena.errors import AlreadyExists, FailedPrecondition, NotFound
from server.arena.registry import Registry, wall_millis
from server.system.files import PRIVATE_FOLDER, set_aside
from server.tournament.agreement import Agreement
from server.tournament.folder import Folder
from server.tournament.starting_ratings import StartingRating, append_starting_ratings


@dataclass(frozen=True, kw_only=True, slots=True)
class NextSeason:
    """The start of the season after an archived one."""

    from_ratings: bool = False
    shrink: float = 0.0
    at: str = ""
    """Time of the order, in UTC."""
    done: bool = False
    """False: the start is not complete. If the server was killed, its next start completes it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ArchivedSeason:
    """A season that is over, in archive/NAME."""

    name: str
    number: int
    archived_millis: int
    matches: int
    ladders: tuple[str, ...]
    following: NextSeason | None = None


class Seasons:
    """Frozen ladders and archived seasons. Methods that change something may be called from any thread."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        rows = registry.rows("frozen")
        self._frozen: dict[str, int] = {row["ladder"]: row["at_millis"] for row in rows}
        self._told = {row["ladder"] for row in rows if row["told"]}
        self._seasons = {row["name"]: _read(row) for row in registry.rows("season")}

    def frozen(self) -> dict[str, int]:
        """Return for each frozen ladder the time from which it is frozen, which may be in the future."""
        return dict(self._frozen)

    def frozen_now(self) -> frozenset[str]:
        """Return the ladders on which no more matches begin."""
        if not self._frozen:
            return frozenset()
        now = wall_millis()
        return frozenset(ladder for ladder, at in self._frozen.items() if at <= now)

    def freeze(self, ladders: Sequence[str], at_millis: int) -> None:
        """Freeze ladders from a moment on. Those that are frozen already keep their time."""
        frozen = self.frozen_now()
        rows = [(ladder, at_millis) for ladder in ladders if ladder not in frozen]
        with self._registry.transaction() as db:
            db.executemany("INSERT OR REPLACE INTO frozen VALUES (?, ?, 0)", rows)
        self._frozen = {**self._frozen, **dict(rows)}

    def unannounced(self) -> list[str]:
        """Return the frozen ladders that were not in the news yet."""
        return sorted(self.frozen_now() - self._told)

    def note_announced(self, ladders: Sequence[str]) -> None:
        """Note that these ladders were in the news."""
        with self._registry.transaction() as db:
            db.executemany("UPDATE frozen SET told = 1 WHERE ladder = ?", [(ladder,) for ladder in ladders])
        self._told |= {*ladders}

    def unfreeze(self, ladders: Sequence[str]) -> None:
        """Undo a freeze."""
        with self._registry.transaction() as db:
            db.executemany("DELETE FROM frozen WHERE ladder = ?", [(ladder,) for ladder in ladders])
        self._frozen = {ladder: at for ladder, at in self._frozen.items() if ladder not in ladders}
        self._told -= {*ladders}

    def seasons(self) -> list[ArchivedSeason]:
        """Return the archived seasons, the latest first."""
        return sorted(self._seasons.values(), key=lambda season: -season.number)

    def season(self, name: str) -> ArchivedSeason:
        """Return the season of this name."""
        season = self._seasons.get(name)
        if season is None:
            names = list_names(archived.name for archived in self.seasons())
            raise NotFound(f"there is no archived season {quote(name)}; there is {names}")
        return season

    @property
    def waiting(self) -> ArchivedSeason | None:
        """Return the season that was archived last, if the next one has not started yet."""
        latest = next(iter(self.seasons()), None)
        return latest if latest is not None and not (latest.following and latest.following.done) else None

    def add(self, name: str, matches: int, ladders: Sequence[str]) -> ArchivedSeason:
        """Note that a season was archived."""
        season = ArchivedSeason(
            name=name,
            number=len(self._seasons) + 1,
            archived_millis=wall_millis(),
            matches=matches,
            ladders=tuple(ladders),
        )
        return self._put(season)

    def order_next(self, season: ArchivedSeason, following: NextSeason) -> ArchivedSeason:
        """Note how the next season starts, before anything is changed."""
        return self._put(replace(season, following=following))

    def finish_next(self, season: ArchivedSeason) -> ArchivedSeason:
        """Note that the next season has started: no ladder is frozen any more."""
        assert season.following is not None
        season = replace(season, following=replace(season.following, done=True))
        with self._registry.transaction() as db:
            _write(db, season)
            db.execute("DELETE FROM frozen")
        self._frozen, self._told, self._seasons[season.name] = {}, set(), season
        return season

    def _put(self, season: ArchivedSeason) -> ArchivedSeason:
        with self._registry.transaction() as db:
            _write(db, season)
        self._seasons[season.name] = season
        return season


def _write(db: Any, season: ArchivedSeason) -> None:
    following = season.following
    text = "" if following is None else json.dumps({name: getattr(following, name) for name in _NEXT})
    row = season.name, season.number, season.archived_millis, season.matches, json.dumps(season.ladders), text
    db.execute("INSERT OR REPLACE INTO season VALUES (?, ?, ?, ?, ?, ?)", row)


def _read(row: Mapping[str, Any]) -> ArchivedSeason:
    return ArchivedSeason(
        name=row["name"],
        number=row["number"],
        archived_millis=row["archived_millis"],
        matches=row["matches"],
        ladders=tuple(json.loads(row["ladders"])),
        following=NextSeason(**json.loads(row["next"])) if row["next"] else None,
    )


_NEXT = tuple(NextSeason.__dataclass_fields__)


FOLDER = "archive"
TABLES = "final.json"
"""The final standings, for programs."""


def season_folder(directory: Path, name: str) -> Folder:
    """Return the folder of an archived season."""
    return Folder(directory / FOLDER / check_name(name, "season"))


def archive_season(directory: Path, seasons: Seasons, name: str) -> ArchivedSeason:
    """Copy the ladders' folder, while nothing is played, and record the season. Slow: call it in a thread."""
    check_name(name, "season")
    taken = next((season.name for season in seasons.seasons() if season.name.lower() == name.lower()), "")
    if taken:
        raise AlreadyExists(f"the season {taken} exists already; names must differ by more than case")
    if seasons.waiting is not None:
        raise FailedPrecondition(
            f"this season is archived already, as {seasons.waiting.name}: `tortuga server ladder start` begins the next"
        )
    ladder, place = Folder(directory / "ladder"), season_folder(directory, name)
    agreement = ladder.require_agreement()
    draft = Folder(place.path.with_name(f".{name}.draft"))
    shutil.rmtree(draft.path, ignore_errors=True)
    try:
        draft.path.mkdir(PRIVATE_FOLDER, parents=True)
        _fill(ladder, draft, replace(agreement, manifest=replace(agreement.manifest, name=name)))
        played = _write_tables(draft)
        if not played:
            raise FailedPrecondition("no match was played in this season: there is nothing to archive")
        set_aside(place.path)  # an archive that was complete but not noted when the server was killed
        draft.path.replace(place.path)
        sync_folder(place.path.parent)
    except OSError as error:
        raise FailedPrecondition(f"the season could not be archived: {error}; nothing was changed") from None
    finally:
        shutil.rmtree(draft.path, ignore_errors=True)
    return seasons.add(name, sum(played.values()), [*played])


def _fill(ladder: Folder, draft: Folder, agreement: Agreement) -> None:
    for folder in (draft.records, draft.logs):
        folder.mkdir(PRIVATE_FOLDER)
    copy_database(ladder.database, draft.database)
    with os.scandir(ladder.records) as entries:
        for entry in entries:
            if entry.is_file(follow_symlinks=False) and not entry.name.startswith("."):
                _link(Path(entry.path), draft.records / entry.name)
    for path in (ladder.journal, ladder.key, ladder.rulings, ladder.starting_ratings):
        if path.exists():
            shutil.copy2(path, draft.path / path.name)
    draft.write_agreement(agreement)
    sync_folder(draft.records)


def _link(path: Path, place: Path) -> None:
    try:
        os.link(path, place)
    except OSError:  # another disk, or one that has no links
        shutil.copy2(path, place)


def _write_tables(folder: Folder) -> dict[str, int]:
    """Write the final standings, for people and for programs. Returns how many matches count, by ladder."""
    from server.standings.report import write_report
    from server.tournament.standings import read_standings
    from server.tournament.status import read_status

    standings = read_standings(folder)
    exported = [standing.as_json() for standing in standings]
    write_atomically(folder.path / TABLES, json.dumps(exported, indent=1).encode(), private=True)
    write_report(folder, folder.require_agreement(), read_status(folder), standings)
    return {standing.contest.id: standing.fitted.matches for standing in standings if standing.fitted.matches}


def start_ratings(folder: Folder, season: str, shrink: float, at: str) -> list[StartingRating]:
    """Return the starting ratings from an archived season: one for the latest version of each bot that was rated."""
    from server.ratings.prior import shrink_ratings
    from server.tournament.standings import read_standings

    agreement, starting = folder.require_agreement(), []
    for standing in read_standings(folder):
        starts = shrink_ratings(standing.fitted, shrink)
        latest = {entry.bot: entry for entry in agreement.roster if entry.name in starts}
        ratings = [
            StartingRating(
                at=at,
                contest=standing.contest.id,
                bot=bot,
                version=entry.version,
                rating=starts[entry.name].rating,
                deviation=starts[entry.name].deviation,
                season=season,
                event=agreement.event_id,
                shrink=shrink,
            )
            for bot, entry in latest.items()
        ]
        starting += sorted(ratings, key=lambda rating: -rating.rating)
    return starting


def order_season(seasons: Seasons, *, from_ratings: bool, shrink: float) -> ArchivedSeason:
    """Record how the next season starts."""
    archived = seasons.waiting
    if archived is None:
        raise FailedPrecondition(
            "the present season is not archived: `tortuga server ladder freeze --all`, then "
            "`tortuga server ladder archive NAME`"
        )
    if not 0.0 <= shrink <= 1.0:
        raise ConfigError(f"shrink is {shrink:g}, expected 0 to 1")
    at = datetime.now(UTC).isoformat(timespec="seconds")
    return seasons.order_next(archived, NextSeason(from_ratings=from_ratings, shrink=shrink, at=at))


def begin_season(directory: Path, archived: ArchivedSeason) -> list[StartingRating]:
    """Empty the ladders' folder and write the starting ratings of the next season. Can be repeated.

    Nobody may have the folder open.
    """
    following = archived.following
    assert following is not None
    archive, ladder = season_folder(directory, archived.name), Folder(directory / "ladder")
    agreement = archive.require_agreement()  # before anything is removed: the archive can be read
    ratings: list[StartingRating] = []
    if following.from_ratings:
        ratings = start_ratings(archive, archived.name, following.shrink, following.at)
    empty_folder(ladder)
    ladder.prepare()
    if ratings:
        append_starting_ratings(ladder.starting_ratings, ratings)
    manifest = replace(agreement.manifest, name="ladder", seed=secrets.token_hex(16))
    ladder.write_agreement(Agreement(manifest=manifest, roster=()))
    return ratings


def empty_folder(ladder: Folder) -> None:
    """Remove everything of an archived season. Its key remains, to sign the next season as well."""
    for path in (ladder.agreement, ladder.journal, ladder.report, ladder.rulings, ladder.starting_ratings):
        path.unlink(missing_ok=True)
    for path in ladder.path.glob(f"{ladder.database.name}*"):
        path.unlink(missing_ok=True)
    for path in (ladder.records, ladder.logs, ladder.replays):
        with suppress(FileNotFoundError):
            shutil.rmtree(path)


def finish_start(directory: Path, seasons: Seasons, warn: Callable[[str], None]) -> None:
    """Complete the start of a season that was interrupted, before the ladders are opened."""
    archived = seasons.waiting
    if archived is not None and archived.following is not None:
        begin_season(directory, archived)
        seasons.finish_next(archived)
        warn(f"the start of the season after {archived.name} was interrupted; it is now complete")
