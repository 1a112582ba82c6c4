"""Which bots fix the scale of a ladder: the organiser's anchors, found in the roster.

An anchor is pinned by its bot, its version and its content: what plays under its name later is another bot. Where the
organiser pinned no version, the first one on the roster is meant, and its content is that of the day it joined.

When the scale changes, because anchors joined or were changed, that is announced once. The journal remembers the scale
that was last announced, in a line `scale` for each contest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from referee.errors import ConfigError
from server.bots.spec import BotSpec, content_sha256
from server.tournament.agreement import Agreement, Entry
from server.tournament.folder import Folder
from server.tournament.journal import Journal, read_rare
from server.tournament.manifest import Anchor, Contest, Manifest
from server.tournament.rulings.ruling_file import read_rulings
from server.tournament.store import Store

ANCHOR_RATING = 1000.0
"""The rating of the bot that `anchor` names."""


def pinned(manifest: Manifest) -> tuple[Anchor, ...]:
    """The anchors by the manifest: its list, or the one bot."""
    if manifest.anchors or not manifest.anchor:
        return manifest.anchors
    return (Anchor(bot=manifest.anchor, rating=ANCHOR_RATING),)


def find_anchors(agreement: Agreement, contest: Contest) -> dict[str, float]:
    """The ratings of those anchors that are on the roster of a contest."""
    found: dict[str, float] = {}
    for anchor in pinned(agreement.manifest):
        if anchor.game in ("", contest.game):
            entry = next((one for one in agreement.roster if is_pinned(one, anchor)), None)
            if entry is not None and (not entry.games or contest.game in entry.games):
                found.setdefault(entry.name, float(anchor.rating))
    return found


def is_pinned(entry: Entry, anchor: Anchor) -> bool:
    """Whether this entry is the bot that was pinned, in that version and with that content."""
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


def tell_scale(
    folder: Folder, agreement: Agreement, store: Store, journal: Journal, say: Callable[[str], None]
) -> None:
    """Compare the scale of every ladder with what was last told, and tell what changed."""
    # Lazily: ratings need numpy, and an event without a ladder does not wait for that.
    from server.tournament.standings import read_ladder

    lines = read_rare(folder.journal, "scale")
    told = {line.get("contest"): line["anchors"] for line in lines if isinstance(line.get("anchors"), dict)}
    for contest in agreement.manifest.contests:
        if not store.match_count(contest.id):
            continue
        table = read_ladder(agreement, contest, store, read_rulings(folder.rulings)).table
        if not table.matches:
            continue  # rulings left nothing that is rated: there is no scale
        anchors = {one.name: one.rating for one in table.anchors}
        before = told.get(contest.id)
        if anchors == before:
            continue
        shift = 0.0 if before is None else table.shift_from(before)
        journal.write("scale", contest=contest.id, anchors=anchors, shift=shift)
        if before is not None:
            say(
                f"{contest.id}: the scale changed from {_words(before)} to {_words(anchors)}: every Elo moved by "
                f"{shift:+.0f}"
            )


def _words(anchors: dict[str, float]) -> str:
    return ", ".join(f"{name} = {rating:g}" for name, rating in anchors.items()) or "mean = 1000"
