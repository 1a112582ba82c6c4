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
        self.is_open = False
        """The last mark written is that of a question."""

    def write(self, text: str) -> int:
        """Write, after the mark if it is still to come."""
        if self._pending and text:
            mark, self._pending = self._pending, ""
            self._stream.write(mark)
            self.is_open = not mark.endswith(" aside]\n")
        return self._stream.write(text)

    def writelines(self, lines: Any) -> None:
        """Write each of them."""
        for line in lines:
            self.write(line)

    def begin(self, mark: str) -> None:
        """From now on, output belongs to this mark; empty: what is written needs none."""
        self._pending = f"{mark}\n" if mark else ""

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
        # What follows belongs to nobody, on whichever stream: they share one log.
        is_open = any(stream.is_open for stream in self._streams)
        for stream in self._streams:
            if is_open:
                stream.flush()  # what was printed leaves now, so that both streams stay in order
            stream.begin(f"[{who} aside]" if is_open else "")
