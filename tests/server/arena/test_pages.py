"""The pages for organisers and authors keep their word: every setting is told, every command is one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from server.arena.config import KEYS, default_config
from server.cli.main import main
from server.system.setting_files import toml

DOCS = Path(__file__).parents[3] / "docs"
PAGES = ["organisers.md", "operating", "remote-bots.md"]
"""Pages, and a folder of pages that count as one."""


def code(page: str) -> Iterator[str]:
    """Every line of code, and every piece of it within the text; a line that ends with \\ goes on."""
    files = sorted((DOCS / page).glob("*.md")) or [DOCS / page]
    fenced = False
    for line in "\n".join(file.read_text() for file in files).replace("\\\n", " ").splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        else:
            yield from [line] if fenced else re.findall(r"`([^`]+)`", line)


def commands(page: str) -> list[str]:
    """What follows upon every `tortuga`."""
    found = [re.search(r"(?:^|[\s/])tortuga ([a-z][^#&|]*)", piece) for piece in code(page)]
    return [one.group(1) for one in found if one]


@pytest.mark.parametrize("name", KEYS)
def test_every_setting_stands_on_the_page_with_its_default_and_its_meaning(name: str) -> None:
    row = f"| `{name}` | `{toml(getattr(default_config(), name))}` | {KEYS[name].meaning} ("
    assert row in (DOCS / "operating/settings.md").read_text()


@pytest.mark.parametrize("page", PAGES)
def test_every_command_on_the_page_is_one_with_these_options(page: str) -> None:
    found = commands(page)
    assert len(found) > 10
    for text in found:
        command: click.Command = main
        words = text.split()
        while isinstance(command, click.Group) and words:
            if words[0] == "…":
                break
            inner = command.get_command(click.Context(command), words.pop(0))
            assert inner is not None, f"tortuga {text}"
            command = inner
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known, f"tortuga {text}"
