"""A new bot out of a kit: what the kit lends, the scaffold over it, and the messages of the protocol."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from referee.errors import ConfigError
from referee.games import GAMES
from server.bots.kits import PROTO, Kit
from server.bots.spec import MANIFEST, NAME, BotSpec, read_manifest

OUTPUT = shutil.ignore_patterns("target", "build", "node_modules", "dist", "__pycache__", ".generating.*")
"""What a build leaves in the folders a kit lends."""


def new_bot(name: str, kit: Kit, games: Sequence[str], folder: Path) -> BotSpec:
    """Write a bot that builds and plays at once into a folder that must not be there yet."""
    if not NAME.fullmatch(name):
        raise ConfigError(
            f"a bot's name is A-Z a-z 0-9 . _ -, at most 64 of them, the first a letter or digit: {name!r}"
        )
    if folder.exists() or folder.is_symlink():
        raise ConfigError(f"{folder} is there already; nothing was written. Take another name or --dir")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Beside its place first, so that there is never half a bot.
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=folder.parent) as workshop:
            draft = Path(workshop) / "bot"
            draft.mkdir()
            lend(kit, draft)
            fill(kit.scaffold, draft, blanks(name, games))
            shutil.copytree(PROTO / "tortuga", draft / "proto" / "tortuga", dirs_exist_ok=True)
            draft.rename(folder)
    except OSError as error:
        raise ConfigError(f"cannot write {error.filename or folder}: {error.strerror}") from None
    return read_manifest(folder / MANIFEST)


def blanks(name: str, games: Sequence[str]) -> dict[str, str]:
    """What each blank stands for: the name, the games as a list, and one of them for the commands of the README."""
    quoted, one = ", ".join(f'"{game}"' for game in games), games[0] if games else next(iter(GAMES))
    # In quotes, too: so a scaffold can be a program that formatters read.
    return {"@NAME@": name, '"@GAMES@"': quoted, "@GAMES@": quoted, "@GAME@": one}


def lend(kit: Kit, folder: Path) -> None:
    """Copy what a new bot takes along."""
    for name in kit.take:
        source, target = kit.folder / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=OUTPUT, symlinks=True)
        else:
            shutil.copy2(source, target)


def fill(scaffold: Path, folder: Path, words: dict[str, str]) -> None:
    """Copy the scaffold, with its blanks filled in: in texts and in file names."""
    for source in sorted(scaffold.rglob("*")):
        if not source.is_file() or "__pycache__" in source.parts:
            continue
        target = folder / replaced(str(source.relative_to(scaffold)), words)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
        try:
            target.write_text(replaced(source.read_text(), words))
        except UnicodeDecodeError:
            continue  # no text: it stays as it was copied


def replaced(text: str, words: dict[str, str]) -> str:
    """The text with its blanks filled in."""
    for blank, word in words.items():
        text = text.replace(blank, word)
    return text
