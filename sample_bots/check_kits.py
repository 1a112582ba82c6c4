"""Runs every kit's own tests, linter and formatter: the `checks` of its kit.toml, in its folder.

A kit whose tools are not on PATH is passed over with a line that says so; with CI=true that is a failure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).parent


def check(folder: Path) -> bool:
    """One kit."""
    kit = tomllib.loads((folder / "kit.toml").read_text())
    missing = [tool for tool in kit.get("tools", ()) if shutil.which(tool) is None]
    if missing:
        print(f"{folder.name}: passed over, {', '.join(missing)} not found on PATH", flush=True)
        return os.environ.get("CI") != "true"
    for line in kit.get("checks", ()):
        began = time.monotonic()
        done = subprocess.run(
            ["sh", "-c", line], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        verdict = "ok" if done.returncode == 0 else f"FAILED with code {done.returncode}"
        print(f"{folder.name}: {line}: {verdict} ({time.monotonic() - began:.0f} s)", flush=True)
        if done.returncode:
            sys.stdout.buffer.write(done.stdout + done.stderr)
            return False
    return True


if __name__ == "__main__":
    results = [check(path.parent) for path in sorted(HERE.glob("*/kit.toml"))]
    sys.exit(0 if all(results) else 1)
