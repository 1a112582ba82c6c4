"""Bots play as well when they are confined as when they are not."""

from __future__ import annotations

import pytest

from referee.games import GAMES
from server.bots.spec import find_bot
from server.hosting.bot_host import BotHost
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.play.match_setup import MatchSetup
from support.jail import need


@pytest.mark.few(1)
@pytest.mark.parametrize("level", [JailLevel.FENCE, JailLevel.JAIL])
async def test_a_confined_bot_plays_its_match(level: JailLevel) -> None:
    need(level)
    game = GAMES["broadsides"]
    setup = MatchSetup(game=game, variant=game.info.read_variant({}), seed="7")
    async with BotHost(confinement=Confinement(level=level)) as host:
        bots = [await host.start_bot(find_bot("random")) for _ in range(2)]
        result = await host.play(setup.terms(), bots)
    assert result.faults == ()
