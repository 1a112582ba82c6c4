"""Pages in tests wait for their tables: a busy machine makes them late, and what is tested is in them."""

from __future__ import annotations

import pytest

from server.web import page as page_module


@pytest.fixture(autouse=True)
def patient_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for a minute."""
    monkeypatch.setattr(page_module, "PATIENCE_SECONDS", 60.0)
