"""A table whose values are imported from their modules on first use.

All four games take half a second to import, and most processes play one of them. A process that must not be
delayed later, such as an arena with running matches, looks up the values it needs when it starts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar

T = TypeVar("T")


class LazyTable(Mapping[str, T], Generic[T]):
    """Prepare the table. For each name, `places` holds `module:attribute`."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places
        self._values: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._values:
            module, _, attribute = self._places[name].partition(":")
            self._values[name] = getattr(import_module(module), attribute)
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._places  # Mapping would import the value

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
