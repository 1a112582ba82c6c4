"""Every link between our pages leads to a file that is there, and to a heading of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "sample_bots").glob("*/README.md")])
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
FENCED = re.compile(r"^( *)```.*?^\1```$", re.DOTALL | re.MULTILINE)


def headings(page: Path) -> set[str]:
    """The names by which links reach the headings of a page."""
    lines = re.findall(r"^#+ (.*)", FENCED.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in lines}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    wrong = []
    for file, heading in LINK.findall(FENCED.sub("", page.read_text())):
        target = page.parent / file if file else page
        if not target.exists() or (heading and heading not in headings(target)):
            wrong.append(f"{file}#{heading}")
    assert wrong == []


def test_every_page_of_docs_can_be_reached_from_the_readme() -> None:
    """A page that nothing links to is read by nobody."""
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        targets = [(page.parent / file).resolve() for file, _ in LINK.findall(page.read_text()) if file]
        waiting += [path for target in targets for path in (target.glob("*.md") if target.is_dir() else [target])]
        waiting = [path for path in waiting if path.suffix == ".md"]
    assert [str(page.relative_to(ROOT)) for page in PAGES if page not in reached] == []
