"""`tournament.toml`: what the organiser of an event wants, as frozen values.

Every key is listed in one table below, with its kind and its meaning: the reader checks against it, and the manifest
that `tortuga tournament new` writes takes its comments from it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from referee.errors import ConfigError
from referee.games import find_game
from referee.match.clock import TimeControl
from referee.match.notes import AUDIENCES, EVERYBODY
from referee.rules.engine import AnyGame
from referee.rules.infos import BUILTIN, find_info
from server import schedule
from server.bots.spec import NAME, BotSpec, find_bot, is_short_line, read_faults
from server.jail.level import JailLevel
from server.jail.limits import ResourceLimits, read_caps, write_limits
from server.system.setting_files import Key, between, check, commented, is_cluster, one_of, parse_toml, readable, toml

FILE = "tournament.toml"
FORMATS = tuple(schedule.FORMATS)
RESTARTS = ("never", "match")


@dataclass(frozen=True, kw_only=True, slots=True)
class Contest:
    """One game with one number of seats: one ladder."""

    game: str
    seats: int
    variant: Mapping[str, str]

    @property
    def id(self) -> str:
        """Return its name in standings, keys and file names."""
        return f"{self.game}-{self.seats}"

    @property
    def rules(self) -> AnyGame:
        """Return the game itself."""
        return find_game(self.game)


@dataclass(frozen=True, kw_only=True, slots=True)
class ManifestBot:
    """A bot as the manifest names it."""

    spec: str
    name: str = ""
    """Its name in this event. Empty: the name in its bot.toml."""
    hero: bool = False
    """Whether it is, in a gauntlet, one of the bots that all challengers meet."""
    team: str = ""
    """On a ladder, bots of one team are kept apart."""
    version: str = ""
    """Its version in this event. Empty: the version in its bot.toml."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ManifestAnchor:
    """A bot whose rating is known, as the organiser pinned it. Empty fields are not compared."""

    bot: str
    rating: float
    game: str = ""
    version: str = ""
    sha256: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Manifest:
    """An event as the organiser wants it."""

    name: str
    seed: str
    contests: tuple[Contest, ...]
    bots: tuple[ManifestBot, ...]
    format: str = "round-robin"
    rounds: int = 10
    mirrored: bool = True
    third_place: bool = True
    max_legs: int = 5
    clock: str = "60+0.1/1"
    start_seconds: float = 10.0
    faults: str = "strict"
    restart: str = "never"
    quarantine: float = 0.25
    excuses: int = 5
    anchor: str = "random"
    rate_faults: bool = True
    anchors: tuple[ManifestAnchor, ...] = ()
    watchable: bool = False
    plugin_games: bool = True
    notes: str = EVERYBODY
    jail: str = JailLevel.NONE.value
    concurrency: int = 0
    pin: bool = False
    cluster: str = ""
    cluster_replayed: float = 1.0
    cluster_repeated: float = 0.01
    limits: Mapping[str, str | float] = field(default_factory=lambda: write_limits(ResourceLimits()))

    @property
    def caps(self) -> ResourceLimits:
        """Return the most that one process of a bot may use."""
        return read_caps(self.limits)

    @property
    def time_control(self) -> TimeControl:
        """Return the clock of every seat."""
        return replace(TimeControl.read(self.clock), start_seconds=float(self.start_seconds))

    @property
    def faults_allowed(self) -> int:
        """Return how many faults of a bot are forgiven. 0: strict."""
        return read_faults(self.faults)


KEYS: dict[str, Key] = {
    "name": Key((str,), "1 to 80 characters", "name of the event", lambda value: 1 <= len(value) <= 80),
    "seed": Key((str,), "a text", "determines all luck; keep it secret until the event is over", bool),
    "format": Key((str,), " | ".join(FORMATS), "who meets whom", one_of(FORMATS)),
    "rounds": Key(
        (int,),
        "0 to 1000000",
        "how often each pair of bots meets; rounds of a swiss, waves of a ladder (0: until stopped)",
        between(0, 1_000_000),
    ),
    "mirrored": Key(
        (bool,), "true | false", "same luck in every rotation of the seats: fewer matches for the same certainty"
    ),
    "third_place": Key((bool,), "true | false", "knockout: play for third place"),
    "max_legs": Key((int,), "1 to 1000", "knockout: blocks per tie before the better seed advances", between(1, 1000)),
    "clock": Key(
        (str,),
        "BANK+INCREMENT/CAP in seconds, e.g. 60+0.1/1, or standard, slow or person",
        "time per seat",
        readable(TimeControl.read),
    ),
    "start_seconds": Key((int, float), "0.1 to 3600", "time to start and to get ready for a match", between(0.1, 3600)),
    "faults": Key(
        (str,),
        "strict or lenient:N",
        "a bot is out at its first fault, or after N forgiven ones",
        readable(read_faults),
    ),
    "restart": Key(
        (str,),
        " | ".join(RESTARTS),
        "never: a bot process plays many matches; match: every match gets new processes",
        one_of(RESTARTS),
    ),
    "quarantine": Key(
        (int, float),
        "0 to 1",
        "a bot that fails in more than this share of its matches (after 20 or more) stops playing; 1: never",
        between(0, 1),
    ),
    "excuses": Key(
        (int,),
        "0 to 1000000",
        "how often a bot's late answers are excused, unless an opponent was held up as well; further ones are faults",
        between(0, 1_000_000),
    ),
    "anchor": Key(
        (str,), "a bot's name", "the bot whose rating is 1000, if it takes part; unless there are [[anchors]]"
    ),
    "rate_faults": Key(
        (bool,),
        "true | false",
        "a match that a bot lost by a fault counts in the ratings; false: it is left out, for all its bots",
    ),
    "watchable": Key(
        (bool,),
        "true | false",
        "in an arena: hosted bots too play where spectators can watch; the event is then not mirrored",
    ),
    "plugin_games": Key((bool,), "true | false", "allow games of other packages; false: only tortuga's own"),
    "notes": Key(
        (str,),
        " | ".join(AUDIENCES),
        "who may read bots' notes after a match; owner: the bot's owner, in an arena; nobody: notes are not kept",
        one_of(AUDIENCES),
    ),
    "jail": Key(
        (str,),
        " | ".join(JailLevel),
        "the least confinement allowed; the best available level is used",
        one_of(tuple(JailLevel)),
    ),
    "concurrency": Key((int,), "0 to 1024", "matches at once; 0: chosen by measurement", between(0, 1024)),
    "pin": Key((bool,), "true | false", "pin each worker and its bots to one core; unfair to bots that use threads"),
    "cluster": Key(
        (str,),
        "tls://HOST:PORT, or empty",
        "the cluster whose machines play (docs/cluster.md); empty: this machine plays",
        is_cluster,
    ),
    "cluster_replayed": Key(
        (int, float),
        "0.05 to 1",
        "on a cluster: the share of matches that are replayed before they count (docs/cluster.md)",
        between(0.05, 1),
    ),
    "cluster_repeated": Key(
        (int, float),
        "0 to 1",
        "on a cluster: the share of blocks that a second host plays, too, to compare both",
        between(0, 1),
    ),
    "limits": Key(
        (dict,),
        "a table [limits]",
        "the most that one process of a bot may use; a bot.toml that asks for more is refused",
    ),
}
GAME_KEYS: dict[str, Key] = {
    "id": Key((str,), "a game's id", "see `tortuga games`"),
    "seats": Key((int,), "a whole number", "bots at a table"),
    "variant": Key((dict,), "a table of texts and whole numbers", "settings of the game"),
}
BOT_KEYS: dict[str, Key] = {
    "spec": Key((str,), "a folder, a sample bot's name, or cmd: COMMAND", "paths are relative to this file"),
    "name": Key(
        (str,), "A-Z a-z 0-9 . _ -, at most 64", "name in this event", lambda value: NAME.fullmatch(value) is not None
    ),
    "hero": Key((bool,), "true | false", "gauntlet: one of the bots that all challengers meet"),
    "team": Key(
        (str,), "1 to 64 characters", "ladder: bots of one team are kept apart", lambda value: 1 <= len(value) <= 64
    ),
    "version": Key((str,), "one line of at most 200 printable characters", "version in this event", is_short_line),
}
ANCHOR_KEYS: dict[str, Key] = {
    "bot": Key((str,), "a bot's name", "the bot whose rating is known"),
    "rating": Key((int, float), "-10000 to 10000", "its rating", between(-10_000, 10_000)),
    "game": Key((str,), "a game's id", "where this rating is its own; without it, in every game"),
    "version": Key((str,), "a version", "only in this version"),
    "sha256": Key((str,), "64 hexadecimal digits", "only with this content", lambda value: len(value) == 64),
}
RUNTIME_KEYS = frozenset(
    {
        "jail",
        "concurrency",
        "pin",
        "cluster",
        "cluster_replayed",
        "cluster_repeated",
        "anchor",
        "anchors",
        "rate_faults",
        "plugin_games",
    }
)
"""Keys that may change from one run to the next without changing the event."""


def read_manifest(path: Path) -> Manifest:
    """Read the file. Report every problem in it at once."""
    try:
        table: dict[str, Any] = parse_toml(path.read_bytes())
    except FileNotFoundError:
        raise ConfigError(f"{path} does not exist; `tortuga tournament new {path.parent}` writes one") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: {error}") from None
    try:
        return make_manifest(table)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def make_manifest(table: Mapping[str, Any]) -> Manifest:
    """Make a manifest from plain values, and check it."""
    plain = {name: value for name, value in table.items() if name not in ("games", "bots", "anchors")}
    bots, anchors = table.get("bots", []), table.get("anchors", [])
    problems = check(plain, KEYS, needed=("name", "seed"))
    contests: tuple[Contest, ...] = ()
    if plain.get("plugin_games") is False:
        problems += _foreign_games(table.get("games", []))
    try:
        contests = make_contests(table.get("games", []), "games")
    except ConfigError as error:
        problems.append(str(error))
    problems += _check_list(bots, "bots", BOT_KEYS, needed=("spec",))
    problems += check_anchors(anchors)
    try:
        plain["limits"] = write_limits(read_caps(table.get("limits", {})))
    except ConfigError as error:
        problems.append(str(error))
    if problems:
        raise ConfigError("; ".join(problems))
    return Manifest(
        contests=contests,
        bots=tuple(ManifestBot(**bot) for bot in bots),
        anchors=tuple(ManifestAnchor(**anchor) for anchor in anchors),
        **plain,
    )


def _foreign_games(games: Any) -> list[str]:
    """Return a problem for each game that is not tortuga's own, without importing anything of it."""
    own = {plugin.info.id for plugin in BUILTIN}
    named = [game.get("id") for game in games if isinstance(game, dict)] if isinstance(games, list) else []
    return [f"{game} is a game of another package, and plugin_games is false" for game in named if game not in own]


def check_anchors(anchors: Any) -> list[str]:
    """Return what is wrong with a list of [[anchors]]."""
    return _check_list(anchors, "anchors", ANCHOR_KEYS, needed=("bot", "rating"))


def make_contests(games: Any, name: str) -> tuple[Contest, ...]:
    """Make the contests of an event from the list `name`, and check them."""
    problems = _check_list(games, name, GAME_KEYS, needed=("id",))
    contests: list[Contest] = []
    if not problems:
        for number, game in enumerate(games, start=1):
            try:
                contests.append(_contest(game))
            except ConfigError as error:
                problems.append(f"[[{name}]] {number}: {error}")
        ids = [contest.id for contest in contests]
        problems += [f"[[{name}]]: {id} is listed twice; it has one ladder" for id in _duplicates(ids)]
        problems += [] if games else [f"there is no [[{name}]]"]
    if problems:
        raise ConfigError("; ".join(problems))
    return tuple(contests)


def _contest(game: Mapping[str, Any]) -> Contest:
    info = find_info(game["id"])
    seats = game.get("seats", info.min_seats)
    info.check_seats(seats)
    variant = {name: str(value) for name, value in game.get("variant", {}).items()}
    info.read_variant(variant)
    return Contest(game=info.id, seats=seats, variant=variant)


def _check_list(rows: Any, name: str, keys: Mapping[str, Key], needed: tuple[str, ...]) -> list[str]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return [f"{name!r} must be a list of tables: [[{name}]]"]
    return [
        f"[[{name}]] {number}: {problem}"
        for number, row in enumerate(rows, start=1)
        for problem in check(row, keys, needed)
    ]


def _duplicates(names: list[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})


def find_bots(manifest: Manifest, base: Path) -> dict[str, BotSpec]:
    """Return the bots by their names in this event. Paths are relative to `base`."""
    bots: dict[str, BotSpec] = {}
    for entry in manifest.bots:
        spec = find_bot(entry.spec, base)
        name = entry.name or spec.name
        if name in bots:
            raise ConfigError(f"two bots are called {name}: give one of them another `name`")
        bots[name] = replace(spec.capped(manifest.caps, FILE), name=name, version=entry.version or spec.version)
    for contest in manifest.contests:
        able = [name for name, spec in bots.items() if not spec.games or contest.game in spec.games]
        if len(able) < contest.seats:
            who = ", ".join(able) or "none"
            others = "; ".join(f"{name} plays {', '.join(bots[name].games)}" for name in bots if name not in able)
            raise ConfigError(
                f"{contest.id} needs {contest.seats} bots, but only {len(able)} play it ({who})"
                + (f"; {others}" if others else "")
            )
    return bots


def as_table(manifest: Manifest) -> dict[str, Any]:
    """Return the manifest as plain values, which `make_manifest` reads."""
    names = [setting.name for setting in fields(Manifest) if setting.name in KEYS]
    table: dict[str, Any] = {name: getattr(manifest, name) for name in names}
    table["games"] = [
        {"id": contest.game, "seats": contest.seats, "variant": dict(contest.variant)} for contest in manifest.contests
    ]
    table["bots"] = [{name: value for name in BOT_KEYS if (value := getattr(entry, name))} for entry in manifest.bots]
    table["anchors"] = [
        {name: value for name, value in asdict(anchor).items() if value != ""} for anchor in manifest.anchors
    ]
    return table


def differences(old: Mapping[str, Any], new: Mapping[str, Any], ignore: frozenset[str] = RUNTIME_KEYS) -> list[str]:
    """Return the keys that were changed, with both values."""
    return [
        f"{name}: was {json.dumps(old.get(name))}, is now {json.dumps(new.get(name))}"
        for name in sorted(old.keys() | new.keys())
        if name not in ignore and old.get(name) != new.get(name)
    ]


def write_text(manifest: Manifest) -> str:
    """Return the manifest as the text of a commented tournament.toml."""
    table = as_table(manifest)
    lines = ["# A Tortuga event: `tortuga tournament run` with this file's folder plays it, and continues it."]
    lines += commented(KEYS, table)
    lines += ["", "# One ladder for each game with its number of seats; variant: see `tortuga games`."]
    for game in table["games"]:
        lines += ["[[games]]", f"id = {toml(game['id'])}", f"seats = {game['seats']}"]
        if game["variant"]:
            lines.append(f"variant = {toml(game['variant'])}")
        lines.append("")
    lines += [
        '# spec: a folder with a bot.toml (relative to this file), a sample bot\'s name, or "cmd: COMMAND".',
        "# Optional: name, its name in this event; hero = true, in a gauntlet one of the bots that all others meet;",
        '# team = "NAME": on a ladder, bots of one team are kept apart.',
    ]
    for bot in table["bots"]:
        lines += ["[[bots]]", *(f"{name} = {toml(value)}" for name, value in bot.items()), ""]
    lines += [
        "# [[anchors]]: bots whose ratings are known. bot, rating; optional: game, version, sha256 of its content."
    ]
    for anchor in table["anchors"]:
        lines += ["[[anchors]]", *(f"{name} = {toml(value)}" for name, value in anchor.items()), ""]
    return "\n".join(lines)
