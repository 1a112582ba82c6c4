"""What every page loads, live, replayed or offline: one script and one stylesheet, the same bytes everywhere.

The script is written as a few small modules and served as one. There is no build step: the files are joined in order,
without their import and export words.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from referee.draw.svg import STYLE

STATIC = Path(__file__).with_name("static")
MODULES = ("board.js", "timeline.js", "panels.js", "source.js", "controls.js", "viewer.js")
"""In the order in which they need each other."""

_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(const|function|class|async) )", re.MULTILINE)


@cache
def script() -> str:
    """The viewer as one ES module: it mounts every `<div class="viewer">` of its page."""
    return "".join(_EXPORT.sub("", _IMPORT.sub("", (STATIC / name).read_text())) for name in MODULES)


@cache
def page_style() -> str:
    """The look of pages alone."""
    return (STATIC / "page.css").read_text()


@cache
def stylesheet() -> str:
    """The look of pages, of the viewer and of boards."""
    return "".join(path.read_text() for path in (STATIC / "page.css", STATIC / "viewer.css", STYLE))
