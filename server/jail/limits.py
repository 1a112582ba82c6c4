"""What one process of a bot, with all its children, may use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class ResourceLimits:
    """Limits of one bot process with everything it starts."""

    memory_bytes: int = 1 << 30
    tasks: int = 256
    """Processes and threads."""
    open_files: int = 1024
    file_bytes: int = 64 << 20
    """The size of one file."""
    scratch_bytes: int = 64 << 20
    """The size of its scratch folder, of its /tmp and of its /dev/shm, each."""
