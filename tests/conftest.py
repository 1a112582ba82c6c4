"""What all tests share: how coroutine tests run, and what a quick run leaves out."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from support import forking, virtual_time
from support.sizes import SIZE, Size

MARKERS = (
    "virtual_time: run this coroutine test on a loop whose clock jumps, so that no waiting takes time",
    "sized: this test tries less when TORTUGA_TESTS is quick",
    "slow(reason): this test is left out when TORTUGA_TESTS is quick",
    "browser: this test needs a browser",
    "e2e: this test runs whole commands; when TORTUGA_TESTS is quick, most are forked from a loaded interpreter",
)
E2E = Path(__file__).with_name("e2e")
BROWSER = Path(__file__).with_name("browser")
LONGEST_BASE = 35
"""A Unix socket's path has at most 107 characters, and 72 of them are the folder of a test and of a server in it."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Tell pytest which markers there are, let Ctrl-C end commands, let them wait, and keep temporary paths short."""
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
    """Mark what lies in tests/e2e and in tests/browser."""
    for item in items:
        if item.path.is_relative_to(E2E):
            item.add_marker("e2e")
        if item.path.is_relative_to(BROWSER):
            item.add_marker("browser")


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


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave out what is too slow for a quick run."""
    marker = item.get_closest_marker("slow")
    if marker is not None and SIZE is Size.QUICK:
        pytest.skip(f"slow: {marker.kwargs['reason']}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was left out for want of a browser, and what a quick run tried less and left out."""
    skipped = terminalreporter.getreports("skipped")
    unseen = [report for report in skipped if isinstance(report, pytest.TestReport) and "browser" in report.keywords]
    if unseen and isinstance(unseen[0].longrepr, tuple):
        terminalreporter.write_line(
            f"Browser tests left out: {len(unseen)}, {unseen[0].longrepr[2].removeprefix('Skipped: ')}"
        )
    if SIZE is not Size.QUICK:
        return
    reports = [
        report
        for category in ("passed", "failed", "skipped")
        for report in terminalreporter.getreports(category)
        if isinstance(report, pytest.TestReport) and report.when == ("setup" if category == "skipped" else "call")
    ]
    smaller = Counter(report.nodeid.partition("[")[0] for report in reports if "sized" in report.keywords)
    left_out = Counter(
        f"{report.nodeid.partition('[')[0]}: {report.longrepr[2].removeprefix('Skipped: slow: ')}"
        for report in reports
        if report.skipped and "slow" in report.keywords and isinstance(report.longrepr, tuple)
    )
    if not smaller and not left_out:
        return
    terminalreporter.section("TORTUGA_TESTS=quick")
    for title, found in (("Tried less", smaller), ("Left out", left_out)):
        if found:
            terminalreporter.write_line(f"{title}, number of tests: {found.total()}")
        for name, count in sorted(found.items()):
            terminalreporter.write_line(f"  {name}" + (f" ({count})" if count > 1 else ""))
    if "e2e" in {keyword for report in reports for keyword in report.keywords}:
        terminalreporter.write_line("Forked from a loaded interpreter: most commands of tests/e2e")
    terminalreporter.write_line("All of it in its normal size: TORTUGA_TESTS=ci make test")
