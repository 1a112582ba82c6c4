"""Our own Markdown files as HTML. Raw HTML in them is shown as text, and links go to pages of ours or are taken out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

DOCS = Path(__file__).parents[2] / "docs"


@lru_cache(maxsize=32)
def render_file(path: Path) -> Markup:
    """A file as HTML, without its first heading: the page has one."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = _without_title(parser.parse(path.read_text()))
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 0, 6)}"
        elif token.type == "table_open":
            token.attrSet("class", "text")
        elif token.type == "inline":
            _keep_own_links(token.children or [])
    return Markup(parser.renderer.render(tokens, parser.options, {}))


def title_of(path: Path) -> str:
    """The first heading, as text."""
    line = path.read_text().partition("\n")[0]
    return line.lstrip("# ").replace("`", "")


def _without_title(tokens: Sequence[Token]) -> list[Token]:
    if tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        return list(tokens[3:])
    return list(tokens)


def _keep_own_links(children: list[Token]) -> None:
    """Links to games lead to their pages; links to other files of the repository become plain text."""
    for token in children:
        if token.type == "link_open":
            target = str(token.attrGet("href") or "")
            name = target.rpartition("/")[2].partition("#")[0]
            if target.startswith("#"):
                continue
            if name.endswith(".md") and (DOCS / "games" / name).is_file():
                token.attrSet("href", f"/games/{name.removesuffix('.md')}")
            else:
                token.tag, token.attrs = "span", {}
        elif token.type == "link_close":
            token.tag = "span" if _opened_as_span(children, token) else "a"


def _opened_as_span(children: Sequence[Token], close: Token) -> bool:
    """Whether the link that this ends was taken out. Links are never nested."""
    opened = [token for token in children[: children.index(close)] if token.type == "link_open"]
    return bool(opened) and opened[-1].tag == "span"
