"""Finds matches of an event for a bot's author: those of one bot, those it lost, those with a fault."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.errors import ConfigError
from server.play.summary import MatchSummary
from server.tournament.folder import Folder
from server.tournament.rulings.ruled_matches import read_ruled
from server.tournament.rulings.ruling_file import read_rulings
from server.tournament.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """Which matches are asked for."""

    bot: str = ""
    """Empty: of any bot."""
    game: str = ""
    lost: bool = False
    """The bot did not come first."""
    won: bool = False
    faults: bool = False
    """The bot had a fault; without a bot: anybody had."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundMatch:
    """A match, and on which seat the bot that was asked for sat."""

    match: MatchSummary
    seat: int | None
    record: Path | None
    """None: it was deleted after its retention time."""
    ruling: str = ""
    """What was ruled about it."""

    @property
    def command(self) -> str:
        """How to look into it."""
        if self.record is None:
            return ""
        return f"tortuga replay show {self.record}" + (f" --seat {self.seat}" if self.seat is not None else "")


def find_matches(folder: Folder, wanted: Wanted, limit: int) -> tuple[list[FoundMatch], int]:
    """The last of the matches that are wanted, in schedule order, and how many there are in all."""
    agreement = folder.require_agreement()
    known = [one.name for one in agreement.roster]
    if wanted.bot and wanted.bot not in known:
        raise ConfigError(f"{folder.path} has no bot {wanted.bot!r}; it has {', '.join(known)}")
    contests = [one for one in agreement.manifest.contests if wanted.game in ("", one.game, one.id)]
    if not contests:
        played = dict.fromkeys(one.game for one in agreement.manifest.contests)
        raise ConfigError(f"{folder.path} has no {wanted.game}; it has {', '.join(played)}")
    found: deque[FoundMatch] = deque(maxlen=limit)
    count = 0
    with Store.read_only(folder.database) as store:
        rulings = read_rulings(folder.rulings)
        for contest in contests:
            ruled = read_ruled(rulings, agreement, contest.id, store)
            for match in store.matches(contest.id):
                for seat in _seats(match, wanted):
                    record = folder.record(match.match_id) if match.kept else None
                    found.append(
                        FoundMatch(match=match, seat=seat, record=record, ruling=ruled.why_out(match.match_id))
                    )
                    count += 1
    return list(found), count


def _seats(match: MatchSummary, wanted: Wanted) -> Sequence[int | None]:
    """The seats for which a match is wanted: those of the bot, or one entry without a seat."""
    if not wanted.bot:
        return [] if wanted.faults and not match.faults else [None]
    seats = [seat for seat, one in enumerate(match.seats) if one.bot == wanted.bot]
    return [
        seat
        for seat in seats
        if not (wanted.lost and match.ranks[seat] == 1)
        and not (wanted.won and match.ranks[seat] != 1)
        and not (wanted.faults and not match.faults_by_seat[seat])
    ]
