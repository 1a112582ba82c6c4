"""`tortuga replay html` and `tortuga replay svg`."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from referee.records.record import pack
from server.cli.main import main
from server.viewer.pages import MODULES, STATIC, script, stylesheet
from support.forging import play_record

HOSTILE = "</script><img src=x onerror=alert(1)>"


def tortuga(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    record = play_record("broadsides", 2)
    record.seats[0].bot_name = record.seats[1].bot_version = HOSTILE
    path = tmp_path / "match.tortuga"
    path.write_bytes(pack(record))
    return path


def documents(page: str) -> list[dict[str, Any]]:
    found = re.findall(r'<script type="application/octet-stream" id="\w+">([^<]*)</script>', page)
    return [json.loads(gzip.decompress(base64.b64decode(one))) for one in found]


@pytest.mark.system
def test_a_page_is_written_beside_the_record(file: Path) -> None:
    told = tortuga("replay", "html", file)
    assert told.exit_code == 0, told.output
    out = file.with_name("match.tortuga.html")
    (document,) = documents(out.read_text())
    assert [view["eyes"] for view in document["views"]] == ["spectator", "seat", "seat", "all"]
    assert base64.b64decode(document["record"]["bytes"]) == file.read_bytes()
    again = tortuga("replay", "html", file)
    assert again.exit_code == 2
    assert "pass --force" in again.output
    assert tortuga("replay", "html", file, "--force").exit_code == 0


def test_only_spectators_eyes_and_stdout(file: Path) -> None:
    told = tortuga("replay", "html", file, "-o", "-", "--perspectives", "spectator")
    (document,) = documents(told.output)
    assert [view["eyes"] for view in document["views"]] == ["spectator"]
    assert "bytes" not in document["record"], "the record would tell everything"
    assert not file.with_name("match.tortuga.html").exists()


@pytest.mark.system
def test_two_records_beside_each_other(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "pair.html"
    assert tortuga("replay", "html", file, "--beside", file, "-o", out).exit_code == 0
    assert len(documents(out.read_text())) == 2


def test_a_page_holds_nothing_hostile_and_loads_nothing(file: Path) -> None:
    page = tortuga("replay", "html", file, "-o", "-").output
    assert "<img" not in page
    assert "&lt;/script&gt;" in page, "the title is escaped"
    assert page.count("<script") - script().count("<script") == 2
    assert not re.search(r'(src|href)="', page.replace(script(), ""))
    for text, directive in ((script(), "script-src"), (stylesheet(), "style-src")):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in page
    assert "</script" not in script()
    assert "</style" not in stylesheet()
    assert "<!--" not in script()


def test_a_record_that_cannot_be_shown_gives_a_page_that_says_so(file: Path) -> None:
    record = play_record("broadsides", 2)
    record.story.chance_secret = b""
    file.write_bytes(pack(record))
    (document,) = documents(tortuga("replay", "html", file, "-o", "-").output)
    assert document["views"] == []
    assert "not revealed yet" in document["notices"][0]


def test_what_is_no_record_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "no.tortuga"
    path.write_bytes(b"not a record")
    told = tortuga("replay", "html", path)
    assert told.exit_code == 1
    assert "no.tortuga" in told.output


@pytest.mark.system
@pytest.mark.parametrize(
    "words", [(), ("--at", 1), ("--scene", 7), ("--at", 12, "--seat", 1), ("--scene", 0, "--seat", 0)]
)
def test_a_moment_as_a_picture(file: Path, words: tuple[object, ...]) -> None:
    told = tortuga("replay", "svg", file, "-o", "-", *words)
    assert told.exit_code == 0, told.output
    picture = ElementTree.fromstring(told.output)
    assert picture.tag.endswith("svg")
    assert len(picture) > 20
    assert "<img" not in told.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--at", 99999), "has decisions 1 to"),
        (("--scene", 99999), "has moments 0 to"),
        (("--seat", 5), "has seats 0 to 1"),
        (("--at", 1, "--scene", 1), "--at or --scene, not both"),
    ],
)
def test_a_moment_that_is_not_there(file: Path, words: tuple[object, ...], told: str) -> None:
    found = tortuga("replay", "svg", file, *words)
    assert found.exit_code == 2
    assert told in found.output


def test_the_modules_are_joined_in_an_order_that_works() -> None:
    """Each imports only from those before it, and what is served imports nothing."""
    assert {path.name for path in STATIC.glob("*.js")} == set(MODULES)
    for place, name in enumerate(MODULES):
        for needed in re.findall(r'^import .* from "\./(.*)";$', (STATIC / name).read_text(), re.MULTILINE):
            assert needed in MODULES[:place], f"{name} needs {needed}"
    assert not re.search(r"^(import|export) ", script(), re.MULTILINE)


@pytest.mark.skipif(shutil.which("node") is None, reason="no node to read the script with")
def test_the_script_can_be_read(tmp_path: Path) -> None:
    joined = tmp_path / "viewer.mjs"
    joined.write_text(script())
    subprocess.run(["node", "--check", str(joined)], check=True, timeout=30)
