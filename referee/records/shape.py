"""Checks the shape of a record before anything else reads it, because it may come from an untrusted source.

`scan` looks at the serialized bytes, because parsing a few kilobytes of empty messages takes a gigabyte. `check_shape`
looks at the parsed record: every list has the length that others imply, every number is in range, every text is short.
After both, no reader has to expect a seat that does not exist or a moment without an answer. Whether the record is true
is another question: see `referee.records.replay`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from referee.errors import RecordError
from referee.match.notes import MAX_NOTE_BYTES, MAX_NOTES, MAX_NOTES_BYTES, cost_of
from tortuga.v1 import record_pb2 as pb
from tortuga.v1 import referee_pb2

MAX_RECORD_BYTES = 4 * 1024 * 1024
"""Largest record after decompression. The longest possible game takes less than half of it."""
MAX_EXPANSION = 16
"""How many times larger than its file a record may be, beyond the first 256 KiB and its notes. Hashes do not
compress: a real one is two to four times as large. Notes may be all the same."""

MAX_SEATS = 8
MAX_ALL_NOTES_BYTES = MAX_SEATS * (MAX_NOTES_BYTES + 16 * MAX_NOTES)
"""The bots' notes of one match at most: their texts, and what their messages take beside."""
MAX_MOMENTS = 32_768
MAX_FAULTS = 1024
MAX_SETTINGS = 64
MAX_NAME = 128
"""Longest name, version, label or id, in characters."""
MAX_TEXT = 4096
"""Longest message of a fault or reason of an end, in characters."""

LINK_BYTES = 16
HASH_BYTES = 32

_SOURCES = frozenset({pb.ANSWER_SOURCE_BOT, pb.ANSWER_SOURCE_DEFAULT, pb.ANSWER_SOURCE_OUT})
_KINDS = frozenset(referee_pb2.FaultKind.values()) - {referee_pb2.FAULT_KIND_UNSPECIFIED}


def max_raw_bytes(packed_bytes: int) -> int:
    """Return how large a record in a file of that size may be."""
    return min(MAX_RECORD_BYTES, 256 * 1024 + MAX_ALL_NOTES_BYTES + MAX_EXPANSION * packed_bytes)


# Before parsing


def scan(raw: bytes) -> None:
    """Count the messages in a serialized Record; raise RecordError if there are more than a record can have."""
    counts = {"seats": 0, "moments": 0, "faults": 0, "settings": 0}
    scan_notes(raw, pb.Record.NOTES_FIELD_NUMBER)
    for field, start, end in _messages(raw, 0, len(raw)):
        if field == pb.Record.SEATS_FIELD_NUMBER:
            counts["seats"] += 1
        elif field == pb.Record.FAULTS_FIELD_NUMBER:
            counts["faults"] += 1
        elif field == pb.Record.STORY_FIELD_NUMBER:
            _scan_story(raw, start, end, counts)
        elif field == pb.Record.PLACE_FIELD_NUMBER:
            _limit("names", sum(1 for _ in _messages(raw, start, end)), 4 * MAX_SEATS)
        _limit("seats", counts["seats"], MAX_SEATS)
        _limit("faults", counts["faults"], MAX_FAULTS)


def scan_notes(raw: bytes, number: int) -> None:
    """Count the notes in a serialized message, which are its field of that number."""
    _limit("notes", sum(field == number for field, _, _ in _messages(raw, 0, len(raw))), MAX_SEATS * MAX_NOTES)


def _scan_story(raw: bytes, start: int, end: int, counts: dict[str, int]) -> None:
    for field, first, last in _messages(raw, start, end):
        if field == pb.Story.MOMENTS_FIELD_NUMBER:
            counts["moments"] += 1
            _limit("moments", counts["moments"], MAX_MOMENTS)
            _limit("answers in a moment", sum(1 for _ in _messages(raw, first, last)), MAX_SEATS + 2)  # and two links
        elif field == pb.Story.VARIANT_FIELD_NUMBER:
            counts["settings"] += 1
            _limit("settings", counts["settings"], MAX_SETTINGS)


def _limit(what: str, count: int, most: int) -> None:
    if count > most:
        raise RecordError(f"it has more than {most} {what}")


def _messages(raw: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield the length-delimited fields between two places: number, start and end of each."""
    while start < end:
        key, start = _varint(raw, start, end)
        match key & 7:
            case 0:
                _, start = _varint(raw, start, end)
            case 1:
                start += 8
            case 2:
                length, start = _varint(raw, start, end)
                if start + length > end:
                    raise RecordError("it is damaged: a field goes past its end")
                yield key >> 3, start, start + length
                start += length
            case 5:
                start += 4
            case kind:
                raise RecordError(f"it is damaged: there is no kind of field {kind}")


def _varint(raw: bytes, start: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while start < end and shift < 70:
        byte = raw[start]
        start += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, start
        shift += 7
    raise RecordError("it is damaged: a number is cut short")


# After parsing


def check_shape(record: pb.Record) -> None:
    """Raise RecordError unless every list, number and text of the record is of a possible size."""
    story = record.story
    seats = story.seats
    _require(1 <= seats <= MAX_SEATS, f"it has {seats} seats")
    _require(len(record.seats) == seats, f"it names {len(record.seats)} bots for {seats} seats")
    _check_texts(record)
    decisions = _check_moments(story)
    _require(
        len(record.answer_micros) == decisions, f"it has {len(record.answer_micros)} times for {decisions} decisions"
    )
    for fault in record.faults:
        _require(fault.seat < seats, f"a fault is of seat {fault.seat}, there are seats 0 to {seats - 1}")
        _require(fault.kind in _KINDS, f"a fault is of kind {fault.kind}, which this version does not know")
        _require(fault.decision <= decisions + seats, f"a fault is at decision {fault.decision} of {decisions}")
    check_notes(record.notes, seats)
    _require(
        all(note.decision <= decisions + seats for note in record.notes),
        f"a note is on a decision after {decisions}, the last",
    )
    outcome = record.outcome
    expected = 0 if outcome.void else seats
    _require(len(outcome.ranks) == expected, f"it has {len(outcome.ranks)} ranks, expected {expected}")
    _require(len(outcome.scores) == expected, f"it has {len(outcome.scores)} scores, expected {expected}")
    _require(all(1 <= rank <= seats for rank in outcome.ranks), f"a rank is not from 1 to {seats}")
    _require(all(map(math.isfinite, outcome.scores)), "a score is not a number")


def check_notes(notes: Iterable[pb.RecordNote], seats: int) -> None:
    """Raise RecordError unless there are no more and no longer notes than the referee keeps."""
    costs: Counter[int] = Counter()
    for note in notes:
        _require(note.seat < seats, f"a note is of seat {note.seat}, there are seats 0 to {seats - 1}")
        _require(note.decision > 0, "a note is on no decision")
        size = len(note.text.encode())
        _require(0 < size <= MAX_NOTE_BYTES, f"a note has {size} bytes, 1 to {MAX_NOTE_BYTES} are possible")
        costs[note.seat] += cost_of(note.text)
    _require(
        not costs or max(costs.values()) <= MAX_NOTES_BYTES,
        f"the notes of a seat have more than {MAX_NOTES_BYTES} bytes together",
    )


def _check_moments(story: pb.Story) -> int:
    """Check every moment; returns the number of answers."""
    decisions = 0
    for moment in story.moments:
        seats = [answer.seat for answer in moment.answers]
        if not seats or seats != sorted(set(seats)) or seats[-1] >= story.seats:
            raise RecordError(f"decision {decisions + 1}: {story.seats} seats play, the answers are of seats {seats}")
        for answer in moment.answers:
            decisions += 1
            if answer.source not in _SOURCES:
                raise RecordError(f"decision {decisions}: it does not say who chose")
        if len(moment.course_link) != LINK_BYTES or len(moment.sent_link) != LINK_BYTES:
            raise RecordError(f"decision {decisions}: a link of its chains does not have {LINK_BYTES} bytes")
    if len(story.end_course_link) != LINK_BYTES or len(story.end_sent_link) != LINK_BYTES:
        raise RecordError(f"the last link of its chains does not have {LINK_BYTES} bytes")
    _require(len(story.chance_commitment) == HASH_BYTES, "the commitment to its secret is missing")
    _require(len(story.chance_secret) in (0, HASH_BYTES), f"its secret has {len(story.chance_secret)} bytes")
    return decisions


def _check_texts(record: pb.Record) -> None:
    place = record.place
    names = [record.match_id, record.server_version, record.story.game, place.event, place.contest, place.label]
    names += [text for seat in record.seats for text in (seat.bot_name, seat.bot_version, seat.language)]
    names += [text for setting in record.story.variant for text in (setting.name, setting.value)]
    names += [*place.bots, record.jail_level, record.host, record.game_package.name, record.game_package.version]
    _check_lengths(names, MAX_NAME)
    _check_lengths([record.seed, record.outcome.reason, *(fault.message for fault in record.faults)], MAX_TEXT)
    _require(len(place.bots) in (0, record.story.seats), f"its block has {len(place.bots)} bots")
    hashes = [hash_ for seat in record.seats for hash_ in (seat.manifest_hash, seat.bundle_hash)]
    hashes.append(record.game_package.content_hash)
    _require(all(len(hash_) in (0, HASH_BYTES) for hash_ in hashes), "the hash of a bot or of a game is cut short")


def _check_lengths(texts: Sequence[str], most: int) -> None:
    longest = max(map(len, texts))
    _require(longest <= most, f"a text has {longest} characters, at most {most} are allowed")


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise RecordError(reason)
