"""Announces once when the scale of a ladder changes, because anchors joined or were changed, and by how much.

The journal remembers the scale that was last announced, in a line `scale` for each contest.
"""

from __future__ import annotations

from collections.abc import Callable

from server.tournament.agreement import Agreement
from server.tournament.folder import Folder
from server.tournament.journal import Journal, read_rare
from server.tournament.rulings.ruling_file import read_rulings
from server.tournament.store import Store


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
