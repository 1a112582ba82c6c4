"""Strangers' bots are hosted only where they are confined well enough, unless the organiser insists."""

from __future__ import annotations

from server.arena.errors import FailedPrecondition
from server.bots.spec import SAMPLE_BOTS, BotSpec
from server.jail.level import JailLevel


def check_confined(spec: BotSpec, level: JailLevel, *, trusted: bool) -> None:
    """Refuse to host a bot that is not one of the sample bots at less than the level jail."""
    is_ours = spec.folder is not None and spec.folder.is_relative_to(SAMPLE_BOTS)
    if not (is_ours or trusted or level.holds(JailLevel.JAIL)):
        raise FailedPrecondition(
            f"the bot {spec.name} may be a stranger's, and this arena confines bots at the level {level} only: get at "
            "least the level jail (`tortuga doctor` tells how), or, if you trust the authors of all bots that you "
            "host, set trust_hosted = true in arena.toml"
        )
