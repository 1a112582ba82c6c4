"""The messages between the process that runs an event and its machines.

Versions are sent as plain text and compared first. Orders and blocks follow as pickles: a machine trusts the process
that it plays for. That process trusts no machine, so answers are plain values in msgpack, which cannot hold code, and
every one of them is checked here before anybody uses it. What a block's answer claims is proof.py's business.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import msgpack  # type: ignore[import-untyped]  # Dask brings it

from referee.errors import TortugaError
from referee.records.record import pack as pack_record
from referee.text import harmless
from server.jail.limits import ResourceLimits
from server.play.block_jobs import BlockResult
from server.play.recorded_match import VoidMatch

PLUGIN = "tortuga"
"""Our plugin of a Dask worker, and its line in the worker's metrics."""
REPORTS = "tortuga-reports-"
"""How the topics of answers begin."""
MAX_WORDS = 2000
"""Longest text that a machine may send, in characters."""
MAX_COUNT = 1 << 32
MAX_ANSWER_BYTES = 256 << 20
MAX_ITEMS = 1 << 20


class BadAnswer(TortugaError):
    """What a machine sent is not what a machine would send."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MachineOrder:
    """The settings a machine is sent before its first block."""

    run: str
    """Tells runs apart: a machine plays for one of them at a time."""
    event: str
    level: str
    """How bots have to be confined there."""
    limits: ResourceLimits
    concurrency: int
    """Matches at once; 0: the machine chooses by measurement."""
    pin: bool
    games: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class MachineFacts:
    """What a machine says when it was opened: that it plays, or why not."""

    host: str
    cores: int = 0
    tables: int = 0
    speed: float = 0.0
    """Speed of one core alone, as calibration.py measures it."""
    busy_speed: float = 0.0
    """Speed of one core while all are busy."""
    bundles: frozenset[str] = frozenset()
    """The hashes of the bots that need not be sent again."""
    refusal: str = ""
    """Why it does not play. Empty: it does."""
    busy: bool = False
    """It does not play because it plays for another run: worth asking again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockReport:
    """What comes of a block on a machine."""

    result: BlockResult | None
    """None: it was handed back, and no bot has seen anything of it."""
    tables: int
    """Matches that the machine plays at once now."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SentMatch:
    """A match as a machine sent it: nothing of it is proven."""

    record: bytes
    logs: Mapping[int, bytes]
    notes: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class SentBlock:
    """The answer to a block, as a machine sent it: well-formed, and perhaps a lie."""

    tables: int
    handed_back: bool
    matches: tuple[SentMatch, ...] = ()
    voids: tuple[VoidMatch, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Heartbeat:
    """What a machine says of itself every half second."""

    run: str
    state: str
    """playing, leaving, refused."""
    reason: str
    tables: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """An answer on its way from a machine: only who was given the ticket can write it."""

    key: str
    ticket: bytes
    content: bytes = field(repr=False)


def reports_topic(run: str) -> str:
    """Return the topic of Dask's events that bring the answers of a run: key, ticket and content of each."""
    return f"{REPORTS}{run}"


# To a machine


def pack(message: Any) -> bytes:
    """Return an order as bytes: Dask carries it and does not look into it."""
    return pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)


def unpack(content: bytes) -> Any:
    """Return the order in some bytes. Only machines call this."""
    return pickle.loads(content)


# From a machine


def pack_facts(facts: MachineFacts) -> bytes:
    """Return the facts as an answer."""
    return _pack({**asdict(facts), "bundles": sorted(facts.bundles)})


def read_facts(content: bytes) -> MachineFacts:
    """Read the facts of a machine."""
    table = AnswerTable(_unpack(content))
    return MachineFacts(
        host=table.text("host"),
        cores=table.count("cores"),
        tables=table.count("tables"),
        speed=table.number("speed"),
        busy_speed=table.number("busy_speed"),
        bundles=frozenset(_text(sha256) for sha256 in table.row("bundles")),
        refusal=table.text("refusal"),
        busy=table.flag("busy"),
    )


def pack_report(report: BlockReport) -> bytes:
    """Return the report of a block as an answer: its records, and nothing that follows from them."""
    result = report.result
    return _pack(
        {
            "tables": report.tables,
            "handed_back": result is None,
            "matches": [
                {
                    "record": match.packed if match.unplaced is None else pack_record(match.unplaced),
                    "logs": dict(match.logs),
                    "notes": match.notes,
                }
                for match in (result.matches if result is not None else ())
            ],
            "voids": [
                {"reason": void.reason[:MAX_WORDS], "late_bots": list(void.late_bots), "began": void.began}
                for void in (result.voids if result is not None else ())
            ],
        }
    )


def read_report(content: bytes) -> SentBlock:
    """Read the answer to a block."""
    table = AnswerTable(_unpack(content))
    voids = [AnswerTable(row) for row in table.row("voids")]
    return SentBlock(
        tables=table.count("tables"),
        handed_back=table.flag("handed_back"),
        matches=tuple(_read_match(AnswerTable(row)) for row in table.row("matches")),
        voids=tuple(
            VoidMatch(
                harmless(void.text("reason")),
                tuple(harmless(_text(bot)) for bot in void.row("late_bots")),
                void.flag("began"),
            )
            for void in voids
        ),
    )


def _read_match(table: AnswerTable) -> SentMatch:
    logs = table.value("logs", dict)
    if any(type(seat) is not int or type(log) is not bytes for seat, log in logs.items()):
        raise BadAnswer("it sent a match whose logs are no bytes by seat")
    return SentMatch(record=table.value("record", bytes), logs=logs, notes=table.value("notes", bytes))


def pack_words(text: str) -> bytes:
    """Return some words as an answer."""
    return _pack(text[:MAX_WORDS])


def read_words(content: bytes) -> str:
    """Read an answer that is words for people."""
    return harmless(_text(_unpack(content)))


def read_answer(event: object) -> Answer | None:
    """Read an event of the topic of answers; None if it is no answer."""
    match event:
        case (_, (str() as key, bytes() as ticket, bytes() as content)):
            return Answer(key=key, ticket=ticket, content=content)
    return None


def read_heartbeat(metrics: object) -> Heartbeat | None:
    """Read what a machine said of itself; None if it said nothing. Raises BadAnswer."""
    if not isinstance(metrics, dict) or metrics.get(PLUGIN) is None:
        return None
    table = AnswerTable(metrics[PLUGIN])
    return Heartbeat(
        run=table.text("run"), state=table.text("state"), reason=table.text("reason"), tables=table.count("tables")
    )


def _pack(value: object) -> bytes:
    return msgpack.packb(value, use_bin_type=True)  # type: ignore[no-any-return]


def _unpack(content: bytes) -> Any:
    if len(content) > MAX_ANSWER_BYTES:
        raise BadAnswer(f"it sent {len(content) >> 20} MiB in one answer")
    try:
        return msgpack.unpackb(
            content, use_list=True, strict_map_key=False, max_array_len=MAX_ITEMS, max_map_len=MAX_ITEMS
        )
    except Exception as error:  # msgpack raises many kinds
        raise BadAnswer(f"it sent an answer that cannot be read ({type(error).__name__})") from None


class AnswerTable:
    """A table of an answer, whose values are checked as they are taken out."""

    def __init__(self, value: object) -> None:
        if not isinstance(value, dict):
            raise BadAnswer(f"it sent a {type(value).__name__} where a table was expected")
        self._table = value

    def value(self, name: str, kind: type[Any]) -> Any:
        """Return a value of exactly this kind."""
        value = self._table.get(name)
        if type(value) is not kind:
            raise BadAnswer(f"it sent a {type(value).__name__} as {name!r}, expected {kind.__name__}")
        return value

    def text(self, name: str) -> str:
        """Return a text, fit for a terminal."""
        return harmless(_text(self.value(name, str)))

    def flag(self, name: str) -> bool:
        """Return whether something holds."""
        return bool(self.value(name, bool))

    def count(self, name: str) -> int:
        """Return a number of things."""
        count = int(self.value(name, int))
        if not 0 <= count <= MAX_COUNT:
            raise BadAnswer(f"it sent {count} as {name!r}, expected 0 to {MAX_COUNT}")
        return count

    def number(self, name: str) -> float:
        """Return a measured number."""
        value = self._table.get(name)
        if not isinstance(value, (int, float)) or not 0 <= value < 1e12:
            raise BadAnswer(f"it sent {ascii(value)[:80]} as {name!r}, expected a number")
        return float(value)

    def row(self, name: str) -> list[Any]:
        """Return a list. Dask makes a tuple of it on its way."""
        value = self._table.get(name)
        if not isinstance(value, (list, tuple)):
            raise BadAnswer(f"it sent a {type(value).__name__} as {name!r}, expected a list")
        return list(value)


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > MAX_WORDS:
        raise BadAnswer(f"it sent a {type(value).__name__} where a text of at most {MAX_WORDS} characters was expected")
    return value
