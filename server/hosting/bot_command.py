"""The command line, environment and folder of a bot's process. The one place that decides them.

The launcher and `tortuga bot connect` both start bots by a BotCommand. Whatever is to confine a bot (a jail, limits)
wraps the command here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from server.jail.runtime import BOT_SITE

INHERITED = ("LANG", "LC_ALL", "TZ")
"""What of our own environment a bot may see, besides PATH."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BotCommand:
    """How a bot's process is started."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path
    """Where it runs: a scratch folder of its own, which is also its HOME and TMPDIR."""


def make_bot_command(argv: Sequence[str], scratch: Path, told: Mapping[str, str]) -> BotCommand:
    """The command of a bot that is told these variables, such as TORTUGA_ADDRESS and TORTUGA_TOKEN, and little else."""
    home = {"HOME": str(scratch), "TMPDIR": str(scratch)}
    return BotCommand(argv=tuple(argv), environment={**base_environment(), **home, **told}, folder=scratch)


def base_environment() -> dict[str, str]:
    """What of our environment a bot may see. Our own interpreter comes first: it is the one that knows the SDK.

    The other packages of ours that it knows are not for bots: BOT_SITE sees to that.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    python = {"PYTHONPATH": str(BOT_SITE), "TORTUGA_SERVER_PREFIX": sys.prefix}
    return {"PATH": path} | python | {name: os.environ[name] for name in INHERITED if name in os.environ}
