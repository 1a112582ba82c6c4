"""The viewer on a live match: it follows, lets people look back, comes back by itself, and ends with the replay."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from server.viewer import Perspectives
from server.viewer.document import make_document, squeeze
from server.viewer.frames import Json
from server.viewer.picture import unfold
from support.browser import HOSTILE, Watched
from support.forging import play_record
from support.live_site import LiveSite, serve

if TYPE_CHECKING:
    from playwright.sync_api import Page

OpenPage = Callable[..., Watched]
WAIT = 60_000
"""Milliseconds: a busy machine must not fail a test."""


@pytest.fixture(scope="module")
def replay() -> Json:
    """The document of a match whose bots have hostile names."""
    with ThreadPoolExecutor(1) as thread:  # Playwright's loop may run in ours
        record = thread.submit(play_record, "broadsides", 2).result()
    record.seats[0].bot_name = HOSTILE
    return make_document(record, perspectives=Perspectives.ALL)


@pytest.fixture
def site() -> Iterator[LiveSite]:
    with serve('data-live="/live" data-document="/document"') as found:
        yield found


def live_events(replay: Json) -> tuple[Json, list[Json], Json]:
    """The same match as a stream tells it: the start, whole frames, the end."""
    start = {key: replay[key] for key in ("kind", "format", "match", "game", "about", "score_title")}
    start |= {"result": "On now", "seats": replay["seats"], "notices": []}
    shown = replay["views"][0]["frames"][:-1]
    frames, heading, scores = [], "", None
    for number, (frame, scene) in enumerate(zip(shown, unfold(replay, shown), strict=True), 2):
        heading, scores = frame.get("heading", heading), frame.get("scores", scores)
        told: Any = {"lines": frame.get("lines", []), "marks": frame.get("marks", [])}
        frames.append({"number": number, "heading": heading, "scores": scores, "scene": scene} | told)
    end = {"number": len(shown) + 2, "result": replay["result"], "reason": "surrender", "faults": [], "secrets": []}
    return start, frames, end


def expect_scenes(page: Page, words: str) -> None:
    from playwright.sync_api import expect

    expect(page.locator(".v-place")).to_have_text(words, timeout=WAIT)


def test_a_live_match_is_watched_to_its_end(site: LiveSite, replay: Json, open_page: OpenPage) -> None:
    start, frames, end = live_events(replay)
    site.events += [("start", start), *(("frame", frame) for frame in frames[:5])]
    watched = open_page(site.address)
    page = watched.page
    expect_scenes(page, "scene 5 of 5")
    assert page.locator(".v-live.on").is_visible()
    assert not page.locator(".v-eyes").is_visible(), "live there are only spectators' eyes"
    assert "Time" not in page.locator(".v-players thead").inner_text(), "live there are no clocks"
    site.events += [("frame", frame) for frame in frames[5:8]]
    expect_scenes(page, "scene 8 of 8")
    page.keyboard.press("ArrowLeft")
    expect_scenes(page, "scene 7 of 8")
    site.events += [("frame", frame) for frame in frames[8:10]]
    expect_scenes(page, "scene 7 of 10")
    watched.check_access()
    page.locator(".v-live").click()
    expect_scenes(page, "scene 10 of 10")
    site.document = squeeze(replay)
    site.events.append(("end", end))
    page.locator(".v-eyes").wait_for(timeout=WAIT)
    assert page.locator("h1").inner_text() == replay["result"]
    assert page.locator(".v-words h2").inner_text() == "The end"
    assert page.locator("img").count() == 0
    page.keyboard.press("1")
    assert page.locator(".v-asked").count() == 1
    assert site.streams == 1


def test_a_broken_stream_comes_back_without_telling_anything_twice(
    site: LiveSite, replay: Json, open_page: OpenPage
) -> None:
    start, frames, _ = live_events(replay)
    site.events += [("start", start), *(("frame", frame) for frame in frames[:4])]
    watched = open_page(site.address)
    expect_scenes(watched.page, "scene 4 of 4")
    site.cut.set()
    watched.page.get_by_text("The connection is lost").wait_for(timeout=WAIT)
    site.events[:] = [("start", start), ("frame", frames[3]), ("frame", frames[6])]
    site.cut.clear()
    expect_scenes(watched.page, "scene 5 of 5")
    watched.problems[:] = [
        one for one in watched.problems if "ERR_INCOMPLETE" not in one and "Failed to load" not in one
    ]


def test_a_hidden_page_listens_no_more(site: LiveSite, replay: Json, open_page: OpenPage) -> None:
    start, frames, _ = live_events(replay)
    site.events += [("start", start), *(("frame", frame) for frame in frames[:3])]
    page = open_page(site.address).page
    expect_scenes(page, "scene 3 of 3")
    hide = """isHidden => {
        Object.defineProperty(document, 'hidden', {value: isHidden, configurable: true})
        document.dispatchEvent(new Event('visibilitychange'))
    }"""
    page.evaluate(hide, True)
    while site.open_streams:
        page.wait_for_timeout(20)
    site.events += [("frame", frame) for frame in frames[3:6]]
    page.evaluate(hide, False)
    expect_scenes(page, "scene 6 of 6")
    assert site.streams == 2


def test_a_match_that_is_over_is_replayed(site: LiveSite, replay: Json, open_page: OpenPage) -> None:
    """There is no stream any more, but there is a document."""
    site.attributes = 'data-live="/gone" data-document="/document"'
    site.document = squeeze(replay)
    watched = open_page(f"{site.address}#s=9&v=2")
    watched.page.locator(".v-eyes").wait_for(timeout=WAIT)
    assert watched.page.locator(".v-bar input").input_value() == "9"
    watched.problems[:] = [one for one in watched.problems if "404" not in one]
