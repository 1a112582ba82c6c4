"""The terms of an event: the manifest as it was when play began, and the roster. Kept in event.json."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from referee.errors import ConfigError
from referee.rules.chance import commitment, derive_secret
from server.tournament.manifest import Manifest, as_table, make_manifest
from server.tournament.starting_ratings import StartingRating

if TYPE_CHECKING:
    from server.ratings.prior import Start

FORMAT = 1
SHA256 = re.compile("([0-9a-f]{64})?")
BLOCK_ATTEMPTS = 5
"""A block that comes back void this often stops the event: nobody can play it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A bot of one version in an event. On a ladder a new version is a new entry, linked to the old one."""

    name: str
    bot: str
    """Name of the bot in the manifest. The entry of a later version has a longer name."""
    version: str = ""
    games: tuple[str, ...] = ()
    """Games it plays. Empty: all."""
    hero: bool = False
    team: str = ""
    ancestor: str = ""
    joined: Mapping[str, int] = field(default_factory=dict)
    """First stage it plays in, by contest; 0 where none is given."""
    left: Mapping[str, int] = field(default_factory=dict)
    """First stage it no longer plays in, by contest, once it has left."""
    sha256: str = ""
    """SHA-256 of its content when it joined, in hexadecimal digits. Empty: unknown, as for a bot that dials in."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """The terms that an event is played under, from its first match to its last."""

    manifest: Manifest
    roster: tuple[Entry, ...]
    starting_ratings: tuple[StartingRating, ...] = field(default=(), compare=False)
    """Ratings that bots start a ladder's season with. They have a file of their own (starting_ratings.py)."""

    @property
    def commitment(self) -> str:
        """Return the commitment to the seed, shown when play begins.

        The seed itself, from which all luck follows, is shown when the event is over.
        """
        return commitment(self.manifest.seed.encode()).hex()

    @property
    def is_open(self) -> bool:
        """Return whether this is an arena's ladder: no bots are entered in advance, and every block is one match."""
        return not self.manifest.bots

    @property
    def event_id(self) -> str:
        """Return an id that tells events apart."""
        return self.commitment[:12]

    @property
    def has_fresh_luck(self) -> bool:
        """Return whether every match has luck of its own: at an arena's tables bots play on after a void match."""
        return self.manifest.watchable or any(bot.spec.startswith("remote:") for bot in self.manifest.bots)

    @property
    def ancestors(self) -> dict[str, str]:
        """Return the former version of every entry that has one."""
        return {entry.name: entry.ancestor for entry in self.roster if entry.ancestor}

    def starts(self, contest: str) -> dict[str, Start]:
        """Return what each entry starts a contest with, by entry.

        The first entry of a bot has its starting rating, less surely if it is another version; later entries are tied
        to the one before them. Of two lines for a bot the later one counts.
        """
        by_bot = {rating.bot: rating for rating in self.starting_ratings if rating.contest == contest}
        starts: dict[str, Start] = {}
        for entry in self.roster:
            known = by_bot.pop(entry.bot, None)
            if known is not None:
                starts[entry.name] = known.start if entry.version == known.version else known.start.of_new_version()
        return starts

    def match_secret(self, contest: str, block: int, rotation: int) -> bytes:
        """Return the secret of one match: all its luck follows from it. In mirrored blocks, all rotations share it."""
        name = f"{contest}/{block}"
        return derive_secret(self.manifest.seed, name if self.manifest.mirrored else f"{name}/{rotation}")

    def may_have_luck(self, secret: bytes, contest: str, block: int, rotation: int) -> bool:
        """Return whether a match may have this secret: that of its block, or one derived from it (`renewed_secret`)."""
        own = self.match_secret(contest, block, rotation)
        return any(secret == renewed_secret(own, times) for times in range(BLOCK_ATTEMPTS))

    def entry(self, name: str) -> Entry:
        """Return the entry with this name in the standings."""
        return next(entry for entry in self.roster if entry.name == name)


def renewed_secret(secret: bytes, times: int) -> bytes:
    """Return the secret of a block whose earlier luck was seen this many times.

    Bots that saw it could use it in another match.
    """
    return derive_secret(secret.hex(), f"again/{times}") if times else secret


def agreement_table(agreement: Agreement) -> dict[str, Any]:
    """Return the agreement as plain values, for event.json."""
    return {
        "format": FORMAT,
        "event": agreement.event_id,
        "manifest": as_table(agreement.manifest),
        "roster": [asdict(entry) for entry in agreement.roster],
    }


def make_agreement(table: Mapping[str, Any]) -> Agreement:
    """Make the agreement from the plain values of event.json. Raises KeyError, TypeError or ConfigError."""
    roster = tuple(Entry(**{**entry, "games": tuple(entry["games"])}) for entry in table["roster"])
    for entry in roster:
        if not SHA256.fullmatch(entry.sha256):
            raise ConfigError(f"the content of {entry.name} is {entry.sha256!r}, expected 64 hexadecimal digits")
    return Agreement(manifest=make_manifest(table["manifest"]), roster=roster)
