"""Where cgroups for bots can be made: both layouts, in containers and under systemd, read from a folder that plays the
machine; and real groups where this machine lets us make them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from server.jail import cgroup
from server.jail.cgroup import MAIN, CgroupPlace, NoPlace, prepare_place, sweep
from server.jail.group import PREFIX, Cgroup
from server.jail.level import JailLevel
from support.bots import until
from support.jail import need

V2_FILES = ("pids.max", "memory.max", "memory.swap.max", "memory.oom.group", "cpu.max", "cgroup.procs")


def machine(root: Path, mounts: list[str], own: str) -> Path:
    """A folder with the /proc files of a process."""
    (root / "proc/self").mkdir(parents=True)
    lines = [f"{number} 1 0:{number} {line}\n" for number, line in enumerate(mounts, start=30)]
    (root / "proc/self/mountinfo").write_text("25 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n" + "".join(lines))
    (root / "proc/self/cgroup").write_text(own)
    return root


def v2_group(folder: Path, controllers: str = "cpuset cpu io memory pids", handed: str = "", procs: str = "") -> Path:
    folder.mkdir(parents=True)
    (folder / "cgroup.controllers").write_text(controllers)
    (folder / "cgroup.subtree_control").write_text(handed)
    (folder / "cgroup.procs").write_text(procs)
    return folder


V2_MOUNT = "/ /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate"


def test_v1_has_a_folder_for_each_controller(tmp_path: Path) -> None:
    mounts = [
        *(f"/ /sys/fs/cgroup/{name} rw - cgroup cgroup rw,{name}" for name in ("memory", "pids", "cpu,cpuacct")),
        "/ /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw",
    ]
    own = "9:name=systemd:/x\n8:pids:/\n4:memory:/deep/down\n2:cpu,cpuacct:/deep\n0::/x\n"
    root = machine(tmp_path, mounts, own)
    v2_group(root / "sys/fs/cgroup/unified/x", controllers="")
    for name in ("pids", "memory/deep/down", "cpu,cpuacct/deep"):
        (root / "sys/fs/cgroup" / name).mkdir(parents=True)
    base = root / "sys/fs/cgroup"
    shared = f"{base}/cpu,cpuacct/deep"
    place = prepare_place(root)
    assert not place.unified
    assert place.folders == {
        "memory": f"{base}/memory/deep/down",
        "pids": f"{base}/pids",
        "cpu": shared,
        "cpuacct": shared,
    }
    assert len(place.group(7).folders) == 3


def test_a_container_sees_its_own_group_at_the_mount_point(tmp_path: Path) -> None:
    names = ("memory", "pids", "cpu", "cpuacct")
    mounts = [f"/docker/abc /sys/fs/cgroup/{name} rw - cgroup cgroup rw,{name}" for name in names]
    root = machine(tmp_path, mounts, "".join(f"{n}:{name}:/docker/abc\n" for n, name in enumerate(names, start=1)))
    for name in names:
        (root / "sys/fs/cgroup" / name).mkdir(parents=True)
    assert prepare_place(root).folders["memory"] == str(root / "sys/fs/cgroup/memory")


@pytest.mark.parametrize("missing", ["memory", "pids", "cpu", "cpuacct"])
def test_without_a_controller_there_is_no_place(tmp_path: Path, missing: str) -> None:
    names = [name for name in ("memory", "pids", "cpu", "cpuacct") if name != missing]
    mounts = [f"/ /sys/fs/cgroup/{name} rw - cgroup cgroup rw,{name}" for name in names]
    root = machine(tmp_path, mounts, "".join(f"{n}:{name}:/\n" for n, name in enumerate(names, start=1)))
    for name in names:
        (root / "sys/fs/cgroup" / name).mkdir(parents=True)
    with pytest.raises(NoPlace, match=rf"v1 has no {missing}\b"):
        prepare_place(root)


def test_in_a_delegated_scope_we_move_aside_and_hand_the_controllers_on(tmp_path: Path) -> None:
    name = "/user.slice/user-1000.slice/user@1000.service/app.slice/run-u1.scope"
    root = machine(tmp_path, [V2_MOUNT], f"0::{name}\n")
    scope = v2_group(root / f"sys/fs/cgroup{name}", handed="memory", procs=f"{os.getpid()}\n")
    place = prepare_place(root)
    assert place == CgroupPlace(folders=dict.fromkeys(("memory", "pids", "cpu"), str(scope)), unified=True)
    assert (scope / MAIN / "cgroup.procs").read_text() == str(os.getpid())
    assert (scope / "cgroup.subtree_control").read_text() == "+pids +cpu"


def test_our_children_find_the_place_that_we_prepared(tmp_path: Path) -> None:
    root = machine(tmp_path, [V2_MOUNT], f"0::/run-u1.scope/{MAIN}\n")
    scope = v2_group(root / "sys/fs/cgroup/run-u1.scope", handed="cpu memory pids")
    v2_group(scope / MAIN, controllers="cpu memory pids", procs="1\n2\n")
    assert prepare_place(root).folders["memory"] == str(scope)


def test_at_the_top_of_all_groups_nobody_has_to_move(tmp_path: Path) -> None:
    root = machine(tmp_path, [V2_MOUNT], "0::/\n")
    top = v2_group(root / "sys/fs/cgroup", procs="1\n2\n3\n")
    assert prepare_place(root).unified
    assert (top / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"
    assert not (top / MAIN).exists()


def test_a_group_with_strangers_in_it_is_left_alone(tmp_path: Path) -> None:
    root = machine(tmp_path, [V2_MOUNT], "0::/session-3.scope\n")
    scope = v2_group(root / "sys/fs/cgroup/session-3.scope", procs=f"1\n{os.getpid()}\n")
    with pytest.raises(NoPlace, match=r"process 1;.*--user --scope"):
        prepare_place(root)
    assert (scope / "cgroup.subtree_control").read_text() == ""
    assert not (scope / MAIN).exists()


def test_a_scope_that_was_not_delegated_is_no_place(tmp_path: Path) -> None:
    root = machine(tmp_path, [V2_MOUNT], "0::/session-3.scope\n")
    v2_group(root / "sys/fs/cgroup/session-3.scope", controllers="memory pids")
    with pytest.raises(NoPlace, match=r"v2.*no\scpu\b.*Delegate=yes.*v1.*no\smemory"):
        prepare_place(root)


def test_a_place_that_is_not_ours_is_no_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = machine(tmp_path, [V2_MOUNT], "0::/session-3.scope\n")
    v2_group(root / "sys/fs/cgroup/session-3.scope")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(NoPlace, match=r"make groups.*systemd-run"):
        prepare_place(root)


def test_a_machine_without_cgroups_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(NoPlace, match=r"v1.*memory,\spids,\scpu,\scpuacct\b"):
        prepare_place(machine(tmp_path, [], ""))


def test_a_group_of_v2_is_written_and_read_as_the_kernel_documents_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    make_folder = os.mkdir

    def mkdir(path: str, mode: int) -> None:
        """The kernel fills the folder of a new group."""
        make_folder(path, mode)
        made.append(path)
        for name in V2_FILES:
            (Path(path) / name).touch()

    monkeypatch.setattr(os, "mkdir", mkdir)
    one = Cgroup(dict.fromkeys(("memory", "pids", "cpu"), str(tmp_path)), 7, unified=True)
    one.make(64 << 20, 20)
    one.limit_cpu(0.5)
    folder = tmp_path / f"{PREFIX}7"
    assert made == [str(folder)]
    assert one.doors == [f"{folder}/cgroup.procs"]
    written = {name: (folder / name).read_text() for name in V2_FILES}
    assert written == {
        "pids.max": "20",
        "memory.max": str(64 << 20),
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "cpu.max": "50000 100000",
        "cgroup.procs": "",
    }
    assert one.crossed() is None
    (folder / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 1\n")
    (folder / "cpu.pressure").write_text("some avg10=1.50 avg60=0.00 avg300=0.00 total=750000\nfull total=1\n")
    assert (one.cpu_seconds(), one.waited_seconds()) == (2.5, 0.75)
    (folder / "pids.events").write_text("max 3\n")
    assert one.crossed() == {"limit": "tasks", "used": 21, "allowed": 20}
    (folder / "memory.events").write_text("low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\noom_group_kill 1\n")
    assert one.crossed() == {"limit": "memory", "used": 64 << 20, "allowed": 64 << 20}
    (folder / "memory.peak").write_text(f"{60 << 20}\n")
    assert one.crossed() == {"limit": "memory", "used": 60 << 20, "allowed": 64 << 20}


def real_group(memory_bytes: int = 256 << 20, tasks: int = 64) -> tuple[CgroupPlace, Cgroup]:
    """A group as of a keeper that is dead: no process has this number."""
    need(JailLevel.JAIL_CGROUP)
    place = cgroup.find_place()
    assert isinstance(place, CgroupPlace)
    made = place.group(int(Path("/proc/sys/kernel/pid_max").read_text()) + 1 + os.getpid())
    made.make(memory_bytes, tasks)
    return place, made


def run_in(made: Cgroup, code: str) -> subprocess.Popen[bytes]:
    join = f"import os, time\nfor door in {made.doors}:\n    open(door, 'w').write(str(os.getpid()))\n"
    return subprocess.Popen([sys.executable, "-c", join + code])


def test_who_is_killed_for_its_memory_has_crossed_that_limit() -> None:
    _, made = real_group(memory_bytes=64 << 20)
    try:
        assert run_in(made, "eaten = bytearray(b'x' * (256 << 20))").wait() == -9
        assert made.crossed() == {"limit": "memory", "used": 64 << 20, "allowed": 64 << 20}
    finally:
        assert made.remove()


def test_who_gets_no_more_tasks_has_crossed_that_limit() -> None:
    _, made = real_group(tasks=10)
    try:
        process = run_in(made, "for _ in range(20): os.fork() or time.sleep(600)")
        assert process.wait() == 1
        assert made.crossed() == {"limit": "tasks", "used": 11, "allowed": 10}
    finally:
        assert made.remove()
    assert not any(map(os.path.exists, made.folders))


async def test_a_group_is_removed_with_all_that_are_in_it() -> None:
    _, made = real_group()
    process = run_in(made, "os.setsid(); os.fork(); os.fork(); time.sleep(600)")
    await until(lambda: len(made.members()) == 4)
    assert made.remove()
    assert process.wait() == -9
    assert not any(map(os.path.exists, made.folders))


async def test_a_quota_holds_a_bot_back() -> None:
    place, made = real_group()
    made.limit_cpu(0.1)
    process = run_in(made, "while True: pass")
    throttled = Path(place.folders["cpu"]) / Path(made.folders[0]).name / "cpu.stat"
    try:
        await until(lambda: "nr_throttled 0\n" not in throttled.read_text())
        assert made.cpu_seconds()
    finally:
        assert made.remove()
        process.wait()


async def test_the_groups_of_dead_keepers_are_swept_away() -> None:
    place, made = real_group()
    process = run_in(made, "time.sleep(600)")
    await until(lambda: all(str(process.pid) in Path(door).read_text() for door in made.doors))
    sweep(place)  # it may be one that is just being made
    assert all(map(os.path.exists, made.folders))
    sweep(place, settled_seconds=0)
    assert not any(map(os.path.exists, made.folders))
    assert process.wait() == -9


def test_the_group_of_a_live_keeper_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    place, made = real_group()
    monkeypatch.setattr(cgroup, "is_keeper", lambda pid: True)
    try:
        sweep(place, settled_seconds=0)
        assert all(map(os.path.exists, made.folders))
    finally:
        assert made.remove()
