"""Points in time as users write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from referee.errors import ConfigError

_SPAN = re.compile(r"([+-])(\d{1,6})([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def read_time(text: str, now: datetime | None = None) -> int:
    """`2026-11-20T18:00` (local time, unless it names a zone), or `+2h`, `-30m` from now; in milliseconds. Empty: 0."""
    now = now or datetime.now(UTC)
    if not text:
        return 0
    span = _SPAN.fullmatch(text)
    try:
        if span:
            sign, count, unit = span.groups()
            moment = now + timedelta(**{_UNITS[unit]: int(f"{sign}{count}")})
        else:
            moment = datetime.fromisoformat(text).astimezone()
        return int(moment.timestamp() * 1000)
    except (ValueError, OverflowError):
        raise ConfigError(f"{text!a} is no time: expected 2026-11-20T18:00, +2h, +30m or +1d") from None
