"""A table with a row per registered game, whose values are imported on first use.

All our games take half a second to import, and most processes play one of them. A process that must not be
delayed later, such as an arena with running matches, looks up the values it needs when it starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

from referee.errors import ConfigError
from referee.rules.plugins import GamePlugin, PluginTable

T = TypeVar("T")


class LazyTable(Mapping[str, T], Generic[T]):
    """Prepare the table. `make` gets the value of a game from its plug-in; games without one are left out."""

    def __init__(
        self, plugins: PluginTable, make: Callable[[GamePlugin], T], has: Callable[[GamePlugin], object] = bool
    ) -> None:
        self._plugins = plugins
        self._make = make
        self._has = has
        self._values: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._values:
            plugin = self._plugins[name]
            if not self._has(plugin):
                raise KeyError(name)
            try:
                self._values[name] = self._make(plugin)
            except Exception as error:
                if not plugin.package:
                    raise
                # A stranger's module can raise anything, and the other games must not suffer from it.
                self._plugins.drop(name, f"{type(error).__name__}: {' '.join(str(error).split())}")
                raise ConfigError(f"the game {name} of {plugin.origin} cannot be loaded: {error}") from error
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._plugins and bool(self._has(self._plugins[str(name)]))  # Mapping would import the value

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._plugins if self._has(self._plugins[name]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def load_all(self) -> None:
        """Import all values now. Games of others that cannot be imported are left out, with a warning."""
        for name in list(self):
            try:
                self[name]
            except ConfigError:
                continue
