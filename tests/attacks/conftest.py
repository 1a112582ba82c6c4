"""One arena with honest bots, which all attacks that do not end it share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.bystanders import Bystanders, playing
from support.ladders import make_config
from support.served import Served, check_ladder


@pytest.fixture(scope="session")
def bystanders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bystanders]:
    """Honest bots of an arena. In the end everything that it told is there, and follows from the records."""
    config = make_config(
        rest_seconds=0.2,
        clock="3600+60/60",
        suspend_faults=0,
        reconnect_seconds=5.0,
        build_seconds=8,
        start_seconds=600,
        drain_seconds=2.0,
    )
    served = Served(tmp_path_factory.mktemp("attacked"), config).start()
    try:
        with playing(served) as bystanders:
            yield bystanders
        told = served.told()
    finally:
        served.close()
    assert served.process.returncode == 0
    check_ladder(served.path, told)
