"""The stored submissions: a table of arena.db. submissions.py processes them.

Like the registry, everything is in memory too, and a change is durable before it is visible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from typing import Any

from server.arena.errors import NotFound
from server.arena.registry import Registry, wall_millis
from server.arena.texts import quote

MAX_REASON = 900
"""Longest reason, in characters: it is the message of an error of ours, or of a build."""


class SubmissionState(StrEnum):
    """How far a submission is."""

    RECEIVED = "received"
    UNPACKED = "unpacked"
    BUILDING = "building"
    CHECKING = "checking"
    WAITING = "waiting"
    PLAYING = "playing"
    REPLACED = "replaced"
    FAILED = "failed"


OVER = (SubmissionState.PLAYING, SubmissionState.REPLACED, SubmissionState.FAILED)
"""Nothing is left to do."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Submission:
    """A submission. The fields are the columns of its table."""

    id: str
    bot: str
    owner: str
    number: int
    state: SubmissionState = SubmissionState.RECEIVED
    step: str = ""
    reason: str = ""
    version: str = ""
    bundle: str = ""
    received_millis: int = 0
    changed_millis: int = 0
    attempts: int = 0

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do."""
        return self.state in OVER


_COLUMNS = tuple(one.name for one in fields(Submission))


class SubmissionRows:
    """All submissions of an arena. Methods that change something may be called from any thread."""

    def __init__(self, registry: Registry, clock: Callable[[], int] = wall_millis) -> None:
        self._registry, self._clock = registry, clock
        with registry.transaction() as db:
            found = db.execute(f"SELECT {', '.join(_COLUMNS)} FROM submission").fetchall()
        self._rows = {row[0]: _read(dict(zip(_COLUMNS, row, strict=True))) for row in found}

    def all(self) -> list[Submission]:
        """All of them, the oldest first."""
        return sorted(self._rows.values(), key=lambda row: (row.received_millis, row.bot, row.number))

    def find(self, submission_id: str, owner: str) -> Submission:
        """One of this owner's. Those of others are unknown to them."""
        found = self._rows.get(submission_id)
        if found is None or found.owner != owner:
            raise no_submission(submission_id)
        return found

    def has(self, submission_id: str) -> bool:
        """Whether one is there: its owner may have been deleted."""
        return submission_id in self._rows

    def get(self, submission_id: str) -> Submission:
        """One that is known to be there."""
        return self._rows[submission_id]

    def since(self, owner: str, millis: int) -> list[Submission]:
        """Those of an owner that were received within this time, the oldest first."""
        after = self._clock() - millis
        return [row for row in self.all() if row.owner == owner and row.received_millis > after]

    def add(self, bot: str, owner: str) -> Submission:
        """A new one."""
        now = self._clock()
        with self._registry.transaction() as db:
            number = 1 + max((row.number for row in self._rows.values() if row.bot == bot), default=0)
            added = Submission(
                id=f"{bot}-{number}", bot=bot, owner=owner, number=number, received_millis=now, changed_millis=now
            )
            while added.id in self._rows:  # of a bot whose name ends like this
                number += 1
                added = replace(added, id=f"{bot}-{number}", number=number)
            _insert(db, added)
            self._rows[added.id] = added
        return added

    def change(self, submission_id: str, **values: Any) -> Submission:
        """Change some fields of one."""
        if "reason" in values:
            values["reason"] = _plain(values["reason"])
        changed = replace(self._rows[submission_id], **values, changed_millis=self._clock())
        with self._registry.transaction() as db:
            _insert(db, changed)
        self._rows[submission_id] = changed
        return changed

    def remove(self, owner: str) -> list[Submission]:
        """Forget all submissions of an owner."""
        gone = [row for row in self._rows.values() if row.owner == owner]
        with self._registry.transaction() as db:
            db.execute("DELETE FROM submission WHERE owner = ?", (owner,))
        for row in gone:
            del self._rows[row.id]
        return gone


def no_submission(submission_id: str) -> NotFound:
    """The same for one that is not there and one of somebody else."""
    return NotFound(f"you have no submission {quote(submission_id)}; `tortuga client submissions` lists your own")


def _insert(db: Any, row: Submission) -> None:
    values = asdict(row)
    db.execute(
        f"INSERT OR REPLACE INTO submission ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
        tuple(values.values()),
    )


def _read(table: dict[str, Any]) -> Submission:
    return Submission(**{**table, "state": SubmissionState(table["state"])})


def _plain(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)[:MAX_REASON]
