"""Which ladders are frozen, and which seasons were archived: tables of the registry."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from server.arena.errors import NotFound
from server.arena.registry import Registry, wall_millis
from server.arena.texts import list_names, quote


@dataclass(frozen=True, kw_only=True, slots=True)
class NextSeason:
    """How the season after an archived one starts."""

    from_ratings: bool = False
    shrink: float = 0.0
    at: str = ""
    """When that was ordered, in UTC."""
    done: bool = False
    """False: the server was killed meanwhile, and its next start does it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ArchivedSeason:
    """A season that is over, in archive/NAME."""

    name: str
    number: int
    archived_millis: int
    matches: int
    ladders: tuple[str, ...]
    following: NextSeason | None = None


class SeasonBook:
    """Frozen ladders and archived seasons. Methods that change something may be called from any thread."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        rows = registry.rows("frozen")
        self._frozen: dict[str, int] = {row["ladder"]: row["at_millis"] for row in rows}
        self._told = {row["ladder"] for row in rows if row["told"]}
        self._seasons = {row["name"]: _read(row) for row in registry.rows("season")}

    def frozen(self) -> dict[str, int]:
        """By ladder from when it is frozen, which may be in the future."""
        return dict(self._frozen)

    def frozen_now(self) -> frozenset[str]:
        """The ladders on which no match begins any more."""
        if not self._frozen:
            return frozenset()
        now = wall_millis()
        return frozenset(ladder for ladder, at in self._frozen.items() if at <= now)

    def next_freeze(self) -> int | None:
        """When the next ladder will be frozen."""
        now = wall_millis()
        return min((at for at in self._frozen.values() if at > now), default=None)

    def freeze(self, ladders: Sequence[str], at_millis: int) -> None:
        """Freeze ladders from a moment on. Those that are frozen already stay so since then."""
        done = self.frozen_now()
        rows = [(ladder, at_millis) for ladder in ladders if ladder not in done]
        with self._registry.transaction() as db:
            db.executemany("INSERT OR REPLACE INTO frozen VALUES (?, ?, 0)", rows)
        self._frozen = {**self._frozen, **dict(rows)}

    def untold(self) -> list[str]:
        """The frozen ladders of which the news say nothing yet."""
        return sorted(self.frozen_now() - self._told)

    def note_told(self, ladders: Sequence[str]) -> None:
        """Note that the news have it."""
        with self._registry.transaction() as db:
            db.executemany("UPDATE frozen SET told = 1 WHERE ladder = ?", [(ladder,) for ladder in ladders])
        self._told |= {*ladders}

    def unfreeze(self, ladders: Sequence[str]) -> None:
        """Take a freeze back."""
        with self._registry.transaction() as db:
            db.executemany("DELETE FROM frozen WHERE ladder = ?", [(ladder,) for ladder in ladders])
        self._frozen = {ladder: at for ladder, at in self._frozen.items() if ladder not in ladders}
        self._told -= {*ladders}

    def seasons(self) -> list[ArchivedSeason]:
        """The latest first."""
        return sorted(self._seasons.values(), key=lambda season: -season.number)

    def season(self, name: str) -> ArchivedSeason:
        """One by its name."""
        found = self._seasons.get(name)
        if found is None:
            names = list_names(one.name for one in self.seasons())
            raise NotFound(f"there is no archived season {quote(name)}; there is {names}")
        return found

    @property
    def waiting(self) -> ArchivedSeason | None:
        """The season that was archived last, if the next one has not started yet."""
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
