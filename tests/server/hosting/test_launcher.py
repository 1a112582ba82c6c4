"""The launcher with bots that behave, or print too much: how they start, what they are given, what is kept of them.

Rows 5, 10, 28 and 29 of the table of faults.
"""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import shlex
import signal
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import uvloop

from referee.errors import ConfigError, MatchVoid
from server.hosting import keeper
from server.hosting.launcher import BotExit, ExitKind, Launcher, OutputLimits
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.jail.runtime import BOT_SITE
from support.bots import ending, is_dead, play, program, until
from support.jail import public_folder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

SMALL = OutputLimits(output_bytes=1 << 20, log_head_bytes=1000, log_tail_bytes=1000)
SIGNS_IN_A_TAIL = "\\x1b[31mred\\x07\\r\\x00 \\xff café \\u202e\ntwo\\x0cthree"


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_bot_exits_or_is_stopped_on_either_loop(
    tmp_path: Path, new_loop: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    async def act() -> None:
        async with Launcher(tmp_path / "run") as the_launcher:
            leaver = await the_launcher.start("leaver", program("sys.exit(3)"), {})
            stayer = await the_launcher.start("stayer", program("time.sleep(1000)"), {})
            assert await ending(leaver) == BotExit(kind=ExitKind.EXITED, detail="exited with code 3")
            assert not is_dead(stayer.pid)
            assert (await stayer.stop(0)).kind is ExitKind.STOPPED
            assert is_dead(stayer.pid)
            with pytest.raises(ConfigError, match="not found"):
                await the_launcher.start("missing", ["no-such-program"], {})

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(act())


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("pass", BotExit(kind=ExitKind.EXITED, detail="exited with code 0")),
        ("os._exit(255)", BotExit(kind=ExitKind.EXITED, detail="exited with code 255")),
        ("os.kill(os.getpid(), signal.SIGSEGV)", BotExit(kind=ExitKind.SIGNALLED, detail="killed by SIGSEGV")),
        ("os.abort()", BotExit(kind=ExitKind.SIGNALLED, detail="killed by SIGABRT")),
        ("os.kill(os.getpid(), signal.SIGKILL)", BotExit(kind=ExitKind.SIGNALLED, detail="killed by SIGKILL")),
        ("os.kill(os.getpid(), signal.SIGRTMIN + 6)", BotExit(kind=ExitKind.SIGNALLED, detail="killed by signal 40")),
    ],
)
def test_the_ending_tells_code_or_signal(tmp_path: Path, code: str, expected: BotExit) -> None:
    async def script(the_launcher: Launcher) -> None:
        bot = await the_launcher.start("bot", program(code), {})
        assert await ending(bot) == expected
        assert await bot.stop(0) == expected

    play(tmp_path, script)


@pytest.mark.parametrize(
    ("content", "mode", "complaint"),
    [
        (None, 0o755, "not found"),
        ("#!/bin/sh\n", 0o644, "not executable"),
        ("#!/no/such/interpreter\n", 0o755, "interpreter in its"),
        ("\0\0\0\0", 0o755, "neither a binary"),
    ],
)
def test_a_program_that_cannot_be_run_is_the_users_error(
    tmp_path: Path, content: str | None, mode: int, complaint: str
) -> None:
    path = tmp_path / "my bot"
    if content is not None:
        path.write_text(content)
        path.chmod(mode)

    async def script(the_launcher: Launcher) -> None:
        with pytest.raises(ConfigError) as caught:
            await the_launcher.start("gunner", [str(path), "--fast"], {})
        assert str(caught.value).startswith("bot gunner: ")
        assert f"`'{path}' --fast`" in str(caught.value)
        assert complaint in str(caught.value)

    play(tmp_path, script)


def test_names_folders_and_commands_are_checked(tmp_path: Path) -> None:
    async def script(the_launcher: Launcher) -> None:
        for name in ("", "..", "a/b", "-f", "a" * 65, "a\n"):
            with pytest.raises(ConfigError, match="a name is"):
                await the_launcher.start(name, program("pass"), {})
        with pytest.raises(ConfigError, match="empty"):
            await the_launcher.start("bot", [], {})
        with pytest.raises(ConfigError, match="Invalid argument"):
            await the_launcher.start("nul", ["a\0b"], {})
        await the_launcher.start("bot", program("pass"), {})
        with pytest.raises(FileExistsError):
            await the_launcher.start("bot", program("pass"), {})
        await the_launcher.close(0)
        with pytest.raises(RuntimeError, match="closed"):
            await the_launcher.start("late", program("pass"), {})

    play(tmp_path, script)
    (tmp_path / "public").mkdir(mode=0o755)
    with pytest.raises(ValueError, match="not private"):
        Launcher(tmp_path / "public")


@pytest.mark.parametrize("step", ["touch", "mkdir"])
def test_a_full_disk_is_the_hosts_fault(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def act(launcher: Launcher) -> None:
        def full(path: Path, **how: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(Path, step, full)
        with pytest.raises(MatchVoid, match=r"one: no keeper.*No space"):
            await launcher.start("one", program("pass"), {})
        monkeypatch.undo()

    play(tmp_path, act)


def test_the_environment_is_exactly_the_allow_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORTUGA_DATABASE_PASSWORD", "secret")
    monkeypatch.setenv("TZ", "Europe/Paris")
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)

    async def script(the_launcher: Launcher) -> None:
        bot = await the_launcher.start("bot", ["env"], {"TORTUGA_TOKEN": "t0ken", "TORTUGA_ADDRESS": "unix:/é"})
        await ending(bot)
        scratch = str(tmp_path / "run" / "scratch" / "bot")
        assert dict(line.split("=", 1) for line in bot.log.read_text().splitlines()) == {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(BOT_SITE),
            "TORTUGA_SERVER_PREFIX": sys.prefix,
            "LANG": "fr_FR.UTF-8",
            "TZ": "Europe/Paris",
            "HOME": scratch,
            "TMPDIR": scratch,
            "TORTUGA_TOKEN": "t0ken",
            "TORTUGA_ADDRESS": "unix:/é",
        }

    play(tmp_path, script)


@pytest.mark.parametrize("level", [JailLevel.NONE, JailLevel.PROCESS])
def test_our_variables_for_bots_reach_no_bot_that_is_confined(
    monkeypatch: pytest.MonkeyPatch, level: JailLevel
) -> None:
    """They may hold the key of a language model. Without confinement a bot could read them anyway."""
    monkeypatch.setenv("BOT_CHAT_KEY", "secret")

    async def act() -> None:
        async with Launcher(folder / "run", confinement=Confinement(level=level)) as the_launcher:
            bot = await the_launcher.start("bot", ["env"], {"TORTUGA_TOKEN": "t0ken"})
            await ending(bot)
            lines = bot.log.read_text().splitlines()
            assert "TORTUGA_TOKEN=t0ken" in lines
            assert ("BOT_CHAT_KEY=secret" in lines) == (level is JailLevel.NONE)

    with public_folder() as folder:
        asyncio.run(act())


def test_the_token_is_on_no_command_line(tmp_path: Path) -> None:
    async def script(the_launcher: Launcher) -> None:
        before = set(keeper.read_processes())
        await the_launcher.start("bot", program("time.sleep(1000)"), {"TORTUGA_TOKEN": "t0ken"})
        lines = [Path(f"/proc/{pid}/cmdline") for pid in set(keeper.read_processes()) - before]
        assert not any(b"t0ken" in line.read_bytes() for line in lines if line.exists())

    play(tmp_path, script)


def test_each_bot_works_in_a_fresh_private_scratch_folder(tmp_path: Path) -> None:
    code = "say(os.getcwd(), oct(os.stat('.').st_mode), *os.listdir('.')); open('mark', 'w'); os.makedirs('a/b')"

    async def script(the_launcher: Launcher) -> None:
        for name in ("first", "second"):
            bot = await the_launcher.start(name, program(code), {})
            await ending(bot)
            scratch = tmp_path / "run" / "scratch" / name
            assert bot.log.read_text().split() == [str(scratch), oct(stat.S_IFDIR | 0o700)]
            await bot.stop(0)
            assert not scratch.exists()

    play(tmp_path, script)


def test_a_scratch_folder_is_removed_whatever_the_bot_made_of_it(tmp_path: Path) -> None:
    code = """
    for _ in range(3000):
        os.mkdir("deep")
        os.chdir("deep")
    os.mkdir("locked")
    open("locked/file", "w")
    os.chmod("locked", 0)
    """

    async def script(the_launcher: Launcher) -> None:
        await ending(await the_launcher.start("digger", program(code), {}))

    play(tmp_path, script)


def test_a_bot_starts_clean_in_its_own_session(tmp_path: Path) -> None:
    code = """
    say(os.getpid(), os.getsid(0), os.getpgrp(), *resource.getrlimit(resource.RLIMIT_CORE))
    say(os.readlink("/proc/self/fd/0"), *(fd for fd in os.listdir("/proc/self/fd") if fd != "3"))
    """

    async def script(the_launcher: Launcher) -> None:
        bot = await the_launcher.start("bot", program(code), {})
        await ending(bot)
        pid = str(bot.pid)
        assert bot.log.read_text().split() == [pid, pid, pid, "0", "0", "/dev/null", "0", "1", "2"]
        # Nothing blocked or ignored, although we block one and ignore another.
        bot = await the_launcher.start("signals", ["cat", "/proc/self/status"], {})
        await ending(bot)
        lines = dict(line.split(":\t", 1) for line in bot.log.read_text().splitlines())
        # Signals 32 and 33 belong to the C library, which lets nobody set them.
        ours = ~(0b11 << 31)
        assert int(lines["SigBlk"], 16) & ours == int(lines["SigIgn"], 16) & ours == 0

    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    try:
        play(tmp_path, script)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1])
        signal.signal(signal.SIGHUP, former)


def test_the_referee_does_not_fork(tmp_path: Path) -> None:
    """Fork handlers, gRPC's among them, run for a plain fork alone."""
    forks: list[None] = []
    os.register_at_fork(before=lambda: forks.append(None))

    async def script(the_launcher: Launcher) -> None:
        await ending(await the_launcher.start("bot", program("pass"), {}))

    play(tmp_path, script)
    assert forks == []


def test_a_flood_of_output_ends_the_bot_and_fills_nothing(tmp_path: Path) -> None:
    code = """
    for _ in range(100):
        os.write(1, b"x" * 1_000_000)
    """

    async def script(the_launcher: Launcher) -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        bot = await the_launcher.start("flood", program(code), {})
        assert await ending(bot) == BotExit(kind=ExitKind.RESOURCE, detail="printed more than 64 MiB")
        assert is_dead(bot.pid)
        assert bot.log.stat().st_size < (128 << 10) + 100
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 16 << 10

    play(tmp_path, script)


def test_the_log_keeps_head_and_tail_and_counts_the_rest(tmp_path: Path) -> None:
    code = "sys.stdout.write('h' * 1000 + '-' * 500_000 + 't' * 1000)"

    async def script(the_launcher: Launcher) -> None:
        bot = await the_launcher.start("bot", program(code), {})
        assert (await ending(bot)).detail == "exited with code 0"
        assert bot.log.read_text() == "h" * 1000 + "\n[... 500000 bytes left out ...]\n" + "t" * 1000

    play(tmp_path, script, SMALL)


@pytest.mark.parametrize("chunk", [1, 7, 999, 1000, 1001, 5000])
@pytest.mark.parametrize("total", [0, 500, 1000, 1500, 2000, 2001, 3001, 20_000])
def test_the_log_is_bounded_however_the_output_is_cut(tmp_path: Path, chunk: int, total: int) -> None:
    path = tmp_path / "log"
    log = keeper.Log(str(path), head_bytes=1000, tail_bytes=1000)
    data = bytes(index % 251 for index in range(total))
    for start in range(0, total, chunk):
        log.write(data[start : start + chunk])
        assert path.stat().st_size < 1000 + 2000 + 50
    log.cut()
    line = b"\n[... %d bytes left out ...]\n" % (total - 2000)
    assert path.read_bytes() == (data if total <= 2000 else data[:1000] + line + data[-1000:])


def test_a_tail_is_fit_for_a_terminal(tmp_path: Path) -> None:
    code = r"""
    os.write(2, b"first\n" * 2000)
    os.write(2, b"\x1b[31mred\x07\r\x00 \xff caf\xc3\xa9 \xe2\x80\xae\n" + b"two\x0cthree\n")
    """

    async def script(the_launcher: Launcher) -> None:
        bot = await the_launcher.start("bot", program(code), {})
        await ending(bot)
        assert bot.tail(2) == SIGNS_IN_A_TAIL
        assert bot.tail().count("\n") == 9
        assert len(bot.tail(1_000_000)) < 50_000
        bot.log.unlink()
        assert bot.tail() == ""

    play(tmp_path, script)


def test_the_tail_of_a_living_bot_can_be_read(tmp_path: Path) -> None:
    async def script(the_launcher: Launcher) -> None:
        bot = await the_launcher.start("bot", program("say('thinking'); time.sleep(1000)"), {})
        await until(lambda: bot.tail() == "thinking")

    play(tmp_path, script)


def test_cpu_seconds_tell_a_thinker_from_a_sleeper(tmp_path: Path) -> None:
    async def script(the_launcher: Launcher) -> None:
        bot = await the_launcher.start("spinner", program("while True: pass"), {})
        await until(lambda: (bot.cpu_seconds() or 0) > 0.2)
        await bot.stop(0)
        assert bot.cpu_seconds() is None

    play(tmp_path, script)


def test_cpu_seconds_include_what_a_wrapper_started(tmp_path: Path) -> None:
    async def script(the_launcher: Launcher) -> None:
        spin = shlex.join(program("while True: pass"))
        bot = await the_launcher.start("wrapper", ["sh", "-c", f"{spin}; true"], {})
        await until(lambda: (bot.cpu_seconds() or 0) > 0.2)

    play(tmp_path, script)


def open_descriptors() -> set[tuple[str, str]]:
    """What this process has open, by number and by what it is: sockets and pipes have numbers of their own. What tests
    before this one left to the garbage collector may be closed at any time."""
    found = set()
    for link in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the one that lists the folder
            found.add((link.name, os.readlink(link)))
    return found


@pytest.mark.system
def test_fifty_starts_leak_no_descriptor(tmp_path: Path) -> None:
    async def script(the_launcher: Launcher) -> None:
        async def once(index: int) -> None:
            bot = await the_launcher.start(f"bot{index}", ["true"], {})
            await ending(bot)
            await bot.stop(0)

        await once(0)
        before = open_descriptors()
        for first in range(1, 51, 10):
            await asyncio.gather(*map(once, range(first, first + 10)))
        assert open_descriptors() <= before

    play(tmp_path, script)


def test_a_bot_that_removes_its_log_has_printed_nothing(tmp_path: Path) -> None:
    """It is no way to make a lost match void."""

    async def script(the_launcher: Launcher) -> None:
        talker = await the_launcher.start("talker", program("print('aye')"), {})
        thief = await the_launcher.start("thief", program("print('nay'); os.remove('../../logs/thief.log')"), {})
        await asyncio.wait([talker.ended, thief.ended])
        assert (talker.printed(), thief.printed(), thief.tail()) == (b"aye\n", b"", "")

    play(tmp_path, script)
