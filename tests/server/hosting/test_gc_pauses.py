"""What survived a full collection is frozen, and scanned again from time to time."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import gc
from server.hosting.memory import FULL_SCAN_EVERY, _on_collection, limit_gc_pauses

class Ring:
    def __init__(self):
        self.me = self

kept = [Ring() for _ in range(1000)]
limit_gc_pauses()
limit_gc_pauses()
print("once", gc.callbacks.count(_on_collection))
before = gc.get_freeze_count()
more = [Ring() for _ in range(1000)]
gc.collect()
print("frozen", gc.get_freeze_count() - before >= 1000)
del more, kept
Ring.__del__ = lambda self: died.append(1)
died = []
gc.collect()
print("not scanned", len(died))
for _ in range(FULL_SCAN_EVERY):
    gc.collect()
print("scanned after all", len(died))
"""


def test_garbage_among_what_was_frozen_is_found_in_the_end() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["once 1", "frozen True", "not scanned 0", "scanned after all 2000"]
