"""The launcher and its keepers, with real processes: honest bots, clumsy ones and hostile ones.

Rows 5, 6, 10, 28, 29, 33 and 34 of the table of faults. Nothing here measures time: what has to happen is waited
for, up to a limit that only a broken launcher reaches.
"""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path

import pytest
import uvloop

from referee.errors import ConfigError, MatchVoid
from server import bot_process, keeper, launcher
from server.launcher import BotProcess, Ending, EndKind, Launcher, Limits

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

PATIENCE_SECONDS = 60.0
SMALL = Limits(output_bytes=1 << 20, log_head_bytes=1000, log_tail_bytes=1000)

# Every bot begins so. A child that is left is an orphan in a session of its own, hard of hearing; it has said its pid.
PREAMBLE = """
import os, resource, signal, sys, time

def say(*words):
    print(*words, flush=True)

def leave_a_child():
    said, saying = os.pipe()
    if os.fork():
        os.read(said, 1)
        os.wait()
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say(os.getpid())
    os.write(saying, b".")
    time.sleep(1000)

def wait_for_the_cue():
    while not os.path.exists("cue"):
        time.sleep(0.01)
"""


def program(code: str) -> list[str]:
    """The command of a bot that runs this code."""
    return [sys.executable, "-I", "-S", "-c", PREAMBLE + textwrap.dedent(code)]


def play(folder: Path, script: Callable[[Launcher], Awaitable[None]], limits: Limits | None = None) -> None:
    """Run a script with a launcher, close it, and see that it left no process, no zombie and no scratch folder."""

    async def act() -> None:
        async with Launcher(folder / "run", limits) as the_launcher:
            await script(the_launcher)
            await the_launcher.close(grace_seconds=0)
            await the_launcher.close(grace_seconds=0)

    before = children_of(os.getpid())
    asyncio.run(act())
    assert children_of(os.getpid()) <= before
    assert list((folder / "run" / "scratch").iterdir()) == []


async def until(happened: Callable[[], bool]) -> None:
    """Wait for something that has to happen."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        await asyncio.sleep(0.01)


async def ending(bot: BotProcess) -> Ending:
    """How a bot ends by itself."""
    return await asyncio.wait_for(asyncio.shield(bot.ended), PATIENCE_SECONDS)


async def words(bot: BotProcess, count: int) -> list[str]:
    """What a bot said, when it has said that many words."""
    await until(lambda: len(bot.log.read_text().split()) >= count and bot.log.read_text().endswith("\n"))
    return bot.log.read_text().split()


def give_cue(bot: BotProcess) -> None:
    """Let a bot go on that waits for it."""
    (bot.log.parents[1] / "scratch" / bot.name / "cue").touch()


def children_of(parent: int) -> set[int]:
    """The children of a process, zombies too."""
    return {pid for pid, (its, _, _) in keeper.read_processes().items() if its == parent}


def state_of(pid: int) -> str:
    """R, S, T, Z and so on; X if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def is_dead(pid: int) -> bool:
    """No such process, or only its zombie."""
    return state_of(pid) in "XZ"


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_bot_exits_or_is_stopped_on_either_loop(
    tmp_path: Path, new_loop: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    async def act() -> None:
        async with Launcher(tmp_path / "run") as the_launcher:
            leaver = await the_launcher.start("leaver", program("sys.exit(3)"), {})
            stayer = await the_launcher.start("stayer", program("time.sleep(1000)"), {})
            assert await ending(leaver) == Ending(kind=EndKind.EXITED, detail="exited with code 3")
            assert not is_dead(stayer.pid)
            assert (await stayer.stop(0)).kind is EndKind.STOPPED
            assert is_dead(stayer.pid)
            with pytest.raises(ConfigError, match="not found"):
                await the_launcher.start("missing", ["no-such-program"], {})

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(act())


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("pass", Ending(kind=EndKind.EXITED, detail="exited with code 0")),
        ("os._exit(255)", Ending(kind=EndKind.EXITED, detail="exited with code 255")),
        ("os.kill(os.getpid(), signal.SIGSEGV)", Ending(kind=EndKind.SIGNALLED, detail="killed by SIGSEGV")),
        ("os.abort()", Ending(kind=EndKind.SIGNALLED, detail="killed by SIGABRT")),
        ("os.kill(os.getpid(), signal.SIGKILL)", Ending(kind=EndKind.SIGNALLED, detail="killed by SIGKILL")),
        ("os.kill(os.getpid(), signal.SIGRTMIN + 6)", Ending(kind=EndKind.SIGNALLED, detail="killed by signal 40")),
    ],
)
def test_the_ending_tells_code_or_signal(tmp_path: Path, code: str, expected: Ending) -> None:
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
        ("#!/no/such/interpreter\n", 0o755, "interpreter in its first line"),
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
        assert str(caught.value).startswith(f"bot gunner: cannot start `'{path}' --fast`: ")
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
            "LANG": "fr_FR.UTF-8",
            "TZ": "Europe/Paris",
            "HOME": scratch,
            "TMPDIR": scratch,
            "TORTUGA_TOKEN": "t0ken",
            "TORTUGA_ADDRESS": "unix:/é",
        }

    play(tmp_path, script)


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
        assert int(lines["SigBlk"], 16) == int(lines["SigIgn"], 16) == 0

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
        assert await ending(bot) == Ending(kind=EndKind.RESOURCE, detail="printed more than 64 MiB")
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
        assert bot.tail(2) == "\\x1b[31mred\\x07\\r\\x00 \\xff café \\u202e\ntwo\\x0cthree"
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


@pytest.mark.parametrize("leaves", [True, False])
def test_children_in_other_sessions_die_with_the_bot(tmp_path: Path, leaves: bool) -> None:
    """Row 6: whether the bot exits by itself or is stopped."""
    code = "for _ in range(3): leave_a_child()\nif sys.argv[1:]: time.sleep(1000)"

    async def script(the_launcher: Launcher) -> None:
        bot = await the_launcher.start("bot", program(code) + ["stay"] * (not leaves), {})
        if leaves:
            await ending(bot)
        pids = await words(bot, 3)
        if not leaves:
            assert not any(is_dead(int(pid)) for pid in pids)
            await bot.stop(0)
        assert all(is_dead(int(pid)) for pid in pids)

    play(tmp_path, script)


@pytest.mark.parametrize(
    "code",
    [
        "for _ in range(5): os.fork()\nsay(os.getpid())\ntime.sleep(1000)",
        "for _ in range(5): os.fork() or os.setpgid(0, 0)\nsay(os.getpid())\ntime.sleep(1000)",
        "say(1)\nwhile True:\n  if os.fork(): os._exit(0)",
        "say(1)\nwhile True:\n  if os.fork(): time.sleep(0.01); os._exit(0)\n  os.setsid()",
    ],
)
def test_trees_and_chains_of_children_are_killed(tmp_path: Path, code: str) -> None:
    async def script(the_launcher: Launcher) -> None:
        bot = await the_launcher.start("bot", program(code), {})
        await words(bot, 1)
        await bot.stop(0)

    play(tmp_path, script)


@pytest.mark.parametrize(
    "code",
    [
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); say('ready'); time.sleep(1000)",
        "say('ready'); os.kill(os.getpid(), signal.SIGSTOP)",
        "os.close(0); say('ready'); os.close(1); os.close(2); time.sleep(1000)",
    ],
)
def test_a_bot_that_does_not_leave_is_killed_after_its_grace(tmp_path: Path, code: str) -> None:
    async def script(the_launcher: Launcher) -> None:
        bot = await the_launcher.start("bot", program(code), {})
        await words(bot, 1)
        assert (await bot.stop(0.05)).kind is EndKind.STOPPED
        assert is_dead(bot.pid)

    play(tmp_path, script)


def test_a_bot_may_leave_by_itself_during_its_grace(tmp_path: Path) -> None:
    code = "wait_for_the_cue(); sys.exit(5)"

    async def script(the_launcher: Launcher) -> None:
        bot = await the_launcher.start("bot", program(code), {})
        stop = asyncio.create_task(bot.stop(1000))
        await asyncio.sleep(0.05)
        assert not stop.done()
        give_cue(bot)
        assert await stop == Ending(kind=EndKind.EXITED, detail="exited with code 5")

    play(tmp_path, script)


def test_of_two_graces_the_shorter_counts(tmp_path: Path) -> None:
    async def script(the_launcher: Launcher) -> None:
        bot = await the_launcher.start("bot", program("time.sleep(1000)"), {})
        stop = asyncio.create_task(bot.stop(1000))
        await asyncio.sleep(0)
        assert (await bot.stop(0)).kind is EndKind.STOPPED
        assert (await stop).kind is EndKind.STOPPED

    play(tmp_path, script)


def test_a_bot_that_kills_its_keeper_dies_with_all_its_children(tmp_path: Path) -> None:
    code = (
        "leave_a_child(); leave_a_child(); wait_for_the_cue(); os.kill(os.getppid(), signal.SIGKILL); time.sleep(1000)"
    )

    async def script(the_launcher: Launcher) -> None:
        bot = await the_launcher.start("bot", program(code), {})
        pids = await words(bot, 2)
        give_cue(bot)
        assert await ending(bot) == Ending(
            kind=EndKind.KEEPER_LOST, detail="lost its keeper (killed by SIGKILL) and was killed"
        )
        await until(lambda: is_dead(bot.pid))
        await the_launcher.close(0)
        assert all(is_dead(int(pid)) for pid in pids)
        shutil.rmtree(tmp_path / "run" / "scratch" / "bot")

    with subprocess.Popen(["sleep", "1000"]) as other:  # a child of ours that is none of a bot's
        play(tmp_path, script)
        assert other.poll() is None
        other.kill()


def test_a_bot_that_stops_its_keeper_is_killed_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_process, "ANSWER_SECONDS", 1.0)
    code = "leave_a_child(); wait_for_the_cue(); os.kill(os.getppid(), signal.SIGSTOP); time.sleep(1000)"

    async def script(the_launcher: Launcher) -> None:
        bot = await the_launcher.start("bot", program(code), {})
        [pid] = await words(bot, 1)
        give_cue(bot)
        [keeper_pid] = children_of(os.getpid()) & launcher.KEEPERS
        await until(lambda: state_of(keeper_pid) == "T")
        assert (await bot.stop(0)).kind is EndKind.KEEPER_LOST
        await the_launcher.close(0)
        assert is_dead(int(pid))
        assert is_dead(bot.pid)
        shutil.rmtree(tmp_path / "run" / "scratch" / "bot")

    play(tmp_path, script)


@pytest.mark.parametrize(
    ("code", "complaint"), [("import time; time.sleep(1000)", "did not start it"), ("", "died before")]
)
def test_a_keeper_that_fails_is_nobodys_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, complaint: str
) -> None:
    (tmp_path / "keeper.py").write_text(code)
    monkeypatch.setattr(keeper, "__file__", str(tmp_path / "keeper.py"))
    monkeypatch.setattr(launcher, "START_SECONDS", 1.0 if code else PATIENCE_SECONDS)

    async def script(the_launcher: Launcher) -> None:
        with pytest.raises(MatchVoid, match=complaint):
            await the_launcher.start("bot", program("pass"), {})
        (tmp_path / "run" / "scratch" / "bot").rmdir()

    play(tmp_path, script)


def test_a_start_that_is_cancelled_leaves_no_bot(tmp_path: Path) -> None:
    async def script(the_launcher: Launcher) -> None:
        start = asyncio.create_task(the_launcher.start("bot", program("time.sleep(1000)"), {}))
        await asyncio.sleep(0)
        start.cancel()
        with pytest.raises(asyncio.CancelledError):
            await start

    play(tmp_path, script)


def test_fifty_starts_leak_no_descriptor(tmp_path: Path) -> None:
    async def script(the_launcher: Launcher) -> None:
        async def once(index: int) -> None:
            bot = await the_launcher.start(f"bot{index}", ["true"], {})
            await ending(bot)
            await bot.stop(0)

        await once(0)
        before = len(os.listdir("/proc/self/fd"))
        for first in range(1, 51, 10):
            await asyncio.gather(*map(once, range(first, first + 10)))
        assert len(os.listdir("/proc/self/fd")) == before

    play(tmp_path, script)


REFEREE = """
import asyncio, pathlib, signal, sys
from server.launcher import Launcher

async def main() -> None:
    signal.signal(signal.SIGINT, lambda *_: print("interrupted", flush=True))
    async with Launcher(pathlib.Path(sys.argv[1])) as launcher:
        bots = [await launcher.start(f"bot{index}", sys.argv[2:], {}) for index in range(3)]
        while not all(bot.tail().endswith("ready") for bot in bots):
            await asyncio.sleep(0.01)
        print(*(word for bot in bots for word in bot.tail().split() if word.isdigit()), flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


def with_referee(
    folder: Path, code: str, script: Callable[[subprocess.Popen[str], list[int]], Coroutine[None, None, None]]
) -> None:
    """Run three bots, each of which says its processes and `ready`, in a referee process of their own."""
    command = [sys.executable, "-c", REFEREE, str(folder), *program(code)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as referee:
        try:
            assert referee.stdout is not None
            pids = list(map(int, referee.stdout.readline().split()))
            asyncio.run(script(referee, pids))
        finally:
            referee.kill()


@pytest.mark.parametrize("last_act", ["pass", "os.kill(os.getppid(), signal.SIGSTOP)"])
def test_when_the_referee_is_killed_nothing_stays(tmp_path: Path, last_act: str) -> None:
    """Row 33. The second time the bots have put their keepers to sleep before."""
    folder = tmp_path / "run"
    code = f"""
    leave_a_child()
    say(os.getpid(), os.getppid(), "ready")
    wait_for_the_cue()
    {last_act}
    while True: open("noise%d" % time.monotonic_ns(), "w"); time.sleep(0.001)
    """

    async def script(referee: subprocess.Popen[str], pids: list[int]) -> None:
        assert len(pids) == 9
        keepers = pids[2::3]
        for scratch in (folder / "scratch").iterdir():
            (scratch / "cue").touch()
        if last_act != "pass":
            await until(lambda: all(state_of(pid) == "T" for pid in keepers))
        referee.kill()
        await until(lambda: all(map(is_dead, pids)))
        await until(lambda: not folder.exists())

    with_referee(folder, code, script)


def test_ctrl_c_does_not_reach_bots_and_keepers(tmp_path: Path) -> None:
    """Row 34: the terminal signals its foreground group, and the referee alone decides what becomes of the bots."""

    async def script(referee: subprocess.Popen[str], pids: list[int]) -> None:
        for number in (signal.SIGINT, signal.SIGINT):
            os.killpg(referee.pid, number)
        assert referee.stdout is not None
        assert referee.stdout.readline() == "interrupted\n"
        assert len(pids) == 6
        assert not any(map(is_dead, pids))
        referee.kill()
        await until(lambda: all(map(is_dead, pids)))

    code = "say(os.getpid(), os.getppid(), 'ready'); time.sleep(1000)"
    with_referee(tmp_path / "run", code, script)
