"""The services are put together from parts: no call is missing, and none is there twice."""

from __future__ import annotations

import pytest

from server.arena.api.services import gather


class Admin:
    """All calls of ArenaAdmin but the last."""

    def __getattr__(self, name: str) -> str:
        if name == "ListAudit":
            raise AttributeError(name)
        return f"call {name}"


class Audit:
    """The last call."""

    def ListAudit(self) -> None:
        """Do nothing."""


def test_each_call_is_in_exactly_one_part() -> None:
    servicer = gather("ArenaAdmin", Admin(), Audit())
    assert servicer.GetStatus == "call GetStatus"
    with pytest.raises(ValueError, match="not enough"):
        gather("ArenaAdmin", Admin())
    with pytest.raises(ValueError, match="too many"):
        gather("ArenaAdmin", Admin(), Audit(), Audit())
