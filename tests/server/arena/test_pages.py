"""The pages for organisers and authors keep their word: every setting is told, every command is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.arena.config import KEYS, default_config
from server.system.setting_files import toml
from support.typed_commands import shown_commands, unknown_words

DOCS = Path(__file__).parents[3] / "docs"
PAGES = ["organisers.md", "operating", "remote-bots.md"]
"""Pages, and a folder of pages that count as one."""


def commands(page: str) -> list[str]:
    """Return the commands of a page, or of all pages of a folder."""
    files = sorted((DOCS / page).glob("*.md")) or [DOCS / page]
    return [command for file in files for command in shown_commands(file.read_text())]


@pytest.mark.parametrize("name", KEYS)
def test_every_setting_stands_on_the_page_with_its_default_and_its_meaning(name: str) -> None:
    row = f"| `{name}` | `{toml(getattr(default_config(), name))}` | {KEYS[name].meaning} ("
    assert row in (DOCS / "operating/settings.md").read_text()


@pytest.mark.parametrize("page", PAGES)
def test_every_command_on_the_page_is_one_with_these_options(page: str) -> None:
    found = commands(page)
    assert len(found) > 10
    assert [(command, unknown_words(command)) for command in found if unknown_words(command)] == []
