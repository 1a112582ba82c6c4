"""Exports every result of an event as CSV or JSON, and the history of one bot."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from typing import IO, Any

from referee.errors import ConfigError
from server.play.summary import MatchSummary
from server.ratings.live import MICRO
from server.tournament import store_queries
from server.tournament.folder import Folder
from server.tournament.rulings.ruled_matches import RuledMatches, read_ruled
from server.tournament.rulings.ruling_file import read_rulings
from server.tournament.store import Store

NOTHING = RuledMatches()
COLUMNS = (
    "match", "contest", "block", "stage", "rotation", "label", "seat", "bot", "version", "language", "rank", "score",
    "half_points", "faults", "answers", "time_seconds", "reason", "decisions", "started_unix_millis", "record_sha256",
    "counts", "ruling",
)  # fmt: skip


def rows(matches: Iterator[MatchSummary], ruled: Mapping[str, RuledMatches]) -> Iterator[dict[str, Any]]:
    """Return one row per seat and match, in schedule order. `ruled` is what was ruled about matches, by contest."""
    for match in matches:
        rulings = ruled.get(match.contest, NOTHING)
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
                "counts": not rulings.is_out(match.match_id),
                "ruling": rulings.why_out(match.match_id),
            }


def read_all_ruled(folder: Folder, store: Store) -> dict[str, RuledMatches]:
    """Return what was ruled about matches, and which nobody played, by contest."""
    rulings = read_rulings(folder.rulings)
    agreement = folder.read_agreement()
    if agreement is None:
        return {}
    return {contest.id: read_ruled(rulings, agreement, contest.id, store) for contest in agreement.manifest.contests}


def placing_rows(folder: Folder) -> list[dict[str, Any]]:
    """Return one row per contest and bot, best first; tie-breaks by their keys."""
    from server.tournament.standings import read_standings  # here: results alone need no numpy

    return [
        {
            "contest": ladder.contest.id,
            "place": line.place,
            "bot": line.bot,
            "points": line.points,
            "possible_points": line.possible,
            "wins": line.wins,
            "draws": line.draws,
            "losses": line.losses,
            "byes": line.byes,
            "round_reached": line.round_reached,
            "rating": line.rating,
            **{rule.key: line.tie_breaks.get(rule.key) for rule in ladder.placings.tie_breaks},
            "ahead_by": line.decided_by,
            "note": line.note,
        }
        for ladder in read_standings(folder)
        for line in ladder.placings.lines
    ]


def export_placings(folder: Folder, out: IO[str], *, as_csv: bool) -> None:
    """Write the placings of all contests: rows as CSV, or as JSON with champions, tie-breaks, brackets and rulings."""
    if not as_csv:
        from server.tournament.standings import read_standings

        ladders = read_standings(folder)
        keys = ("champion", "placing_goes_by", "tie_breaks", "placing", "placing_notes", "bracket", "rulings")
        contests = [(ladder.contest.id, ladder.as_json()) for ladder in ladders]
        json.dump([{"contest": name, **{key: facts[key] for key in keys}} for name, facts in contests], out, indent=1)
        out.write("\n")
        return
    placings = placing_rows(folder)
    writer = csv.DictWriter(out, list(dict.fromkeys(key for row in placings for key in row)))
    writer.writeheader()
    for row in placings:
        writer.writerow({name: escape_formula(value) for name, value in row.items()})


def export_csv(folder: Folder, out: IO[str]) -> None:
    """Write CSV with a header. No cell can be taken for a formula."""
    with Store.read_only(folder.database) as store:
        writer = csv.DictWriter(out, COLUMNS)
        writer.writeheader()
        for row in rows(store.matches(), read_all_ruled(folder, store)):
            writer.writerow({name: escape_formula(value) for name, value in row.items()})


def escape_formula(value: Any) -> Any:
    """Quote a text that a spreadsheet would run as a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def export_json(folder: Folder, out: IO[str]) -> None:
    """Write the same rows as a JSON list."""
    with Store.read_only(folder.database) as store:
        json.dump(list(rows(store.matches(), read_all_ruled(folder, store))), out, indent=1)
        out.write("\n")


def history_of(folder: Folder, bot: str) -> list[dict[str, Any]]:
    """Return a bot's live Elo (server/ratings/live.py) after each of its matches."""
    agreement = folder.require_agreement()
    known = [entry.name for entry in agreement.roster]
    if bot not in known:
        raise ConfigError(f"{folder.path} has no bot {bot!r}; it has {', '.join(known)}")
    with Store.read_only(folder.database) as store:
        return [
            {"contest": contest, "match": match, "rank": rank, "live_elo": elo / MICRO, "change": change / MICRO}
            for contest, match, rank, elo, change in store_queries.history(store, bot)
        ]
