"""Starts a bot once from its bundle, before it plays anywhere.

A bundle holds the bot's folder and nothing beside it. A bot that was not built, or that reads its neighbours' files,
plays well from its author's folder and crashes in every match of a cluster. If it cannot be started where the event
runs, that is the bot's fault; if it cannot be started on one of the machines, it is the machine's.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from referee.errors import BotFault, ConfigError, MatchVoid
from referee.text import harmless
from server.bots.bundle import unpack
from server.bots.kits import has_build
from server.bots.spec import MANIFEST, BotSpec, read_manifest
from server.hosting.bot_host import BotHost
from server.jail.confinement import Confinement
from server.jail.machine import obstacle

START_SECONDS = 60.0
"""How long a bot may take to say Hello. Machines are busy when an event begins, and in a match it has its own time."""
OPEN = 0o711
"""Where we are root, bots are other users: they have to get through to their folder."""


async def try_start(spec: BotSpec, confinement: Confinement, folder: Path | None = None) -> str:
    """Start a bot, confined as in its matches, and wait for its Hello. Returns why it cannot be started.

    `folder` is a private folder to make for it.
    """
    try:
        async with BotHost(folder=folder, confinement=confinement) as host:
            bot = await host.start_bot(spec)
            try:
                await bot.arrive(START_SECONDS)
            except BotFault as fault:
                printed = " | ".join(line.strip() for line in bot.process.last_words().splitlines())
                return f"{fault}; its last output: {printed or 'none'}"
            finally:
                await host.stop_bot(bot)
    except BotFault as fault:
        return str(fault)
    except MatchVoid:
        pass  # this machine is busy, which says nothing about the bot
    return ""


class HomeTrial:
    """Tries bots on the machine that runs the event, one at a time."""

    def __init__(self, confinement: Confinement) -> None:
        self._confinement = confinement
        self._can_confine = not obstacle(confinement.level)
        self._turn = asyncio.Semaphore(1)

    async def check(self, spec: BotSpec, content: bytes) -> None:
        """Refuse a bot that cannot be started from its bundle. Without its jail, a bot is not started here at all."""
        if not self._can_confine:
            return
        async with self._turn:
            with tempfile.TemporaryDirectory(prefix="tortuga-trial-") as place:
                local = await asyncio.to_thread(_unpack, content, Path(place))
                reason = await try_start(local, self._confinement)
        if reason:
            cure = (
                f"build it (tortuga bot build {spec.folder})" if has_build(spec) else "keep all it needs in its folder"
            )
            raise ConfigError(
                f"the bot {spec.name} cannot be started from its bundle, which holds its folder alone: "
                f"{harmless(reason)}. To play on a cluster, {cure}"
            )


def _unpack(content: bytes, place: Path) -> BotSpec:
    place.chmod(OPEN)
    archive, folder = place / "bundle.tar", place / "bot"
    archive.write_bytes(content)
    archive.chmod(0o600)
    folder.mkdir()
    unpack(archive, folder)
    folder.chmod(0o755)
    return read_manifest(folder / MANIFEST)
