"""The calls of the service ArenaAdmin about bots, ladders, events and seasons.

The service is for the organiser: whoever has the key of its door.
"""

from __future__ import annotations

from referee.errors import ConfigError
from server.arena.api.reading_api import stored_progress
from server.arena.caller_input import check_name, check_text, list_names, quote
from server.arena.errors import NotFound
from server.arena.interceptor import Context
from server.arena.messages import bot_info, event_info
from server.arena.operations.running_arena import RunningArena
from server.arena.reading.archive import Archive
from server.arena.registry import Registry
from server.arena.zones import read_zone
from tortuga.v1 import arena_pb2 as pb


class AdminCalls:
    """The organiser's changes. Each is durable when it is answered."""

    def __init__(self, arena: RunningArena, registry: Registry, archive: Archive) -> None:
        self._arena, self._registry, self._archive = arena, registry, archive

    async def GetStatus(self, request: pb.GetStatusRequest, context: Context) -> pb.ServerStatus:
        """Return the state of the server."""
        return self._arena.status()

    async def AddBot(self, request: pb.AddBotRequest, context: Context) -> pb.BotToken:
        """Register a new remote bot."""
        name, owner = check_name(request.name, "bot"), check_text(request.owner, "owner")
        token = await self._arena.add_bot(name, owner)
        return pb.BotToken(bot=self._bot(name), token=token)

    async def HostBot(self, request: pb.HostBotRequest, context: Context) -> pb.Bot:
        """Register a new hosted bot, or a new version of one."""
        if request.name:
            check_name(request.name, "bot")
        return self._bot(await self._arena.host_bot(request.spec, request.name, check_text(request.owner, "owner")))

    async def RotateToken(self, request: pb.RotateTokenRequest, context: Context) -> pb.BotToken:
        """Replace the token of a bot."""
        token = await self._arena.rotate(self._registry.bot(request.name).name)
        return pb.BotToken(bot=self._bot(request.name), token=token)

    async def RevokeBot(self, request: pb.RevokeBotRequest, context: Context) -> pb.Bot:
        """Revoke a bot: it may never play again."""
        await self._arena.revoke(self._registry.bot(request.name).name)
        return self._bot(request.name)

    async def SuspendBot(self, request: pb.SuspendBotRequest, context: Context) -> pb.Bot:
        """Suspend a bot: it may not play for now."""
        await self._arena.suspend(self._registry.bot(request.name).name, check_text(request.reason, "reason"))
        return self._bot(request.name)

    async def LiftSuspension(self, request: pb.LiftSuspensionRequest, context: Context) -> pb.Bot:
        """Let a suspended bot play again."""
        await self._arena.lift(self._registry.bot(request.name).name)
        return self._bot(request.name)

    async def PauseLadder(self, request: pb.PauseLadderRequest, context: Context) -> pb.ListLaddersResponse:
        """Begin no further match on a ladder, or on all of them."""
        await self._arena.pause(self._ladder(request.name))
        return pb.ListLaddersResponse(ladders=self._arena.ladders())

    async def ResumeLadder(self, request: pb.ResumeLadderRequest, context: Context) -> pb.ListLaddersResponse:
        """Resume a ladder, or all of them."""
        await self._arena.resume(self._ladder(request.name))
        return pb.ListLaddersResponse(ladders=self._arena.ladders())

    async def CreateEvent(self, request: pb.CreateEventRequest, context: Context) -> pb.EventInfo:
        """Put an event on the calendar."""
        name = check_name(request.name, "event")
        times = request.registration_millis, request.check_in_millis, request.start_millis
        given = [time for time in times if time]
        if given != sorted(given) or any(time < 0 for time in given):
            raise ConfigError("the times must be in this order: registration, check-in, start")
        if request.zone:
            read_zone(request.zone)
        if request.every:
            if given:
                raise ConfigError("a repeating event takes only the times at which it repeats")
            return await self._event(await self._arena.create_series(request))
        await self._arena.create_event(name, request.manifest, *times, zone=request.zone)
        return await self._event(name)

    async def EnterBot(self, request: pb.EnterBotRequest, context: Context) -> pb.EventInfo:
        """Enter any bot for an event."""
        event, bot = self._registry.event(request.event), self._registry.bot(request.bot)
        await self._arena.enter(event.name, bot.name, late=True)
        return await self._event(event.name)

    async def StartEvent(self, request: pb.StartEventRequest, context: Context) -> pb.EventInfo:
        """Start an event now."""
        await self._arena.start_event(self._registry.event(request.name).name)
        return await self._event(request.name)

    async def CancelEvent(self, request: pb.CancelEventRequest, context: Context) -> pb.EventInfo:
        """Cancel an event."""
        name = await self._arena.cancel_event(request.name, check_text(request.reason, "reason"))
        return await self._event(name)

    # Seasons

    async def FreezeLadder(self, request: pb.FreezeLadderRequest, context: Context) -> pb.ListLaddersResponse:
        """Begin no match on a ladder, or on any, from a moment on."""
        if request.at_millis < 0:
            raise ConfigError("a ladder cannot be frozen before 1970")
        await self._arena.freeze(self._ladder(request.name), request.at_millis)
        return pb.ListLaddersResponse(ladders=self._arena.ladders(), seasons=self._arena.seasons())

    async def UnfreezeLadder(self, request: pb.UnfreezeLadderRequest, context: Context) -> pb.ListLaddersResponse:
        """Take a freeze back."""
        await self._arena.unfreeze(self._ladder(request.name))
        return pb.ListLaddersResponse(ladders=self._arena.ladders(), seasons=self._arena.seasons())

    async def ArchiveSeason(self, request: pb.ArchiveSeasonRequest, context: Context) -> pb.Season:
        """Keep the final tables and all records."""
        return await self._arena.archive_season(check_name(request.name, "season"))

    async def StartSeason(self, request: pb.StartSeasonRequest, context: Context) -> pb.StartSeasonResponse:
        """Start the next season."""
        ratings = await self._arena.start_season(from_ratings=request.from_ratings, shrink=request.shrink)
        return pb.StartSeasonResponse(ratings=ratings)

    def _bot(self, name: str) -> pb.Bot:
        return bot_info(self._registry.bot(name), self._arena.attendance(name))

    def _ladder(self, name: str) -> str:
        ladders = [ladder.name for ladder in self._arena.ladders()]
        if name and name not in ladders:
            raise NotFound(f"there is no ladder {quote(name)}; there is {list_names(ladders)}")
        return name

    async def _event(self, name: str) -> pb.EventInfo:
        event = self._registry.event(name)
        progress = self._arena.progress(name) or await stored_progress(self._archive, event)
        return event_info(event, progress, schedule=self._arena.schedule(name))
