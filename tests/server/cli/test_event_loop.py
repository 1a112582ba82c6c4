"""The event loop of a command ends cleanly, also when its work fails."""

from __future__ import annotations

import weakref

import pytest

from referee.errors import ConfigError
from server.cli.common.command import run_loop


class Server:
    """Something that has to go before its loop does."""


def test_an_error_takes_nothing_along_that_would_outlive_the_loop() -> None:
    """A gRPC server that is let go after its loop was closed ends in a stack trace instead of one line."""
    servers: list[weakref.ref[Server]] = []

    async def work() -> None:
        server = Server()
        servers.append(weakref.ref(server))
        raise ConfigError("cannot listen")

    with pytest.raises(ConfigError, match="cannot listen"):
        run_loop(work())
    [gone] = servers
    assert gone() is None
