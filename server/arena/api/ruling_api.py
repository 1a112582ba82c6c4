"""The calls of the service ArenaAdmin about rulings: who is disqualified, and which matches are annulled."""

from __future__ import annotations

from functools import partial
from typing import Any

from referee.errors import ConfigError
from server.arena.caller_input import check_text
from server.arena.interceptor import Context
from server.arena.operations.running_arena import RunningArena
from server.arena.people.audit import ADMIN_DOOR
from server.arena.people.callers import CALLER
from server.arena.reading.archive import Archive
from server.arena.registry import Registry
from server.arena.registry_schema import EventState
from server.standings.messages import ruling_infos
from server.tournament.folder import Folder
from server.tournament.rulings.new_rulings import annul_match, disqualify_bot, withdraw_ruling
from tortuga.v1 import arena_pb2 as pb

LADDERS = ""
"""The name of the ladders among the events."""


class RulingCalls:
    """Rulings. Tables follow them at once, and so does what is being played."""

    def __init__(self, arena: RunningArena, registry: Registry, archive: Archive) -> None:
        self._arena, self._registry, self._archive = arena, registry, archive

    async def DisqualifyBot(self, request: pb.DisqualifyBotRequest, context: Context) -> pb.ListRulingsResponse:
        """Disqualify a bot."""
        bot, reason = self._registry.bot(request.name).name, check_text(request.reason, "reason")
        if request.from_match:
            events = [await self._event_of(request.from_match)]
            if request.event and events != [request.event]:
                raise ConfigError(f"match {request.from_match} is not of the event {request.event}")
        else:
            events = [self._registry.event(request.event).name] if request.event else await self._all_with(bot)
        since: dict[str, Any] = {"from_match": request.from_match, "from_start": request.from_start}
        for event in events:
            rule = partial(disqualify_bot, self._folder(event), bot, by=who(), reason=reason, **since)
            await self._archive.run(rule)
            await self._arena.take_rulings(event)
        return await self._rulings(events)

    async def AnnulMatch(self, request: pb.AnnulMatchRequest, context: Context) -> pb.ListRulingsResponse:
        """Annul a match."""
        reason = check_text(request.reason, "reason")
        event = await self._event_of(request.match_id)
        rule = partial(annul_match, self._folder(event), request.match_id, by=who(), reason=reason)
        await self._archive.run(rule)
        await self._arena.take_rulings(event)
        return await self._rulings([event])

    async def WithdrawRuling(self, request: pb.WithdrawRulingRequest, context: Context) -> pb.ListRulingsResponse:
        """Take a ruling back."""
        reason = check_text(request.reason, "reason")
        event = self._registry.event(request.event).name if request.event else LADDERS
        rule = partial(withdraw_ruling, self._folder(event), request.number, by=who(), reason=reason)
        await self._archive.run(rule)
        await self._arena.take_rulings(event)
        return await self._rulings([event])

    async def ListRulings(self, request: pb.ListRulingsRequest, context: Context) -> pb.ListRulingsResponse:
        """Return what was ruled."""
        if request.event:
            return await self._rulings([self._registry.event(request.event).name])
        return await self._rulings([LADDERS, *(event.name for event in self._registry.events())])

    async def _rulings(self, events: list[str]) -> pb.ListRulingsResponse:
        rulings = []
        for event in events:
            rulings += ruling_infos(await self._archive.rulings(self._folder(event)), event)
        return pb.ListRulingsResponse(rulings=rulings)

    def _folder(self, event: str) -> Folder:
        return self._archive.event(event) if event else self._archive.ladder

    async def _event_of(self, match_id: str) -> str:
        match = await self._archive.find(match_id)
        if match.folder == self._archive.challenges:
            raise ConfigError(
                f"match {match_id} is a challenge: it counts in no table, so nothing can be ruled about it"
            )
        return match.event

    async def _all_with(self, bot: str) -> list[str]:
        """Return the ladders, if the bot is on one, and the events that are being played with it."""
        running = [event for event in self._registry.events() if event.state is EventState.RUNNING]
        agreement = await self._archive.run(self._archive.ladder.read_agreement)
        is_there = agreement is not None and any(entry.bot == bot for entry in agreement.roster)
        events = [LADDERS] if is_there else []
        events += [event.name for event in running if event.entries.get(bot)]
        if not events:
            raise ConfigError(
                f"the bot {bot} has played on no ladder and in no running event; --event names another one"
            )
        return events


def who() -> str:
    """Return who makes a ruling, for everybody to read."""
    caller = CALLER.get()
    return "organiser" if caller in ("", ADMIN_DOOR) else caller
