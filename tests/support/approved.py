"""Whole sentences that commands print, kept in tests/approved/, one file per command group.

A test asserts facts itself: the type of an error, a name, a number. Where the whole text matters it hands it to the
fixture `approve`, which compares it with the section of that test. After a rewording, `make approve` writes all files
anew, and a reviewer reads their diff.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "approved"
TITLE = "=== "
WRITES = bool(os.environ.get("TORTUGA_APPROVE"))


class Approver:
    """Compares the texts of one test with what was approved, or writes them."""

    def __init__(self, test: str, hidden: dict[str, str]) -> None:
        self._test, self._hidden, self._count = test, hidden, 0

    def __call__(self, group: str, text: str) -> None:
        """Compare a text with its section in tests/approved/GROUP.txt."""
        self._count += 1
        title = self._test if self._count == 1 else f"{self._test} ({self._count})"
        for secret, name in self._hidden.items():
            text = text.replace(secret, name)
        text = "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
        path = FOLDER / f"{group}.txt"
        sections = read_sections(path)
        if WRITES:
            write_sections(path, {**sections, title: text})
            return
        approved = sections.get(title)
        assert approved is not None, f"{path.name} has no text of {title}: run `make approve` and read the diff"
        assert text == approved, f"{path.name}, {title}: if the new text is right, run `make approve` and read the diff"


def read_sections(path: Path) -> dict[str, str]:
    """Return the approved texts of a file by their titles; a missing file has none."""
    content = path.read_text(encoding="utf-8") if path.exists() else ""
    parts = re.split(rf"^{TITLE}(.*)\n", content, flags=re.MULTILINE)[1:]
    return {title: text.strip("\n") for title, text in zip(parts[::2], parts[1::2], strict=True)}


def write_sections(path: Path, sections: dict[str, str]) -> None:
    """Write the texts in the order of their titles, so that a diff shows only what changed."""
    path.parent.mkdir(exist_ok=True)
    parts = [f"{TITLE}{title}\n{text}\n" for title, text in sorted(sections.items())]
    path.write_text("\n".join(parts), encoding="utf-8")


def title_of(item: pytest.Item) -> str:
    """Name a test in an approved file: short, and unique there."""
    return f"{item.path.stem.removeprefix('test_')}: {item.name.removeprefix('test_')}"
