"""Files of settings: one table gives every key with its type and meaning. Files are checked against it when read, and
get their comments from it when written.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from referee.errors import ConfigError
from referee.text import did_you_mean

_ADDRESS = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+(%\w+)?\]):(?P<port>[0-9]{1,5})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a file."""

    kinds: tuple[type, ...]
    wanted: str
    meaning: str
    holds: Callable[[Any], bool] = lambda value: True


def between(low: float, high: float) -> Callable[[Any], bool]:
    """Make a check that a number lies within bounds."""
    return lambda value: low <= value <= high


def one_of(choices: tuple[str, ...]) -> Callable[[Any], bool]:
    """Make a check that a text is one of these words."""
    return lambda value: value in choices


def readable(read: Callable[[str], object]) -> Callable[[Any], bool]:
    """Make a check that this function can read the value."""

    def holds(value: Any) -> bool:
        try:
            read(value)
        except ConfigError:
            return False
        return True

    return holds


def is_cluster(value: str) -> bool:
    """Check that a text is the address of a cluster, or empty."""
    return not value or (value.startswith("tls://") and is_address(value.removeprefix("tls://")))


def is_address(value: str) -> bool:
    """Check that a text is HOST:PORT, with brackets around an IPv6 address. Stricter than gRPC, which accepts
    `127.0.0.1:99999`."""
    parts = _ADDRESS.fullmatch(value)
    return parts is not None and int(parts["port"]) < 65_536


def check(table: Mapping[str, Any], keys: Mapping[str, Key], needed: tuple[str, ...]) -> list[str]:
    """List everything that is wrong with one table, in words."""
    problems = unknown_keys(table, keys)
    problems += [f"{name!r} is missing" for name in needed if name not in table]
    for name in table.keys() & keys.keys():
        key, value = keys[name], table[name]
        if type(value) not in key.kinds or not key.holds(value):
            problems.append(f"{name!r} is {json.dumps(value, default=str)}, expected {key.wanted}")
    return problems


def unknown_keys(table: Iterable[str], known: Collection[str]) -> list[str]:
    """List the keys of a table that mean nothing, in words."""
    return [
        f"{name!r} is not known{did_you_mean(name, known)}; known are {', '.join(known)}"
        for name in table
        if name not in known
    ]


def parse_toml(raw: bytes) -> dict[str, Any]:
    """Parse the content of a file. ValueError: it is not TOML, or not in UTF-8."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line} is not in UTF-8: save the file as UTF-8") from None
    return tomllib.loads(text)


def commented(keys: Mapping[str, Key], values: Mapping[str, Any]) -> list[str]:
    """Return the lines of a file with all keys, each below a comment with its meaning and its possible values."""
    lines = []
    for name, key in keys.items():
        choices = f" ({key.wanted})" if key.wanted != "true | false" else ""
        lines += ["", f"# {key.meaning}{choices}", f"{name} = {toml(values[name])}"]
    return lines


def toml(value: Any) -> str:
    """Write a plain value in TOML. JSON's strings, numbers and booleans are valid TOML, except for one character."""
    if isinstance(value, Mapping):
        pairs = [
            f"{name if re.fullmatch(r'[A-Za-z0-9_-]+', name) else json.dumps(name)} = {toml(item)}"
            for name, item in value.items()
        ]
        return f"{{ {', '.join(pairs)} }}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
