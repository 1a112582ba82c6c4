"""The rooms of the code, the arrows allowed between them, and the imports as they really are.

A room is a folder of Python files with its subfolders, but for the folders of the arena, which are rooms of their own;
`server/arena/serve.py`, which puts the arena together, is another. The files directly in `referee/` and in `server/`
are the rooms "referee" and "server"; `server/__main__.py`, which only calls the command line, counts as `server.cli`.
All of `sample_bots/` is one room, but for the modules of the SDK that bring the rules to a bot: they are the room
`sample_bots.rules`.

Every import counts, wherever it stands: at the top, inside a function, or under TYPE_CHECKING.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

GAMES = {f"referee.games.{game}" for game in ("pavillon_noir", "broadsides", "pirates_cove", "marauders")}
REFEREE = {
    *("referee", "referee.rules", "referee.match", "referee.games", "referee.wire", "referee.draw"),
    *("referee.records", "referee.door"),
}

SYSTEM = {"server", "server.system", *REFEREE}
EVENTS = {
    *("server.standings", "server.tournament", "server.play", "server.hosting", "server.schedule", "server.ratings"),
    *("server.bots", "server.jail", *SYSTEM),
}
ARENA_ROOMS = ("people", "ladders", "events", "submissions", "reading", "operations", "api")
ARENA = {"server.arena", *(f"server.arena.{name}" for name in ARENA_ROOMS)}

ARROWS: dict[str, set[str]] = {
    # one match, played fairly
    "referee": set(),
    "referee.rules": {"referee"},
    **{game: {"referee", "referee.rules"} for game in sorted(GAMES)},
    "referee.games": {"referee.rules"},  # it imports the games by name, when they are asked for
    "referee.match": {"referee", "referee.rules"},
    "referee.wire": {"referee", "referee.rules", "referee.match", "referee.games", *GAMES},
    "referee.draw": {"referee", "referee.rules", *GAMES},  # static data of the games; pictures are made of Positions
    "referee.records": {"referee", "referee.rules", "referee.match", "referee.games", "referee.wire"},
    "referee.door": {"referee", "referee.rules", "referee.match", "referee.games", "referee.wire", "referee.records"},
    # many matches, and the outside world
    "server": set(),
    "server.system": {"referee", "referee.rules", "referee.records"},
    "server.jail": {"server.system", "referee"},
    "server.bots": {"server.jail", *SYSTEM},
    "server.schedule": {"referee", "referee.rules"},
    "server.ratings": set(),
    "server.hosting": {"server.bots", "server.jail", *SYSTEM},
    "server.play": {"server.hosting", "server.ratings", "server.bots", "server.jail", *SYSTEM},
    "server.tuning": {"server.play", "server.hosting", "server.ratings", "server.bots", "server.jail", *SYSTEM},
    "server.conformance": {"server.hosting", "server.bots", "server.jail", *SYSTEM},
    "server.viewer": {"server.play", *SYSTEM},  # a match as a document, and the code that shows it
    "server.games": REFEREE,  # for authors of games of other packages
    "server.people": {"server.play", "server.hosting", "server.bots", "server.jail", *SYSTEM},  # people and models
    "server.notebook": {"server.viewer", "server.play", "server.bots", *REFEREE},  # a match for Python code
    "server.tournament": {
        *("server.play", "server.hosting", "server.schedule", "server.ratings", "server.bots", "server.jail"),
        *SYSTEM,
    },
    "server.standings": {
        *("server.tournament", "server.play", "server.hosting", "server.schedule", "server.ratings"),
        *("server.bots", "server.viewer"),  # the look of the report
        *SYSTEM,
    },
    "server.cluster": {
        *("server.tournament", "server.play", "server.hosting", "server.bots", "server.jail"),
        *SYSTEM,
    },
    # the arena, from its base to serve.py, which puts all of it together
    "server.arena": EVENTS,
    "server.arena.people": {"server.arena", *EVENTS},
    "server.arena.ladders": {"server.arena", "server.arena.people", "server.conformance", *EVENTS},
    "server.arena.events": {"server.arena", "server.arena.ladders", *EVENTS},
    "server.arena.submissions": {
        *("server.arena", "server.arena.people", "server.arena.ladders", "server.arena.events"),
        *("server.conformance", *EVENTS),
    },
    "server.arena.reading": {"server.arena", "server.arena.people", "server.arena.ladders", *EVENTS},
    "server.arena.operations": {*ARENA - {"server.arena.operations", "server.arena.api"}, *EVENTS},
    "server.arena.api": {*ARENA - {"server.arena.api"}, *EVENTS},
    "server.arena.serve": {*ARENA, *EVENTS},
    "server.web": {*ARENA, "server.viewer", *EVENTS},
    "server.doctor": {*ARENA, *EVENTS},
    "server.cli": {
        *(*ARENA, "server.arena.serve", "server.conformance", "server.doctor", "server.viewer", "server.web"),
        "server.people",
        *("server.tuning", "server.cluster", "server.games", *EVENTS),
    },
    "bench": {*ARENA, "server.cli", *EVENTS},
    # a bot knows the protocol and nothing else of ours, unless it asks for the rules
    "sample_bots": {"sample_bots.rules"},
    "sample_bots.rules": {"referee", "referee.rules", "referee.match", "referee.games", "referee.wire"},
}
"""For each room the rooms it may import from, besides itself."""

TEMPLATE = ROOT / "server" / "games" / "template"
"""A package for others to begin with: no code of ours imports it."""

BRING_RULES = {
    f"sample_bots.python.sdk.tortuga_bot.{module}" for module in ("forward_model", "model_server", "training_table")
}
"""What stands behind `tortuga_bot.model(…)` (also for other languages) and `tortuga_bot.env(…)`. The rest of the SDK
imports it inside functions only."""


@cache
def modules(root: Path = ROOT) -> dict[str, Path]:
    """Every module of `referee/`, `server/`, `bench/` and `sample_bots/` with its file."""
    found = {}
    for top in ("referee", "server", "bench", "sample_bots"):
        for path in sorted((root / top).rglob("*.py")):
            if TEMPLATE in path.parents:
                continue
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def room_of(module: str, root: Path = ROOT) -> str:
    """The room a module belongs to."""
    if module == "server.__main__":
        return "server.cli"
    parts = modules(root)[module].relative_to(root).parent.parts
    if parts[0] == "sample_bots":
        return "sample_bots.rules" if module in BRING_RULES else "sample_bots"
    if module == "server.arena.serve":
        return module
    if parts[0] == "bench":
        return "bench"
    return ".".join(parts[: 3 if parts[:2] in (("referee", "games"), ("server", "arena")) else 2])


def imported_names(path: Path, package: str = "") -> set[str]:
    """All dotted names a file imports; `package` is what its relative imports are relative to."""
    found = set()
    for level, name in _import_statements(path):
        parents = package.split(".")
        found.add(".".join([*parents[: len(parents) - level + 1], name]) if level else name)
    return found


@cache
def _import_statements(path: Path) -> list[tuple[int, str]]:
    """Each imported name with the number of dots before it."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = f"{node.module}." if node.module else ""
            found += [(node.level, f"{base}{alias.name}") for alias in node.names]
    return found


@cache
def imports(root: Path = ROOT) -> dict[str, set[str]]:
    """For each module the modules of ours that it imports."""
    known = modules(root)
    graph = {}
    for module, path in known.items():
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        targets = {_module_in(known, name) for name in imported_names(path, package)}
        graph[module] = targets - {"", module}
    return graph


def _module_in(known: Iterable[str], name: str) -> str:
    """The module that a dotted name is or is a member of; empty if it is none of ours."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name


def room_imports(root: Path = ROOT) -> dict[str, set[str]]:
    """For each room the other rooms it really imports from."""
    graph: dict[str, set[str]] = {}
    for module, targets in imports(root).items():
        room = room_of(module, root)
        graph.setdefault(room, set()).update({room_of(target, root) for target in targets} - {room})
    return graph


def knots(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Groups of nodes that reach each other: the strongly connected components of more than one node."""
    reached = {node: _reachable(graph, node) for node in graph}
    groups = {frozenset(other for other in reached[node] if node in reached.get(other, ())) for node in graph}
    return sorted(sorted(group) for group in groups if len(group) > 1)


def _reachable(graph: Mapping[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    left = [start]
    while left:
        new = graph.get(left.pop(), set()) - seen
        seen |= new
        left += new
    return seen
