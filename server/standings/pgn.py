"""Reads who played whom, and how it ended, from PGN, the format of chess tools for games of two.

Only the tags of a game and its result matter here. Moves, comments and variations are skipped: a comment may hold
anything, also what looks like a tag or a result. http://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NoReturn

SCORES = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}
_TAG = re.compile(r'^\s*\[\s*([A-Za-z0-9_]+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_ESCAPED = re.compile(r"\\(.)")
_MOVES = re.compile(r"[{};()]|[^\s{};()]+")
"""What tells in a line of moves: the signs of comments and variations, and words."""


@dataclass(slots=True)
class PgnGame:
    """One game, and the line where it begins."""

    line: int
    tags: dict[str, str] = field(default_factory=dict)
    end: str = ""
    """The result after the moves."""

    @property
    def white(self) -> str:
        """Return who moves first."""
        return self.tags.get("White", "").strip()

    @property
    def black(self) -> str:
        """Return who moves second."""
        return self.tags.get("Black", "").strip()

    @property
    def result(self) -> str:
        """Return the result as the game states it: by its tag, or after its moves."""
        return self.tags.get("Result", "").strip() or self.end

    @property
    def scores(self) -> tuple[float, float] | None:
        """Return the points of White and Black; None without a result."""
        return SCORES.get(self.result)


def read_pgn(lines: Iterable[str], refuse: Callable[[int, str], NoReturn]) -> Iterator[PgnGame]:
    """Yield game after game. `refuse` is called with the line and what is wrong with it."""
    game: PgnGame | None = None
    comment = 0  # the line where the present comment begins; 0: there is none
    depth, has_moves = 0, False
    for number, text in enumerate(lines, start=1):
        if text.startswith("%"):  # a line for other programs
            continue
        while not comment and (tag := _TAG.match(text)):
            if game is None or has_moves:
                if game is not None:
                    yield game
                game, depth, has_moves = PgnGame(number), 0, False
            game.tags.setdefault(tag[1], _ESCAPED.sub(r"\1", tag[2]))
            text = text[tag.end() :]
        for sign in _MOVES.findall(text):
            if comment:
                comment = 0 if sign == "}" else comment
            elif sign == "{":
                comment, has_moves = number, True
            elif sign == ";":  # a comment to the end of the line
                break
            elif sign in "()":
                depth += 1 if sign == "(" else -1
            else:
                game = game or PgnGame(number)
                has_moves = True
                if depth <= 0 and sign in (*SCORES, "*"):
                    game.end = sign
    if comment:
        refuse(comment, "a comment begins here and never ends; expected }")
    if game is not None:
        yield game
