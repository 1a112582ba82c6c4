"""The wheel of this checkout, and clean environments that it is installed into."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.command import LIMIT_SECONDS, ROOT

UV = Path(sys.executable).with_name("uv")
"""The package client that `make install` uses; pip where it is missing."""


def build_wheel(folder: Path) -> Path:
    """Build the wheel of this checkout into a folder, as `make wheel` does."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    return wheel


class CleanEnvironment:
    """A virtual environment outside the tree, and the commands in it: nothing of this checkout is on their path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, capture_output=True)
        self.python = folder / "bin" / "python"
        (folder / "tmp").mkdir()
        self._constraints = folder / "constraints.txt"
        pinned = re.findall(r"^\S+==[^\s\\]+(?: ; [^\\\n]+)?", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
        self._constraints.write_text("\n".join(pinned) + "\n")

    def install(self, *packages: str) -> None:
        """Install packages in the locked versions. Skips the test where no registry can be reached, but not in CI."""
        client = [UV, "pip", "install", "--python", self.python, "--system-certs"]
        pip = [self.python, "-m", "pip", "install", "--disable-pip-version-check"]
        for command in (client, pip) if UV.exists() else (pip,):
            done = self._run([*map(str, command), "--quiet", "--constraint", str(self._constraints), *packages])
            if done.returncode == 0:
                return
        words = ["download", "--quiet", "--no-cache-dir", "--no-deps", "--dest", str(self.folder), "click"]
        if os.environ.get("CI") != "true" and self._run([str(self.python), "-m", "pip", *words]).returncode:
            pytest.skip("no registry of packages can be reached, so the wheel cannot be installed")
        pytest.fail(f"{packages} cannot be installed:\n{done.stderr}", pytrace=False)

    def variables(self) -> dict[str, str]:
        """Return the variables of a shell in which this environment is active."""
        foreign = ("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "TORTUGA_GAMES", "COVERAGE_PROCESS_START")
        kept = {name: value for name, value in os.environ.items() if name not in foreign}
        others = [part for part in os.environ["PATH"].split(os.pathsep) if not Path(part).is_relative_to(ROOT)]
        path = os.pathsep.join([str(self.folder / "bin"), *others])
        scratch = str(self.folder / "tmp")
        return {**kept, "PATH": path, "VIRTUAL_ENV": str(self.folder), "TMPDIR": scratch, "COLUMNS": "200"}

    def shell(self, folder: Path, script: str, *, code: int = 0) -> str:
        """Type a script into a shell of that folder, up to the first error, and return all it printed."""
        done = self._run(["bash", "-eu", "-c", script], folder)
        output = done.stdout + done.stderr
        assert done.returncode == code, f"{script}\n{output}"
        return output

    def _run(self, command: list[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=folder or self.folder,
            env=self.variables(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
