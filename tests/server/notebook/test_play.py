"""`tortuga.play` in a notebook: a match, its table and its board, whatever the bots call themselves."""

from __future__ import annotations

import asyncio
import base64
import re
from html import unescape
from pathlib import Path

import pytest

import tortuga
from referee.errors import ConfigError, TortugaError
from referee.records.record import read_packed
from server.notebook import PlayedMatch, play
from server.viewer import Perspectives
from server.viewer.document import document_of
from support.command import python_bot
from tortuga_bot import Question

HOSTILE = '"><script>alert(1)</script>\x1b[31m</iframe>'


def first(question: Question) -> int:
    """A bot as a function."""
    return 0


def hostile(question: Question) -> int:
    """A bot whose name is no name."""
    return question.option_count - 1


hostile.__name__ = HOSTILE


def inlined(html: str) -> tuple[str, str]:
    """The picture and the page within what a notebook shows."""
    [picture] = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', html)
    [page] = re.findall(r'srcdoc="([^"]+)"', html)
    return base64.b64decode(picture).decode(), unescape(page)


def test_functions_and_folders_play_in_this_process() -> None:
    match = tortuga.play("pirates_cove", first, "random", "buccaneer", seed="7")
    assert match.names == ("first", "random", "buccaneer")
    assert sorted(match.ranks)[0] == 1
    assert len(match.scores) == 3
    assert match.decisions > 50
    assert match.faults == ()
    assert not match.void
    assert "seed 7" in repr(match)


def test_the_same_seed_is_the_same_match_and_another_is_not() -> None:
    one, two, other = (play("broadsides", first, "random", seed=seed) for seed in ("1", "1", "2"))
    assert one.record.story == two.record.story
    assert one.record.story != other.record.story


def test_settings_count() -> None:
    match = play("pavillon_noir", first, "random", variant={"max_rounds": 2})
    assert {setting.name: setting.value for setting in match.record.story.variant}["max_rounds"] == "2"
    with pytest.raises(ConfigError, match="no setting"):
        play("pavillon_noir", first, "random", variant={"tea": 1})


@pytest.mark.system
def test_a_saved_match_is_a_record(tmp_path: Path) -> None:
    path = play("broadsides", first, "random", seed="1").save(tmp_path / "it.tortuga")
    document = document_of(read_packed(path), perspectives=Perspectives.ALL)
    assert document["notices"] == []
    assert document["steps"] > 10


def test_what_a_notebook_shows_needs_nothing_from_elsewhere() -> None:
    html = play("pirates_cove", first, "random", seed="7")._repr_html_()
    picture, page = inlined(html)
    assert picture.startswith("<svg")
    assert "<td>first</td>" in html
    assert 'sandbox="allow-scripts"' in html
    assert "default-src 'none'" in page
    outside = re.compile(r"""(?:src|href|action)\s*=\s*(?!["']?(?:data:|#))|url\(|@import""")
    around = re.sub(r'srcdoc="[^"]+"', "", html)
    assert outside.findall(around) == []
    assert outside.findall(picture) == []
    assert "<script src" not in page
    assert "<link" not in page


def test_hostile_names_stay_words() -> None:
    match = play("broadsides", hostile, "random", seed="1")
    html = match._repr_html_()
    picture, page = inlined(html)
    assert match.names[0] == HOSTILE
    for text in (html, picture, page):
        assert "<script>alert" not in text
        assert "\x1b" not in text
    assert "&lt;script&gt;alert(1)" in html
    assert html.count("<iframe") == html.count("</iframe>") == 1
    assert "\x1b" not in repr(match)


async def test_it_works_where_an_event_loop_runs() -> None:
    assert asyncio.get_running_loop().is_running()
    assert play("broadsides", first, "random", seed="1").decisions > 10


def test_an_edited_bot_is_played_as_it_is_now(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('name = "mine"\nrun = ["python", "{dir}/bot.py"]\n')
    answers = []
    for answer in (0, 1):
        (tmp_path / "bot.py").write_text(f"def choose(question):\n    return {answer}\n# {'x' * answer}\n")
        match = play("broadsides", str(tmp_path), "random", seed="1")
        answers.append({a.option_index for moment in match.record.story.moments for a in moment.answers if a.seat == 0})
    assert answers == [{0}, {1}]


def test_a_function_that_fails_is_shown_with_its_own_lines() -> None:
    def broken(question: Question) -> int:
        return 1 // 0

    with pytest.raises(TortugaError, match=r"broken failed.*\bquestion 1 ") as caught:
        play("broadsides", broken, "random")
    assert "return 1 // 0" in str(caught.value)
    assert "ZeroDivisionError" in str(caught.value)


def test_processes_play_as_in_tortuga_play(tmp_path: Path) -> None:
    (tmp_path / "dies.py").write_text("raise SystemExit('<b>no</b>')\n")
    dies = python_bot(tmp_path / "dies.py")
    match = play("broadsides", "random", dies, jail="none", seed="1")
    assert isinstance(match, PlayedMatch)
    assert match.record.jail_level == "none"
    assert [fault.seat for fault in match.faults] == [1]
    assert "<b>no</b>" not in match._repr_html_()


def test_what_cannot_be_played_says_why() -> None:
    with pytest.raises(ConfigError, match="played by 2 seats, not 1"):
        play("broadsides", first)
    with pytest.raises(ConfigError, match=r"a function .*process"):
        play("broadsides", first, "random", processes=True)
    with pytest.raises(ConfigError, match="there is no bot"):
        play("broadsides", first, "nobody")
    with pytest.raises(ConfigError, match="does not play broadsides"):
        play("broadsides", first, "gunner")
    with pytest.raises(TortugaError, match="the clock is 'soon'"):
        play("broadsides", "random", "random", processes=True, clock="soon")
