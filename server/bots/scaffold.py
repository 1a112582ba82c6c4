"""A new bot, made from a kit: the files the kit gives every bot, its scaffold filled in, a guide for coding agents,
and the .proto files."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from referee.errors import ConfigError
from referee.rules.infos import INFOS
from server.bots.kits import PROTO, Kit
from server.bots.spec import MANIFEST, NAME, ROOT, BotSpec, read_manifest

AGENTS, AGENTS_TEMPLATE = "AGENTS.md", ROOT / "sample_bots" / "agents.md"
"""The guide for coding agents in a new bot, and the text it is made from, which is the same for every language."""
BUILD_OUTPUT = shutil.ignore_patterns("target", "build", "bin", "node_modules", "dist", "__pycache__", ".generating.*")
"""What a build leaves in the folders of a kit: not copied."""


def new_bot(name: str, kit: Kit, games: Sequence[str], folder: Path) -> BotSpec:
    """Write a bot that builds and plays at once into a folder that must not be there yet."""
    if not NAME.fullmatch(name):
        raise ConfigError(
            f"a bot's name has 1 to 64 characters of A-Z a-z 0-9 . _ -, the first a letter or digit: {name!r}"
        )
    if folder.exists() or folder.is_symlink():
        raise ConfigError(f"{folder} already exists; nothing was written. Choose another name or pass --dir")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Written elsewhere and renamed, so that there is never half a bot.
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=folder.parent) as temporary:
            draft = Path(temporary) / "bot"
            draft.mkdir()
            copy_kit_files(kit, draft)
            values = placeholder_values(name, games, folder)
            copy_scaffold(kit.scaffold, draft, values)
            if idea := kit.idea(games):
                copy_scaffold(idea, draft, values)
            if kit.agents:
                (draft / AGENTS).write_text(agents_guide(kit, games, values))
            shutil.copytree(PROTO / "tortuga", draft / "proto" / "tortuga", dirs_exist_ok=True)
            draft.rename(folder)
    except shutil.Error as error:  # of copytree: its first argument lists what could not be copied, and why
        _, _, why = error.args[0][0]
        why, _, _ = why.partition(": '")  # the paths of the draft, which is gone by now
        raise ConfigError(f"cannot write {folder}: {why}") from None
    except OSError as error:
        raise ConfigError(f"cannot write {folder}: {error.strerror}") from None
    return read_manifest(folder / MANIFEST)


def placeholder_values(name: str, games: Sequence[str], folder: Path) -> dict[str, str]:
    """Return the text for each placeholder: name, games as a list, and for the commands one game and the folder."""
    quoted, example = ", ".join(f'"{game}"' for game in games), games[0] if games else next(iter(INFOS))
    # With and without quotes: so the source files of a scaffold are valid for formatters.
    lists = {'"@GAMES@"': quoted, "@GAMES@": quoted}
    return {"@NAME@": name, **lists, "@GAME@": example, "@FOLDER@": shlex.quote(folder.name)}


def agents_guide(kit: Kit, games: Sequence[str], values: dict[str, str]) -> str:
    """Return the guide for coding agents: the shared text with what the kit says of its language."""
    plays = ", ".join(f"`{game}`" for game in games) or "every game"
    of_kit = {f"@{name.upper()}@": text for name, text in kit.agents.items()}
    return fill_in(AGENTS_TEMPLATE.read_text(), {**of_kit, "@LANGUAGE@": kit.language, "@PLAYS@": plays, **values})


def copy_kit_files(kit: Kit, folder: Path) -> None:
    """Copy what every bot of the kit gets unchanged."""
    for name in kit.take:
        source, target = kit.folder / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=BUILD_OUTPUT, symlinks=True)
        else:
            shutil.copy2(source, target)


def copy_scaffold(scaffold: Path, folder: Path, values: dict[str, str]) -> None:
    """Copy the scaffold and fill in its placeholders, in texts and in file names."""
    for source in sorted(scaffold.rglob("*")):
        if not source.is_file() or "__pycache__" in source.parts:
            continue
        target = folder / fill_in(str(source.relative_to(scaffold)), values)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
        try:
            target.write_text(fill_in(source.read_text(), values))
        except UnicodeDecodeError:
            continue  # not a text: the copy stays as it is


def fill_in(text: str, values: dict[str, str]) -> str:
    """The text with a value in the place of each placeholder."""
    for placeholder, value in values.items():
        text = text.replace(placeholder, value)
    return text
