"""A match that was played, as Python code and a notebook see it. All of it follows from the record."""

from __future__ import annotations

import base64
from functools import cached_property
from html import escape
from pathlib import Path

from referee.errors import ConfigError
from referee.records.files import write_atomically
from referee.records.record import unpack
from referee.text import harmless
from referee.wire.envelope import fault_kind_name
from server.viewer import Perspectives
from server.viewer.document import document_of
from server.viewer.frames import Json
from server.viewer.pages import offline_page
from server.viewer.picture import svg_at


class PlayedMatch:
    """The result of a match, its board and its record. A notebook shows it as a table, a picture and a replay."""

    def __init__(self, packed: bytes) -> None:
        self.packed = packed
        """The record, as `tortuga play` writes it into a file."""
        self.record, _ = unpack(packed)
        """The same as a message: proto/tortuga/v1/record.proto."""
        outcome = self.record.outcome
        self.game = self.record.story.game
        self.names = tuple(seat.bot_name for seat in self.record.seats)
        """Who sat where, as the bots call themselves: strangers' words."""
        self.ranks, self.scores = tuple(outcome.ranks), tuple(outcome.scores)
        """By seat; empty if the match is void."""
        self.reason, self.void, self.seed = outcome.reason, outcome.void, self.record.seed
        self.faults = tuple(self.record.faults)
        self.decisions = sum(len(moment.answers) for moment in self.record.story.moments)

    def __repr__(self) -> str:
        return f"{self._document['result']} ({self._document['about']}); seed {harmless(self.seed)}"

    def save(self, path: str | Path) -> Path:
        """Write the record, for `tortuga replay`."""
        write_atomically(Path(path), self.packed)
        return Path(path)

    def html(self) -> str:
        """Return the whole replay as one HTML page that needs no network, as `tortuga replay html` writes it."""
        return offline_page([self._document])

    def svg(self, at: int | None = None, seat: int | None = None) -> str:
        """The board at a decision, counted over all seats from 1, or at the end, through a seat's eyes or a
        spectator's."""
        return svg_at(self._document, seat=seat, decision=at)

    def _repr_html_(self) -> str:
        """Return what a notebook shows. Nothing of it is loaded from anywhere, and the replay runs in a sandbox."""
        return f"<div>{self._table()}{self._board()}{self._replay()}</div>"

    @cached_property
    def _document(self) -> Json:
        return document_of(self.packed, perspectives=Perspectives.ALL, attach=True)

    def _table(self) -> str:
        rows = "".join(
            f"<tr><td>{seat}</td><td>{_text(name)}</td><td>{rank}</td><td>{score}</td><td>{faults}</td></tr>"
            for seat, (name, rank, score, faults) in enumerate(self._rows())
        )
        told = "".join(
            f"<p>{_text(self.names[fault.seat])}, {fault_kind_name(fault.kind).replace('_', ' ')} at decision "
            f"{fault.decision}: {_text(fault.message)}</p>"
            for fault in self.faults
        )
        head = "<tr><th>seat</th><th>bot</th><th>rank</th><th>score</th><th>faults</th></tr>"
        return f"<p>{_text(repr(self))}</p><table>{head}{rows}</table>{told}"

    def _rows(self) -> list[tuple[str, str, str, int]]:
        counts = [sum(fault.seat == seat for fault in self.faults) for seat in range(len(self.names))]
        if self.void:
            return [(name, "-", "-", count) for name, count in zip(self.names, counts, strict=True)]
        told = zip(self.names, map(str, self.ranks), (f"{score:g}" for score in self.scores), counts, strict=True)
        return list(told)

    def _board(self) -> str:
        try:
            picture = base64.b64encode(self.svg().encode()).decode()
        except ConfigError:
            return ""  # a void match may have no moment to draw
        label = f"The board at the end: {self._document['result']}"
        return f'<img alt="{_text(label)}" style="max-width:100%" src="data:image/svg+xml;base64,{picture}">'

    def _replay(self) -> str:
        return (
            "<details><summary>The whole match</summary>"
            f'<iframe sandbox="allow-scripts" style="width:100%;height:800px;border:0" srcdoc="{escape(self.html())}">'
            "</iframe></details>"
        )


def _text(words: str) -> str:
    """Escape untrusted text for HTML, on one line."""
    return escape(harmless(words))
