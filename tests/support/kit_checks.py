"""Runs every kit's own tests, linter and formatter: the `checks` of its kit.toml, in its folder. For `make check-bots`.

A kit whose tools are missing is left out with a line that says so; with CI=true that is a failure.
"""

from __future__ import annotations

import subprocess
import sys
import time

from server.bots.kits import Kit, find_kits, on_ci


def check(kit: Kit) -> bool:
    """Run the checks of one kit, up to the first that fails."""
    if missing := kit.missing_check_tools():
        print(f"{kit.language}: left out: {', '.join(missing)} not found", flush=True)
        return not on_ci()
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
