"""docs/tutorial.md keeps its word: its files are written and its commands run, in the order of the page."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.command import ROOT, TIED_TO_US, assert_nothing_left, environment

PAGE = (ROOT / "docs/tutorial.md").read_text()
BLOCK = re.compile(r"(?:^`([^`\n]+)`\n)?^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PORTS = ("7071", "7072")
"""Of the page's arena: a test takes free ones."""
LIMIT_SECONDS = 240


@dataclass(frozen=True)
class Block:
    """A block of the page: a file if it has a path, otherwise something to run."""

    path: str
    language: str
    text: str


BLOCKS = [Block(*found) for found in BLOCK.findall(PAGE)]


def with_free_ports(text: str) -> str:
    """The same commands with ports that nobody else has."""
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in PORTS]
    for port, server in zip(PORTS, servers, strict=True):
        text = text.replace(f":{port}", f":{server.getsockname()[1]}")
        server.close()
    return text


def run(block: Block, folder: Path) -> str:
    """What a reader would type into a shell or into Python."""
    words = [sys.executable, "-c"] if block.language == "python" else ["bash", "-euo", "pipefail", "-c"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    process = subprocess.Popen(
        [*TIED_TO_US, *words, with_free_ports(block.text)],
        cwd=folder,
        env={**environment(folder), "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        process_group=0,
    )
    try:
        told, _ = process.communicate(timeout=LIMIT_SECONDS)
    finally:  # a block that failed half way may have left its arena behind
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
    assert process.returncode == 0, f"{block.text}\n{told}"
    return told


@pytest.mark.timeout(900)
def test_the_tutorial_from_top_to_bottom(tmp_path: Path) -> None:
    told = ""
    for block in BLOCKS:
        if block.path:
            (tmp_path / block.path).parent.mkdir(exist_ok=True)
            (tmp_path / block.path).write_text(block.text)
        else:
            assert block.language in ("sh", "python"), "a block that is not run says nothing of its language"
            told += run(block, tmp_path)
    assert "Traceback" not in told
    assert re.search(r"mine-2 1 .*mine-2 1 .*: 0 of \d\d+ ", told)
    assert re.search(r"mine 1 .*mine-2 1 .*: [1-9]\d* of", told)
    assert "buccaneer beats mine-2" in told or "mine-2 beats buccaneer" in told, "the match of the notebook"
    assert_nothing_left(tmp_path)


@pytest.mark.smoke
def test_every_command_of_the_page_stands_in_a_block_that_is_run() -> None:
    run_here = "\n".join(block.text for block in BLOCKS if block.language == "sh")
    for words in re.findall(r"`tortuga ([a-z]+(?: [a-z]+)?)[^`]*`", PAGE):
        assert f"tortuga {words.split()[0]}" in run_here, f"the page names `tortuga {words}` and never runs it"


@pytest.mark.smoke
def test_the_files_of_the_page_can_be_read_at_a_glance() -> None:
    [searcher] = [block for block in BLOCKS if block.path == "searcher/bot.py"]
    assert len(searcher.text.splitlines()) <= 50
    assert max(len(line) for block in BLOCKS for line in block.text.splitlines()) <= 120
