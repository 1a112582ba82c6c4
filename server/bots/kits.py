"""The kits: one per language, a folder of sample_bots/ with a `kit.toml`.

A kit holds the SDK of its language, sample bots, and in scaffold/ the files from which a new bot is made.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee.errors import ConfigError
from referee.text import did_you_mean
from server.bots.spec import ROOT, SCAFFOLD, BotSpec

KIT_FILE = "kit.toml"
IDEAS = "ideas"
"""The folder of a kit with a folder per game, whose files take the place of those of the scaffold."""
REQUIREMENTS, PACKAGES = "requirements.txt", "site-packages"
"""The Python packages a bot needs, and where in its folder its build puts them."""
PROTO = ROOT / "proto"
"""The .proto files, as tortuga/v1/*.proto below this folder."""
_FIELDS = {
    "language": str,
    "tools": list,
    "needs": dict,
    "debian": dict,
    "take": list,
    "checks": list,
    "check_tools": list,
    "offline": dict,
    "runtime": str,
    "agents": dict,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Offline:
    """Settings for a build without network. The texts are shell words: `$(go env GOMODCACHE)` asks our own tools."""

    shows: tuple[str, ...] = ()
    """Folders that the build may read: tools, and what they fetched earlier."""
    environment: Mapping[str, str] = field(default_factory=dict)
    # The cache of kit_cache.py, which is $CACHE in all of these and in the words above; empty there: there is none.
    before: str = ""
    """A shell line to run in the jail before a build, where the cache is read-only, if there is one."""
    fetch: tuple[str, ...] = ()
    """Shell lines that fetch what a new bot of the kit needs, run in the folder of one."""
    extra: str = ""
    """A shell line that fetches $PACKAGE as well."""
    packages: str = ""
    """A shell line that prints what the cache holds, a package a line."""
    missing: str = ""
    """The message of a tool that misses a package: a regular expression with a group for its name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Kit:
    """One language: its SDK, tools and scaffold."""

    language: str
    folder: Path
    tools: tuple[str, ...] = ()
    """The commands that must be on PATH to build with it."""
    needs: Mapping[str, str] = field(default_factory=dict)
    """Other needs of a build, e.g. a library's headers: the name, and a shell line that fails where it is missing."""
    debian: Mapping[str, str] = field(default_factory=dict)
    """The Debian package of each tool."""
    take: tuple[str, ...] = ()
    """The files and folders that a new bot gets unchanged."""
    checks: tuple[str, ...] = ()
    """Its own tests, linter and formatter, as shell lines: checks.py runs them."""
    check_tools: tuple[str, ...] = ()
    """The commands that its checks need on PATH, besides `tools`."""
    offline: Offline = field(default_factory=lambda: Offline())
    runtime: str = ""
    """A shell line that prints the runtime that its bots need, with its version; empty: none."""
    agents: Mapping[str, str] = field(default_factory=dict)
    """Texts about the language in a new bot's guide for coding agents, by placeholder; empty: no guide."""

    @property
    def scaffold(self) -> Path:
        """Return the folder with the files of a new bot that are its own."""
        return self.folder / SCAFFOLD

    def idea(self, games: Sequence[str]) -> Path | None:
        """Return the folder with a first idea for one game, for a new bot; None: for several games, or there is
        none."""
        folder = self.folder / IDEAS / games[0] if len(games) == 1 else None
        return folder if folder is not None and folder.is_dir() else None

    def missing_tools(self) -> list[str]:
        """Return what a build needs and this machine lacks."""
        missing = [self._named(tool) for tool in self.tools if shutil.which(tool) is None]
        if not missing:  # the lines of `needs` call the tools
            missing = [name for name, line in self.needs.items() if not _succeeds(line)]
        return missing

    def missing_check_tools(self) -> list[str]:
        """Return what its checks need and this machine lacks."""
        return self.missing_tools() + [self._named(tool) for tool in self.check_tools if shutil.which(tool) is None]

    def _named(self, tool: str) -> str:
        package = self.debian.get(tool, tool)
        return tool if package == tool else f"{tool} (Debian: {package})"


def find_kits(root: Path = ROOT) -> dict[str, Kit]:
    """Return all kits, by language."""
    kits = [read_kit(path) for path in sorted((root / "sample_bots").glob(f"*/{KIT_FILE}"))]
    return {kit.language: kit for kit in kits}


def find_kit(language: str) -> Kit:
    """Return the kit of one language. For an unknown language, name those that have one."""
    kits = find_kits()
    if language not in kits:
        raise ConfigError(
            f"there is no kit for {language!r}{did_you_mean(language, kits)}; "
            f"there are kits for {', '.join(kits)}. For any other language "
            "docs/protocol.md is all you need"
        )
    return kits[language]


def read_kit(path: Path) -> Kit:
    """Read a `kit.toml`."""
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
        needs=table.get("needs", {}),
        debian=table.get("debian", {}),
        take=tuple(table.get("take", ())),
        checks=tuple(table.get("checks", ())),
        check_tools=tuple(table.get("check_tools", ())),
        offline=Offline(**table.get("offline", {})),
        runtime=table.get("runtime", ""),
        agents=table.get("agents", {}),
    )


def missing_tools(language: str) -> list[str]:
    """Return what a bot of that language needs to be built and this machine lacks. Nothing for a language without a
    kit."""
    kit = find_kits().get(language)
    return kit.missing_tools() if kit else []


def missing_files(spec: BotSpec) -> list[Path]:
    """Return the files of the bot's own folder that its command names and that do not exist: the bot has to be
    built."""
    if spec.folder is None:
        return []
    folder = str(spec.folder)
    lacking = [spec.folder / PACKAGES] if needs_packages(spec) and not (spec.folder / PACKAGES).is_dir() else []
    # One word may hold several paths: a Java class path, perhaps with a star at the end.
    parts = [part for word in spec.run for part in word.split(os.pathsep) if part.startswith(folder)]
    return [*lacking, *(path for path in (Path(word.rstrip("*")) for word in parts) if not path.exists())]


def needs_packages(spec: BotSpec) -> bool:
    """Check whether a bot names Python packages that its build has to install."""
    return spec.folder is not None and (spec.folder / REQUIREMENTS).is_file()


def has_build(spec: BotSpec) -> bool:
    """Check whether there is anything to build."""
    return spec.folder is not None and (bool(spec.build) or needs_packages(spec))


def refuse_unbuilt(bot: BotSpec, spec: str = "") -> None:
    """Say what to do about a bot that is not built: how to build it, and what that needs and this machine lacks."""
    missing = missing_files(bot)
    if missing and has_build(bot):
        tools = missing_tools(bot.language)
        needs = f"; to build it you need {', '.join(tools)}, which cannot be found" if tools else ""
        command = f"tortuga bot build {shlex.quote(spec or str(bot.folder))}"
        raise ConfigError(f"{bot.name} is not built, {missing[0]} does not exist: {command}{needs}")


def state_of(spec: BotSpec) -> str:
    """Say in two words whether a bot can be started."""
    if not missing_files(spec):
        return "ready"
    tools = missing_tools(spec.language)
    return f"not built: {', '.join(tools)} missing" if tools else "not built"


def on_ci() -> bool:
    """Check whether this is a CI machine, which has the tools of every kit: there, a kit left out is a failure."""
    return os.environ.get("CI") == "true"


def _succeeds(line: str) -> bool:
    return (
        subprocess.run(["sh", "-c", line], stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
    )
