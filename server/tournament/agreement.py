"""What an event is played under: the manifest as it was when play began, and the roster. Kept in event.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from referee.rules.chance import commitment, derive_secret
from server.ratings.prior import Start
from server.tournament.manifest import Manifest, as_table, make_manifest
from server.tournament.starting_ratings import StartingRating

FORMAT = 1
BLOCK_ATTEMPTS = 5
"""A block that comes back void this often stops the event: nobody can play it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A bot of one version in an event. On a ladder a new version is a new entry, linked to the old one."""

    name: str
    bot: str
    """The bot's name in the manifest; a later version's own name is longer."""
    version: str = ""
    games: tuple[str, ...] = ()
    """The games it plays. Empty: all."""
    hero: bool = False
    team: str = ""
    ancestor: str = ""
    joined: Mapping[str, int] = field(default_factory=dict)
    """Per contest the first stage it plays in; 0 where none is given."""
    left: Mapping[str, int] = field(default_factory=dict)
    """Per contest the first stage it no longer plays in, once it has left."""
    sha256: str = ""
    """Its content when it joined, in hexadecimal digits. Empty: unknown, as of a bot that dials in."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """What an event is played under, from its first match to its last."""

    manifest: Manifest
    roster: tuple[Entry, ...]
    starting_ratings: tuple[StartingRating, ...] = field(default=(), compare=False)
    """What bots start a ladder's season with. They have a file of their own (starting_ratings.py)."""

    @property
    def commitment(self) -> str:
        """Shown when play begins. The seed itself, from which all luck follows, is shown when the event is over."""
        return commitment(self.manifest.seed.encode()).hex()

    @property
    def is_open(self) -> bool:
        """Whether this is an arena's ladder: no bots are entered in advance, and every block is one match."""
        return not self.manifest.bots

    @property
    def event_id(self) -> str:
        """Tells events apart."""
        return self.commitment[:12]

    @property
    def has_fresh_luck(self) -> bool:
        """Whether every match has luck of its own: at an arena's tables bots play on after a void match."""
        return self.manifest.watchable or any(bot.spec.startswith("remote:") for bot in self.manifest.bots)

    @property
    def ancestors(self) -> dict[str, str]:
        """The former version of every entry that has one."""
        return {one.name: one.ancestor for one in self.roster if one.ancestor}

    def starts(self, contest: str) -> dict[str, Start]:
        """By entry what it starts a contest with. The first entry of a bot has it, less surely if it is another
        version; later ones are tied to the one before them. Of two lines for a bot the later one counts."""
        by_bot = {one.bot: one for one in self.starting_ratings if one.contest == contest}
        found: dict[str, Start] = {}
        for entry in self.roster:
            known = by_bot.pop(entry.bot, None)
            if known is not None:
                found[entry.name] = known.start if entry.version == known.version else known.start.of_new_version()
        return found

    def match_secret(self, contest: str, block: int, rotation: int) -> bytes:
        """The secret of one match: all its luck follows from it. In mirrored blocks, all rotations share it."""
        name = f"{contest}/{block}"
        return derive_secret(self.manifest.seed, name if self.manifest.mirrored else f"{name}/{rotation}")

    def may_have_luck(self, secret: bytes, contest: str, block: int, rotation: int) -> bool:
        """Whether a match may have this secret: that of its block, or one that follows from it (`secret_again`)."""
        own = self.match_secret(contest, block, rotation)
        return any(secret == secret_again(own, times) for times in range(BLOCK_ATTEMPTS))

    def entry(self, name: str) -> Entry:
        """The entry with this name in the tables."""
        return next(one for one in self.roster if one.name == name)


def secret_again(secret: bytes, times: int) -> bytes:
    """The luck of a block whose earlier luck was seen this many times, by bots that could use it in another match."""
    return derive_secret(secret.hex(), f"again/{times}") if times else secret


def agreement_table(agreement: Agreement) -> dict[str, Any]:
    """The agreement as plain values, for event.json."""
    return {
        "format": FORMAT,
        "event": agreement.event_id,
        "manifest": as_table(agreement.manifest),
        "roster": [asdict(one) for one in agreement.roster],
    }


def make_agreement(table: Mapping[str, Any]) -> Agreement:
    """The agreement from the plain values of event.json. Raises KeyError, TypeError or ConfigError."""
    roster = tuple(Entry(**{**one, "games": tuple(one["games"])}) for one in table["roster"])
    return Agreement(manifest=make_manifest(table["manifest"]), roster=roster)
