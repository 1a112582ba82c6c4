"""Whatever code and tests cite can be looked up: every section, ruling, decision and vector stands in docs/spec/.

Inside a game's folder a bare number is a section of that game's specification ("6.11"), and a letter with a number is a
row of one of its tables: R a ruling, V or T a test vector, D a decision, M a whole month. Elsewhere a citation names
its document: "ratings.md, section 3", "reliability.md, fault 48". Only comments, docstrings and the names of tests are
read.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from referee.games import GAMES

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "docs/spec"
ROWS = {"broadsides": "RV", "marauders": "RT", "pavillon_noir": "RVD", "pirates_cove": "RVM"}
"""Per game, the letters of the rows that its specification defines."""

SECTION = re.compile(r"(?<![\w.,/+-])(\d{1,2}\.\d{1,2})(?![\w%]|\.\d| %| s\b| ms\b| times\b| Elo\b)")
WHOLE_SECTION = re.compile(r"\b[Ss]ections? (\d{1,2})(?![\d.]|\.\d)")
ELSEWHERE = re.compile(r"\b(ratings|reliability)\.md`?,? (sections?|faults?) ((?:\d+(?:\.\d+)?(?:, | and | to )?)+)")


def folders_of(game: str) -> list[Path]:
    """Where a game's specification is cited by bare numbers."""
    places = [
        ROOT / f"referee/games/{game}",
        ROOT / f"referee/wire/{game}.py",
        ROOT / f"tests/referee/games/{game}",
        ROOT / f"tests/support/{game}.py",
    ]
    assert all(place.exists() for place in places)
    return [path for place in places for path in ([place] if place.is_file() else sorted(place.rglob("*.py")))]


def words_of(path: Path) -> Iterator[tuple[int, str]]:
    """The comments and docstrings of a file, with their lines."""
    text = path.read_text()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(words))):
                yield node.lineno, words


@cache
def sections(document: str) -> frozenset[str]:
    """The numbers of a document's headings and numbered paragraphs: 6 and 6.11."""
    return frozenset(re.findall(r"^(?:#+ )?(\d+(?:\.\d+)?)[. ]", (SPEC / document).read_text(), flags=re.MULTILINE))


@cache
def rows(document: str) -> frozenset[str]:
    """What begins a row, an item or a bold word of a document: R7, V39, V32a (which is also found as V32)."""
    text = (SPEC / document).read_text()
    found = re.findall(r"(?:^\| |^[-*] |\*\*)([A-Z]\d+)([a-z]?)\b", text, flags=re.MULTILINE)
    return frozenset({name for name, _ in found} | {name + letter for name, letter in found})


def missing(paths: list[Path], document: str, letters: str, *, bare: bool = True) -> list[str]:
    """Every citation of a specification that leads nowhere; `bare`: a bare 6.11 is a section of it."""
    row = re.compile(rf"(?<![\w.])([{letters}]\d{{1,2}}[a-z]?)(?![\w.]\w|\w)")
    found = []
    for path in paths:
        where = path.relative_to(ROOT)
        for line, words in words_of(path):
            numbers = SECTION.findall(words) + WHOLE_SECTION.findall(words) if bare else []
            cited = {(number, sections(document)) for number in numbers}
            cited |= {(name, rows(document)) for name in row.findall(words)}
            found += [f"{where}:{line}: {name}" for name, known in sorted(cited, key=str) if name not in known]
        for letter, number in re.findall(rf"def test_([{letters.lower()}])(\d+)_", path.read_text()):
            name = f"{letter.upper()}{number}"
            found += [f"{where}: the test of {name}"] if name not in rows(document) else []
    return found


@pytest.mark.parametrize("game", GAMES)
def test_every_citation_of_a_game_is_found_in_its_specification(game: str) -> None:
    assert missing(folders_of(game), f"{game}.md", ROWS[game]) == []


def test_every_vector_of_the_ratings_is_found() -> None:
    paths = sorted((ROOT / "tests/server/ratings").rglob("*.py"))
    assert paths
    assert missing(paths, "ratings.md", "V", bare=False) == []


def test_a_citation_that_leads_nowhere_is_noticed() -> None:
    assert "R7" in rows("pavillon_noir.md")
    assert "R99" not in rows("pavillon_noir.md")
    assert "6.10" in sections("pavillon_noir.md")
    assert "6.99" not in sections("pavillon_noir.md")
    assert SECTION.findall("Spec 6.2 and 6.3, ruling R4; 0.5 s") == ["6.2", "6.3"]


def test_every_citation_of_a_document_names_one_that_is_there() -> None:
    wrong = []
    for folder in ("referee", "server", "tests", "sample_bots/python"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if ".md" not in (text := path.read_text()) and "shared/" not in text:
                continue  # nothing is cited: most files, and words are slow to find
            for line, words in words_of(path):
                wrong += [f"{path.relative_to(ROOT)}:{line}: {what}" for what in unknown_elsewhere(words)]
    assert wrong == []


def unknown_elsewhere(words: str) -> Iterator[str]:
    """Citations of ratings.md and reliability.md that lead nowhere, and of documents that are not in the repository."""
    for name, what, numbers in ELSEWHERE.findall(words):
        document = f"{name}.md"
        known = sections(document) if what.startswith("section") else faults()
        yield from (f"{document} {what} {one}" for one in re.findall(r"\d+(?:\.\d+)?", numbers) if one not in known)
    for name in re.findall(r"[\w./-]*\w\.md\b", words):
        stem = name.rsplit("/", 1)[-1]
        if not any((ROOT / place / stem).is_file() for place in ("", "docs", "docs/spec", "docs/games")):
            yield name
    if "shared/" in words:
        yield "shared/ is not in the repository"


@cache
def faults() -> frozenset[str]:
    """The numbers of the faults of reliability.md."""
    return frozenset(re.findall(r"^\| (\d+) \|", (SPEC / "reliability.md").read_text(), flags=re.MULTILINE))
