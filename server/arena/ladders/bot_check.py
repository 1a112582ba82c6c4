"""Checks a bot before the arena hosts it: it plays short matches against itself in every game of the ladders.

A bot that cannot even do that would only lose matches and make its opponents' ratings less meaningful.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from contextlib import AsyncExitStack

from referee.errors import ConfigError, MatchVoid
from referee.match.clock import TimeControl
from referee.match.ids import single_match_id
from referee.wire import make_terms
from server.arena.errors import FailedPrecondition
from server.bots.spec import BotSpec
from server.hosting.bot_host import BotHost
from server.hosting.hosted_bot import HostedBot
from server.play.play_match import play_match, table_of
from server.play.recorded_match import RecordedMatch, VoidMatch
from server.tournament.manifest import Contest

CHECK_SECONDS = 3.0
"""How long it plays each game at most, once it has answered."""


async def check_bot(host: BotHost, spec: BotSpec, contests: Sequence[Contest], clock: TimeControl) -> None:
    """Refuse a bot that fails in a match against itself, with the reason and its last words."""
    games: dict[str, Contest] = {}
    for contest in sorted(contests, key=lambda contest: contest.seats):
        if not spec.games or contest.game in spec.games:
            games.setdefault(contest.game, contest)
    seats = max((contest.seats for contest in games.values()), default=0)
    async with AsyncExitStack() as stack:
        bots: list[HostedBot] = []
        try:
            for _ in range(seats):
                bots.append(await host.start_bot(spec))
                stack.push_async_callback(host.stop_bot, bots[-1])
            for contest in games.values():
                await _play_a_little(host, contest, bots[: contest.seats], clock)
        except MatchVoid as error:
            raise FailedPrecondition(
                f"the bot {spec.name} could not be checked, because this machine was too busy: {error}; try again"
            ) from None


async def _play_a_little(host: BotHost, contest: Contest, bots: Sequence[HostedBot], clock: TimeControl) -> None:
    secret = secrets.token_bytes(32)
    terms = make_terms(
        contest.rules,
        contest.rules.info.read_variant(contest.variant),
        secret,
        match_id=single_match_id(contest.game, secret),
        clock=clock,
    )
    asked = sum(bot.questions for bot in bots)
    match = asyncio.create_task(play_match(host, terms, table_of(bots)))
    try:
        while not match.done():  # its clocks end it, should no answer ever come
            await asyncio.wait([match], timeout=CHECK_SECONDS)
            if sum(bot.questions for bot in bots) > asked + len(bots):  # so many are open at most: one was answered
                break
    finally:
        if not match.done():
            match.cancel()
            await asyncio.wait([match])
    if not match.cancelled():
        _judge(match.result(), bots, contest)


def _judge(match: RecordedMatch | VoidMatch, bots: Sequence[HostedBot], contest: Contest) -> None:
    if isinstance(match, VoidMatch):
        raise MatchVoid(match.reason)
    if not match.summary.faults:
        return
    fault = match.summary.faults[0]
    bot = bots[fault.seat]
    output = " | ".join(line.strip() for line in bot.last_words().splitlines())
    raise ConfigError(
        f"the bot {bot.spec.name} is not hosted: in a short match of {contest.id} against itself it failed "
        f"({fault.kind}: {fault.message}); its last output: {output or 'none'}. See also: tortuga bot check"
    )
