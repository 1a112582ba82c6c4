"""Guides name folders, files, commands and make targets that exist, and the map of README.md is complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.typed_commands import shown_commands, unknown_words

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "sample_bots").glob("*/README.md")])
MAP = (ROOT / "README.md").read_text().partition("## Where things are")[2]
SHOWN_IN_FULL = ("referee", "server")
"""Folders whose subfolders are all on the map."""


def read_map() -> dict[str, str]:
    """Return what the map says of each folder; an indented line is about a folder within the last one that is not."""
    entries, outer = {}, ""
    for indent, folder, text in re.findall(r"^( *)([\w./]+)/ +(\S.*)$", MAP, flags=re.MULTILINE):
        outer = outer if indent else f"{folder}/"
        entries[f"{outer}{folder}" if indent else folder] = text
    return entries


def test_every_folder_and_file_of_the_map_is_there() -> None:
    entries = read_map()
    assert len(entries) > 20
    assert [folder for folder in entries if not (ROOT / folder).is_dir()] == []
    for folder, text in entries.items():
        for name in re.findall(r"\b\w+\.(?:py|proto)\b", text):
            assert (ROOT / folder / name).is_file(), f"{folder}/{name}"


def test_no_room_is_missing_on_the_map() -> None:
    folders = [path for top in SHOWN_IN_FULL for path in (ROOT / top).iterdir() if any(path.glob("*.py"))]
    assert {str(folder.relative_to(ROOT)) for folder in folders} - set(read_map()) == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_folders_files_and_commands_of_a_page_are_there(page: Path) -> None:
    text = page.read_text()
    paths = re.findall(r"`((?:referee|server|bench|proto|tests|docs|deploy|sample_bots|\.ci)/[\w./-]*)`", text)
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert [(command, words) for command in shown_commands(text) if (words := unknown_words(command))] == []


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "AGENTS.md", "docs/testing.md"])
def test_the_make_targets_of_a_guide_are_there(page: str) -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    named = re.findall(r"(?:^|`)make ((?:[a-z-]+ ?)+)(?=`|$|  )", (ROOT / page).read_text(), flags=re.MULTILINE)
    assert named
    assert {word for words in named for word in words.split()} <= set(targets)
