"""Repeating events: "every day at 18:00", "every monday, friday at 18:00 Europe/Paris".

Each repeat is a separate event, called NAME-2026-11-20 after its date in its zone, with its own luck. The
calendar always has the next one; when its time has come, the one after it is announced. Bots that entered one are
entered for the next. A repeat whose time was missed because the server was down starts late only within the series'
window; after that it is cancelled, and that is said.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import tomllib
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from referee.errors import ConfigError
from server.arena.caller_input import check_name, quote
from server.arena.errors import AlreadyExists, NotFound
from server.arena.registry import Registry
from server.arena.zones import nearest_time, read_zone
from server.tournament.manifest import make_manifest, write_text

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
LATE_SECONDS = 1800
LONGEST_NAME = 64 - len("-2026-11-20")
WANTED = 'expected "every day at 18:00" or "every monday, friday at 18:00", with a zone after it if you like'
_EVERY = re.compile(r"every ([a-z, ]+?) at (\d{1,2}:\d{2})(?: (\S+))?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """When an event repeats."""

    days: tuple[int, ...]
    """Days of the week, Monday is 0."""
    at: time
    zone: str

    def __str__(self) -> str:
        days = "day" if len(self.days) == len(DAYS) else ", ".join(DAYS[day] for day in self.days)
        return f"every {days} at {self.at:%H:%M} {self.zone}"

    def after(self, millis: int) -> Iterator[tuple[date, int]]:
        """Yield the starts after a moment: their dates, and when that is."""
        zone = read_zone(self.zone)
        day = datetime.fromtimestamp(millis / 1000, UTC).astimezone(zone).date() - timedelta(days=1)
        while True:
            day += timedelta(days=1)
            if day.weekday() in self.days:
                start = int(nearest_time(datetime.combine(day, self.at), zone).timestamp() * 1000)
                if start > millis:
                    yield day, start


def read_rule(text: str, zone: str) -> Rule:
    """Read from words when an event repeats. Without a zone of its own it is in `zone`."""
    parts = _EVERY.fullmatch(" ".join(text.lower().split()[:-1] + text.split()[-1:]) if text.split() else "")
    if parts is None:
        raise ConfigError(f"{quote(text)} is not a repeat time: {WANTED}")
    names = [name.strip() for name in parts[1].replace(" and ", ",").split(",")]
    try:
        days = range(7) if names == ["day"] else sorted({DAYS.index(name) for name in names})
        at = time.fromisoformat(parts[2].zfill(5))
    except ValueError:
        raise ConfigError(f"{quote(text)} is not a repeat time: {WANTED}") from None
    read_zone(parts[3] or zone)
    return Rule(days=tuple(days), at=at, zone=parts[3] or zone)


@dataclass(frozen=True, kw_only=True, slots=True)
class Series:
    """An event that repeats. Its fields are the columns of its table."""

    name: str
    manifest: str
    every: str
    zone: str
    opens_before_millis: int = 0
    """How long before each start registration opens. 0: as soon as it is announced."""
    check_in_before_millis: int = 0
    late_millis: int = 1000 * LATE_SECONDS
    done_millis: int = 0
    """Repeats that start until then are on the calendar, or were missed."""
    ended: bool = False

    @property
    def rule(self) -> Rule:
        """Return when it repeats."""
        return read_rule(self.every, self.zone)

    def event_name(self, day: date) -> str:
        """Return the name of one repeat."""
        return f"{self.name}-{day.isoformat()}"

    def times(self, start: int) -> tuple[int, int, int]:
        """Return registration, check-in and start of one repeat."""
        opens = start - self.opens_before_millis if self.opens_before_millis else 0
        check_in = start - self.check_in_before_millis if self.check_in_before_millis else 0
        return opens, check_in, start

    def manifest_of(self, event: str) -> str:
        """Return the manifest of one repeat: its seed follows from the series' secret one, which no repeat tells."""
        manifest = make_manifest(tomllib.loads(self.manifest))
        seed = hmac.new(manifest.seed.encode(), event.encode(), hashlib.sha256).hexdigest()
        return write_text(replace(manifest, name=event, seed=seed))


class SeriesBook:
    """All events that repeat, and the zones of events: tables of the registry. May be called from any thread."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._series = {row["name"]: Series(**row) for row in registry.rows("series")}
        self._zones: dict[str, tuple[str, str]] = {
            row["event"]: (row["zone"], row["series"]) for row in registry.rows("event_zone")
        }

    def all(self) -> list[Series]:
        """Return the active series, by name."""
        return [series for _, series in sorted(self._series.items()) if not series.ended]

    def find(self, name: str) -> Series | None:
        """Return an active series."""
        series = self._series.get(name)
        return None if series is None or series.ended else series

    def get(self, name: str) -> Series:
        """Return an active series; raises NotFound."""
        series = self.find(name)
        if series is None:
            raise NotFound(f"there is no repeating event {quote(name)}")
        return series

    def add(self, series: Series) -> None:
        """Add one."""
        check_name(series.name, "event")
        if len(series.name) > LONGEST_NAME:
            raise ConfigError(f"a repeating event's name has at most {LONGEST_NAME} characters: a date follows it")
        taken = [name for name in self._series if name.lower() == series.name.lower()]
        taken += [one.name for one in self._registry.events() if one.name.lower().startswith(f"{series.name.lower()}-")]
        if taken:
            raise AlreadyExists(f"the name {series.name} is taken by {taken[0]}; choose another")
        self.put(series)

    def put(self, series: Series) -> None:
        """Write one."""
        with self._registry.transaction() as db:
            db.execute(f"INSERT OR REPLACE INTO series VALUES ({', '.join('?' * len(_SERIES))})", astuple(series))
        self._series[series.name] = series

    def zone(self, event: str) -> str:
        """Return the zone that an event's times were given in. Empty: none was given."""
        return self._zones.get(event, ("", ""))[0]

    def series_of(self, event: str) -> str:
        """Return the series that an event is one of. Empty: none."""
        return self._zones.get(event, ("", ""))[1]

    def late_millis(self, event: str) -> int | None:
        """Return how late an event may start. None: at any time, because it does not repeat."""
        series = self._series.get(self.series_of(event))
        return None if series is None else series.late_millis

    def note_zone(self, event: str, zone: str, series: str = "") -> None:
        """Note the zone of an event, and its series."""
        with self._registry.transaction() as db:
            db.execute("INSERT OR REPLACE INTO event_zone VALUES (?, ?, ?)", (event, zone, series))
        self._zones[event] = zone, series


_SERIES: tuple[str, ...] = tuple(Series.__dataclass_fields__)


def missed_days(rule: Rule, since: int, until: int, most: int = 10) -> tuple[list[date], int]:
    """Return the repeats that were to start in that time: the first of them, and how many there are in all."""
    days: list[Any] = []
    count = 0
    for day, start in rule.after(since):
        if start > until:
            return days, count
        count += 1
        if len(days) < most:
            days.append(day)
    return days, count
