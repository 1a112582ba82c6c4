"""What all tests share: a test that is a coroutine runs on an event loop of its own."""

from __future__ import annotations

import asyncio
import inspect

import pytest

from support import virtual_time


def pytest_configure(config: pytest.Config) -> None:
    """Tell pytest which markers there are."""
    config.addinivalue_line(
        "markers", "virtual_time: run this coroutine test on a loop whose clock jumps, so that no waiting takes time"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run `async def` tests: in real time, or marked `virtual_time` in virtual time."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    run = virtual_time.run if pyfuncitem.get_closest_marker("virtual_time") else asyncio.run
    run(pyfuncitem.obj(**arguments))
    return True
