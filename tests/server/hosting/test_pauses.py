"""What survived a full collection is set aside, and looked at again now and then."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import gc
from server.hosting import pauses

class Ring:
    def __init__(self):
        self.me = self

kept = [Ring() for _ in range(1000)]
pauses.keep_short()
pauses.keep_short()
print("once", gc.callbacks.count(pauses._watch))
before = gc.get_freeze_count()
more = [Ring() for _ in range(1000)]
gc.collect()
print("set aside", gc.get_freeze_count() - before >= 1000)
del more, kept
Ring.__del__ = lambda self: died.append(1)
died = []
gc.collect()
print("not looked at", len(died))
for _ in range(pauses.WHOLE_EVERY):
    gc.collect()
print("looked at after all", len(died))
"""


def test_garbage_among_what_was_set_aside_is_found_in_the_end() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["once 1", "set aside True", "not looked at 0", "looked at after all 2000"]
