"""The cores that may be used: asked for where the system can tell, guessed where it cannot."""

from __future__ import annotations

import os

import pytest

from server.hosting.cores import available_cores, pin_to_core


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
