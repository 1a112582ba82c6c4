"""Where games come from: our own, those of installed packages, and files that a user names.

A game is registered by one `GamePlugin`, which says where everything about it is. A package registers its games under
the entry point group `tortuga.games`:

    [project.entry-points."tortuga.games"]
    kuhn = "kuhn:PLUGIN"

The module that holds the plug-in must be quick to import; the game itself is imported when it is first used. A plug-in
that cannot be loaded costs one warning on stderr, and the other games nothing. Nothing is ever installed here.

TORTUGA_GAMES says which games there are besides ours, separated by commas: `builtin` leaves out those of installed
packages, and `FOLDER/MODULE:NAME` adds the plug-in NAME of a module in that folder. Processes that this one starts
inherit it, so they know the same games.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.errors import ConfigError
from referee.rules.engine import GameInfo

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "tortuga.games"
VARIABLE = "TORTUGA_GAMES"
BUILTIN_ONLY = "builtin"
MOST_SEATS = 8
MOST_DECISIONS = 32_768
"""What a record has room for: referee/records/shape.py."""
ID = re.compile(r"[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True, slots=True)
class RandomGame:
    """A game of random choices: the same number gives the same game."""

    number: int
    seats: int
    variant: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class GamePlugin:
    """A game as it is registered: what is known of it without importing it, and where the rest is."""

    info: GameInfo
    game: str
    """`module:NAME` of its Game."""
    wire: str = ""
    """`module:NAME` of its GameWire. Empty: it is sent as JSON, as every game without a proto file of ours is."""
    messages_version: int = 1
    """Number that goes up with each change of what bots are sent; for games that are sent as JSON."""
    drawing: str = ""
    """`module:NAME` of its Drawing. Empty: it is shown as its text table."""
    rules: Path | None = None
    """The rules for people, a Markdown file."""
    random_games: tuple[RandomGame, ...] = ()
    """A few games that together meet every kind of decision, for `tortuga bot check`. Empty: the first few."""
    package: str = ""
    """The package or file it comes from, filled in when it is registered; empty for our own games."""
    version: str = ""
    """The version of that package."""

    @property
    def origin(self) -> str:
        """Return package and version, for messages; empty for our own games."""
        return f"{self.package} {self.version}".strip()


class PluginTable(Mapping[str, GamePlugin]):
    """All registered games by id, ours first. Plug-ins are looked for when a game is not one of ours, or when all are
    listed."""

    def __init__(self, builtin: Sequence[GamePlugin]) -> None:
        self._builtin = {plugin.info.id: plugin for plugin in builtin}
        self._loaded: dict[str, GamePlugin | None] = {}
        """Games of others that were looked up; None: cannot be used, as the user was told."""
        self._files: set[str] = set()
        """Files that were looked at, as TORTUGA_GAMES names them."""
        self._warned: set[str] = set()

    def __getitem__(self, game_id: str) -> GamePlugin:
        plugin = self._builtin.get(game_id) or self._foreign(game_id)
        if plugin is None:
            raise KeyError(game_id)
        return plugin

    def __contains__(self, game_id: object) -> bool:
        return game_id in self._builtin or (isinstance(game_id, str) and self._foreign(game_id) is not None)

    def __iter__(self) -> Iterator[str]:
        yield from self._builtin
        yield from (name for name in self._names() if self._foreign(name) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def add_file(self, place: str) -> GamePlugin:
        """Register the game of a file: `MODULE:NAME`, or `FOLDER/MODULE:NAME`. Raises ConfigError if there is none."""
        place = _absolute(place)
        try:
            plugin = self._load_file(place)
        except _Unusable as error:
            raise ConfigError(f"the game {place} cannot be used: {error}") from None
        self._loaded[plugin.info.id] = plugin
        os.environ[VARIABLE] = ",".join(dict.fromkeys([*_settings(), place]))
        return plugin

    def drop(self, game_id: str, reason: str) -> None:
        """Leave out a game whose code turned out to be broken, with a warning."""
        self._warn(f"the game {game_id} of {self[game_id].origin}", reason)
        self._loaded[game_id] = None

    def _names(self) -> list[str]:
        """Return the ids of all games of others, sorted."""
        for place in _given_places():
            self._take_file(place)
        for point in _entry_points():
            if point.name in self._builtin:
                self._warn(f"the game {point.name} of {_package(point)}", "tortuga itself has a game of that name")
        return sorted({*self._loaded, *(point.name for point in _entry_points())} - self._builtin.keys())

    def _foreign(self, game_id: str) -> GamePlugin | None:
        if game_id not in self._loaded:
            for place in _given_places():
                self._take_file(place)
        if game_id not in self._loaded:
            points = [point for point in _entry_points() if point.name == game_id]
            if points:
                self._loaded[game_id] = self._take_entry_point(*points)
        return self._loaded.get(game_id)

    def _take_file(self, place: str) -> None:
        if place not in self._files:
            self._files.add(place)
            try:
                plugin = self._load_file(place)
                self._loaded.setdefault(plugin.info.id, plugin)
            except _Unusable as error:
                self._warn(f"the game {place} of {VARIABLE}", str(error))

    def _load_file(self, place: str) -> GamePlugin:
        self._files.add(place)
        plugin = _load_file(place)
        if plugin.info.id in self._builtin:
            raise _Unusable(f"{plugin.info.id} is a game of tortuga itself")
        return plugin

    def _take_entry_point(self, point: EntryPoint, *others: EntryPoint) -> GamePlugin | None:
        """Load the plug-in behind an entry point; None, with a warning, if that cannot be done."""
        who = f"the game {point.name} of {_package(point)} {_version(point)}"
        for other in others:
            self._warn(f"the game {other.name} of {_package(other)}", f"{_package(point)} has a game of that name")
        try:
            plugin = _checked(_get(point.load), point.name)
        except _Unusable as error:
            self._warn(who, str(error))
            return None
        return replace(plugin, package=_package(point), version=_version(point))

    def _warn(self, who: str, reason: str) -> None:
        if who not in self._warned:
            self._warned.add(who)
            print(f"tortuga: {who} is left out: {reason}", file=sys.stderr)


class _Unusable(Exception):
    """A plug-in cannot be used, and why."""


def use_builtin_games_only() -> None:
    """Leave out the games of installed packages, here and in the processes that this one starts."""
    os.environ[VARIABLE] = ",".join(dict.fromkeys([BUILTIN_ONLY, *_settings()]))


def load(place: str) -> Any:
    """Return what `module:NAME` names."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def package_of(plugin: GamePlugin) -> str:
    """Return the package whose modules hold the classes of an imported game: its module, or the package around it."""
    module = plugin.game.partition(":")[0]
    return module if hasattr(sys.modules[module], "__path__") else module.rpartition(".")[0] or module


def content_sha256(plugin: GamePlugin) -> str:
    """Return the hash of the code of a game: every file of its package, or its only file. Empty for our own games."""
    return _content_sha256(plugin.game.partition(":")[0].partition(".")[0]) if plugin.package else ""


@cache
def _content_sha256(top: str) -> str:
    from hashlib import sha256

    digest = sha256()
    spec = find_spec(top)
    assert spec is not None, f"{top} was imported before"
    if spec.submodule_search_locations:
        folder = Path(next(iter(spec.submodule_search_locations)))
        inside = [path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".pyc", ".pyo")]
        files = {path.relative_to(folder).as_posix(): path for path in inside}
    else:
        files = {Path(spec.origin or "").name: Path(spec.origin or "")}
    for name, path in sorted(files.items()):
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


@cache
def _entry_points_of(path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points  # here: it takes 50 ms, and a match of our own games needs none

    return tuple(sorted(entry_points(group=GROUP), key=lambda point: (_package(point), point.name)))


def _entry_points() -> tuple[EntryPoint, ...]:
    return () if BUILTIN_ONLY in _settings() else _entry_points_of(tuple(sys.path))


def _settings() -> list[str]:
    return [part for part in map(str.strip, os.environ.get(VARIABLE, "").split(",")) if part]


def _given_places() -> list[str]:
    return [setting for setting in _settings() if ":" in setting]


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value


def _version(point: EntryPoint) -> str:
    return point.dist.version if point.dist is not None else ""


def _absolute(place: str) -> str:
    """Return `FOLDER/MODULE:NAME` with an absolute folder; a module that is not in this folder is left as it is."""
    path, _, name = place.rpartition(":")
    module = Path(path.removesuffix(".py"))
    top = module.parent / module.name.partition(".")[0]
    if module.name and (len(module.parts) > 1 or top.with_suffix(".py").exists() or top.is_dir()):
        return f"{module.absolute()}:{name}"
    return place


def _load_file(place: str) -> GamePlugin:
    path, _, name = place.rpartition(":")
    folder, _, module = path.rpartition("/")
    if not (module and name):
        raise _Unusable("expected MODULE:NAME or FOLDER/MODULE:NAME")
    if folder and folder not in sys.path:
        sys.path.append(folder)
    held = _get(lambda: import_module(module))
    found = getattr(held, "__file__", None) or ""
    if folder and not Path(found).is_relative_to(folder):
        raise _Unusable(f"another module {module} is in its way: {found}; rename yours")
    plugin = _checked(_get(lambda: getattr(held, name)), None)
    return replace(plugin, package=module.partition(".")[0], version="")


def _get(load_plugin: Any) -> Any:
    try:
        return load_plugin()
    except Exception as error:  # a stranger's module can raise anything
        raise _Unusable(f"{type(error).__name__}: {' '.join(str(error).split())}") from None


def _checked(plugin: Any, name: str | None) -> GamePlugin:
    """Return the plug-in if it is one."""
    if not isinstance(plugin, GamePlugin):
        raise _Unusable(f"expected a GamePlugin, found {type(plugin).__name__}")
    game_id = plugin.info.id
    if not ID.fullmatch(game_id) or game_id == "foreign":  # as the wire calls all games of others
        raise _Unusable(f"its id is {game_id!r}, expected a letter, then letters, digits and _, all small, at most 40")
    if name is not None and game_id != name:
        raise _Unusable(f"its id is {game_id!r}, but it is registered as {name!r}")
    if not 2 <= plugin.info.min_seats <= plugin.info.max_seats <= MOST_SEATS:
        raise _Unusable(f"it has {plugin.info.min_seats} to {plugin.info.max_seats} seats, expected 2 to {MOST_SEATS}")
    if plugin.info.max_decisions > MOST_DECISIONS:
        raise _Unusable(f"its max_decisions is {plugin.info.max_decisions}, expected at most {MOST_DECISIONS}")
    if plugin.wire:
        raise _Unusable("it names a wire of its own; leave `wire` empty: its bots are sent JSON")
    return plugin
