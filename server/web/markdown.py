"""Our own Markdown files as HTML. Raw HTML in them is shown as text, but for comments, which are left out; links go to
pages of ours or are taken out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

SCROLLS = 'tabindex="0" role="group" aria-label="Table"'
"""A wide table scrolls on a phone, with a keyboard, too."""
DOCS = Path(__file__).parents[2] / "docs"
COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)


@lru_cache(maxsize=32)
def render_file(path: Path) -> Markup:
    """Render a file as HTML, without its first heading: the page has one."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = _without_title(parser.parse(_read(path)))
    for token in tokens:
        if token.type == "inline":
            _keep_own_links(token.children or [])
    _fill_empty_heads(tokens)
    parser.add_render_rule("table_open", lambda *_: f'<div class="table" {SCROLLS}>\n<table>\n')
    parser.add_render_rule("table_close", lambda *_: "</table>\n</div>\n")
    return Markup(parser.renderer.render(tokens, parser.options, {}))


@lru_cache(maxsize=32)
def read_introduction(path: Path) -> str:
    """Read the first two sentences of a file, as plain text."""
    parser = MarkdownIt("commonmark", {"html": False})
    tokens = parser.parse(_read(path))
    at = next(at for at, token in enumerate(tokens) if token.type == "paragraph_open")
    words = "".join(" " if one.type == "softbreak" else one.content for one in tokens[at + 1].children or [])
    return ". ".join(words.split(". ")[:2]).rstrip(".") + "."


def _read(path: Path) -> str:
    return COMMENT.sub("", path.read_text())


def _fill_empty_heads(tokens: Sequence[Token]) -> None:
    """Turn heads of a table without words into cells: those who hear a page would hear nothing."""
    for before, inline, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if before.type == "th_open" and not inline.content:
            before.tag = after.tag = "td"


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
    """Check whether the link that this ends was taken out. Links are never nested."""
    opened = [token for token in children[: children.index(close)] if token.type == "link_open"]
    return bool(opened) and opened[-1].tag == "span"
