"""The bot of the attempts: `python bot.py PROGRAM` makes every try of one program and tells how each ended."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from . import build, files, kernel, network, processes, resources, together
from .tries import Targets, Tries, make_try, tell

PROGRAMS: dict[str, Callable[[Targets], Tries]] = {
    program.__name__: program
    for program in (
        *(files.shadow, files.server_folder, files.homes, files.system_settings, files.writes),
        *(processes.environments, processes.command_lines, processes.signals, processes.tracing),
        *(processes.more_rights, processes.signal_keeper),
        *(network.tcp, network.udp, network.listening, network.families, network.abstract, network.path_sockets),
        *(kernel.keyring, kernel.io_uring, kernel.locks, kernel.watches, kernel.namespaces, kernel.mounts),
        *(kernel.rare_calls, kernel.leftovers),
        *(resources.shared_memory, resources.fork_bomb, resources.many_threads, resources.daemon),
        *(resources.memory_heap, resources.memory_shared, resources.memory_memfd, resources.memory_tmpfs),
        *(
            resources.memory_zero,
            resources.memory_together,
            resources.disk_file,
            resources.disk_many,
            resources.disk_inodes,
        ),
        *(resources.descriptors, resources.priorities, resources.burn, resources.log_bomb),
        *(together.sibling, together.leave_marker, together.find_marker),
        *(together.send_bits, together.receive_bits, build.hostile_build),
    )
}


def main() -> None:
    """Run the program that is named."""
    for name, action in PROGRAMS[sys.argv[1]](Targets(Path(sys.argv[0]).parent)):
        make_try(name, action)
    tell(end=True)
