"""Problems with a folder, and their repair, for `tortuga fsck`.

A check changes nothing. It yields problems, and those that can be repaired come with a function that does it. A repair
may reveal more problems (if the agreement cannot be read, records cannot be checked), so checks are repeated.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from referee.errors import RecordError

ROUNDS = 5
"""Most rounds of repair. Two are needed: first what prevents further checks, then what those find."""

Mend = Callable[[], object]


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """A defect of a file or folder."""

    file: str
    """Its path within the folder that is checked."""
    what: str
    means: str
    repair: str
    """The effect of --repair; if it can do nothing, advice for people."""
    mend: Mend | None = field(default=None, compare=False, repr=False)
    """The function that repairs it. It may repair several problems."""

    def __str__(self) -> str:
        return f"{self.file}: {self.what}; {self.means}; {f'--repair {self.repair}' if self.mend else self.repair}"


UNREADABLE = "the rest of the folder cannot be checked before that is put right"


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnosis:
    """The problems that were repaired, and those that remain."""

    mended: Sequence[Problem]
    left: Sequence[Problem]


def diagnose(check: Callable[[], Iterable[Problem]], *, repair: bool) -> Diagnosis:
    """Check a folder, and repair what can be repaired if `repair` is set."""
    left, mended = list(check()), list[Problem]()
    for _ in range(ROUNDS if repair else 0):
        mends = list(dict.fromkeys(problem.mend for problem in left if problem.mend is not None))
        if not mends:
            break
        try:
            for mend in mends:
                mend()
        except (OSError, sqlite3.Error) as error:
            raise RecordError(f"the folder could not be repaired: {error}") from None
        before, left = left, list(check())
        mended += [problem for problem in before if problem not in left]
    return Diagnosis(mended=mended, left=left)
