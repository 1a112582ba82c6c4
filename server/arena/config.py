"""`arena.toml`: the settings of an arena, as frozen values. Flags of `tortuga serve` override the file.

Every key is listed in one table below, with its kind and its meaning; the file that the first `tortuga serve DIR`
writes takes its comments from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from referee.errors import ConfigError
from referee.match.clock import TimeControl
from referee.match.notes import AUDIENCES, EVERYBODY
from referee.rules.infos import BUILTIN
from referee.rules.plugins import use_builtin_games_only
from server.arena.news import KINDS
from server.arena.webhooks import Webhook, read_webhooks
from server.arena.zones import is_zone
from server.bots.spec import read_faults
from server.jail.level import AUTO, JailLevel
from server.jail.limits import ResourceLimits, read_caps, write_limits
from server.system.setting_files import (
    Key,
    between,
    check,
    commented,
    is_address,
    is_cluster,
    one_of,
    parse_toml,
    readable,
    toml,
)
from server.tournament.manifest import Contest, ManifestAnchor, check_anchors, make_contests

FILE = "arena.toml"


@dataclass(frozen=True, kw_only=True, slots=True)
class ArenaConfig:
    """The settings of an arena."""

    ladders: tuple[Contest, ...]
    listen: str = "127.0.0.1:7071"
    public: str = "127.0.0.1:7072"
    admin: str = "admin.sock"
    web: str = "127.0.0.1:7080"
    metrics: str = ""
    tls_cert: str = ""
    tls_key: str = ""
    tls_ca: str = ""
    host_name: str = ""
    insecure: bool = False
    clock: str = "60+0.1/1"
    start_seconds: float = 10.0
    faults: str = "strict"
    jail: str = AUTO
    trust_hosted: bool = False
    matches_at_once: int = 0
    matches_per_bot: int = 4
    rest_seconds: float = 1.0
    owners_apart: bool = False
    reconnect_seconds: float = 10.0
    drain_seconds: float = 30.0
    suspend_faults: int = 5
    suspend_matches: int = 20
    versions_per_day: int = 20
    challenges_per_day: int = 20
    submissions_per_day: int = 20
    builds_at_once: int = 1
    build_seconds: int = 900
    bots_per_team: int = 5
    anchor: str = "random"
    rate_faults: bool = True
    anchors: tuple[ManifestAnchor, ...] = ()
    commentator_delay_seconds: float = 60.0
    notes: str = EVERYBODY
    plugin_games: bool = True
    keep_logs_days: int = 30
    keep_records_days: int = 0
    zone: str = "UTC"
    cluster: str = ""
    cluster_certificates: str = ""
    cluster_min_speed: float = 0.5
    webhooks: tuple[Webhook, ...] = ()
    limits: Mapping[str, str | float] = field(default_factory=lambda: write_limits(ResourceLimits()))

    @property
    def caps(self) -> ResourceLimits:
        """Return the most that one process of a hosted bot may use."""
        return read_caps(self.limits)

    @property
    def time_control(self) -> TimeControl:
        """Return the clock of every seat on the ladders."""
        return replace(TimeControl.read(self.clock), start_seconds=float(self.start_seconds))

    @property
    def faults_allowed(self) -> int:
        """Return how many faults of a bot are forgiven. 0: strict."""
        return read_faults(self.faults)


KEYS: dict[str, Key] = {
    "listen": Key((str,), "HOST:PORT", "the bots' door; port 0: any free port", is_address),
    "public": Key(
        (str,),
        'HOST:PORT or ""',
        "the public door, for people and programs that only read; empty: off",
        lambda value: not value or is_address(value),
    ),
    "admin": Key((str,), "a path, relative to this folder", "the organiser's door: a Unix socket", bool),
    "web": Key(
        (str,),
        'HOST:PORT or ""',
        "pages for browsers (needs `pip install tortuga-arena[web]`); empty: off",
        lambda value: not value or is_address(value),
    ),
    "metrics": Key(
        (str,),
        'HOST:PORT or ""',
        "metrics for Prometheus (needs `pip install tortuga-arena[metrics]`); empty: off",
        lambda value: not value or is_address(value),
    ),
    "tls_cert": Key(
        (str,), "a PEM file, relative to this folder", "certificate chain of both doors; empty: plain text"
    ),
    "tls_key": Key((str,), "a PEM file, relative to this folder", "its private key"),
    "tls_ca": Key(
        (str,),
        "a PEM file, relative to this folder",
        "certificate authority that callers must trust, for invites; empty: one that browsers trust",
    ),
    "host_name": Key(
        (str,),
        "a host's name or address",
        "where others reach this machine, for invites; empty: where it listens",
        lambda value: not value or is_address(f"{value}:1"),
    ),
    "insecure": Key(
        (bool,), "true | false", "allow plain text beyond this machine; tokens can then be read on the way"
    ),
    "clock": Key(
        (str,),
        "BANK+INCREMENT/CAP in seconds, e.g. 60+0.1/1, or standard, slow or person",
        "time per seat",
        readable(TimeControl.read),
    ),
    "start_seconds": Key((int, float), "0.1 to 3600", "time to get ready for a match", between(0.1, 3600)),
    "faults": Key(
        (str,),
        "strict or lenient:N",
        "a bot is out at its first fault, or after N forgiven ones",
        readable(read_faults),
    ),
    "jail": Key(
        (str,),
        " | ".join([AUTO, *JailLevel]),
        "how hosted bots are confined; auto: the best available",
        one_of((AUTO, *JailLevel)),
    ),
    "trust_hosted": Key(
        (bool,),
        "true | false",
        "host other people's bots even if they are confined below the level jail: you trust all their authors",
    ),
    "matches_at_once": Key((int,), "0 to 4096", "matches on the whole server; 0: 32 per core", between(0, 4096)),
    "matches_per_bot": Key(
        (int,), "1 to 64", "ladder matches of one bot at once, if it has that many slots", between(1, 64)
    ),
    "rest_seconds": Key((int, float), "0 to 86400", "pause of a bot between two ladder matches", between(0, 86_400)),
    "owners_apart": Key((bool,), "true | false", "bots of one owner never meet on the ladders"),
    "reconnect_seconds": Key(
        (int, float), "0 to 600", "how long the seats of a bot whose stream broke are kept", between(0, 600)
    ),
    "drain_seconds": Key(
        (int, float), "0 to 3600", "how long matches may continue after SIGTERM before they are void", between(0, 3600)
    ),
    "suspend_faults": Key(
        (int,),
        "0 to 1000",
        "a bot that fails this often in its last suspend_matches matches is suspended; 0: never",
        between(0, 1000),
    ),
    "suspend_matches": Key(
        (int,), "1 to 1000", "matches of a bot in which faults are counted for suspend_faults", between(1, 1000)
    ),
    "versions_per_day": Key(
        (int,),
        "0 to 10000",
        "how often a remote bot may change its version, each a line on the ladders; 0: without limit",
        between(0, 10_000),
    ),
    "challenges_per_day": Key(
        (int,),
        "0 to 10000",
        "unrated matches that a bot's author may ask for per day (`tortuga client challenge`); 0: none",
        between(0, 10_000),
    ),
    "submissions_per_day": Key(
        (int,),
        "0 to 10000",
        "bots that a team may submit per day (`tortuga client submit`), to be built and hosted here; 0: none",
        between(0, 10_000),
    ),
    "builds_at_once": Key((int,), "1 to 64", "submissions that are built and checked at once", between(1, 64)),
    "build_seconds": Key((int,), "1 to 86400", "how long the build of a submission may take", between(1, 86_400)),
    "bots_per_team": Key(
        (int,), "1 to 1000", "bots that a team may have, unless its own cap says otherwise", between(1, 1000)
    ),
    "anchor": Key(
        (str,), "a bot's name", "the bot whose rating is 1000, if it takes part; unless there are [[anchors]]"
    ),
    "rate_faults": Key(
        (bool,),
        "true | false",
        "a match that a bot lost by a fault counts in the ratings; false: it is left out, for all its bots",
    ),
    "commentator_delay_seconds": Key(
        (int, float),
        "0 to 86400",
        "holders of a commentator's token see all hands, after this delay",
        between(0, 86_400),
    ),
    "notes": Key(
        (str,),
        " | ".join(AUDIENCES),
        "who may read bots' notes on ladder matches, once they are over; owner: the bot's owner; nobody: none are kept",
        one_of(AUDIENCES),
    ),
    "plugin_games": Key((bool,), "true | false", "allow games of other packages; false: only tortuga's own"),
    "keep_logs_days": Key(
        (int,),
        "0 to 36500",
        "how long to keep logs of hosted bots that failed, and of submissions; 0: for ever",
        between(0, 36_500),
    ),
    "keep_records_days": Key(
        (int,),
        "0 to 36500",
        "how long to keep records of ladder matches and challenges; 0: for ever",
        between(0, 36_500),
    ),
    "zone": Key((str,), "an IANA name, e.g. Europe/Paris", "time zone of times that name none", is_zone),
    "cluster": Key(
        (str,),
        "tls://HOST:PORT, or empty",
        "a cluster that plays the matches of hosted bots (docs/cluster.md); empty: this machine does",
        is_cluster,
    ),
    "cluster_certificates": Key(
        (str,),
        "a folder, relative to this one",
        "its certificates (`tortuga cluster certificates`); empty: the folder that TORTUGA_CERTIFICATES names",
    ),
    "cluster_min_speed": Key(
        (int, float), "0 to 1", "refuse machines slower than this share of the fastest", between(0, 1)
    ),
    "limits": Key(
        (dict,),
        "a table [limits]",
        "the most that one process of a hosted bot may use; a bot.toml that asks for more is refused",
    ),
}


def default_config() -> ArenaConfig:
    """Return the settings of a new arena: every game of ours with its fewest seats, and also with four seats if it has
    them. A ladder of another game is the organiser's to add."""
    infos = [plugin.info for plugin in BUILTIN]
    contests = [{"id": info.id, "seats": info.min_seats} for info in infos]
    contests += [{"id": info.id, "seats": 4} for info in infos if info.max_seats >= 4]
    return ArenaConfig(ladders=make_contests(contests, "ladders"))


def read_config(path: Path, flags: Mapping[str, Any]) -> ArenaConfig:
    """Read the file, overridden by flags of the command line. Report every problem in it at once."""
    try:
        table: dict[str, Any] = parse_toml(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: {error}") from None
    if table.pop("commentator_key", ""):
        raise ConfigError(
            f"{path}: commentator_key no longer exists: delete that line, and make a token for each commentator "
            "with `tortuga server token new --kind commentator`"
        )
    plain = {name: value for name, value in table.items() if name not in ("ladders", "anchors", "webhooks")}
    anchors = table.get("anchors", [])
    given = {name: value for name, value in flags.items() if value is not None}
    for where, settings in ((path, plain), ("on the command line", given)):
        if problems := check(settings, KEYS, needed=()):
            raise ConfigError(f"{where}: {'; '.join(problems)}")
    if problems := check_anchors(anchors):
        raise ConfigError(f"{path}: {'; '.join(problems)}")
    if not {**plain, **given}.get("plugin_games", True):
        use_builtin_games_only()
    try:
        ladders = make_contests(table.get("ladders", []), "ladders")
        plain["limits"] = write_limits(read_caps(table.get("limits", {})))
        webhooks = read_webhooks(table.get("webhooks", []), list(KINDS))
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    pinned = tuple(ManifestAnchor(**anchor) for anchor in anchors)
    config = ArenaConfig(ladders=ladders, anchors=pinned, webhooks=webhooks, **{**plain, **given})
    if bool(config.tls_cert) != bool(config.tls_key):
        raise ConfigError("TLS needs both a certificate (tls_cert) and its key (tls_key)")
    return config


def write_text(config: ArenaConfig) -> str:
    """Return the configuration as the text of a commented arena.toml."""
    values = {setting.name: getattr(config, setting.name) for setting in fields(ArenaConfig)}
    lines = ["# A Tortuga arena: `tortuga serve` with this folder runs it. See docs/operating.md."]
    lines += commented(KEYS, values)
    lines += ["", "# One ladder for each game with its number of seats; variant: see `tortuga games`."]
    for contest in config.ladders:
        lines += ["[[ladders]]", f"id = {toml(contest.game)}", f"seats = {contest.seats}"]
        if contest.variant:
            lines.append(f"variant = {toml(contest.variant)}")
        lines.append("")
    lines += [
        "# [[anchors]]: bots whose ratings are known. bot, rating; optional: game, version, sha256 of its content."
    ]
    for anchor in config.anchors:
        lines += ["[[anchors]]", *(f"{name} = {toml(value)}" for name, value in asdict(anchor).items() if value != "")]
    lines += ["", "# [[webhooks]]: programs to notify. url, secret; optional: events, allow_private."]
    for hook in config.webhooks:
        lines += ["[[webhooks]]", *(f"{name} = {toml(value)}" for name, value in asdict(hook).items() if value)]
    return "\n".join([*lines, ""])
