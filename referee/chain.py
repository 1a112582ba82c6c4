"""The hash chain that makes a record tamper-evident: each link covers the one before and all that happened at a moment.

    first = H("tortuga/v1/chain", game, rules version, seats, each option and its value, secret)
    link  = H(link before, fingerprint of the state, per answer: seat, position sent, then per answer: index/source)
    end   = H(link before, fingerprint of the final state, reason, ranks)

The fingerprint of the state is part of every 16th link only, from the first on: it costs as much as the decision
itself, and the positions sent pin the state in between.

H is BLAKE2b with 16 bytes over the parts, each preceded by its length in 4 bytes, so that no two lists of parts read
alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

from referee.engine import AnyGame, Options, Outcome
from referee.fingerprint import DIGEST_BYTES, fingerprint

STATE_EVERY = 16
"""A fingerprint of the whole state costs as much as the decision itself; the positions sent pin the state in
between."""


def framed(parts: Iterable[bytes]) -> bytes:
    """Each part behind its length."""
    return b"".join([len(part).to_bytes(4, "big") + part for part in parts])


def digest(parts: Iterable[bytes]) -> bytes:
    """The hash of a list of parts."""
    return blake2b(framed(parts), digest_size=DIGEST_BYTES).digest()


class Chain:
    """The chain of one match, link by link: `ask` when questions leave, `answer` when the choices are in."""

    __slots__ = ("_hash", "_moments", "link")

    def __init__(self, game: AnyGame, seats: int, options: Options, secret: bytes) -> None:
        head = ["tortuga/v1/chain", game.info.id, str(game.info.rules_version), str(seats)]
        settings = [text for name, value in options.items() for text in (name, str(value))]
        self.link = digest([*(text.encode() for text in head + settings), secret])
        self._moments = 0
        self._hash = blake2b(digest_size=DIGEST_BYTES)

    def ask(self, state: Any, positions: Iterable[tuple[int, bytes]]) -> None:
        """Open a moment: the state that is asked about, and per deciding seat what it was sent, if anything."""
        parts = [self.link]
        if self._moments % STATE_EVERY == 0:
            parts.append(fingerprint(state))
        for seat, position in positions:
            parts += (b"%d" % seat, position)
        self._hash = blake2b(framed(parts), digest_size=DIGEST_BYTES)

    def answer(self, choices: Iterable[tuple[int, int]]) -> bytes:
        """Close a moment: per deciding seat the index it chose and the source of the choice."""
        self._hash.update(framed([b"%d/%d" % choice for choice in choices]))
        self._moments += 1
        self.link = self._hash.digest()
        return self.link

    def end(self, state: Any, outcome: Outcome | None) -> bytes:
        """Close the match. Without an outcome of the rules (a forfeit), the state where it broke off."""
        told = [outcome.reason, *map(str, outcome.ranks)] if outcome else []
        self.link = digest([self.link, fingerprint(state), *(text.encode() for text in told)])
        return self.link
