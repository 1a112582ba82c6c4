"""`tortuga game new`: a package with a small complete game, for its author to change."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from referee.errors import ConfigError
from referee.rules.infos import INFOS
from referee.rules.plugins import ID

TEMPLATE = Path(__file__).parent / "template"
GAME_OF_TEMPLATE = "kuhn"
TITLE_OF_TEMPLATE = 'title="Kuhn poker"'


def write_package(name: str, folder: Path) -> list[Path]:
    """Write the package into a new folder, under that name. Returns its files."""
    if not ID.fullmatch(name):
        raise ConfigError(f"the name is {name!r}, expected a small letter, then small letters, digits and _")
    if name in INFOS:
        raise ConfigError(f"there is a game {name} already: choose another name")
    if find_spec(name) is not None:
        raise ConfigError(f"Python has a module {name} already, which would be imported instead: choose another name")
    if folder.exists():
        raise ConfigError(f"{folder} exists already: choose another folder with --dir")
    written = []
    for source in sorted(TEMPLATE.rglob("*")):
        if source.is_file() and source.suffix != ".pyc":
            target = folder / source.relative_to(TEMPLATE).as_posix().replace(GAME_OF_TEMPLATE, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            text = source.read_text().replace(TITLE_OF_TEMPLATE, f'title="{name.replace("_", " ").capitalize()}"')
            target.write_text(text.replace(GAME_OF_TEMPLATE, name))
            written.append(target)
    return written
