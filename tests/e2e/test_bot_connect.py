"""`tortuga bot connect` as an author uses it: real bots, real arenas, and servers that come and go."""

from __future__ import annotations

import json
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.errors import ConfigError
from server.hosting.connecting import read_arena_address
from support.command import LIMIT_SECONDS, assert_nothing_left, environment, processes_of, python_bot, start, tortuga

TOKEN = "ttg_secret"
HURRIED = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
import server.hosting.connecting
server.hosting.connecting.FIRST_PAUSE_SECONDS = 0.02
server.hosting.connecting.LONGEST_PAUSE_SECONDS = 0.2
from server.cli.main import main
main()
"""
"""The command with short pauses; it hears what it is told, even where the tests run under nohup, which it respects."""


def connect(folder: Path, *words: str, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HURRIED, "bot", "connect", *words],
        cwd=folder,
        env={**environment(folder), "TORTUGA_TOKEN": TOKEN, "TORTUGA_TLS": "", **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )


def script(folder: Path, text: str) -> str:
    """The SPEC of a bot that does this."""
    path = folder / "it.py"
    path.write_text(text)
    return python_bot(path)


def line_of(process: subprocess.Popen[str]) -> str:
    """The next line that the bot prints."""
    assert process.stdout is not None
    assert select.select([process.stdout], [], [], LIMIT_SECONDS)[0], "nothing was printed"
    return process.stdout.readline().strip()


def until(condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + LIMIT_SECONDS
    while not condition():
        assert time.monotonic() < end, f"{what} did not come about"
        time.sleep(0.1)


@pytest.fixture
def listener() -> Iterator[str]:
    """Somebody who listens, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def arena(folder: Path, port: int) -> Iterator[None]:
    """`tortuga serve`, until it is drained."""
    words = (
        "--listen",
        f"127.0.0.1:{port}",
        "--public",
        "",
        "--web",
        "",
        "--admin",
        str(folder / "arena" / "admin.sock"),
    )
    process = start(folder, "serve", "arena", *words)
    try:
        until(lambda: tortuga(folder, "server", "status", "--dir", "arena").returncode == 0, "the arena")
        yield
    finally:
        process.terminate()
        output = process.communicate(timeout=LIMIT_SECONDS)
    assert process.returncode == 0, output


def bot(folder: Path, name: str) -> dict[str, object]:
    done = tortuga(folder, "server", "bot", "list", "--dir", "arena", "--json")
    [found] = [one for one in json.loads(done.stdout)["bots"] if one["name"] == name]
    return dict(found)


def test_a_bot_plays_at_an_arena_and_is_back_after_a_restart(tmp_path: Path) -> None:
    port = free_port()
    with arena(tmp_path, port):
        added = tortuga(tmp_path, "server", "bot", "add", "ann", "--dir", "arena", "--json")
        token = tmp_path / "token"
        token.write_text(json.loads(added.stdout)["token"] + "\n")
        assert tortuga(tmp_path, "server", "bot", "host", "random", "--dir", "arena").returncode == 0
        process = connect(tmp_path, "gunner", "--server", f"127.0.0.1:{port}", "--token-file", "token")
        until(lambda: int(json.loads(status(tmp_path))["matches"]), "a match")
        assert bot(tmp_path, "ann")["presence"] == "connected"
    with arena(tmp_path, port):
        until(lambda: bot(tmp_path, "ann")["presence"] == "connected", "the return")
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=LIMIT_SECONDS)
        assert process.returncode == 0, errors
        assert re.search("gunner.*code 0.*again", errors)
        assert token.read_text().strip() not in output + errors
        until(lambda: bot(tmp_path, "ann")["presence"] == "absent", "the end")
    assert_nothing_left(tmp_path)


def status(folder: Path) -> str:
    return tortuga(folder, "server", "status", "--dir", "arena", "--json").stdout


def test_a_bot_gets_where_and_who_and_a_folder_of_its_own_and_nothing_else(tmp_path: Path, listener: str) -> None:
    (tmp_path / "roots.pem").touch()
    tell = "import json, os, time; print(json.dumps([os.getcwd(), dict(os.environ)]), flush=True); time.sleep(600)"
    process = connect(tmp_path, script(tmp_path, tell), "--server", listener, "--tls", "roots.pem", SECRET="x")
    where, variables = json.loads(line_of(process))
    assert variables["TORTUGA_ADDRESS"] == listener
    assert variables["TORTUGA_TOKEN"] == TOKEN
    assert variables["TORTUGA_TLS"] == str(tmp_path / "roots.pem")
    assert variables["HOME"] == variables["TMPDIR"] == where
    assert Path(where).parent == tmp_path / "tmp"
    assert "SECRET" not in variables
    assert len(processes_of(tmp_path)) == 2
    assert not any(TOKEN in words for words in processes_of(tmp_path))
    process.terminate()
    assert process.wait(LIMIT_SECONDS) == 0
    assert_nothing_left(tmp_path)


POLITE = """
import os, signal, time
def leave(*_):
    os.write(1, b"bye\\n")
    os._exit(0)
signal.signal(signal.SIGTERM, leave)
print("here", flush=True)
time.sleep(600)
"""
RUDE = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    time.sleep(600)
print("here", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(("text", "last"), [(POLITE, "bye\n"), (RUDE, "")])
def test_a_bot_may_leave_by_itself_and_else_has_to(
    tmp_path: Path, listener: str, sign: signal.Signals, text: str, last: str
) -> None:
    process = connect(tmp_path, script(tmp_path, text), "--server", listener)
    assert line_of(process) == "here"
    process.send_signal(sign)
    assert process.communicate(timeout=LIMIT_SECONDS) == (last, f"tortuga: it goes to {listener}; Ctrl-C ends it\n")
    assert process.returncode == 0
    assert_nothing_left(tmp_path)


def test_a_bot_does_not_outlive_a_killed_connection(tmp_path: Path, listener: str) -> None:
    process = connect(tmp_path, script(tmp_path, POLITE), "--server", listener)
    assert line_of(process) == "here"
    process.kill()
    process.communicate(timeout=LIMIT_SECONDS)
    until(lambda: not processes_of(tmp_path), "the end of the bot")


def test_a_bot_that_ends_at_once_is_given_up(tmp_path: Path, listener: str) -> None:
    refused = script(tmp_path, "import os, sys; os.fork() or os.setsid(); sys.exit('PERMISSION_DENIED: suspended')")
    process = connect(tmp_path, refused, "--server", listener)
    _, errors = process.communicate(timeout=LIMIT_SECONDS)
    assert process.returncode == 1
    assert len(re.findall("code 1; started again", errors)) == 4
    assert re.match("tortuga: .*code 1, .*5th.* 5 s", errors.splitlines()[-1])
    assert "PERMISSION_DENIED: suspended" in errors
    assert_nothing_left(tmp_path)


@pytest.mark.smoke
def test_a_server_that_is_not_there_costs_no_start(tmp_path: Path) -> None:
    port = free_port()
    process = connect(tmp_path, script(tmp_path, POLITE), "--server", f"127.0.0.1:{port}")
    assert process.stderr is not None
    for _ in range(7):  # more often than a bot may fail
        told = process.stderr.readline()
        assert told.startswith(f"tortuga: 127.0.0.1:{port} cannot be reached: "), told
    with socket.create_server(("127.0.0.1", port)):
        assert line_of(process) == "here"
        process.terminate()
        assert process.wait(LIMIT_SECONDS) == 0
    process.communicate()
    assert_nothing_left(tmp_path)


@pytest.mark.parametrize(
    ("words", "variables", "why"),
    [
        (["random", "--server", "far.example:7071"], {}, r"TLS.*far\.example:7071"),
        (["random", "--server", "7071"], {}, "--server .*'7071', .*HOST:PORT"),
        (["random", "--server", "localhost:x"], {}, "'localhost:x', .*HOST:PORT"),
        (["random", "--server", "localhost:1"], {"TORTUGA_TOKEN": " "}, "TORTUGA_TOKEN does not"),
        (["random", "--server", "localhost:1"], {"TORTUGA_TOKEN": "a b"}, "which is one word"),
        (["random", "--server", "localhost:1", "--token-file", "none"], {}, "token.* read from none"),
        (["random", "--server", "localhost:1", "--tls", "none"], {}, "--tls is 'none', .*file"),
        (["remote: ann", "--server", "localhost:1"], {}, "is started elsewhere"),
        (["nobody", "--server", "localhost:1"], {}, "there is no bot 'nobody'"),
    ],
)
def test_what_cannot_work_is_told_at_once(
    tmp_path: Path, words: list[str], variables: dict[str, str], why: str
) -> None:
    _, errors = (process := connect(tmp_path, *words, **variables)).communicate(timeout=LIMIT_SECONDS)
    assert process.returncode == 2
    assert re.search(why, errors)
    assert len(errors.splitlines()) == 1


def test_a_program_that_cannot_be_started_is_named(tmp_path: Path, listener: str) -> None:
    process = connect(tmp_path, "cmd: /no/such/program", "--server", listener)
    _, errors = process.communicate(timeout=LIMIT_SECONDS)
    assert process.returncode == 2
    assert "start `/no/such/program`" in errors
    assert_nothing_left(tmp_path)


def test_a_name_that_no_host_can_have_is_told_at_once() -> None:
    with pytest.raises(ConfigError, match=r"'far\.\.example'.*host"):
        read_arena_address("far..example:7071", None, "system", insecure=False)
