"""Every result of an event for other programs, as CSV or JSON, and the history of one bot."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import IO, Any

from referee.errors import ConfigError
from server.ratings.live import MICRO
from server.tournament.folder import Folder
from server.tournament.store import Store
from server.tournament.summary import MatchSummary

COLUMNS = (
    "match", "contest", "block", "stage", "rotation", "label", "seat", "bot", "version", "language", "rank", "score",
    "half_points", "faults", "answers", "time_seconds", "reason", "decisions", "started_unix_millis", "record_sha256",
)  # fmt: skip


def rows(matches: Iterator[MatchSummary]) -> Iterator[dict[str, Any]]:
    """One row per seat and match, in schedule order."""
    for match in matches:
        for number, seat in enumerate(match.seats):
            yield {
                "match": match.match_id,
                "contest": match.contest,
                "block": match.block,
                "stage": match.stage,
                "rotation": match.rotation,
                "label": match.label,
                "seat": number,
                "bot": seat.bot,
                "version": seat.version,
                "language": seat.language,
                "rank": seat.rank,
                "score": seat.score,
                "half_points": seat.half_points,
                "faults": seat.faults,
                "answers": seat.answers,
                "time_seconds": seat.time_micros / 1e6,
                "reason": match.reason,
                "decisions": match.decisions,
                "started_unix_millis": match.started_millis,
                "record_sha256": match.record_sha256.hex(),
            }


def export_csv(folder: Folder, out: IO[str]) -> None:
    """Write CSV with a header. No cell can be taken for a formula."""
    with Store.read_only(folder.database) as store:
        writer = csv.DictWriter(out, COLUMNS)
        writer.writeheader()
        for row in rows(store.matches()):
            writer.writerow({name: escape_formula(value) for name, value in row.items()})


def escape_formula(value: Any) -> Any:
    """Quote a text that a spreadsheet would run as a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def export_json(folder: Folder, out: IO[str]) -> None:
    """Write the same rows as a JSON list."""
    with Store.read_only(folder.database) as store:
        json.dump(list(rows(store.matches())), out, indent=1)
        out.write("\n")


def history_of(folder: Folder, bot: str) -> list[dict[str, Any]]:
    """How a bot's live Elo moved, match by match."""
    agreement = folder.require_agreement()
    known = [one.name for one in agreement.roster]
    if bot not in known:
        raise ConfigError(f"{folder.path} has no bot {bot!r}; it has {', '.join(known)}")
    with Store.read_only(folder.database) as store:
        return [
            {"contest": contest, "match": match, "rank": rank, "live_elo": elo / MICRO, "change": change / MICRO}
            for contest, match, rank, elo, change in store.history(bot)
        ]
