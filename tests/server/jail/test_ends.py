"""How a confined bot ends is told as truthfully as of one that is not, though other programs stand between."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from pathlib import Path

import pytest

from referee.errors import ConfigError
from server.hosting.launcher import BotProcess, ExitKind, Launcher
from server.jail import confinement
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.jail.limits import ResourceLimits
from support import sizes
from support.jail import CONFINED, FENCE_AND_JAIL, need, public_folder, run_confined, run_python

every_level = pytest.mark.parametrize("level", [JailLevel.NONE, *FENCE_AND_JAIL])


@every_level
@pytest.mark.parametrize("code", [0, 3, 127, 255])
async def test_an_exit_code_is_the_bots_own(level: JailLevel, code: int) -> None:
    need(level)
    how, _ = await run_confined(Confinement(level=level), ["sh", "-c", f"exit {code}"])
    assert (how.kind, how.detail) == (ExitKind.EXITED, f"exited with code {code}")


@every_level
@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM])
async def test_a_signal_is_told_by_its_name(level: JailLevel, number: signal.Signals) -> None:
    need(level)
    how, _ = await run_confined(Confinement(level=level), ["sh", "-c", f"kill -{int(number)} $$"])
    assert (how.kind, how.detail) == (ExitKind.SIGNALLED, f"killed by {number.name}")


@pytest.mark.parametrize("level", CONFINED)
@sizes.sized
async def test_a_hundred_thousand_empty_files_are_over_the_default_limit_at_every_level(level: JailLevel) -> None:
    """A part of them for as large a part of the scratch space: the kernel counts no byte of an empty file."""
    need(level)
    if level is JailLevel.PROCESS and os.getuid() == 0:
        pytest.skip("as root this level needs a Python that all users can read; .ci/as_user runs it without")
    part = sizes.pick(quick=64, ci=16, full=1)
    count = 100_000 // part
    limits = ResourceLimits(scratch_bytes=ResourceLimits().scratch_bytes // part)
    code = f"import time\nfor n in range({count}): open(str(n), 'x').close()\ntime.sleep(600)"
    how, _ = await run_confined(Confinement(level=level, limits=limits), [sys.executable, "-c", code])
    assert how.kind is ExitKind.RESOURCE
    assert "scratch" in how.detail


@pytest.mark.parametrize("level", FENCE_AND_JAIL)
async def test_the_log_of_a_bot_that_fails_names_its_level(level: JailLevel) -> None:
    need(level)
    code = "import socket; print('dialling', flush=True); socket.socket(socket.AF_INET)"
    _, printed = await run_confined(Confinement(level=level), [sys.executable, "-c", code])
    assert printed.startswith("dialling\n")
    assert "family not supported" in printed
    assert f" level {level};" in printed.splitlines()[-1]
    assert "docs/security.md" in printed.splitlines()[-1]
    _, printed = await run_confined(Confinement(level=level), ["echo", "well"])
    assert printed == "well\n"


@every_level
async def test_a_program_that_is_missing_or_no_program_is_refused_before_it_is_started(level: JailLevel) -> None:
    need(level)
    with public_folder() as folder:
        files = {"plain": "", "orphan": "#!/no/such/interpreter\n", "binary": "\0\1\2"}
        for name, content in files.items():
            (folder / name).write_text(content)
            (folder / name).chmod(0o644 if name == "plain" else 0o755)
        for program, why in [
            (str(folder / "nothing"), "was not found"),
            ("no-such-program", "was not found"),
            (str(folder / "plain"), "not executable"),
            (str(folder / "orphan"), "interpreter.*not found"),
            (str(folder / "binary"), "neither a binary"),
        ]:
            with pytest.raises(ConfigError, match=why) as caught:
                await run_confined(Confinement(level=level), [program], sees=[folder])
            assert level is JailLevel.NONE or f"at the level {level}" in str(caught.value)


async def test_what_bubblewrap_itself_cannot_do_is_no_exit_of_the_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    """And its reason stands in the bot's log."""
    need(JailLevel.JAIL)
    monkeypatch.setattr(confinement, "jail_arguments", lambda *_, **__: ["--ro-bind", "/no/such/folder", "/mnt"])
    how, printed = await run_confined(Confinement(level=JailLevel.JAIL), ["true"])
    assert re.search(r"not be started.*jail", how.detail)
    assert "/no/such/folder" in printed


@every_level
async def test_a_stopped_bot_leaves_nothing_of_its_tree(level: JailLevel, tmp_path: Path) -> None:
    """Also not the child in a session of its own, whose parent has exited."""
    need(level)
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0: time.sleep(600)\n"
        "    os._exit(0)\n"
        "print('ready', flush=True)\n"
        "time.sleep(600)\n"
    )
    async with Launcher(tmp_path / "run", confinement=Confinement(level=level)) as launcher:
        bot = await launcher.start("parent", [sys.executable, "-c", code], {})
        await wait_for_line(bot, "ready")
        family = descendants(bot.pid)
        how = await bot.stop(0)
    assert how.kind is ExitKind.STOPPED
    assert len(family) >= 1
    assert not [pid for pid in (bot.pid, *family) if is_alive(pid)]


@every_level
async def test_the_processor_time_of_a_confined_bot_is_seen(level: JailLevel, tmp_path: Path) -> None:
    need(level)
    code = "import time\nwhile time.process_time() < 0.3: pass\nprint('done', flush=True)\ntime.sleep(600)"
    async with Launcher(tmp_path / "run", confinement=Confinement(level=level)) as launcher:
        bot = await launcher.start("burner", [sys.executable, "-c", code], {})
        await wait_for_line(bot, "done")
        used = bot.cpu_seconds()
    assert used is not None
    assert used >= 0.2


@pytest.mark.parametrize("level", FENCE_AND_JAIL)
async def test_a_keeper_that_is_told_to_look_tells_at_once_whether_a_limit_is_crossed(
    level: JailLevel, tmp_path: Path
) -> None:
    """A bot that has taken every thread may lose its own stream before the keeper looks by itself."""
    need(level)
    code = "import os, time\nfor _ in range(25):\n    if os.fork() == 0: time.sleep(600)\ntime.sleep(600)\n"
    confinement = Confinement(level=level, limits=ResourceLimits(tasks=20))
    async with Launcher(tmp_path / "run", confinement=confinement) as launcher:
        few = await launcher.start("few", ["sleep", "600"], {})
        await asyncio.wait_for(few.look(), 10)
        assert not few.ended.done()
        many = await launcher.start("many", [sys.executable, "-c", code], {})
        while not many.ended.done():
            await many.look()
        assert many.ended.result().kind is ExitKind.RESOURCE


async def test_a_bot_dies_with_its_keeper(tmp_path: Path) -> None:
    need(JailLevel.JAIL)
    async with Launcher(tmp_path / "run", confinement=Confinement(level=JailLevel.JAIL)) as launcher:
        bot = await launcher.start("orphan", ["sh", "-c", "echo ready; sleep 600"], {})
        await wait_for_line(bot, "ready")
        family = descendants(bot.pid)
        os.kill(bot._keeper.pid, signal.SIGKILL)
        how = await asyncio.wait_for(asyncio.shield(bot.ended), 30)
        await launcher.close(0)
    assert how.kind is ExitKind.KEEPER_LOST
    assert not [pid for pid in (bot.pid, *family) if is_alive(pid)]


@pytest.mark.parametrize("level", FENCE_AND_JAIL)
async def test_the_scratch_folder_is_home_can_be_written_to_and_is_wiped(level: JailLevel) -> None:
    need(level)
    code = (
        "import os, tempfile\n"
        "open('marker', 'x').close(); open(os.path.join(os.environ['HOME'], 'second'), 'x').close()\n"
        "with tempfile.NamedTemporaryFile(): pass\n"
        "print(os.getcwd())"
    )
    first, second = [await run_python(Confinement(level=level), code) for _ in range(2)]
    assert not os.path.exists(first.strip())  # noqa: ASYNC240
    assert (first == second) == (level is JailLevel.JAIL)


async def wait_for_line(bot: BotProcess, line: str) -> None:
    """Wait until a bot has printed that."""
    async with asyncio.timeout(60):
        while line.encode() not in bot.printed():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def descendants(pid: int) -> list[int]:
    found: list[int] = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (thread / "children").read_text().split()):
            found += [child, *descendants(child)]
    return found


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):
        return False
