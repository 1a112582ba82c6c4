"""Makes rulings on an event: checks them against its roster and its matches, then appends them to its file.

The process that draws the schedule also notes, once and before it continues, the stage from which a ruling changes the
draw.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

from referee.errors import ConfigError
from server.play.summary import MatchSummary
from server.tournament.contest import ContestState
from server.tournament.folder import Folder
from server.tournament.rulings.ruling_file import Ruling, RulingKind, Rulings, check_reason, open_rulings, read_rulings
from server.tournament.store import Store


def disqualify_bot(
    folder: Folder, bot: str, *, by: str, reason: str, from_match: str = "", from_start: bool = False
) -> Ruling:
    """Disqualify a bot: from the start, from a match on, or from now on."""
    check_reason(reason)
    roster = folder.require_agreement().roster
    if not any(bot in (entry.name, entry.bot) for entry in roster):
        known = ", ".join(dict.fromkeys(entry.bot for entry in roster))
        raise ConfigError(f"{folder.path} has no bot {bot!r}; it has {known}")
    if from_match and from_start:
        raise ConfigError("pass --from MATCH or --from-start, not both")
    since = 0 if from_start else time.time_ns() // 1_000_000
    if from_match:
        match = find_match(folder, from_match)
        names = {entry.name for entry in roster if bot in (entry.name, entry.bot)}
        if names.isdisjoint(match.seated):
            raise ConfigError(f"{bot} did not play in match {from_match}; {', '.join(match.seated)} did")
        since = match.started_millis
    with open_rulings(folder.rulings) as file:
        for ruling in file.rulings.standing:
            if ruling.bot == bot and (ruling.from_start or (not from_start and ruling.from_millis <= since)):
                raise ConfigError(f"{ruling.statement()} already, by ruling {ruling.number}; withdraw that one first")
        return file.add(RulingKind.DISQUALIFY, by=by, reason=reason, bot=bot, match=from_match, from_millis=since)


def annul_match(folder: Folder, match_id: str, *, by: str, reason: str) -> Ruling:
    """Annul a match that was played."""
    check_reason(reason)
    folder.require_agreement()
    find_match(folder, match_id)
    with open_rulings(folder.rulings) as file:
        for ruling in file.rulings.standing:
            if ruling.kind is RulingKind.ANNUL and ruling.match == match_id:
                raise ConfigError(f"match {match_id} is annulled already, by ruling {ruling.number}")
        return file.add(RulingKind.ANNUL, by=by, reason=reason, match=match_id)


def withdraw_ruling(folder: Folder, number: int, *, by: str, reason: str) -> Ruling:
    """Withdraw a ruling."""
    check_reason(reason)
    folder.require_agreement()
    if not folder.rulings.exists():
        raise ConfigError(f"there is no ruling {number} to withdraw; {folder.path} has none")
    with open_rulings(folder.rulings) as file:
        return file.add(RulingKind.WITHDRAW, by=by, reason=reason, withdraws=number)


def find_match(folder: Folder, match_id: str) -> MatchSummary:
    """Return a match of an event that was played."""
    with Store.read_only(folder.database) as store:
        match = store.match(match_id)
    if match is None:
        raise ConfigError(f"{folder.path} has no match {match_id!r}; `tortuga matches {folder.path}` lists them")
    return match


def settle_rulings(
    folder: Folder, contests: Sequence[ContestState], running: Collection[tuple[str, int]] = ()
) -> Rulings:
    """Note the stages from which new rulings change the draw, before anything is drawn under them."""
    drawn = {state.id: state for state in contests if state.draws_from_results}
    rulings = read_rulings(folder.rulings)
    if not drawn or not rulings.unsettled([*drawn]):
        return rulings
    with open_rulings(folder.rulings) as file:
        for ruling in file.rulings.unsettled([*drawn]):
            file.note_effect(ruling, {name: state.next_stage(running) for name, state in drawn.items()})
        return file.rulings
