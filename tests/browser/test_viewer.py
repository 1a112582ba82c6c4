"""The viewer in a real browser: offline files of all four games, opened from a disk without network."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from referee.draw import DRAWINGS
from referee.errors import FaultKind
from referee.records.record import pack
from server.viewer import Perspectives
from server.viewer.document import document_of
from server.viewer.pages import offline_page
from support.browser import HOSTILE, LOOKS, Watched
from support.forging import play_record
from tortuga.v1 import record_pb2

if TYPE_CHECKING:
    from playwright.sync_api import Page

OpenPage = Callable[..., Watched]
SEATS = {"broadsides": 2, "pavillon_noir": 2, "pirates_cove": 5, "marauders": 4}
NAMES = ("gunner", "privateer", HOSTILE, "W" * 64, "Käpt’n <b>Blaubär</b> & Söhne")
GLIDE_TIME = "getComputedStyle(document.querySelector('svg.board path')).transitionDuration"
every_game = pytest.mark.parametrize("game_id", SEATS)


def record_of(game_id: str, **more: Any) -> record_pb2.Record:
    """A match of bots with all kinds of names. Played in a thread: Playwright's loop runs in ours."""
    with ThreadPoolExecutor(1) as thread:
        record = thread.submit(play_record, game_id, SEATS[game_id], seed="seen", **more).result()
    for seat, name in zip(record.seats, NAMES, strict=False):
        seat.bot_name, seat.bot_version, seat.language = name, HOSTILE, "Python"
    return record


def document(record: record_pb2.Record, perspectives: Perspectives = Perspectives.ALL) -> dict[str, Any]:
    return document_of(pack(record), perspectives=perspectives, file="match.tortuga", attach=True)


class Replays(dict[str, dict[str, Any]]):
    """The document of one match of each game, made when it is first asked for. That of Broadsides has a fault in it."""

    def __missing__(self, game_id: str) -> dict[str, Any]:
        failing: dict[str, Any] = {"fails": {1: {5: FaultKind.TIMEOUT}}, "faults_allowed": 3}
        self[game_id] = document(record_of(game_id, **(failing if game_id == "broadsides" else {})))
        return self[game_id]


@pytest.fixture(scope="module")
def replays() -> Replays:
    return Replays()


@pytest.fixture
def file_of(replays: Replays, tmp_path: Path) -> Callable[..., str]:
    """The address of an offline file of these games."""

    def write(*documents: str | dict[str, Any]) -> str:
        found = [replays[one] if isinstance(one, str) else one for one in documents]
        path = tmp_path / "replay.html"
        path.write_text(offline_page(found))
        return path.as_uri()

    return write


def ready(watched: Watched) -> Page:
    """The page, once its match is shown."""
    watched.page.wait_for_selector(".v-match")
    return watched.page


def place(page: Page) -> int:
    return int(page.locator(".v-bar input").input_value())


def wait_for_place(page: Page, wanted: int) -> None:
    """Not by a function in the page: its own policy forbids to evaluate text."""
    from playwright.sync_api import expect

    expect(page.locator(".v-bar input")).to_have_value(str(wanted), timeout=60_000)


def eyes(page: Page) -> str:
    """Whose eyes are chosen."""
    return page.locator(".v-eyes button[aria-pressed=true]").inner_text()


@every_game
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_a_replay_opens_from_a_disk(
    game_id: str, width: str, scheme: str, file_of: Callable[..., str], open_page: OpenPage
) -> None:
    """No errors, no violations of its policy, nothing inaccessible, nothing sticking out; hostile names are text."""
    watched = open_page(file_of(game_id), width=width, scheme=scheme, offline=True)
    page = ready(watched)
    assert page.locator("h1").inner_text()
    for eyes_key in ("0", "1", "a"):
        page.keyboard.press(eyes_key)
        page.keyboard.press("n")
        if game_id in DRAWINGS:
            assert page.locator("svg.board > g > *").count() > 10
        watched.check_fits()
    watched.check_access()
    assert page.locator("img").count() == 0
    if SEATS[game_id] > 2:
        assert HOSTILE in page.locator(".v-players").inner_text()


@every_game
def test_keys(game_id: str, file_of: Callable[..., str], open_page: OpenPage) -> None:
    page = ready(open_page(file_of(game_id)))
    assert place(page) == 0
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    second = place(page)
    assert second >= 2
    page.keyboard.press("ArrowLeft")
    assert 0 < place(page) < second
    page.keyboard.press("End")
    last = place(page)
    assert "The end" in page.locator(".v-words h2").inner_text()
    page.keyboard.press("p")
    before = place(page)
    assert before < last
    page.keyboard.press("n")
    assert place(page) > before
    page.keyboard.press("Home")
    assert place(page) == 0
    page.keyboard.press("Shift+ArrowRight")
    turn = place(page)
    assert turn > 0
    page.keyboard.press("Shift+ArrowRight")
    assert place(page) > turn
    page.keyboard.press("Shift+ArrowLeft")
    assert place(page) == turn
    for _ in range(10):
        page.keyboard.press("+")
    assert page.locator("select[aria-label=Speed]").input_value() == "32"
    page.keyboard.press("End")
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    wait_for_place(page, last)
    page.locator(".v-play[aria-label=Play]").wait_for()
    page.keyboard.press("-")
    assert page.locator("select[aria-label=Speed]").input_value() == "16"
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()


@every_game
def test_everybodys_eyes_at_one_moment(
    game_id: str, file_of: Callable[..., str], open_page: OpenPage, replays: Replays
) -> None:
    """Switching eyes stays at the moment; a seat sees its options, and which one was played."""
    page = ready(open_page(file_of(game_id) + "#s=12"))
    assert eyes(page) == "Spectator"
    for seat in range(SEATS[game_id]):
        page.keyboard.press(str(seat + 1))
        assert place(page) == 12
        frames = next(view["frames"] for view in replays[game_id]["views"] if view.get("seat") == seat)
        frame = [one for one in frames if one["at"] <= 12][-1:] or frames[:1]
        asked = frame[0]["question"]
        assert asked["kind"] in page.locator(".v-asked h2").inner_text()
        chosen = page.locator(".v-options li.now")
        assert chosen.count() == 1
    page.keyboard.press("a")
    assert eyes(page) == "All-seeing"
    assert not page.locator(".v-asked").is_visible()
    page.keyboard.press("5" if SEATS[game_id] < 5 else "0")
    assert eyes(page) == ("All-seeing" if SEATS[game_id] < 5 else "Spectator")


def test_links_to_a_moment(file_of: Callable[..., str], open_page: OpenPage) -> None:
    page = ready(open_page(file_of("broadsides") + "#s=20&v=2"))
    assert place(page) == 20
    assert eyes(page) == "privateer"
    page.evaluate("location.hash = '#s=7&v=0'")
    wait_for_place(page, 7)
    assert eyes(page) == "Spectator"
    page.keyboard.press("1")
    page.keyboard.press("l")
    page.get_by_text("The link to this moment is copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").endswith("replay.html#s=7&v=1")
    page.evaluate("location.hash = '#s=999999&v=x'")
    page.get_by_role("heading", name="The end").wait_for()


def test_a_link_survives_being_loaded_again(file_of: Callable[..., str], open_page: OpenPage) -> None:
    page = ready(open_page(file_of("broadsides")))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("2")
    page.wait_for_url("**/replay.html#s=*&v=2")
    at = place(page)
    page.reload()
    page.wait_for_selector(".v-match")
    assert (place(page), eyes(page)) == (at, "privateer")


def test_the_story_and_the_graphs_seek(file_of: Callable[..., str], open_page: OpenPage) -> None:
    page = ready(open_page(file_of("broadsides") + "#s=20"))
    assert page.locator(".v-story li.now").count() >= 1
    page.locator(".v-story li:not(.now) button").last.click()
    assert place(page) > 20
    graphs = page.locator(".v-graph svg.graph")
    assert graphs.count() == 2
    graphs.last.click(position={"x": 30, "y": 20})
    early = place(page)
    graphs.first.click(position={"x": 200, "y": 20})
    assert place(page) > early


def test_a_fault_is_marked_and_told(file_of: Callable[..., str], open_page: OpenPage) -> None:
    page = ready(open_page(file_of("broadsides")))
    assert page.locator(".v-marks line.fault").count() == 1
    for _ in range(200):
        page.keyboard.press("n")
        if page.locator(".v-story li.fault.now").count():
            break
    assert "fails (timeout)" in page.locator(".v-story li.fault.now").inner_text()


def test_shapes_glide_and_keep_their_element(file_of: Callable[..., str], open_page: OpenPage) -> None:
    """What has an id moves; it is not drawn anew."""
    page = ready(open_page(file_of("broadsides") + "#s=10"))
    page.evaluate("document.querySelectorAll('svg.board > g > *').forEach(one => { one.known = true })")
    page.keyboard.press("ArrowRight")
    assert page.locator("svg.board.glide").count() == 1
    known, count = page.evaluate(
        "(all => [all.filter(one => one.known).length, all.length])"
        "([...document.querySelectorAll('svg.board > g > *')])"
    )
    assert known > 0.8 * count
    assert page.evaluate(GLIDE_TIME) == "0.35s"


def test_a_shape_may_change_its_kind_and_its_layer(
    file_of: Callable[..., str], open_page: OpenPage, replays: Replays
) -> None:
    """A disc that is turned over was a text and becomes a path, in front of what is drawn after it."""
    where = {"x": 10, "y": 10}
    shapes: list[dict[str, Any]] = [
        {"i": "disc", "s": "?", "l": 6, **where},
        {"i": "ship", "d": 0, "l": 6, **where},
        {"i": "disc", "d": 0, "l": 6, **where},
        {"i": "disc", "d": 0, "l": 7, **where},
    ]
    orders = [[0, 1], [2, 1], [1, 2], [3, 1], [0, 1]]
    frames = [
        {"at": at, "heading": f"{at}", "scene": {"w": 100, "h": 100, "label": "a disc and a ship", "shapes": order}}
        for at, order in enumerate(orders)
    ]
    view = {"eyes": "spectator", "frames": frames}
    changed = {"views": [view], "shapes": shapes, "paths": ["M0 0h9"], "steps": len(orders), "faults": [], "notes": []}
    page = ready(open_page(file_of({**replays["broadsides"], **changed})))

    def layers() -> list[list[str]]:
        found: list[list[str]] = page.evaluate(
            "[6, 7].map(at => [...document.querySelectorAll('svg.board > g')[at].children].map(one => one.tagName))"
        )
        return found

    for expected in ([["text", "path"], []], [["path", "path"], []], [["path", "path"], []], [["path"], ["path"]]):
        assert layers() == expected
        page.keyboard.press("ArrowRight")
    assert layers() == [["text", "path"], []]


def test_reduced_motion_means_jumps(file_of: Callable[..., str], open_page: OpenPage) -> None:
    page = ready(open_page(file_of("broadsides") + "#s=10", reduced_motion="reduce"))
    page.keyboard.press("ArrowRight")
    assert page.evaluate(GLIDE_TIME) == "0s"


def test_embedded_it_has_no_furniture(file_of: Callable[..., str], open_page: OpenPage) -> None:
    watched = open_page(file_of("broadsides") + "?embed=1#s=10", width="phone")
    page = ready(watched)
    assert page.locator("svg.board").is_visible()
    assert page.locator(".v-time").is_visible()
    assert not page.locator(".v-record").is_visible()
    watched.check_fits()
    watched.check_access()


def test_two_rotations_beside_each_other(file_of: Callable[..., str], open_page: OpenPage, replays: Replays) -> None:
    """One slider moves both; each keeps its own length."""
    other = document(record_of("broadsides", fails={0: {9: FaultKind.RESIGN}}))
    watched = open_page(file_of("broadsides", other))
    page = ready(watched)
    assert "same luck" in page.locator("h1").inner_text()
    assert page.locator("svg.board").count() == 2
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("1")
    headings = page.locator(".v-words h2").all_inner_texts()
    assert len(headings) == 2
    watched.check_access()
    page.keyboard.press("0")
    page.keyboard.press("End")
    assert page.locator(".v-words h2").all_inner_texts() == ["The end", "The end"]
    page.set_viewport_size({"width": 400, "height": 860})
    watched.check_fits()


def drop(page: Page, name: str, content: str) -> None:
    """Drop a file onto the page."""
    page.evaluate(
        """([name, content]) => {
            const files = new DataTransfer()
            files.items.add(new File([content], name))
            document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: files, bubbles: true, cancelable: true}))
        }""",
        [name, content],
    )


def test_another_replay_can_be_dropped(file_of: Callable[..., str], open_page: OpenPage, replays: Replays) -> None:
    page = ready(open_page(file_of("broadsides") + "#s=10"))
    drop(page, "other.html", offline_page([replays["pirates_cove"]]))
    page.get_by_text("Now showing other.html").wait_for()
    assert "Pirate's Cove" in page.locator(".sub").first.inner_text()
    assert place(page) == 0
    drop(page, "third.json", json.dumps(replays["pavillon_noir"]))
    page.get_by_text("Now showing third.json").wait_for()
    page.keyboard.press("ArrowRight")
    assert place(page) > 0
    drop(page, "no.json", "{}")
    page.get_by_text("This is no exported replay").wait_for()
    drop(page, "evil.html", f"<html><body onload=alert(1)>{HOSTILE}<script>alert(2)</script></body></html>")
    page.get_by_text("There is no replay in this page").wait_for()
    assert "Pavillon Noir" in page.locator(".sub").first.inner_text()


def test_a_hostile_document_is_only_text(file_of: Callable[..., str], open_page: OpenPage, replays: Replays) -> None:
    """Whatever stands in a document, none of it becomes part of the page but text."""
    evil = json.loads(json.dumps(replays["broadsides"]))
    for seat in evil["seats"]:
        seat.update(name=HOSTILE, version=HOSTILE, language=HOSTILE)
    evil.update(result=HOSTILE, about=HOSTILE, notices=[HOSTILE], match=HOSTILE, score_title=HOSTILE)
    evil["notes"] = [{"at": step, "seat": step % 2, "text": HOSTILE} for step in range(evil["steps"])]
    evil["record"] = {"sha256": HOSTILE, "file": HOSTILE, "verify": HOSTILE}
    evil["texts"] = [HOSTILE] * len(evil["texts"])
    for shape in evil["shapes"]:
        shape.update(h=HOSTILE, **({} if "d" in shape else {"s": HOSTILE}))
    watched = open_page(file_of(evil))
    page = ready(watched)
    for key in ("ArrowRight", "1", "ArrowRight", "a", "End"):
        page.keyboard.press(key)
    assert page.locator("img").count() == 0
    assert page.locator("h1").inner_text() == HOSTILE
    assert page.title().startswith(f"{HOSTILE} (Broadsides")
    assert page.locator(".v-story li.note").count() > 0


def test_playing_again_and_again_leaves_one_timer(file_of: Callable[..., str], open_page: OpenPage) -> None:
    """Each restart plays as fast as the first: there is never more than one timer under way."""
    page = ready(open_page(file_of("broadsides")))
    page.evaluate(
        """() => {
            window.waiting = new Set()
            const [set, clear] = [window.setTimeout, window.clearTimeout]
            window.setTimeout = (act, ms) => {
                const id = set(() => { window.waiting.delete(id); act() }, ms)
                if (ms > 600) window.waiting.add(id)
                return id
            }
            window.clearTimeout = (id) => { window.waiting.delete(id); clear(id) }
        }"""
    )
    for _ in range(20):
        page.keyboard.press("Space")
    page.keyboard.press("Space")
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    assert page.evaluate("window.waiting.size") == 1
    page.keyboard.press("Space")
    assert page.evaluate("window.waiting.size") == 0


def test_a_swipe_turns_the_scene(file_of: Callable[..., str], open_page: OpenPage) -> None:
    page = ready(open_page(file_of("broadsides") + "#s=10", width="phone", has_touch=True))
    swipe = """([from, to]) => {
        const board = document.querySelector('.v-board')
        const touch = x => new Touch({identifier: 1, target: board, clientX: x, clientY: 300})
        board.dispatchEvent(new TouchEvent('touchstart', {touches: [touch(from)], bubbles: true}))
        board.dispatchEvent(new TouchEvent('touchend', {changedTouches: [touch(to)], bubbles: true}))
    }"""
    page.evaluate(swipe, [300, 100])
    assert place(page) > 10
    page.evaluate(swipe, [100, 300])
    assert place(page) == 10


def test_a_record_without_its_secret_says_so(file_of: Callable[..., str], open_page: OpenPage) -> None:
    record = record_of("broadsides")
    record.story.chance_secret = b""
    watched = open_page(file_of(document(record)))
    page = ready(watched)
    assert "secret is not revealed" in page.locator(".notice").inner_text()
    assert not page.locator(".v-time").is_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("?")
    watched.check_access()


def test_a_game_without_a_drawing_shows_its_text_table(
    file_of: Callable[..., str], open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.viewer.frames.find_drawing", lambda game_id: None)
    monkeypatch.setattr("server.viewer.document.find_drawing", lambda game_id: None)
    watched = open_page(file_of(document(record_of("broadsides"))) + "#s=10&v=a")
    page = ready(watched)
    assert "Seahawk" in page.locator("pre.text-table").inner_text()
    watched.check_access()
    watched.check_fits()
