"""Finds matches of an event for a bot's author: those of one bot, those it lost, those with a fault."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.errors import ConfigError
from referee.text import did_you_mean
from server.play.summary import MatchSummary
from server.tournament.folder import Folder
from server.tournament.rulings.ruled_matches import read_ruled
from server.tournament.rulings.ruling_file import read_rulings
from server.tournament.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchFilter:
    """The conditions that a listed match meets."""

    bot: str = ""
    """Empty: any bot."""
    game: str = ""
    lost: bool = False
    """Only matches in which the bot did not come first."""
    won: bool = False
    faults: bool = False
    """Only matches in which the bot had a fault; without a bot: any bot."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedMatch:
    """A match, and the seat of the bot that was asked for."""

    match: MatchSummary
    seat: int | None
    record: Path | None
    """None: it was deleted after its retention time."""
    ruling: str = ""
    """The rulings about it."""

    @property
    def command(self) -> str:
        """Return the command that shows the match, or an empty string if its record was deleted."""
        if self.record is None:
            return ""
        return f"tortuga replay show {self.record}" + (f" --seat {self.seat}" if self.seat is not None else "")


def find_matches(folder: Folder, wanted: MatchFilter, limit: int) -> tuple[list[ListedMatch], int]:
    """Return the last matches that meet the conditions, in schedule order, and how many there are in all."""
    agreement = folder.require_agreement()
    known = [entry.name for entry in agreement.roster]
    if wanted.bot and wanted.bot not in known:
        raise ConfigError(
            f"{folder.path} has no bot {wanted.bot!r}{did_you_mean(wanted.bot, known)}; it has {', '.join(known)}"
        )
    contests = [contest for contest in agreement.manifest.contests if wanted.game in ("", contest.game, contest.id)]
    if not contests:
        played = dict.fromkeys(contest.game for contest in agreement.manifest.contests)
        raise ConfigError(
            f"{folder.path} has no {wanted.game}{did_you_mean(wanted.game, played)}; it has {', '.join(played)}"
        )
    listed: deque[ListedMatch] = deque(maxlen=limit)
    count = 0
    with Store.read_only(folder.database) as store:
        rulings = read_rulings(folder.rulings)
        for contest in contests:
            ruled = read_ruled(rulings, agreement, contest.id, store)
            for match in store.matches(contest.id):
                for seat in _seats(match, wanted):
                    record = folder.record(match.match_id) if match.kept else None
                    listed.append(
                        ListedMatch(match=match, seat=seat, record=record, ruling=ruled.why_out(match.match_id))
                    )
                    count += 1
    return list(listed), count


def _seats(match: MatchSummary, wanted: MatchFilter) -> Sequence[int | None]:
    """Return the seats for which a match is listed: those of the bot, or None once without a bot."""
    if not wanted.bot:
        return [] if wanted.faults and not match.faults else [None]
    seats = [number for number, seat in enumerate(match.seats) if seat.bot == wanted.bot]
    return [
        seat
        for seat in seats
        if not (wanted.lost and match.ranks[seat] == 1)
        and not (wanted.won and match.ranks[seat] != 1)
        and not (wanted.faults and not match.faults_by_seat[seat])
    ]
