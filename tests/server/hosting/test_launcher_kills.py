"""The launcher with bots that will not go: whatever they do, no process of theirs is left.

Rows 6, 33 and 34 of the table of faults.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path

import pytest

from referee.errors import MatchVoid
from server.hosting import bot_process, keeper, launcher
from server.hosting.launcher import BotExit, ExitKind, Launcher
from support.bots import PATIENCE_SECONDS, children_of, ending, give_cue, is_dead, play, program, state_of, until, words

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


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
        assert (await bot.stop(0.05)).kind is ExitKind.STOPPED
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
        assert await stop == BotExit(kind=ExitKind.EXITED, detail="exited with code 5")

    play(tmp_path, script)


def test_of_two_graces_the_shorter_counts(tmp_path: Path) -> None:
    async def script(the_launcher: Launcher) -> None:
        bot = await the_launcher.start("bot", program("time.sleep(1000)"), {})
        stop = asyncio.create_task(bot.stop(1000))
        await asyncio.sleep(0)
        assert (await bot.stop(0)).kind is ExitKind.STOPPED
        assert (await stop).kind is ExitKind.STOPPED

    play(tmp_path, script)


def test_a_bot_that_kills_its_keeper_dies_with_all_its_children(tmp_path: Path) -> None:
    code = (
        "leave_a_child(); leave_a_child(); wait_for_the_cue(); os.kill(os.getppid(), signal.SIGKILL); time.sleep(1000)"
    )

    async def script(the_launcher: Launcher) -> None:
        bot = await the_launcher.start("bot", program(code), {})
        pids = await words(bot, 2)
        give_cue(bot)
        how = await ending(bot)
        assert how.kind is ExitKind.KEEPER_LOST
        assert "(killed by SIGKILL)" in how.detail
        await until(lambda: all(map(is_dead, [bot.pid, *map(int, pids)])))
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
        assert (await bot.stop(0)).kind is ExitKind.KEEPER_LOST
        await the_launcher.close(0)
        assert is_dead(int(pid))
        assert is_dead(bot.pid)
        shutil.rmtree(tmp_path / "run" / "scratch" / "bot")

    play(tmp_path, script)


@pytest.mark.skipif(os.getuid() == 0, reason="root may open everything")
def test_a_bot_cannot_speak_for_its_keeper(tmp_path: Path) -> None:
    code = """
    for end in (0, 1):
        try:
            os.open(f"/proc/{os.getppid()}/fd/{end}", os.O_WRONLY)
        except PermissionError:
            say("refused")
    """

    async def script(the_launcher: Launcher) -> None:
        bot = await the_launcher.start("bot", program(code), {})
        await ending(bot)
        assert bot.tail() == "refused\nrefused"

    play(tmp_path, script)


@pytest.mark.parametrize("forgery", ["nonsense\n", "[1]\n{}\n\n", "x" * 200_000])
def test_a_keeper_that_talks_nonsense_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forgery: str) -> None:
    (tmp_path / "keeper.py").write_text(f"import time; print({forgery!r}, end='', flush=True); time.sleep(1000)")
    monkeypatch.setattr(keeper, "__file__", str(tmp_path / "keeper.py"))

    async def script(the_launcher: Launcher) -> None:
        with pytest.raises(MatchVoid, match="died before"):
            await the_launcher.start("bot", program("pass"), {})
        (tmp_path / "run" / "scratch" / "bot").rmdir()

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


REFEREE = """
import asyncio, pathlib, signal, sys
from server.hosting.launcher import Launcher

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


def test_a_bot_dies_with_its_keeper_while_the_referee_sleeps(tmp_path: Path) -> None:
    """The kernel does it: nobody is awake to help."""

    async def script(referee: subprocess.Popen[str], pids: list[int]) -> None:
        os.kill(referee.pid, signal.SIGSTOP)
        for keeper_pid in pids[1::2]:
            os.kill(keeper_pid, signal.SIGKILL)
        await until(lambda: all(map(is_dead, pids)))

    with_referee(tmp_path / "run", "say(os.getpid(), os.getppid(), 'ready'); time.sleep(1000)", script)
