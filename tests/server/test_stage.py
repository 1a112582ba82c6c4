"""A stage: what is left of bots that cannot be started, which is nothing."""

from __future__ import annotations

import asyncio
import errno

import pytest

from referee.errors import ConfigError, MatchVoid
from server import launcher
from server.config import BotSpec
from server.stage import Stage


def test_a_bot_that_cannot_be_started_is_not_expected_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that tries again and again for weeks must not keep a token for every try."""

    def exhausted(environment: object) -> None:
        raise OSError(errno.EAGAIN, "no more processes")

    async def scenario() -> None:
        async with Stage() as stage:
            with pytest.raises(ConfigError, match="not found"):
                await stage.start_bot(BotSpec(name="missing", run=("/no/such/program",)))
            monkeypatch.setattr(launcher, "start_keeper", exhausted)
            with pytest.raises(MatchVoid):
                await stage.start_bot(BotSpec(name="unlucky", run=("true",)))
            assert stage.door._invitations == {}

    asyncio.run(scenario())
