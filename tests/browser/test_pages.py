"""Every page in a real browser: an event's folder, a knockout, and a backend full of hostile texts."""

from __future__ import annotations

import gzip
import json
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from urllib.parse import quote

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from server.tournament.folder import Folder
from server.web.app import make_app
from server.web.folder_backend import FolderBackend
from server.web.middleware import WebSettings
from support import events
from support.browser import LOOKS, Watched
from support.web import HOSTILE, HostileBackend, served

OpenPage = Callable[..., Watched]
SETTINGS = WebSettings(pages_per_second=10_000, pages_burst=10_000)
IN_CONTENT = "document.activeElement.closest('main') !== null"
CROSS_CELL = "table.cross td.level, table.cross td[class^=won]"
NAME = quote(HOSTILE.replace("/", ""), safe="")
EVENT_PAGES = (
    *("/", "/ladders", "/ladder/pavillon_noir-2", "/bots", "/bot/ann", "/versus/ann/bob", "/matches"),
    *(
        "/events",
        "/event/test",
        "/games",
        "/games/pavillon_noir",
        "/games/marauders",
        "/enter",
        "MATCH",
        "BESIDE",
        "EMBED",
    ),
)
HOSTILE_PAGES = (
    *("/", "/ladders", f"/ladder/{NAME}", "/bots", f"/bot/{NAME}", f"/versus/{NAME}/other", "/matches", "/match/m1"),
    *("/events", "/event/cup", "/games", "/enter"),
)
every_look = pytest.mark.parametrize(("width", "scheme"), LOOKS)


def play(folder: Folder) -> None:
    """Play an event, in another process: Playwright's loop runs in ours."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        process.submit(events.run, folder).result()


@pytest.fixture(scope="module")
def event_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The pages of a small event."""
    folder = events.make_event(tmp_path_factory.mktemp("event"), bots=["ann", "bob", "cid", "W" * 64])
    play(folder)
    with served(lambda: make_app(FolderBackend(folder.path), SETTINGS)) as address:
        yield address


@pytest.fixture(scope="module")
def cup_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The pages of a knockout."""
    folder = events.make_event(
        tmp_path_factory.mktemp("cup"), format="knockout", rounds=1, bots=[f"bot{number}" for number in range(8)]
    )
    play(folder)
    with served(lambda: make_app(FolderBackend(folder.path), SETTINGS)) as address:
        yield address


@pytest.fixture(scope="module")
def hostile_site() -> Iterator[str]:
    """Pages full of hostile texts."""
    with served(lambda: make_app(HostileBackend(), SETTINGS)) as address:
        yield address


def some_match(page: Watched, site: str) -> tuple[str, str]:
    """A match of the event, and the other rotation of its block."""
    first = page.page.request.get(f"{site}/matches.json").json()["matches"][0]["match_id"]
    block = page.page.request.get(f"{site}/match/{first}.json").json()["match"]["block_matches"]
    return first, next(one for one in block if one != first)


def check(opened: Watched) -> None:
    """What holds for every page."""
    opened.check_fits()
    opened.check_access()
    opened.check()


@every_look
@pytest.mark.parametrize("path", EVENT_PAGES)
def test_pages_of_an_event(path: str, width: str, scheme: str, event_site: str, open_page: OpenPage) -> None:
    opened = open_page(f"{event_site}/healthz", width=width, scheme=scheme)
    match, other = some_match(opened, event_site)
    path = {
        "MATCH": f"/match/{match}",
        "BESIDE": f"/match/{match}?beside={other}",
        "EMBED": f"/embed/match/{match}",
    }.get(path, path)
    opened.page.goto(f"{event_site}{path}")
    if "match/" in path:
        opened.page.locator("svg.board").first.wait_for(timeout=30_000)
    check(opened)
    assert opened.page.locator("h1").count() == 1


@every_look
@pytest.mark.parametrize("path", HOSTILE_PAGES)
def test_pages_full_of_hostile_texts(
    path: str, width: str, scheme: str, hostile_site: str, open_page: OpenPage
) -> None:
    opened = open_page(f"{hostile_site}{path}", width=width, scheme=scheme)
    if path == "/match/m1":  # its record is none: the viewer says so, and the refused document is in the console
        opened.page.locator(".viewer .notice").first.wait_for()
        opened.problems = [one for one in opened.problems if "404" not in one]
    check(opened)
    assert opened.page.locator("main img").count() == 0


@pytest.mark.parametrize("across", [400, 780, 900, 1135, 1280, 1600])
def test_the_numbers_at_the_head_of_the_intervals_keep_apart(across: int, event_site: str, open_page: OpenPage) -> None:
    page = open_page(f"{event_site}/healthz").page
    page.set_viewport_size({"width": across, "height": 900})
    page.goto(f"{event_site}/ladder/pavillon_noir-2")
    places = page.locator(".axis text").evaluate_all(
        "texts => texts.map(text => text.getBoundingClientRect()).filter(box => box.width)"
        ".map(box => [box.left, box.right])"
    )
    assert len(places) >= 2
    gaps = [right[0] - left[1] for left, right in pairwise(sorted(places))]
    assert min(gaps) > 2, gaps


@every_look
def test_a_bracket(width: str, scheme: str, cup_site: str, open_page: OpenPage) -> None:
    opened = open_page(f"{cup_site}/event/test", width=width, scheme=scheme)
    assert opened.page.locator(".bracket .round").count() == 3
    check(opened)


def test_a_keyboard_gets_to_the_content_and_through_the_navigation(event_site: str, open_page: OpenPage) -> None:
    opened = open_page(f"{event_site}/ladder/pavillon_noir-2")
    page = opened.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    page.keyboard.press("Tab")
    assert page.evaluate(IN_CONTENT)


def test_a_table_is_read_again_while_it_is_looked_at(event_site: str, open_page: OpenPage) -> None:
    opened = open_page(f"{event_site}/healthz")
    page = opened.page
    page.clock.install()
    page.goto(f"{event_site}/ladder/pavillon_noir-2")
    page.locator("summary").click()
    page.evaluate("document.querySelector('h1').textContent = 'old'")
    page.clock.fast_forward(11_000)
    page.locator("h1", has_text="Pavillon Noir").wait_for()
    assert page.locator("details").evaluate("one => one.open")  # what the reader opened stays open


def test_without_javascript_everything_but_the_board_is_there(event_site: str, open_page: OpenPage) -> None:
    opened = open_page(f"{event_site}/healthz", java_script_enabled=False)
    match, _ = some_match(opened, event_site)
    page = opened.page
    page.goto(f"{event_site}/match/{match}")
    assert page.locator("noscript p").first.is_visible()
    assert page.locator("table").first.is_visible()
    page.goto(f"{event_site}/event/test")
    assert page.locator(CROSS_CELL).first.is_visible()


def test_another_replay_dropped_on_a_match_page_takes_its_place(event_site: str, open_page: OpenPage) -> None:
    """Heading, circumstances and title are those of what is shown; nothing of the match before stays."""
    opened = open_page(f"{event_site}/healthz")
    match, other = some_match(opened, event_site)
    page = opened.page
    page.goto(f"{event_site}/match/{match}")
    page.locator("svg.board").first.wait_for(timeout=30_000)
    assert page.locator("#seats").count() == 1
    packed = page.request.get(f"{event_site}/match/{other}/document").body()
    told = json.loads(gzip.decompress(packed))
    page.locator("input[type=file]").set_input_files(
        {"name": "other.json.gz", "mimeType": "application/gzip", "buffer": packed}
    )
    page.get_by_text("Now showing other.json.gz").wait_for()
    assert page.locator("h1").inner_text() == told["result"] == page.title()
    assert page.locator("h1 + .sub").inner_text() == told["about"]
    assert page.locator("#seats").count() == 0
    check(opened)


def test_only_the_embedded_viewer_may_be_framed(event_site: str, open_page: OpenPage) -> None:
    opened = open_page(f"{event_site}/healthz")
    match, _ = some_match(opened, event_site)
    page = opened.page
    frames = "".join(
        f'<iframe id="{name}" src="{event_site}{path}"></iframe>'
        for name, path in (("ok", f"/embed/match/{match}"), ("no", f"/match/{match}"))
    )

    async def show(request: Request) -> HTMLResponse:
        return HTMLResponse(frames)

    with served(lambda: Starlette(routes=[Route("/", show)])) as other:
        page.goto(other)
        page.frame_locator("#ok").locator("svg.board").first.wait_for(timeout=30_000)
        assert page.frame_locator("#no").locator(".viewer").count() == 0
    assert any("frame-ancestors" in one for one in opened.problems)
    opened.problems.clear()  # that one was meant
