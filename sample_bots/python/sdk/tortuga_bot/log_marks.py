"""Marks in a bot's output: which match and question a line was printed for.

Questions of several matches arrive interleaved, and all of them print to one log. So before the first thing that a
question prints, a line says which one it is. `tortuga replay show --logs` finds it there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO


class MarkedStream:
    """A text stream that writes a mark before the first output of each question."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._pending = ""
        self._wrote = False

    def write(self, text: str) -> int:
        """Write, after the mark if it is still to come."""
        if self._pending and text:
            mark, self._pending = self._pending, ""
            self._stream.write(mark)
        self._wrote = True
        return self._stream.write(text)

    def writelines(self, lines: Any) -> None:
        """Write each of them."""
        for line in lines:
            self.write(line)

    def begin(self, mark: str) -> None:
        """From now on, output belongs to this mark."""
        self._pending, self._wrote = f"{mark}\n", False

    def end(self, aside: str) -> None:
        """What follows belongs to nobody; what was printed leaves now, so that both streams stay in order."""
        self._pending = f"{aside}\n" if self._wrote else ""
        if self._wrote:
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class LogMarks:
    """Marks on stdout and stderr."""

    def __init__(self) -> None:
        self._streams: list[MarkedStream] = []

    def install(self) -> None:
        """Take over stdout and stderr."""
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if stream is not None and not isinstance(stream, MarkedStream):
                setattr(sys, name, marked := MarkedStream(stream))
                self._streams.append(marked)

    @contextmanager
    def question(self, match_id: str, seat: int, question_id: int) -> Iterator[None]:
        """Whatever is printed inside belongs to this question, also the traceback of an error."""
        who = f"tortuga {match_id} seat {seat}"
        for stream in self._streams:
            stream.begin(f"[{who} question {question_id}]")
        yield
        for stream in self._streams:
            stream.end(f"[{who} aside]")
