"""Bots that take more than they may, as real processes at every level: it costs them their match, and nobody else.

Rows 6 to 9 of the table of faults. Where the kernel counts for us, the fault is `resource` with the limit and the use;
where it only refuses the bot, the bot's own crash is told with the limit.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.errors import FaultKind
from referee.games import GAMES
from server.bots.spec import find_bot
from server.hosting.bot_host import BotHost
from server.hosting.bot_process import BotExit, ExitKind
from server.hosting.launcher import Launcher
from server.jail import cgroup
from server.jail.cgroup import CgroupPlace
from server.jail.confinement import Confinement
from server.jail.group import PREFIX, Cgroup
from server.jail.level import JailLevel
from server.jail.limits import ResourceLimits
from server.jail.tree import find_below
from server.play.match_setup import MatchSetup
from support import sizes
from support.bots import ending, is_dead, program, until
from support.command import HOSTILE, assert_nothing_left, play_json, start
from support.jail import need

CLOCK = ("--clock", "600+1/120", "--start-seconds", "120")  # a limit has to be crossed before time is up
LIMITS = {
    "memory": '"128 MiB"',
    "tasks": "64",
    "open_files": "64",
    "file_size": '"16 MiB"',
    "scratch": '"32 MiB"',
}
FENCE, JAIL, COUNTED = JailLevel.FENCE, JailLevel.JAIL, JailLevel.JAIL_CGROUP

MEMORY = ("resource", "crossed its limit of memory: 128 MiB used, 128 MiB allowed")
NO_MEMORY = ("crash", "exited with code 1; its memory was limited to 128 MiB")
NO_SPACE = ("crash", "exited with code 1; its scratch space was limited to 32 MiB")
TASKS = ("resource", "crossed its limit of tasks (processes and threads): ")
SCRATCH = ("resource", "crossed its limit of scratch space: ")
LARGE = ("resource", "crossed its limit of file size: it wrote to a file beyond 16 MiB")
SPARSE = ("crash", "exited with code 1; its file size was limited to 16 MiB")
FILES = ("crash", "exited with code 1; its open files were limited to 64")
TOGETHER = ("resource", "crossed its limit of memory: ")

FAULTS = {
    # mode: what it costs in the fence, in the jail, and in the jail with a cgroup
    "eat_heap": (NO_MEMORY, NO_MEMORY, MEMORY),
    "eat_shared": (NO_MEMORY, NO_MEMORY, MEMORY),
    "eat_in_children": (TOGETHER, TOGETHER, MEMORY),
    "eat_tmpfs": (SCRATCH, NO_SPACE, NO_SPACE),
    "many_files": (SCRATCH, NO_SPACE, MEMORY),
    "one_large_file": (LARGE, LARGE, LARGE),
    "sparse_file": (SPARSE, SPARSE, SPARSE),
    "fork_bomb": (TASKS, TASKS, TASKS),
    "many_descriptors": (FILES, FILES, FILES),
}
CASES = [
    (mode, level, FAULTS[mode][column])
    for number, mode in enumerate(FAULTS)
    for column, level in enumerate((FENCE, JAIL, COUNTED))
    if column in sizes.pick(quick=(number % 3,), ci=(0, 1, 2))
]


def bot_folder(folder: Path, mode: str, **limits: str) -> Path:
    """A hostile bot in a folder of its own, so that it can be confined."""
    bot = folder / mode
    bot.mkdir()
    shutil.copy(HOSTILE, bot)
    table = "\n".join(f"{name} = {value}" for name, value in {**LIMITS, **limits}.items())
    run = f'run = ["python", "{{dir}}/{HOSTILE.name}", "{mode}"]'
    (bot / "bot.toml").write_text(f'name = "{mode}"\n{run}\n[limits]\n{table}\n')
    return bot


@pytest.fixture
def groups() -> Iterator[set[str]]:
    """The names of all groups of bots that are there now; those of a test have to be gone after it."""
    place = cgroup.find_place()
    folders = set(place.folders.values()) if isinstance(place, CgroupPlace) else set()

    def find() -> set[str]:
        return {str(path) for folder in folders for path in Path(folder).glob(f"{PREFIX}*")}

    before = find()
    yield before
    # Other tests make groups, too, at the same time: theirs have live keepers.
    left = {path for path in find() - before if not cgroup.is_keeper(int(path.rpartition("-")[2]))}
    end = time.monotonic() + 20
    while any(map(os.path.exists, left)) and time.monotonic() < end:
        time.sleep(0.05)
    assert {path for path in left if os.path.exists(path)} == set()


@sizes.sized
@pytest.mark.parametrize(("mode", "level", "expected"), CASES)
def test_a_bot_that_takes_too_much_loses_and_the_other_wins(
    mode: str, level: JailLevel, expected: tuple[str, str], tmp_path: Path, groups: set[str]
) -> None:
    need(level)
    bots = ["--bot", str(bot_folder(tmp_path, mode)), "--bot", "random"]
    report = play_json(tmp_path, "pavillon_noir", *bots, "--seed", "7", "--jail", level, *CLOCK)
    bad, good = report["seats"]
    [fault] = bad["faults"]
    kind, words = expected
    assert (fault["kind"], words in fault["message"]) == (kind, True), fault
    assert (bad["rank"], good["rank"], good["faults"]) == (2, 1, [])
    assert report["reason"] == "fault"
    assert_nothing_left(tmp_path)


def test_what_a_bot_writes_to_its_scratch_folder_counts_as_its_memory(tmp_path: Path, groups: set[str]) -> None:
    need(COUNTED)
    bot = bot_folder(tmp_path, "eat_tmpfs", memory='"64 MiB"', scratch='"256 MiB"')
    report = play_json(tmp_path, "pavillon_noir", "--bot", str(bot), "--bot", "random", "--jail", COUNTED, *CLOCK)
    [fault] = report["seats"][0]["faults"]
    assert fault["kind"] == "resource"
    assert "limit of memory: 64 MiB" in fault["message"]
    assert "64 MiB allowed" in fault["message"]


@pytest.mark.parametrize("level", [FENCE, COUNTED])
async def test_a_bot_that_works_after_its_match_is_ended_and_its_result_stands(
    level: JailLevel, tmp_path: Path, groups: set[str]
) -> None:
    need(level)
    game = GAMES["pavillon_noir"]
    setup = MatchSetup(game=game, variant=game.info.read_variant({}), seed="7")
    async with BotHost(confinement=Confinement(level=level)) as host:
        bots = [await host.start_bot(find_bot(str(bot_folder(tmp_path, "burn_after_match"))))]
        bots.append(await host.start_bot(find_bot("random")))
        result = await host.play(setup.terms(), bots)
        assert result.faults == ()
        how = await ending(bots[0].process)
        assert how.kind is ExitKind.RESOURCE
        assert "limit of processor time" in how.detail
        assert "no question is open" in how.detail
        again = await host.play(setup.terms(), bots)
        assert [(fault.seat, fault.kind) for fault in again.faults] == [(0, FaultKind.RESOURCE)]
        assert not bots[1].is_gone


@pytest.mark.parametrize("level", [FENCE, COUNTED])
async def test_a_crossing_costs_the_matches_of_that_process_and_no_other(
    level: JailLevel, tmp_path: Path, groups: set[str]
) -> None:
    need(level)
    game = GAMES["pavillon_noir"]
    setups = [MatchSetup(game=game, variant=game.info.read_variant({}), seed=seed) for seed in "123"]
    eater, honest = find_bot(str(bot_folder(tmp_path, "one_large_file"))), find_bot("random")
    async with BotHost(confinement=Confinement(level=level)) as host:
        bad, good = await host.start_bot(eater), await host.start_bot(honest)
        same, other = await host.start_bot(honest), await host.start_bot(honest)
        two, three, none = await asyncio.gather(
            host.play(setups[0].terms(), [bad, good]),
            host.play(setups[1].terms(), [good, bad]),
            host.play(setups[2].terms(), [same, other]),
        )
        assert not good.is_gone
    assert [(fault.seat, fault.kind) for fault in two.faults] == [(0, FaultKind.RESOURCE)]
    assert [(fault.seat, fault.kind) for fault in three.faults] == [(1, FaultKind.RESOURCE)]
    assert none.faults == ()
    assert (two.ranks, three.ranks) == ((2, 1), (1, 2))


# Nothing is left behind, whoever is killed


async def test_a_lost_keeper_leaves_no_group(tmp_path: Path, groups: set[str]) -> None:
    need(COUNTED)
    async with Launcher(tmp_path / "run", confinement=Confinement(level=COUNTED)) as launcher:
        bot = await launcher.start("stayer", program("os.fork(); time.sleep(1000)"), {})
        assert bot.group is not None
        members = bot.group.members()
        assert all(map(os.path.exists, bot.group.folders))
        bot.kill_keeper()
        assert (await ending(bot)).kind is ExitKind.KEEPER_LOST
    assert not any(map(os.path.exists, bot.group.folders))
    await until(lambda: all(map(is_dead, members)))


async def test_when_everything_but_the_keepers_is_killed_they_remove_the_groups(
    tmp_path: Path, groups: set[str]
) -> None:
    need(COUNTED)
    place = cgroup.find_place()
    assert isinstance(place, CgroupPlace)
    bot = bot_folder(tmp_path, "never_connects")
    words = ("pavillon_noir", "--bot", str(bot), "--bot", str(bot), "--jail", COUNTED, "--start-seconds", "600")
    playing = start(tmp_path, "play", *words)
    mine: list[str] = []
    try:
        both = 2 * len(place.group(0).folders)
        await until(lambda: len(groups_below(place, playing.pid)) == both)
        mine = groups_below(place, playing.pid)
    finally:
        playing.send_signal(signal.SIGKILL)
        playing.communicate()
    await until(lambda: not any(map(os.path.exists, mine)))


def groups_below(place: CgroupPlace, pid: int) -> list[str]:
    """The folders of the groups that the keepers below a process have made."""
    keepers = [one for one in find_below(pid) if cgroup.is_keeper(one)]
    return [folder for one in keepers for folder in place.group(one).folders if os.path.exists(folder)]


async def test_a_bot_without_limits_may_print_of_memory(tmp_path: Path) -> None:
    """At the level none there is no limit that could be in question."""
    async with Launcher(tmp_path / "run") as launcher:
        bot = await launcher.start("eater", program("raise MemoryError"), {})
        assert await ending(bot) == BotExit(kind=ExitKind.EXITED, detail="exited with code 1")


async def test_a_quota_of_the_processor_begins_with_hello(tmp_path: Path, groups: set[str]) -> None:
    need(COUNTED)
    confinement = Confinement(level=COUNTED, limits=ResourceLimits(cpu_cores=0.1))
    async with Launcher(tmp_path / "run", confinement=confinement) as launcher:
        bot = await launcher.start("spinner", program("while True: pass"), {})
        assert bot.group is not None
        group = bot.group
        await until(lambda: (bot.cpu_seconds() or 0) > 0.2)
        assert not was_throttled(group)
        bot.limit_cpu()
        await until(lambda: was_throttled(group))


def was_throttled(group: Cgroup) -> bool:
    """Whether the kernel has held back the processes of a group."""
    files = [Path(folder, "cpu.stat") for folder in group.folders]
    return any("nr_throttled 0\n" not in file.read_text() for file in files if file.exists())
