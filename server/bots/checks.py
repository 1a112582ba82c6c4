"""Runs every kit's own tests, linter and formatter: the `checks` of its kit.toml, in its folder. For `make check-bots`.

A kit whose tools are not on PATH is passed over with a line that says so; with CI=true that is a failure.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

from server.bots.kits import Kit, find_kits, missing_tools


def check(kit: Kit) -> bool:
    """One kit."""
    missing = missing_tools(kit.language)
    if missing:
        print(f"{kit.language}: passed over, {', '.join(missing)} not found on PATH", flush=True)
        return os.environ.get("CI") != "true"
    for line in kit.checks:
        began = time.monotonic()
        done = subprocess.run(
            ["sh", "-c", line], cwd=kit.folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        verdict = "ok" if done.returncode == 0 else f"FAILED with code {done.returncode}"
        print(f"{kit.language}: {line}: {verdict} ({time.monotonic() - began:.0f} s)", flush=True)
        if done.returncode:
            sys.stdout.buffer.write(done.stdout + done.stderr)
            return False
    return True


if __name__ == "__main__":
    results = [check(kit) for kit in find_kits().values()]
    sys.exit(0 if all(results) else 1)
