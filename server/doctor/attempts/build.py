"""Attempt 36: the build of a bot is a stranger's program, too."""

from __future__ import annotations

import itertools
import os
import sys

from .files import homes, server_folder, system_settings
from .network import abstract, path_sockets, tcp
from .processes import environments, signals
from .tries import AttemptRefused, Targets, Tries, tell


def hostile_build(targets: Targets) -> Tries:
    """Try what a build could be after, before anybody has looked at the bot."""
    programs = (server_folder, homes, system_settings, environments, signals, tcp, abstract, path_sockets)
    yield "in a build: see the server's environment", lambda: find_variable(targets.nonce())
    for name, action in itertools.chain.from_iterable(program(targets) for program in programs):
        yield f"in a build: {name}", action
    tell(end=True)
    sys.exit(1)  # what a build prints is kept only if it fails


def find_variable(value: str) -> str:
    """Find a variable of the server with this value."""
    for name, seen in os.environ.items():
        if seen == value:
            return f"saw {name}"
    raise AttemptRefused("it is not seen")
