"""The state file of a tuning run: a head, then a line per finished iteration, only ever appended to.

Each line is written whole and flushed to the disk before the next iteration begins. A line that a kill cut short is
dropped, and its iteration is played again: all luck and all directions follow from the seed and the iteration, so a
run that was killed and resumed leaves the same file as one that was not (with bots that play the same when asked the
same).
"""

from __future__ import annotations

import fcntl
import json
import math
import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from referee.errors import ConfigError, RecordError
from server.tuning.manifest import TuneManifest
from server.tuning.spsa import Spsa, Trial

FORMAT = 1


class StateFile:
    """A run on disk. Use it as `with StateFile(path, manifest) as state`; one command at a time may."""

    def __init__(self, path: Path, manifest: TuneManifest) -> None:
        self._path = path
        self._manifest = manifest
        self.run = manifest.start()
        self.history: list[tuple[float, ...]] = [tuple(self.run.values)]
        """The values at the start and after every iteration."""

    def __enter__(self) -> Self:
        self._file = self._path.open("a+b")
        try:
            self._lock()
            self._read()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, trial: Trial, scores: tuple[float, float], result: float) -> None:
        """Add one more iteration: what the minus and the plus side scored, and the result."""
        self.run.tell(result)
        self.history.append(tuple(self.run.values))
        self._write(
            {"iteration": trial.iteration, "minus": scores[0], "plus": scores[1], "result": result, **_values(self.run)}
        )

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ConfigError(f"{self._path}: another `tortuga tune` is using it") from None

    def _read(self) -> None:
        self._file.seek(0)
        lines = self._file.read().split(b"\n")
        torn = lines.pop()
        if torn:
            self._file.truncate(self._file.tell() - len(torn))
        head = {"tune": FORMAT, "fingerprint": self._manifest.fingerprint()}
        if not lines:
            self._write(head)
            return
        if self._parse(lines, 0) != head:
            raise ConfigError(
                f"{self._path} belongs to another manifest, or to an earlier version of this one; undo the change, or "
                "start again with another --state"
            )
        for number in range(1, len(lines)):
            self._replay(lines, number)

    def _replay(self, lines: list[bytes], number: int) -> None:
        told = self._parse(lines, number)
        result = told.get("result")
        if told.get("iteration") != number or not isinstance(result, int | float):
            raise RecordError(f"{self._path}, line {number + 1}: expected iteration {number} with its result")
        self.run.tell(result)
        self.history.append(tuple(self.run.values))
        values = told.get("values")
        if not isinstance(values, dict) or not all(
            math.isclose(value, values.get(name, math.nan), rel_tol=1e-9, abs_tol=1e-12)
            for name, value in _values(self.run)["values"].items()
        ):
            raise RecordError(
                f"{self._path}, line {number + 1}: its values do not follow from the results; it is damaged"
            )

    def _parse(self, lines: list[bytes], number: int) -> dict[str, Any]:
        try:
            found = json.loads(lines[number])
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise RecordError(f"{self._path}, line {number + 1}: this is not a line of a tuning run")
        return found

    def _write(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def _values(run: Spsa) -> dict[str, Any]:
    return {"values": {one.name: value for one, value in zip(run.parameters, run.values, strict=True)}}
