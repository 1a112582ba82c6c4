"""Parses times as people write them, with a time zone or in the arena's.

`2026-11-20T18:00`, `2026-11-20T18:00 Europe/Paris`, `2026-11-20T18:00+01:00`, `2026-11-20T17:00Z`, or from now: `+2h`.
Clocks go forward and back: a time that is skipped is refused, and a time that occurs twice needs an offset. Repeating
events are not refused on such a day: a skipped time is moved by the change, and of two equal times the first counts.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from referee.errors import ConfigError

_SPAN = re.compile(r"([+-])(\d{1,6})([smhd])")
_LENGTH = re.compile(r"(\d{1,6})([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*")
WANTED = "expected 2026-11-20T18:00, 2026-11-20T18:00 Europe/Paris, 2026-11-20T18:00+01:00, +2h, +30m or +1d"


def is_zone(name: str) -> bool:
    """Return whether this is the name of a time zone."""
    try:
        read_zone(name)
    except ConfigError:
        return False
    return True


def read_zone(name: str) -> tzinfo:
    """Return a time zone by its IANA name.

    UTC is known everywhere; the others come with the system, or the package tzdata.
    """
    if name == "UTC":
        return UTC
    try:
        if not _ZONE.fullmatch(name) or len(name) > 64:
            raise ValueError(name)
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # not there, a folder, or not readable
        raise ConfigError(f"{name[:64]!a} is not a time zone: expected an IANA name, e.g. Europe/Paris") from None


def read_time(text: str, zone: str = "UTC", now: datetime | None = None) -> int:
    """Parse a moment and return it in milliseconds since 1970. Empty: 0. A time that names no zone is in `zone`."""
    now = now or datetime.now(UTC)
    if not text:
        return 0
    span = _SPAN.fullmatch(text)
    try:
        if span:
            sign, count, unit = span.groups()
            moment = now + timedelta(**{_UNITS[unit]: int(f"{sign}{count}")})
        else:
            moment = _read_clock(text, zone)
        return int(moment.timestamp() * 1000)
    except (ValueError, OverflowError):
        raise ConfigError(f"{text!a} is not a time: {WANTED}") from None


def zone_of(text: str, zone: str) -> str:
    """Return the time zone that a time names, or the given one."""
    named = text.partition(" ")[2].strip()
    return named if named and not _SPAN.fullmatch(text) else zone


def read_length(text: str) -> int:
    """Parse a duration such as `2h` or `15m` and return its seconds. Empty: 0."""
    match = _LENGTH.fullmatch(text)
    if text and match is None:
        raise ConfigError(f"{text!a} is not a duration: expected 2h, 15m or 1d")
    return int(timedelta(**{_UNITS[match[2]]: int(match[1])}).total_seconds()) if match else 0


def _read_clock(text: str, zone: str) -> datetime:
    clock, _, named = text.partition(" ")
    plain = datetime.fromisoformat(clock)
    if plain.tzinfo is not None:
        if named:
            raise ConfigError(f"{text!a} has an offset and a zone: leave one of them out")
        return plain
    name = named.strip() or zone
    return unambiguous_time(plain, read_zone(name), name)


def unambiguous_time(plain: datetime, zone: tzinfo, name: str) -> datetime:
    """Return a time in a zone. Refuse it if it does not exist there or exists twice."""
    first, second = plain.replace(tzinfo=zone, fold=0), plain.replace(tzinfo=zone, fold=1)
    before, after = first.utcoffset(), second.utcoffset()
    if before == after:
        return first
    shown = plain.isoformat(timespec="minutes")
    if _exists(first):
        choices = " or ".join(moment.isoformat(timespec="minutes") for moment in (first, second))
        raise ConfigError(f"{shown} occurs twice in {name}, when clocks go back: pass {choices}")
    later = first.astimezone(UTC).astimezone(zone)
    raise ConfigError(
        f"{shown} does not exist in {name}: clocks go forward then. Did you mean "
        f"{later.replace(tzinfo=None).isoformat(timespec='minutes')}?"
    )


def nearest_time(plain: datetime, zone: tzinfo) -> datetime:
    """Return a time in a zone, for an event that repeats, as UTC.

    A skipped time is moved by the change of the clocks; of two equal times the first counts.
    """
    return plain.replace(tzinfo=zone, fold=0).astimezone(UTC)


def _exists(moment: datetime) -> bool:
    return moment.astimezone(UTC).astimezone(moment.tzinfo).replace(tzinfo=None) == moment.replace(tzinfo=None)


def show_time(millis: int, zone: str = "UTC", form: str = "") -> str:
    """Format a time as `2026-11-20 18:00 Europe/Paris`, or in another form.

    Adds the offset where a clock shows that time twice.
    """
    try:
        info = read_zone(zone)
        moment = datetime.fromtimestamp(millis / 1000, UTC).astimezone(info)
    except (ConfigError, OverflowError, ValueError, OSError):
        return str(millis)
    local = moment.replace(tzinfo=None)
    twice = local.replace(tzinfo=info, fold=0).utcoffset() != local.replace(tzinfo=info, fold=1).utcoffset()
    offset = moment.strftime("%z") if twice else ""
    seconds = "seconds" if moment.second else "minutes"
    shown = local.strftime(form).lstrip("0") if form else local.isoformat(sep=" ", timespec=seconds)
    return f"{shown}{offset} {zone}"
