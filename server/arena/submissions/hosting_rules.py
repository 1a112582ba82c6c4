"""Refuses to host untrusted bots that are not confined well enough, unless the organiser overrides that."""

from __future__ import annotations

import os

from server.arena.errors import FailedPrecondition
from server.bots.spec import BotSpec
from server.bots.strangers import is_sample
from server.jail.level import JailLevel


def check_confined(spec: BotSpec, level: JailLevel, *, trusted: bool) -> None:
    """Refuse to host a bot that is not one of the sample bots at less than the level jail."""
    if not (is_sample(spec) or trusted or level.holds(JailLevel.JAIL)):
        raise FailedPrecondition(
            f"the bot {spec.name} may be a stranger's, and this arena confines bots at the level {level} only: get at "
            "least the level jail (`tortuga doctor` says how), or, if you trust the authors of all bots that you "
            "host, set trust_hosted = true in arena.toml"
        )


def plays_from_bundle(spec: BotSpec, level: JailLevel) -> bool:
    """Return whether a hosted bot plays from a bundle: every bot with a folder does, except the sample bots.

    Below the level jail, a bot that root started runs as a user of its own, who cannot read the arena's folder.
    """
    reachable = level.holds(JailLevel.JAIL) or level is JailLevel.NONE or os.getuid() != 0
    return spec.folder is not None and not is_sample(spec) and reachable
