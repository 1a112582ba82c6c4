"""The cores that may be used: asked for where the system can tell, guessed where it cannot."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from server.hosting.cores import available_cores, core_count, cpu_quotas, pin_to_core


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system does not say")
def test_only_those_that_are_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {5, 3})
    assert available_cores() == [3, 5]


def test_a_system_that_does_not_say_gives_all_of_them_and_pins_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("sched_getaffinity", "sched_setaffinity"):
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert available_cores() == [0, 1, 2, 3]
    pin_to_core(3)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_cores() == [0]


@pytest.mark.parametrize(
    ("cgroup", "files", "quotas"),
    [
        ("0::/\n", {"cpu.max": "max 100000"}, []),
        ("0::/\n", {"cpu.max": "150000 100000"}, [1.5]),
        ("0::/pods/one\n", {"pods/one/cpu.max": "400000 100000", "pods/cpu.max": "800000 100000"}, [4.0, 8.0]),
        ("0::/not/in/this/container\n", {"cpu.max": "200000 100000"}, [2.0]),
        ("4:memory:/\n1:cpu,cpuacct:/x\n", {"cpu/x/cpu.cfs_quota_us": "-1", "cpu/x/cpu.cfs_period_us": "100000"}, []),
        ("1:cpu:/x\n0::/\n", {"cpu/x/cpu.cfs_quota_us": "50000", "cpu/x/cpu.cfs_period_us": "100000"}, [0.5]),
        ("0::/\n", {"cpu.max": "nonsense"}, []),
    ],
)
def test_quotas_of_a_container_are_read(
    tmp_path: Path, cgroup: str, files: dict[str, str], quotas: list[float]
) -> None:
    for name, content in {
        "proc/self/cgroup": cgroup,
        **{f"sys/fs/cgroup/{name}": files[name] for name in files},
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    assert list(cpu_quotas(tmp_path)) == quotas


def test_no_more_cores_are_kept_busy_than_the_quota_pays_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.hosting.cores.available_cores", lambda: list(range(16)))
    for quotas, count in (([], 16), ([4.0, 8.0], 4), ([1.9], 1), ([0.5], 1), ([100.0], 16)):
        monkeypatch.setattr("server.hosting.cores.own_quotas", lambda quotas=quotas: quotas)
        assert core_count() == count


def test_a_real_quota_counts() -> None:
    tree = Path("/sys/fs/cgroup/cpu")
    group = tree / f"tortuga-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError:
        pytest.skip("no cgroup v1 in which groups can be made here: quotas are tried on files alone")
    try:
        (group / "cpu.cfs_quota_us").write_text("100000")
        words = f"open({str(group / 'cgroup.procs')!r}, 'w').write('0'); from server.hosting.cores import *; "
        words += "print(core_count())"
        found = subprocess.run([sys.executable, "-c", words], check=True, capture_output=True, text=True)
        assert found.stdout == "1\n"
    finally:
        group.rmdir()
