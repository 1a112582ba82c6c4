"""Resource limits of a bot process and everything it starts: what a bot asks for, and what it is granted.

`bot.toml` asks and the organiser caps, both by a table `[limits]` with the same keys. The network is no key: a hosted
bot never gets it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from referee.errors import ConfigError
from referee.text import did_you_mean

IDLE_CPU_SECONDS = 1.0
"""Processor time that a bot may use while no question to it is open."""

_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_SIZE = re.compile(r"([1-9][0-9]{0,6}) (KiB|MiB|GiB)", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class ResourceLimits:
    """Limits of one bot process with everything it starts. A bot that asks for nothing gets the defaults."""

    memory_bytes: int = 1 << 30
    tasks: int = 256
    """Processes and threads."""
    open_files: int = 1024
    """Per process."""
    file_bytes: int = 64 << 20
    """The size of one file."""
    scratch_bytes: int = 64 << 20
    """The size of its scratch folder, of its /tmp and of its /dev/shm, each."""
    cpu_cores: float = 1.0
    """Processor time per second from its Hello on. Counted by cgroups only."""


@dataclass(frozen=True, slots=True)
class LimitKey:
    """One key of a table `[limits]`."""

    field: str
    """The field of ResourceLimits."""
    name: str
    """The name in messages."""
    low: float
    high: float

    @property
    def is_size(self) -> bool:
        """Check that it is a size, such as "512 MiB", and not a number."""
        return self.field.endswith("_bytes")

    def describe(self, value: float) -> str:
        """Write a value as in the table."""
        return name_size(int(value)) if self.is_size else f"{value:g}" if isinstance(value, float) else str(value)

    @property
    def wanted(self) -> str:
        """Describe the values it may have, in words."""
        span = f"from {self.describe(self.low)} to {self.describe(self.high)}"
        if self.is_size:
            return f'a size such as "512 MiB" (KiB, MiB or GiB), {span}'
        return f"a number {span}" if self.field == "cpu_cores" else f"a whole number {span}"


KEYS = {
    "memory": LimitKey("memory_bytes", "memory", 16 << 20, 1 << 40),
    "tasks": LimitKey("tasks", "tasks", 4, 32_768),
    "open_files": LimitKey("open_files", "open files", 16, 1 << 20),
    "file_size": LimitKey("file_bytes", "file size", 1 << 10, 1 << 40),
    "scratch": LimitKey("scratch_bytes", "scratch space", 1 << 10, 1 << 40),
    "cpu": LimitKey("cpu_cores", "processor cores", 0.1, 1024.0),
}

Asked = tuple[tuple[str, Any], ...]
"""Fields of ResourceLimits and the values wanted for them."""


def read_limits(table: Any) -> Asked:
    """Read a table `[limits]`. Reports every problem in it at once."""
    if not isinstance(table, Mapping):
        raise ConfigError("'limits' must be a table: [limits]")
    problems, asked = [], []
    for name, value in table.items():
        if name == "network":
            problems.append("[limits] 'network': bots that we start never have network access")
        elif name not in KEYS:
            problems.append(f"[limits] {name!r} is not known{did_you_mean(name, KEYS)}; known are {', '.join(KEYS)}")
        elif (number := _read_value(KEYS[name], value)) is None:
            written = json.dumps(value, default=str)
            problems.append(f"[limits] {name!r} is {written}, expected {KEYS[name].wanted}")
        else:
            asked.append((KEYS[name].field, number))
    if problems:
        raise ConfigError("; ".join(problems))
    return tuple(asked)


def _read_value(key: LimitKey, value: Any) -> float | None:
    number: float
    if key.is_size:
        size = _SIZE.fullmatch(value) if isinstance(value, str) else None
        if size is None:
            return None
        number = int(size[1]) * _UNITS[size[2]]
    elif type(value) is int or (type(value) is float and key.field == "cpu_cores"):
        number = float(value) if key.field == "cpu_cores" else value
    else:
        return None
    return number if key.low <= number <= key.high else None


def grant(asked: Asked, caps: ResourceLimits | None = None, *, bot: str = "", capped_by: str = "") -> ResourceLimits:
    """Return the limits a bot gets: those it asked for, else the default or the cap if that is less. ConfigError if
    it asks for more than the cap."""
    limits = replace(ResourceLimits(), **dict(asked))
    if caps is None:
        return limits
    wanted, granted, problems = dict(asked), {}, []
    for name, key in KEYS.items():
        value, cap = getattr(limits, key.field), getattr(caps, key.field)
        granted[key.field] = min(value, cap)
        if key.field in wanted and value > cap:
            problems.append(f"{key.describe(value)} as its limit of {name}, but at most {key.describe(cap)} is allowed")
    if problems:
        raise ConfigError(
            f"the bot {bot} asks for {'; and for '.join(problems)}: let its bot.toml ask for less, or raise [limits] "
            f"in {capped_by}"
        )
    return ResourceLimits(**granted)


def read_caps(table: Any) -> ResourceLimits:
    """Read an organiser's table `[limits]`: the most that a bot gets. A limit that the table leaves out is capped at
    its default."""
    return grant(read_limits(table))


def write_limits(limits: ResourceLimits) -> dict[str, str | float]:
    """Write the limits as a table `[limits]`."""
    table: dict[str, str | float] = {}
    for name, key in KEYS.items():
        value = getattr(limits, key.field)
        table[name] = name_size(value) if key.is_size else value
    return table


def caps_for(asked: Iterable[Asked]) -> ResourceLimits:
    """Return caps under which all of these bots get what they ask for: in an event of one's own bots."""
    granted = [ResourceLimits(), *map(grant, asked)]
    return ResourceLimits(**{key.field: max(getattr(limits, key.field) for limits in granted) for key in KEYS.values()})


def name_size(size: int) -> str:
    """Write a size in the largest unit that leaves no rest: 512 MiB."""
    for unit, factor in reversed(_UNITS.items()):
        if size and size % factor == 0:
            return f"{size // factor} {unit}"
    return f"{size} bytes"


IDLE = "idle"
OUTPUT = "output"

_NAMES = {
    **{key: row.name for key, row in KEYS.items()},
    "tasks": "tasks (processes and threads)",
    IDLE: "processor time while no question is open",
}

_SYMPTOMS = {
    "open_files": r"too many open files|EMFILE",
    "file_size": r"file too large|EFBIG",
    "scratch": r"no space left|ENOSPC",
    "tasks": r"resource temporarily unavailable|EAGAIN|new thread|native thread|cannot fork|can't fork",
    "memory": r"memory|alloc",
}
"""Patterns of what programs print after an error that a limit leads to, the plainest first."""

_OFFLINE = (
    r"name resolution|getaddrinfo|name or service not known|EAI_AGAIN|ENOTFOUND|UnknownHost|no such host|lookup address"
    r"|network is unreachable|ENETUNREACH|address family not supported|EAFNOSUPPORT"
)
"""What programs print after an error that comes from having no network."""


def describe_crossing(limit: str, used: float, allowed: float) -> str:
    """Describe what a bot did when it crossed a limit, worded to follow its name."""
    if limit == OUTPUT:
        return f"printed more than {name_size(int(allowed))}"
    return f"crossed its limit of {_NAMES[limit]}: {_amount(limit, used)} used, {_amount(limit, allowed)} allowed"


def describe_large_file(limits: ResourceLimits) -> str:
    """Describe what a bot did when the kernel ended it by SIGXFSZ."""
    return f"crossed its limit of {_NAMES['file_size']}: it wrote to a file beyond {name_size(limits.file_bytes)}"


def limit_in_question(last_words: str, limits: ResourceLimits) -> str:
    """Return the limit that a crash may come from, by what the bot printed last, worded to follow how it ended;
    empty if nothing points to one. The kernel tells a bot that it gets no more, but not us."""
    for key, symptoms in _SYMPTOMS.items():
        if re.search(symptoms, last_words, flags=re.IGNORECASE):
            row = KEYS[key]
            return f"; its {row.name} {'were' if row.name.endswith('s') else 'was'} limited to " + row.describe(
                getattr(limits, row.field)
            )
    return ""


def network_in_question(last_words: str) -> str:
    """Return what a bot without network is told if its crash may come from that, worded to follow how it ended; empty
    if nothing points to it."""
    if not re.search(_OFFLINE, last_words, flags=re.IGNORECASE):
        return ""
    return "; a confined bot has no network: play it by `tortuga bot connect`, or with --jail none"


def _amount(limit: str, value: float) -> str:
    if limit == IDLE:
        return f"{value:.2g} s"
    if KEYS[limit].is_size:
        return f"{value / (1 << 20):.0f} MiB" if value >= 1 << 20 else name_size(int(value))
    return f"{value:g}"
