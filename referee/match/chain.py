"""The two hash chains that make a record tamper-evident: each link covers the previous one and what happened since.

    first         = H("tortuga/v1/chain", game, rules version, seats, each setting and its value, secret)
    course link   = H(course link before, kind of the decision, per answer: "seat/options/index/source")
    sent link     = H(sent link before, fingerprint of the state, per answer: seat, position sent)
    end of course = H(course link before, reason, ranks)
    end of sent   = H(sent link before, fingerprint of the final state)

The course covers what was asked and chosen: it can be checked for as long as the rules stay the same. The sent chain
covers, byte for byte, all that the bots were sent and the state behind it: it can only be checked by a version that
sends the same messages, as given by `GameWire.messages_version`. The fingerprint of the state is part of only every
16th sent link, starting with the first: it costs as much as a decision, and the positions cover the state in between.

H is BLAKE2b with 16 bytes over the parts, each preceded by its length in 4 bytes, so that no two lists of parts give
the same input.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, NamedTuple

from referee.rules.engine import AnyGame, Outcome, Variant
from referee.rules.fingerprint import DIGEST_BYTES, fingerprint

STATE_EVERY = 16


class Links(NamedTuple):
    """One link of each chain."""

    course: bytes
    sent: bytes


def digest(parts: Iterable[bytes]) -> bytes:
    """Hash a list of parts."""
    framed = b"".join([len(part).to_bytes(4, "big") + part for part in parts])
    return blake2b(framed, digest_size=DIGEST_BYTES).digest()


class Chain:
    """The chains of one match, link by link: `ask` when questions leave, `answer` when the choices are in."""

    __slots__ = ("_asked", "_course", "_moments", "_sent")

    def __init__(self, game: AnyGame, seats: int, variant: Variant, secret: bytes) -> None:
        head = ["tortuga/v1/chain", game.info.id, str(game.info.rules_version), str(seats)]
        settings = [text for name, value in variant.items() for text in (name, str(value))]
        self._course = self._sent = self._asked = digest([*(text.encode() for text in head + settings), secret])
        self._moments = 0

    def ask(self, state: Any, positions: Iterable[tuple[int, bytes]]) -> None:
        """Open a moment: the state that is asked about, and per deciding seat what it was sent, if anything."""
        parts = [self._sent]
        if self._moments % STATE_EVERY == 0:
            parts.append(fingerprint(state))
        for seat, position in positions:
            parts += (b"%d" % seat, position)
        self._asked = digest(parts)

    def answer(self, kind: str, answers: Iterable[tuple[int, int, int, int]]) -> Links:
        """Close a moment: per deciding seat how many options it had, the index it chose and who chose."""
        self._course = digest([self._course, kind.encode(), *[b"%d/%d/%d/%d" % answer for answer in answers]])
        self._sent = self._asked  # only now: a question at which a match broke off is not part of its record
        self._moments += 1
        return Links(self._course, self._sent)

    def end(self, state: Any, outcome: Outcome | None) -> Links:
        """Close the match. Without an outcome of the rules it was broken off by a forfeit. Without an outcome of the
        rules it broke off by a forfeit."""
        words_of_end = [outcome.reason, *map(str, outcome.ranks)] if outcome else []
        course = digest([self._course, *(text.encode() for text in words_of_end)])
        return Links(course, digest([self._sent, fingerprint(state)]))
