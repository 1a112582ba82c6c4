"""A finished match on its way from the table to the database.

referee.match.match.MatchResult      the referee's result
FinishedMatch                  the same with facts about its bots, collected before they leave the table
recorded_match.RecordedMatch   its record, sealed, and the summary that becomes its rows
summary.MatchSummary           the rows
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from referee.match.ids import BotIdentity
from referee.match.match import MatchResult
from referee.match.notes import EVERYBODY, OWNER
from referee.records.notes import pack_notes
from referee.records.record import make_record, pack, unpack
from server import __version__
from server.hosting.hosted_bot import HostedBot, SeatedBot, jail_level
from server.play.recorded_match import RecordedMatch
from server.play.summary import summarize
from tortuga.v1 import record_pb2


@dataclass(frozen=True, kw_only=True, slots=True)
class FinishedMatch:
    """A match that was played, void or not, and all that is needed of its bots once they are gone."""

    result: MatchResult
    bots: tuple[BotIdentity, ...]
    logs: Mapping[int, bytes]
    """What the bots that failed had printed, by seat."""
    started_millis: int
    jail_level: str = ""
    """As in the record."""

    @property
    def match_id(self) -> str:
        """Its name."""
        return self.result.terms.match_id

    @property
    def names(self) -> list[str]:
        """Its bots, in seat order."""
        return [bot.name for bot in self.bots]


def finish_match(result: MatchResult, bots: Sequence[SeatedBot], started_millis: int) -> FinishedMatch:
    """Collect what is known of a match. Call it while the bots are still at the table: their logs go when they go."""
    failed = {int(fault.seat) for fault in result.faults}
    return FinishedMatch(
        result=result,
        bots=tuple(bot.identity() for bot in bots),
        logs={
            seat: bot.process.printed()
            for seat, bot in enumerate(bots)
            if seat in failed and isinstance(bot, HostedBot)
        },
        started_millis=started_millis,
        jail_level=jail_level(bots),
    )


def record_match(
    place: record_pb2.RecordPlace,
    match: FinishedMatch,
    notes_for: str = EVERYBODY,
    *,
    host: str = "",
    host_speed: int = 0,
) -> RecordedMatch:
    """Make the record of a match that counts. What the bots noted is in it only if it is for everybody."""
    record = make_record(
        match.result,
        match.bots,
        server_version=__version__,
        started_unix_millis=match.started_millis,
        place=place,
        jail_level=match.jail_level,
        host=host,
        host_speed=host_speed,
        with_notes=notes_for == EVERYBODY,
    )
    packed = pack(record)
    private = pack_notes(record.match_id, match.result.notes) if notes_for == OWNER else b""
    return RecordedMatch(summary=summarize(record, packed), packed=packed, logs=match.logs, notes=private)


def place_match(place: record_pb2.RecordPlace, match: RecordedMatch) -> RecordedMatch:
    """The same match at another place: on a ladder, it is known only when the record is back from the machine."""
    record, _ = unpack(match.packed)
    record.place.CopyFrom(place)
    packed = pack(record)
    return replace(match, summary=summarize(record, packed), packed=packed)
