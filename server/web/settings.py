"""How the pages are served."""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class WebSettings:
    """What the organiser decides, and the limits that keep one reader from taking it all."""

    bots_address: str = ""
    """What a bot dials, as shown on "enter a bot". Empty: unknown."""
    proxies: tuple[str, ...] = ()
    """Addresses whose X-Forwarded-For and X-Forwarded-Proto are believed. Empty: nobody's."""
    pages_per_second: float = 20.0
    """What one address may ask for in the long run."""
    pages_burst: float = 120.0
    """What one address may ask for at once."""
    streams_per_address: int = 4
    streams: int = 1000
    """Live streams of everybody."""
    body_bytes: int = 16 * 1024
    """The longest form that is read."""
    document_bytes: int = 64 * MEGABYTE
    """Documents that are kept to be shown again, at most."""
    document_workers: int = 1
    """Processes that make documents of records."""
