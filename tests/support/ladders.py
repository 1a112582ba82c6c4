"""Ladders of an arena for tests: a short configuration, and matches that were really played, by functions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from referee.match.ids import BotIdentity
from referee.match.match import Match, MatchResult, Player, Terms
from referee.wire import make_terms
from server.arena.config import ArenaConfig
from server.arena.ladders.ladder import LadderMatch, OpenLadder
from server.play.play_match import record_result
from server.play.recorded_match import RecordedMatch
from server.tournament.manifest import make_contests
from support.events import TINY, script
from support.players import QuietHost, ScriptedPlayer

LADDER = "pavillon_noir-2"
DUEL = {"id": "pavillon_noir", "seats": 2, "variant": TINY}
COVE = {"id": "pirates_cove", "seats": 4}


def make_config(*ladders: dict[str, Any], **keys: Any) -> ArenaConfig:
    """An arena with these ladders; without any: the shortest game there is. No bot is late on a busy machine."""
    contests = make_contests(list(ladders) or [DUEL], "ladders")
    config = ArenaConfig(ladders=contests, clock="3600+60/600", anchor="ann", rest_seconds=0.0)
    return replace(config, **keys)


class Named:
    """Whoever sat there."""

    def __init__(self, name: str, version: str = "1") -> None:
        self._identity = BotIdentity(name=name, version=version)

    def identity(self) -> BotIdentity:
        """What the record says of it."""
        return self._identity

    async def player(self, terms: Terms) -> Player:
        """Never called: its match is over."""
        raise AssertionError("the match is over")


async def play_terms(terms: Terms, names: Sequence[str]) -> MatchResult:
    """A match between functions; one called `crash…` fails."""
    players = [ScriptedPlayer(script(name, terms.match_id), name=name) for name in names]
    return await Match(terms, players, QuietHost()).play()


async def play_finished(ladder: OpenLadder, match_id: str, names: Sequence[str], contest: str = LADDER) -> LadderMatch:
    """A match as it comes from the table; its luck follows from its name."""
    found = ladder.contest(contest)
    terms = make_terms(
        found.rules,
        found.rules.info.read_variant(found.variant),
        hashlib.sha256(match_id.encode()).digest(),
        match_id=match_id,
        clock=make_config().time_control,
    )
    result = await play_terms(terms, names)
    match = record_result(result, [Named(name) for name in names], 0)
    assert isinstance(match, RecordedMatch)
    return contest, match
