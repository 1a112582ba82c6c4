"""Finds a bot by its SPEC on the command line, and reads its manifest.

A bot is named by a SPEC: a folder with a `bot.toml`, the name of a sample bot, `cmd: …` with a command line, or
`remote: NAME`, a bot that dials in to an arena by itself.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from referee.errors import ConfigError
from referee.match.ids import BotIdentity
from referee.rules.infos import INFOS
from referee.text import did_you_mean, listed
from server.jail.limits import Asked, ResourceLimits, grant, read_limits
from server.system.setting_files import parse_toml, unknown_keys

ROOT = Path(__file__).parents[2]
"""The folder with server/, sample_bots/ and proto/ in it, in a checkout and in an installed wheel alike."""
SAMPLE_BOTS = ROOT / "sample_bots"
"""The kits: a folder per language, with a folder per sample bot in it."""
MANIFEST = "bot.toml"
BUNDLE_FILE = ".tortuga-bundle.json"
"""In the unpacked folder of a bundle (bundle.py), which is named by the bundle's hash."""
SCAFFOLD = "scaffold"
"""The folder of a kit that a new bot is made from. It is no sample bot."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""The names that a bot may have: they go into standings, logs and file names."""

MAX_BYTES = 16 << 10
"""Longest bot.toml. It is untrusted, and the time to read one can grow with the square of its length."""
MAX_TEXT = 200
"""Longest version or language, in characters: both are shown in standings and records."""
MAX_GAMES = 64

_FIELDS: dict[str, type[object]] = {
    "name": str,
    "version": str,
    "language": str,
    "games": list,
    "slots": int,
    "build": list,
    "run": list,
    "limits": dict,
}
_WANTED = {str: "a text", int: "a whole number", list: "a list of texts", dict: "a table: [limits]"}


@dataclass(frozen=True, kw_only=True, slots=True)
class BotSpec:
    """A bot that can be started."""

    name: str
    run: tuple[str, ...]
    version: str = ""
    language: str = ""
    games: tuple[str, ...] = ()
    """Ids of the games it plays; empty: all of them."""
    slots: int = 1
    build: tuple[str, ...] = ()
    """A command to run once before the bot can be started; empty: none."""
    folder: Path | None = None
    manifest_hash: bytes = b""
    bundle_hash: bytes = b""
    """SHA-256 of the bundle that it plays from. Empty: it plays from a folder of its author's."""
    remote: bool = False
    """True if it dials in by itself: nobody here can start it, and only an arena (`tortuga serve`) can seat it."""
    asked: Asked = ()
    """The limits that its manifest asks for."""
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    """What one process of it may use."""

    @property
    def identity(self) -> BotIdentity:
        """Return the identity of the bot for a record."""
        return BotIdentity(
            name=self.name,
            version=self.version,
            language=self.language,
            manifest_hash=self.manifest_hash,
            bundle_hash=self.bundle_hash,
        )

    def check_game(self, game_id: str) -> None:
        """Refuse a game the bot says it does not play."""
        if self.games and game_id not in self.games:
            unknown = [game for game in self.games if game not in INFOS]
            doubts = [f"{game!r}, which is no game here{did_you_mean(game, INFOS)}" for game in unknown]
            plays = listed([*(game for game in self.games if game in INFOS), *doubts])
            raise ConfigError(f"the bot {self.name} does not play {game_id}; its {MANIFEST} says that it plays {plays}")

    def capped(self, caps: ResourceLimits, capped_by: str) -> BotSpec:
        """Return the same bot under an organiser's limits. ConfigError if it asks for more than they allow."""
        return replace(self, limits=grant(self.asked, caps, bot=self.name, capped_by=capped_by))


def find_bot(spec: str, base: Path | None = None) -> BotSpec:
    """Find the bot that a SPEC names; paths are relative to `base`, or to the current folder."""
    base = base or Path.cwd()
    if spec.startswith("cmd:"):
        return _command_bot(spec.removeprefix("cmd:"), base)
    if spec.startswith("remote:"):
        return _remote_bot(spec.removeprefix("remote:").strip())
    path = base / spec / MANIFEST
    if not path.is_file():
        path = sample_manifests().get(spec, path)
    if path.is_file():
        return read_manifest(path)
    if (base / spec).is_dir():
        raise ConfigError(f"the folder {spec} has no {MANIFEST}")
    raise ConfigError(
        f"there is no bot {spec!r}{did_you_mean(spec, sample_manifests())}: "
        f'pass a folder with a {MANIFEST}, "cmd: COMMAND", or one of the sample bots '
        f"{', '.join(sample_bots())}"
    )


def absolute_spec(spec: str) -> str:
    """Return a SPEC of the same bot that can be found from anywhere."""
    if spec.startswith("cmd:"):
        return f"cmd: {shlex.join(find_bot(spec).run)}"
    return str(Path(spec).resolve()) if (Path(spec) / MANIFEST).is_file() else spec


def sample_bots() -> list[str]:
    """Return the names of the shipped bots."""
    return sorted(sample_manifests())


@cache
def sample_manifests() -> dict[str, Path]:
    """Return the manifests of the shipped bots, by the name each of them states: `gunner`, `random-go`."""
    paths = [path for path in SAMPLE_BOTS.glob(f"*/*/{MANIFEST}") if path.parent.name != SCAFFOLD]
    return {read_manifest(path).name: path for path in paths}


def read_manifest(path: Path) -> BotSpec:
    """Read a `bot.toml`. Every problem is named with the file and what is expected."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES} bytes, which no {MANIFEST} needs")
        table: dict[str, Any] = parse_toml(raw)
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: {error}") from None
    problems = _problems(table)
    if problems:
        raise ConfigError(f"{path}: {'; '.join(problems)}")
    folder = path.parent.resolve()
    asked = read_limits(table.get("limits", {}))
    return BotSpec(
        name=table["name"],
        run=_command(table["run"], folder),
        version=table.get("version", ""),
        language=table.get("language", ""),
        games=tuple(table.get("games", ())),
        slots=table.get("slots", 1),
        build=_command(table.get("build", ()), folder),
        folder=folder,
        manifest_hash=hashlib.sha256(raw).digest(),
        bundle_hash=bundle_of(folder),
        asked=asked,
        limits=grant(asked),
    )


def bundle_of(folder: Path) -> bytes:
    """Return the hash of the bundle that a folder was unpacked from. Empty: it was not unpacked from one."""
    is_bundle = re.fullmatch(r"[0-9a-f]{64}", folder.name) and (folder / BUNDLE_FILE).is_file()
    return bytes.fromhex(folder.name) if is_bundle else b""


def _problems(table: dict[str, Any]) -> list[str]:
    problems = unknown_keys(table, _FIELDS)
    for name, kind in _FIELDS.items():
        value = table.get(name)
        if value is None:
            if name in ("name", "run"):
                problems.append(f"{name!r} is missing")
        elif type(value) is not kind or (isinstance(value, list) and not all(isinstance(word, str) for word in value)):
            problems.append(f"{name!r} must be {_WANTED[kind]}")
    if isinstance(limits := table.get("limits", {}), dict):
        try:
            read_limits(limits)
        except ConfigError as error:
            problems.append(str(error))
    if not problems:
        if not NAME.fullmatch(table["name"]):
            problems.append("'name' must have 1 to 64 characters of A-Z a-z 0-9 . _ -, the first a letter or digit")
        for name in ("version", "language"):
            if not is_short_line(table.get(name, "")):
                problems.append(f"{name!r} must be one line of at most {MAX_TEXT} printable characters")
        if len(games := table.get("games", [])) > MAX_GAMES:
            problems.append(f"'games' names more than {MAX_GAMES} games")
        if not all(map(NAME.fullmatch, games)):
            problems.append("'games' may hold A-Z a-z 0-9 . _ - only, at most 64 of them in each name")
        if not table["run"]:
            problems.append("'run' is empty")
        problems += [
            f"'run' leaves the bot's folder: {word!r}; let 'build' put all that it needs into {{dir}}"
            for word in table["run"]
            if leaves_folder(word)
        ]
        if not 1 <= table.get("slots", 1) <= 64:
            problems.append("'slots' must be from 1 to 64")
    return problems


def is_short_line(text: str) -> bool:
    """Check that a text can be a version or a language."""
    return len(text) <= MAX_TEXT and text.isprintable()


def leaves_folder(word: str) -> bool:
    """Check whether a word of a command names a path that starts at `{dir}` and ends outside it.

    Words without `{dir}`, such as /usr/bin/python3, do not.
    """
    for rest in word.split("{dir}")[1:]:
        path = rest.split(os.pathsep)[0]  # a class path is several paths in one word
        first = re.split(r"[\s'\";&|<>()]", path)[0]  # in a shell line the path ends here
        for piece in (first, path) if path.startswith("/") else (first,):
            if not f"{os.path.normpath(f'/dir{piece}')}/".startswith("/dir/"):
                return True
    return False


def read_faults(text: str) -> int:
    """Return how many late or illegal answers are forgiven: `strict`, or `lenient:N`."""
    if text == "strict":
        return 0
    word, _, count = text.partition(":")
    if word == "lenient" and count.isascii() and count.isdigit() and 1 <= int(count) <= 1000:
        return int(count)
    raise ConfigError(f"--faults is {text!r}, expected strict or lenient:N with N from 1 to 1000")


def _command(command: list[str] | tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """Replace `{dir}` in a command by the bot's own folder. The bot does not run in there, but in a scratch folder."""
    return tuple(word.replace("{dir}", str(folder)) for word in command)


def _remote_bot(name: str) -> BotSpec:
    if not NAME.fullmatch(name):
        raise ConfigError(f'"remote: {name}" names no bot: expected A-Z a-z 0-9 . _ - only, at most 64 of them')
    return BotSpec(name=name, run=(), remote=True)


def _command_bot(text: str, base: Path) -> BotSpec:
    try:
        command = shlex.split(text)
    except ValueError as error:
        raise ConfigError(f"the command {text.strip()!r} cannot be read: {error}") from None
    if not command:
        raise ConfigError('"cmd:" needs a command, e.g. "cmd: python my_bot.py"')
    # The bot runs in a scratch folder: files of the command are meant relative to `base`. Links stay as they are: a
    # virtual environment's python is one.
    command = [os.path.abspath(base / word) if (base / word).exists() else word for word in command]
    files = [word for word in command[1:] if Path(word).is_file()]
    name = re.sub(r"[^A-Za-z0-9._-]", "-", Path((files or command)[0]).stem)[:64].lstrip("._-")
    return BotSpec(name=name or "cmd", run=tuple(command))


EVENT_FILE = "tournament.toml"
"""The file that makes a folder that of an event (server/tournament/manifest.py)."""
BUILT = frozenset({"target", "build", "bin", "obj", "node_modules", "dist", "__pycache__"})


def content_sha256(spec: BotSpec) -> str:
    """Hash a bot's files, in hexadecimal digits. For a bot without a folder its command's files count; empty: it
    dials in by itself. What its author's builds and events left in its folder does not count."""
    if spec.remote:
        return ""
    digest = hashlib.sha256()
    if spec.folder is None:
        digest.update("\0".join(spec.run).encode())
    for name, path in sorted(_files(spec)):
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _files(spec: BotSpec) -> Iterator[tuple[str, Path]]:
    if spec.folder is None:
        yield from ((word, Path(word)) for word in spec.run[1:] if Path(word).is_file())
        return
    for here, folders, files in os.walk(spec.folder):
        folders[:] = [
            name
            for name in folders
            if name not in BUILT and not name.startswith(".") and not Path(here, name, EVENT_FILE).is_file()
        ]
        for name in files:
            path = Path(here, name)
            if path.is_file() and not name.startswith("."):
                yield path.relative_to(spec.folder).as_posix(), path
