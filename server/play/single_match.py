"""One match outside any event, as `tortuga play` plays it: between fresh processes, with a record of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from referee.errors import FaultKind, MatchVoid, RecordError
from referee.match.match import MatchResult, Watcher
from referee.records.record import write_record
from server.bots.kits import refuse_unbuilt
from server.bots.spec import BotSpec
from server.hosting.bot_host import BotHost
from server.hosting.hosted_bot import HostedBot, SeatedBot
from server.jail.confinement import Confinement
from server.play.match_setup import MatchSetup
from server.play.play_match import play_match, table_of
from server.play.recorded_match import VoidMatch
from server.system.files import check_writable

SILENT = frozenset({FaultKind.NO_SHOW, FaultKind.CRASH, FaultKind.RESOURCE})
"""Faults whose cause only the bot's own log can tell."""

LastWords = tuple[str, ...]
"""Per seat, the last lines that a failed bot printed; empty for the others."""


class RecordNotWritten(RecordError):
    """The record of a match cannot be written. The match was played, so the error carries its result."""

    def __init__(self, message: str, result: MatchResult, last_words: LastWords) -> None:
        super().__init__(message)
        self.result = result
        self.last_words = last_words


async def play_one(
    setup: MatchSetup,
    bots: Sequence[BotSpec],
    *,
    listen: str | None,
    logs: Path | None,
    record_path: Path | None,
    teller: Watcher | None,
    confinement: Confinement,
    guest: SeatedBot | None = None,
) -> tuple[MatchResult, LastWords]:
    """Play one match between fresh processes. Its record, void or not, is written before anybody sees its result.

    The guest, such as a person at the terminal, takes the seat of the bot that is started elsewhere.
    """
    check_bots(setup, bots)
    for folder in (record_path.parent if record_path else None, logs):
        if folder is not None:
            check_writable(folder)
    ended: list[tuple[MatchResult, LastWords]] = []

    def read(result: MatchResult, seated: Sequence[SeatedBot]) -> None:
        gone = {fault.seat for fault in result.faults if fault.kind in SILENT}
        words = tuple(
            bot.last_words() if seat in gone and isinstance(bot, HostedBot) else "" for seat, bot in enumerate(table)
        )
        ended.append((result, words))

    async with BotHost(listen=listen, logs=logs, confinement=confinement) as host:
        table = [guest if guest and bot.remote else await host.start_bot(bot) for bot in bots]
        match = await play_match(host, setup.terms(), table_of(table), watcher=teller, ended=read)
    if isinstance(match, VoidMatch) and not match.began:
        raise MatchVoid(match.reason)
    [(result, words)] = ended
    record = match.record if isinstance(match, VoidMatch) else match.unplaced
    if record_path is not None and record is not None:
        try:
            write_record(record_path, record)
        except OSError as error:  # it names a file that was to become the record
            problem = f"the match was played, but its record {record_path} cannot be written: {error.strerror}"
            raise RecordNotWritten(problem, result, words) from None
    return result, words


def check_bots(setup: MatchSetup, bots: Sequence[BotSpec]) -> None:
    """Check that there is the right number of bots, and that each plays this game."""
    setup.game.info.check_seats(len(bots))
    for bot in bots:
        bot.check_game(setup.game.info.id)
        refuse_unbuilt(bot)
