"""Tests in a real browser: Debian's chromium, driven by Playwright. Without one they are skipped; in CI they fail."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from server.web import page as page_module
from support.browser import WIDTHS, Watched, find_browser, missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser

OpenPage = Callable[..., Watched]
"""Opens an address in a page of its own; whatever goes wrong in it fails the test."""


@pytest.fixture(autouse=True)
def patient_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages in tests wait for their tables: a busy machine makes them late."""
    monkeypatch.setattr(page_module, "PATIENCE_SECONDS", 60.0)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for a file of tests. Playwright's loop runs while it lives, so it must not outlive the file."""
    if why := missing():
        if os.environ.get("CI") == "true":
            pytest.fail(why)
        pytest.skip(why)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Inside a container root has no other sandbox; what is opened here is ours
        opened = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """A way to open pages: `open_page(address, width="phone", scheme="dark", reduced_motion="reduce")`."""
    contexts: list[Any] = []
    watched: list[Watched] = []

    def open_one(address: str, *, width: str = "desk", scheme: Any = "light", **more: Any) -> Watched:
        across, down = WIDTHS[width]
        viewport: Any = {"width": across, "height": down}
        context = browser.new_context(
            viewport=viewport, color_scheme=scheme, permissions=["clipboard-read", "clipboard-write"], **more
        )
        contexts.append(context)
        found = Watched(context.new_page())
        watched.append(found)
        found.page.goto(address)
        return found

    yield open_one
    for context in contexts:
        context.close()
    for one in watched:
        one.check()
