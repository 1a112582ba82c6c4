"""What all tests share: how coroutine tests run, and which ones `make test` leaves out."""

from __future__ import annotations

import asyncio
import inspect
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings

from support import forking, virtual_time
from support.approved import Approver, title_of
from support.sizes import SIZE, Size, pick

MARKERS = (
    "virtual_time: run this coroutine test on a loop whose clock jumps, so that no waiting takes time",
    "sized: this test tries less when TORTUGA_TESTS is quick; all tests by hypothesis do",
    "system: this test runs whole systems or takes long: `make test` leaves it out, `make test-system` runs it",
    "few(n): of the cases of this test `make test` runs n, spread over all of them; the others are `system`",
    "smoke: this test of tests/e2e is in `make test` too, one or two for each group of commands",
    "browser: this test needs a browser",
    "approved: this test compares whole texts with tests/approved; `make approve` writes them",
)
TESTS = Path(__file__).parent
BROWSER = TESTS / "browser"
SYSTEM = [TESTS / name for name in ("e2e", "attacks", "deploy", "bench", "server/cluster", "sample_bots/test_kits.py")]
"""Folders and files whose tests are `system`, unless they are `smoke`."""
LONGEST_CPU_SECONDS = 3.0
"""CPU time of a test outside `system` with its processes, at most, on a quiet machine. Checked in CI."""
REFERENCE_CPU_SECONDS = 0.1
"""CPU time of the work in `slowdown` on the quiet machine."""
CPU_AT_START = pytest.StashKey[float]()
LONGEST_BASE = 35
"""A Unix socket's path has at most 107 characters, and 72 of them are the folder of a test and of a server in it."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Tell pytest which markers there are, let Ctrl-C end commands, let them wait, and keep temporary paths short."""
    explores = SIZE is Size.FULL or "TORTUGA_ORDER" in os.environ  # new examples each time: `make chaos`, `make soak`
    settings.register_profile("tortuga", max_examples=pick(quick=20, ci=100), derandomize=not explores)
    settings.load_profile("tortuga")
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell; commands would inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("TORTUGA_TIMEOUT", "240")  # a busy machine answers late
    usual = f"{tempfile.gettempdir()}/pytest-of-{os.environ.get('USER', '')}/pytest-999"
    is_worker = hasattr(config, "workerinput")
    if not is_worker and not config.option.basetemp and len(usual) > LONGEST_BASE:
        config.option.basetemp = tempfile.mkdtemp(prefix="tests-", dir="/tmp")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a browser, what is `system` by its folder, and what compares approved texts."""
    for item in items:
        if item.path.is_relative_to(BROWSER):
            item.add_marker("browser")
            item.add_marker("system")
        if any(item.path.is_relative_to(folder) for folder in SYSTEM) and not item.get_closest_marker("smoke"):
            item.add_marker("system")
        if "approve" in getattr(item, "fixturenames", ()):
            item.add_marker("approved")
        if is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker("sized")
    for cases in cases_of_few(items).values():
        few = next(cases[0].iter_markers("few")).args[0]
        kept = {number * len(cases) // few for number in range(few)}
        for number, case in enumerate(cases):
            if number not in kept:
                case.add_marker("system")
    if order := os.environ.get("TORTUGA_ORDER"):  # every worker has to find the same
        shuffle_by_module(items, random.Random(order))


def shuffle_by_module(items: list[pytest.Item], luck: random.Random) -> None:
    """Shuffle the modules, and the tests within each: what a module prepares is prepared once all the same."""
    modules: dict[Path, list[pytest.Item]] = {}
    for item in items:
        modules.setdefault(item.path, []).append(item)
    groups = list(modules.values())
    luck.shuffle(groups)
    for group in groups:
        luck.shuffle(group)
    items[:] = [item for group in groups for item in group]


def cases_of_few(items: list[pytest.Item]) -> dict[str, list[pytest.Item]]:
    """The cases of each test that is marked `few`, by the test's name."""
    found: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("few"):
            found.setdefault(item.nodeid.split("[")[0], []).append(item)
    return found


@pytest.fixture
def approve(request: pytest.FixtureRequest, tmp_path: Path) -> Approver:
    """Compare whole texts with tests/approved: `approve("ladder", result.output)`. The test's folder reads DIR."""
    return Approver(title_of(request.node), {str(tmp_path): "DIR"})


def pytest_sessionfinish() -> None:
    """End the interpreters that commands were forked from."""
    forking.close_all()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run `async def` tests: in real time, or marked `virtual_time` in virtual time."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    run = virtual_time.run if pyfuncitem.get_closest_marker("virtual_time") else asyncio.run
    run(pyfuncitem.obj(**arguments))
    return True


def cpu_seconds() -> float:
    """CPU time of this process and of all processes that it has waited for."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def slowdown() -> float:
    """Return how many times longer this machine computes now than when it is quiet: neighbours share its caches."""
    began = time.thread_time()
    sum(number * number for number in range(1_000_000))
    return max(1.0, (time.thread_time() - began) / REFERENCE_CPU_SECONDS)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note how much CPU time was used before this test, and let it fork its commands unless it is `smoke`."""
    item.stash[CPU_AT_START] = cpu_seconds()
    forking.enabled = sys.platform == "linux" and item.get_closest_marker("smoke") is None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """In CI, fail a test of `make test` that takes too long for it. CPU time, because machines are busy."""
    report: pytest.TestReport = yield
    used = cpu_seconds() - item.stash[CPU_AT_START]
    is_quick = SIZE is Size.QUICK and not item.get_closest_marker("system")
    if call.when == "teardown" and is_quick and os.environ.get("CI") and used > LONGEST_CPU_SECONDS:
        used /= slowdown()
        if used > LONGEST_CPU_SECONDS:
            report.outcome = "failed"
            report.longrepr = f"{used:.1f} s of CPU time: mark it `system` or try less (tests/support/sizes.py)"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say that a quick run tried less."""
    if SIZE is Size.QUICK:
        smaller = sum("sized" in report.keywords for report in terminalreporter.getreports("passed"))
        terminalreporter.write_line(
            f"Tests that tried less than they do in CI: {smaller}; make test-system runs them whole"
        )
