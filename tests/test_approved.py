"""tests/approved: whole texts that are compared, and the rule that other tests pin facts instead of sentences."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import approved
from support.approved import Approver, read_sections, write_sections

TESTS = Path(__file__).parent
LONGEST = 25
"""Characters of a literal that a test may assert; a longer one that reads like a sentence belongs in tests/approved."""
WORDS = 4


def is_sentence(text: str) -> bool:
    return len(text) > LONGEST and " " in text and len(re.findall(r"[A-Za-z]{2,}", text)) >= WORDS


def pinned_sentences(path: Path) -> Iterator[str]:
    """Sentences that tests of a file assert or match."""
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not (isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and function.name.startswith("test_")):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Assert):
                asserted: ast.expr = node.test
            elif isinstance(node, ast.keyword) and node.arg == "match":
                asserted = node.value
            else:
                continue
            for part in ast.walk(asserted):
                if isinstance(part, ast.Constant) and isinstance(part.value, str) and is_sentence(part.value):
                    yield f"{path.relative_to(TESTS)}:{part.lineno}: {part.value!r}"


@pytest.mark.system  # it parses every test
def test_no_test_pins_a_sentence() -> None:
    found = [line for path in sorted(TESTS.rglob("test_*.py")) for line in pinned_sentences(path)]
    assert found == [], "assert the facts in it, or hand the whole text to the fixture `approve`:\n" + "\n".join(found)


def test_sections_are_read_as_they_were_written(tmp_path: Path) -> None:
    sections = {"b: second": "two\n\nlines", "a: first": "one"}
    write_sections(tmp_path / "group.txt", sections)
    assert read_sections(tmp_path / "group.txt") == sections
    assert list(read_sections(tmp_path / "group.txt")) == ["a: first", "b: second"]


def test_a_text_is_compared_with_its_own_section(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(approved, "FOLDER", tmp_path)
    monkeypatch.setattr(approved, "WRITES", True)
    Approver("t", {"/tmp/x": "DIR"})("group", "in /tmp/x \nthere\n")
    monkeypatch.setattr(approved, "WRITES", False)
    Approver("t", {"/tmp/x": "DIR"})("group", "in /tmp/x\nthere")
    with pytest.raises(AssertionError, match="make approve"):
        Approver("t", {})("group", "elsewhere")
    with pytest.raises(AssertionError, match="make approve"):
        Approver("another", {})("group", "in DIR\nthere")
