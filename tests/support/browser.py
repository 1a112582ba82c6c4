"""A real browser for tests: where it is, and pages that count everything that goes wrong in them."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

WIDTHS = {"phone": (400, 860), "desk": (1280, 900)}
LOOKS = (("phone", "dark"), ("desk", "light"))
"""Widths and colour schemes in which pages are looked at: each once."""
HOSTILE = "</script><img src=x onerror=alert(1)>"
"""A name that breaks out of whatever takes it for HTML."""


def find_browser() -> str:
    """Where the browser is; empty if there is none."""
    given = os.environ.get("TORTUGA_BROWSER", "")
    return given or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")


def missing() -> str:
    """Why there are no tests in a browser here; empty: there is everything they need."""
    if not find_browser():
        return "there is no chromium: install it, or set TORTUGA_BROWSER to one"
    if find_spec("playwright") is None or find_spec("axe_playwright_python") is None:
        return "playwright or axe-playwright-python is not installed: make install"
    return ""


class Watched:
    """A page, and what went wrong in it: errors of scripts, errors in the console, violations of its policy."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.problems: list[str] = []
        page.on("console", lambda message: self._hear(message.type, message.text))
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self._alarm(dialog))
        page.add_init_script(
            "document.addEventListener('securitypolicyviolation', event =>"
            " console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))"
        )

    def _hear(self, kind: str, text: str) -> None:
        if kind == "error":
            self.problems.append(f"console: {text}")

    def _alarm(self, dialog: Any) -> None:
        self.problems.append(f"a stranger's script ran: {dialog.message}")
        dialog.dismiss()

    def check(self) -> None:
        """Nothing went wrong."""
        assert not self.problems, self.problems

    def check_access(self) -> None:
        """axe-core finds nothing that keeps somebody from using the page as it is now."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        told = [f"{one['id']}: {node['html'][:200]} {node['failureSummary']}" for one in found for node in one["nodes"]]
        assert not told, "\n".join(told)

    def check_fits(self) -> None:
        """Nothing sticks out sideways: a page is never wider than its window."""
        wide, window = self.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert wide <= window, f"the page is {wide} pixels wide, its window {window}"
