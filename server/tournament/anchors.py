"""The bots that fix the scale of a ladder: the organiser's anchors, found in the roster.

An anchor is pinned by its bot, its version and its content: what plays under its name later is another bot. Where the
organiser pinned no version, the first one on the roster is meant, and its content is that of the day it joined.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.errors import ConfigError
from server.bots.spec import BotSpec, content_sha256
from server.tournament.agreement import Agreement, Entry
from server.tournament.manifest import Contest, Manifest, ManifestAnchor

ANCHOR_RATING = 1000.0
"""Rating of the bot that the setting `anchor` names."""


def pinned_anchors(manifest: Manifest) -> tuple[ManifestAnchor, ...]:
    """Return the anchors by the manifest: its list, or the one bot."""
    if manifest.anchors or not manifest.anchor:
        return manifest.anchors
    return (ManifestAnchor(bot=manifest.anchor, rating=ANCHOR_RATING),)


def find_anchors(agreement: Agreement, contest: Contest) -> dict[str, float]:
    """Return the ratings of those anchors that are on the roster of a contest."""
    ratings: dict[str, float] = {}
    for anchor in pinned_anchors(agreement.manifest):
        if anchor.game in ("", contest.game):
            entry = next((entry for entry in agreement.roster if is_pinned(entry, anchor)), None)
            if entry is not None and (not entry.games or contest.game in entry.games):
                ratings.setdefault(entry.name, float(anchor.rating))
    return ratings


def is_pinned(entry: Entry, anchor: ManifestAnchor) -> bool:
    """Return whether this entry is the bot that was pinned, in that version and with that content."""
    return (
        entry.bot == anchor.bot
        and anchor.version in ("", entry.version)
        and anchor.sha256.lower() in ("", entry.sha256)
    )


def check_contents(agreement: Agreement, bots: Mapping[str, BotSpec]) -> None:
    """Refuse an anchor whose content changed since it joined: its rating is that of another bot."""
    for contest in agreement.manifest.contests:
        for name in find_anchors(agreement, contest):
            entry = agreement.entry(name)
            now = content_sha256(bots[name]) if name in bots else ""
            if now and entry.sha256 and now != entry.sha256:
                raise ConfigError(
                    f"the anchor {name} has changed: its content was {entry.sha256[:12]}… when it joined and is now "
                    f"{now[:12]}…. Restore it, or give it a new version"
                )
