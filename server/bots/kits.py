"""The kits: one per language, a folder of sample_bots/ with a `kit.toml`.

A kit holds the SDK of its language, sample bots, and in scaffold/ what a new bot is made of.
"""

from __future__ import annotations

import os
import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.errors import ConfigError
from server.bots.spec import ROOT, SCAFFOLD, BotSpec

KIT_FILE = "kit.toml"
PROTO = ROOT / "proto"
"""The .proto files, as tortuga/v1/*.proto below this folder."""
_FIELDS = {"language": str, "tools": list, "take": list, "checks": list}


@dataclass(frozen=True, kw_only=True, slots=True)
class Kit:
    """What there is for one language."""

    language: str
    folder: Path
    tools: tuple[str, ...] = ()
    """The commands that have to be on PATH to build with it."""
    take: tuple[str, ...] = ()
    """The files and folders that a new bot takes along unchanged."""
    checks: tuple[str, ...] = ()
    """Its own tests, linter and formatter, as lines for the shell: checks.py runs them."""

    @property
    def scaffold(self) -> Path:
        """The files of a new bot that are its own."""
        return self.folder / SCAFFOLD


def find_kits(root: Path = ROOT) -> dict[str, Kit]:
    """All kits, by language."""
    kits = [read_kit(path) for path in sorted((root / "sample_bots").glob(f"*/{KIT_FILE}"))]
    return {kit.language: kit for kit in kits}


def find_kit(language: str) -> Kit:
    """The kit of one language, or what there is instead."""
    kits = find_kits()
    if language not in kits:
        raise ConfigError(
            f"there is no kit for {language!r}; there are kits for {', '.join(kits)}. For any other language "
            "docs/protocol.md is all you need"
        )
    return kits[language]


def read_kit(path: Path) -> Kit:
    """A `kit.toml`."""
    try:
        table: dict[str, Any] = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from None
    wrong = [name for name, value in table.items() if not isinstance(value, _FIELDS.get(name, ()))]
    if wrong or "language" not in table:
        raise ConfigError(f"{path}: {', '.join(wrong) or 'language'} has to be one of {', '.join(_FIELDS)}")
    return Kit(
        language=table["language"],
        folder=path.parent,
        tools=tuple(table.get("tools", ())),
        take=tuple(table.get("take", ())),
        checks=tuple(table.get("checks", ())),
    )


def missing_tools(language: str) -> list[str]:
    """The commands a bot of that language is built with and that are not on PATH. A language without a kit: none."""
    kit = find_kits().get(language)
    return [tool for tool in kit.tools if shutil.which(tool) is None] if kit else []


def missing_files(spec: BotSpec) -> list[Path]:
    """What the bot's command names in its own folder, or in that of its kit, and is not there: it has to be built."""
    if spec.folder is None:
        return []
    home = str(spec.folder)
    # A class path is several in one word, perhaps with a star at the end.
    words = [part for word in spec.run for part in word.split(os.pathsep) if part.startswith(home)]
    return [path for path in (Path(word.rstrip("*")) for word in words) if not path.exists()]


def state_of(spec: BotSpec) -> str:
    """Whether a bot can be started, in two words."""
    if not missing_files(spec):
        return "ready"
    tools = missing_tools(spec.language)
    return f"not built: {', '.join(tools)} missing" if tools else "not built"
