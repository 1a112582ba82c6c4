"""One match outside any event: from bots and a setup to a result and its record."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.errors import FaultKind, RecordError
from referee.match.match import MatchResult, Watcher
from referee.records.record import make_record, write_record
from server import __version__
from server.bots.kits import refuse_unbuilt
from server.bots.spec import BotSpec
from server.hosting.bot_host import BotHost
from server.jail.confinement import Confinement
from server.play.match_setup import MatchSetup
from server.system.files import check_writable

SILENT = frozenset({FaultKind.NO_SHOW, FaultKind.CRASH, FaultKind.RESOURCE})
"""Faults whose cause only the bot's own log can tell."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchReport:
    """A match and where its record is."""

    result: MatchResult
    last_words: tuple[str, ...]
    """Per seat, the last lines that a failed bot printed; empty for the others."""
    record: Path | None
    jail_level: str
    """How the bots were confined."""


async def play_one(
    setup: MatchSetup,
    bots: Sequence[BotSpec],
    *,
    listen: str | None,
    logs: Path | None,
    record_path: Path | None,
    teller: Watcher | None,
    confinement: Confinement,
) -> MatchReport:
    """One match between fresh processes; its record is written before the result is shown to anybody but the bots."""
    check_bots(setup, bots)
    for folder in (record_path.parent if record_path else None, logs):
        if folder is not None:
            check_writable(folder)
    started = int(time.time() * 1000)
    async with BotHost(listen=listen, logs=logs, confinement=confinement) as host:
        hosted = [await host.start_bot(bot) for bot in bots]
        result = await host.play(setup.terms(), hosted, teller)
        identities = [bot.identity() for bot in hosted]
        gone = {fault.seat for fault in result.faults if fault.kind in SILENT}
        words = tuple(bot.last_words() if seat in gone else "" for seat, bot in enumerate(hosted))
    if record_path is not None:
        record = make_record(
            result,
            identities,
            server_version=__version__,
            started_unix_millis=started,
            jail_level=str(confinement.level),
        )
        try:
            write_record(record_path, record)
        except OSError as error:
            raise RecordError(f"the match was played, but its record cannot be written: {error}") from None
    return MatchReport(result=result, last_words=words, record=record_path, jail_level=str(confinement.level))


def check_bots(setup: MatchSetup, bots: Sequence[BotSpec]) -> None:
    """The right number of bots, and each plays this game."""
    setup.game.info.check_seats(len(bots))
    for bot in bots:
        bot.check_game(setup.game.info.id)
        refuse_unbuilt(bot)
