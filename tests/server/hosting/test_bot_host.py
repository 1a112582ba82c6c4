"""A bot host leaves nothing behind of bots that cannot be started, nor of logs that cannot be kept."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path

import pytest

from referee.errors import BotFault, ConfigError, MatchVoid
from server.bots.spec import BotSpec
from server.hosting import launcher
from server.hosting.bot_host import BotHost


async def test_a_bot_that_cannot_be_started_is_not_expected_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that tries again and again for weeks must not keep a token for every try."""

    def exhausted(environment: object) -> None:
        raise OSError(errno.EAGAIN, "no more processes")

    async with BotHost() as host:
        with pytest.raises(ConfigError, match="not found"):
            await host.start_bot(BotSpec(name="missing", run=("/no/such/program",)))
        monkeypatch.setattr(launcher, "start_keeper", exhausted)
        with pytest.raises(MatchVoid):
            await host.start_bot(BotSpec(name="unlucky", run=("true",)))
        assert host.door._invitations == {}


def test_a_host_that_cannot_keep_its_logs_leaves_no_folder_behind(tmp_path: Path) -> None:
    folder, logs = tmp_path / "host", tmp_path / "logs"
    logs.touch()

    async def scenario() -> None:
        async with BotHost(folder=folder, logs=logs):
            assert folder.is_dir()

    with pytest.raises(FileExistsError):
        asyncio.run(scenario())
    assert not folder.exists()


async def test_a_bot_that_is_expelled_before_it_says_hello_loses_for_that_reason() -> None:
    async with BotHost() as host:
        bot = await host.start_bot(BotSpec(name="silent", run=("sleep", "1000")))
        waiting = asyncio.create_task(bot.arrive(None))
        await asyncio.sleep(0)
        bot.expel("it swears")
        with pytest.raises(BotFault, match="it swears"):
            await waiting
        await asyncio.wait([bot.process.ended])
        with pytest.raises(BotFault, match="it swears"):  # not that it was killed: that was our doing
            await bot.arrive(None)
        assert bot.is_gone
