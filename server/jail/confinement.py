"""How one bot's process is confined: the one place that turns a level into what the keeper has to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from server.jail.level import JailLevel
from server.jail.limits import ResourceLimits


@dataclass(frozen=True, kw_only=True, slots=True)
class Confinement:
    """The level and the limits under which the bots of a host run."""

    level: JailLevel = JailLevel.NONE
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    hidden: tuple[Path, ...] = ()
    """Folders that no bot may see, even if one of them lies inside a folder that it may: an event's, an arena's."""

    def order(self, argv: tuple[str, ...], *, sees: tuple[Path, ...], door: Path | None) -> dict[str, Any]:
        """What the keeper has to do between fork and exec, fit for JSON. `sees`: what the bot may read, its own folder
        first; `door`: the socket it dials."""
        return {"level": str(self.level)}
