"""Packages for builds without network: a folder that the organiser fills once, and that builds only read.

LANGUAGE/       what the language's own tool keeps: wheels, a module cache, a repository
LANGUAGE.list   the packages in it, one a line: what submissions may use

How each tool fetches, and how it works without network, is in the [offline] of its kit.toml.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.errors import ConfigError
from referee.records.files import write_atomically
from server.bots.kits import Kit, find_kits
from server.bots.scaffold import new_bot

FOLDER = "kits"
FETCH = "tortuga server kits fetch"
SHOWN = 30
"""Most packages that are named in an error."""
LAST_LINES = 15


@dataclass(frozen=True, kw_only=True, slots=True)
class Fetched:
    """The result of fetching for one language."""

    language: str
    packages: tuple[str, ...] = ()
    left_out: str = ""
    """The reason why nothing was fetched. Empty: it was."""


class KitCache:
    """The packages in a folder; without one, what the tools of this user have fetched earlier."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder.absolute() if folder else None

    def folder_of(self, language: str) -> Path | None:
        """Return the folder of a language's packages. None: there are none."""
        folder = self._folder / language if self._folder and language else None
        return folder if folder is not None and folder.is_dir() else None

    def environment(self, language: str) -> dict[str, str]:
        """Return the environment for the shell lines of a kit.toml."""
        return {"CACHE": str(self.folder_of(language) or ""), "PYTHON": sys.executable}

    def packages(self, language: str) -> tuple[str, ...]:
        """Return the packages of a language, as name and version."""
        try:
            assert self._folder is not None
            return tuple((self._folder / f"{language}.list").read_text().split("\n")[:-1])
        except (OSError, AssertionError):
            return ()

    def explain(self, language: str, printed: str) -> str:
        """Say which package a build lacked, by what its tool printed, and what is allowed. Empty: it lacked none."""
        kit = find_kits().get(language)
        match = re.search(kit.offline.missing, printed) if kit and kit.offline.missing else None
        if match is None:
            return ""
        name = next(filter(None, match.groups()), "?")
        allowed = self.packages(language)
        if not allowed:
            return (
                f"the package {name} is not here, and no packages for {language} are: ask the organiser to fetch it "
                f"(`{FETCH}`)"
            )
        some = ", ".join(allowed[:SHOWN]) + (f" and {len(allowed) - SHOWN} more" if len(allowed) > SHOWN else "")
        return f"the package {name} is not here; builds have no network, and these are allowed: {some}"

    # Filling it

    def fetch(
        self, languages: Sequence[str] = (), extras: Iterable[str] = (), *, tell: Callable[[str], None] = lambda _: None
    ) -> list[Fetched]:
        """Fetch what the kits' lock files name, and extras as LANGUAGE:PACKAGE. Needs the network, as our own user."""
        assert self._folder is not None
        kits = find_kits()
        wanted: dict[str, list[str]] = {}
        for extra in extras:
            language, colon, package = extra.partition(":")
            if not colon or language not in kits or not package or package.startswith("-"):
                raise ConfigError(f"--extra is {extra!r}, expected LANGUAGE:PACKAGE with one of {', '.join(kits)}")
            wanted.setdefault(language, []).append(package)
        if unknown := [language for language in languages if language not in kits]:
            raise ConfigError(f"there is no kit for {unknown[0]!r}; there are kits for {', '.join(kits)}")
        chosen = [kits[name] for name in kits if name in (languages or kits) or name in wanted]
        self._folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        return [self._fetch(kit, wanted.get(kit.language, []), tell) for kit in chosen]

    def _fetch(self, kit: Kit, extras: Sequence[str], tell: Callable[[str], None]) -> Fetched:
        assert self._folder is not None
        if missing := kit.missing_tools():
            return Fetched(language=kit.language, left_out=f"{', '.join(missing)} not found")
        if not (kit.offline.fetch or extras):
            return Fetched(language=kit.language, left_out="it needs no packages but extras")
        folder = self._folder / kit.language
        folder.mkdir(exist_ok=True)
        tell(kit.language)
        with tempfile.TemporaryDirectory(prefix="tortuga-kits-") as scratch:
            place = Path(scratch) / "bot"
            new_bot("fetching", kit, (), place)
            for line in kit.offline.fetch:
                self._run(kit, line, place)
            for package in extras:
                tell(f"{kit.language}: {package}")
                self._run(kit, kit.offline.extra, place, package)
            packages = self._run(kit, kit.offline.packages, place) if kit.offline.packages else ""
        open_to_readers(folder)
        fetched = tuple(sorted(set(filter(None, packages.splitlines()))))
        write_atomically(self._folder / f"{kit.language}.list", "".join(f"{name}\n" for name in fetched).encode())
        return Fetched(language=kit.language, packages=fetched)

    def _run(self, kit: Kit, line: str, place: Path, package: str = "") -> str:
        environment = {**os.environ, **self.environment(kit.language), "PACKAGE": package}
        command = ["sh", "-c", line]
        done = subprocess.run(
            command, cwd=place, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        if done.returncode:
            said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-LAST_LINES:])
            what = f"the package {package}" if package else "the packages of its kit"
            raise ConfigError(f"{kit.language}: {what} cannot be fetched (`{line}` failed):\n{said}")
        return done.stdout


NO_CACHE = KitCache(None)


def open_to_readers(folder: Path) -> None:
    """Let everybody read a folder, and nobody but us write: in the jail a build is a user of its own."""
    for here, _, files in os.walk(folder):
        for path in (Path(here), *(Path(here, name) for name in files)):
            if path.is_symlink():
                continue
            mode = path.stat().st_mode
            execute = 0o111 if path.is_dir() or mode & stat.S_IXUSR else 0
            path.chmod(stat.S_IMODE(mode) & ~0o022 | 0o444 | execute)
