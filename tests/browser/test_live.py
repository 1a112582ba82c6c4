"""A live match in a real browser, from an arena with real bots: watched to its end, and then replayed.

Also the author's page: signing in, a challenge, and the match it leads to.
"""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.browser import Watched
from support.ladders import COVE, make_config
from support.served import Served, dialled_in, wait_for
from tortuga.v1 import arena_pb2 as pb

OpenPage = Callable[..., Watched]
PATIENCE_MILLIS = 100_000


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, str, dict[str, str]]]:
    """An arena with bots that take their time, its pages, and the bots' tokens. Nothing is played but challenges."""
    config = make_config(COVE, rest_seconds=0.1, matches_per_bot=1, drain_seconds=0.0)
    served = Served(tmp_path_factory.mktemp("live"), config, web="127.0.0.1:0").start()
    try:
        [base] = re.findall(r"  web      (http://\S+)/\n", served.log())
        wait_for(lambda: urllib.request.urlopen(f"{base}/healthz", timeout=30).status == 200)
        served.admin.PauseLadder(pb.PauseLadderRequest())
        tokens = served.add("ann", "bob", "cid", "dan")
        with dialled_in(served.bots, tokens, slots=1, think_seconds=0.02):
            wait_for(lambda: served.status().connected == 4)
            yield served, base, tokens
    finally:
        served.close()


def test_an_author_challenges_and_watches_the_match_to_its_end(
    arena: tuple[Served, str, dict[str, str]], open_page: OpenPage
) -> None:
    served, base, tokens = arena
    opened = open_page(f"{base}/account")
    page = opened.page
    opened.check_access()
    page.fill("#token", tokens["ann"])
    page.click("text=Sign in >> nth=-1")
    page.wait_for_selector("text=You are signed in.")
    opened.check_access()
    opened.check_fits()
    assert tokens["ann"] not in page.content()
    assert page.evaluate("document.cookie") == "", "no script can read the cookie"
    for number, name in enumerate(("bob", "cid", "dan")):
        page.select_option(f"#opponent{number}", name)
    page.click("text=Play")
    page.wait_for_url("**/match/**")
    match_id = page.url.rpartition("/")[2]
    page.wait_for_selector(".viewer button:has-text('Live'):visible", timeout=PATIENCE_MILLIS)
    wait_for(lambda: scenes(opened) >= 3)
    opened.check_access()
    assert served.api.GetMatch(pb.GetMatchRequest(match_id=match_id)).challenger == "ann"
    page.wait_for_selector(".viewer button:has-text('Live')", state="hidden", timeout=PATIENCE_MILLIS)
    wait_for(lambda: has_eyes(opened))  # the replay is there: through the eyes of every seat
    opened.check_access()


def test_a_match_that_is_over_is_replayed_where_it_was_live(
    arena: tuple[Served, str, dict[str, str]], open_page: OpenPage, tmp_path: Path
) -> None:
    served, base, _ = arena
    listed = pb.ListMatchesRequest(challenges=True, state=pb.MATCH_STATE_FINISHED)
    [match] = wait_for(lambda: served.api.ListMatches(listed).matches)
    opened = open_page(f"{base}/match/{match.match_id}", width="phone", scheme="dark")
    wait_for(lambda: scenes(opened) > 10)
    assert opened.page.locator("text=asked for by ann").count() == 1
    opened.check_fits()


def has_eyes(opened: Watched) -> bool:
    """Whether the viewer can be switched to other eyes than a spectator's."""
    opened.page.wait_for_timeout(50)
    return opened.page.locator(".viewer option:has-text('All-seeing')").count() > 0


def scenes(opened: Watched) -> int:
    """How many scenes the viewer has."""
    opened.page.wait_for_timeout(50)  # lets the page work: nothing moves while Python sleeps
    found = re.search(r"scene \d+ of (\d+)", opened.page.locator(".viewer").first.inner_text())
    return int(found.group(1)) if found else 0
