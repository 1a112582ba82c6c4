"""Pages in tests wait for their tables: a busy machine makes them late, and what is tested is in them."""

from __future__ import annotations

import pytest

from server.web import pending_listings as soon


@pytest.fixture(autouse=True)
def patient_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for a minute."""
    monkeypatch.setattr(soon, "PATIENCE_SECONDS", 60.0)
