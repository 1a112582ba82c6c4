"""What pages that show a match load, and such a page as one HTML file that opens from a disk, without network.

Live, replayed or offline, all pages load one script and one stylesheet, the same bytes everywhere. The script is
written as a few small modules and served as one. There is no build step: the files are joined in order, without their
import and export words.

An offline page holds one match, or two beside each other. Script and style stand in the file and are named by their
hash in its Content-Security-Policy, so nothing else can run. The documents are gzip in base64: nothing a stranger wrote
is part of the HTML but in its title, and that is escaped.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path

from referee.draw.scene import STYLE
from server.viewer.document import squeeze
from server.viewer.frames import Json

STATIC = Path(__file__).with_name("static")
MODULES = ("board.js", "timeline.js", "panels.js", "source.js", "controls.js", "viewer.js")
"""Modules in the order in which they need each other."""

_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(const|function|class|async) )", re.MULTILINE)


@cache
def script() -> str:
    """Return the viewer as one ES module: it mounts every `<div class="viewer">` of its page."""
    return "".join(_EXPORT.sub("", _IMPORT.sub("", (STATIC / name).read_text())) for name in MODULES)


@cache
def page_style() -> str:
    """Return the style of pages alone."""
    return (STATIC / "page.css").read_text()


@cache
def stylesheet() -> str:
    """Return the style of pages, of the viewer and of boards."""
    return "".join(path.read_text() for path in (STATIC / "page.css", STATIC / "viewer.css", STYLE))


_IDS = ("replay", "beside")
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<meta name="description" content="{description}">
<style>{style}</style>
</head>
<body>
<main>
<div class="viewer" {attributes}></div>
<noscript><h1>{title}</h1><p>{description}</p><p>The boards need JavaScript.</p></noscript>
</main>
{data}
<script type="module">{script}</script>
</body>
</html>
"""


def offline_page(documents: Sequence[Json]) -> str:
    """Make the file for one document, or for two that are shown beside each other."""
    first = documents[0]
    title = f"{first['result']} ({first['game']['title']})"
    attributes = [f'data-inline{"-beside" if number else ""}="{_IDS[number]}"' for number in range(len(documents))]
    return _PAGE.format(
        policy=policy(),
        title=escape(title),
        description=escape(f"{first['about']}. A replay of Tortuga."),
        style=stylesheet(),
        attributes=" ".join(attributes),
        data="\n".join(_data(_IDS[number], document) for number, document in enumerate(documents)),
        script=script(),
    )


def policy() -> str:
    """Return the Content-Security-Policy: the file may run its own script and use its own style, and nothing else."""
    return (
        f"default-src 'none'; script-src '{_hash(script())}'; style-src '{_hash(stylesheet())}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _data(element_id: str, document: Json) -> str:
    content = base64.b64encode(squeeze(document)).decode()
    return f'<script type="application/octet-stream" id="{element_id}">{content}</script>'
