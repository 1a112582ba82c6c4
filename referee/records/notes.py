"""Stores the bots' notes: inside the record if everybody may read them, in a file beside it if they are only for their
owners.

The file is plain gzip around a `MatchNotes`. It has no seal and no signature, and no row, hash or result depends on it:
without it a match loses nothing but words.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from google.protobuf.message import DecodeError

from referee.errors import RecordError
from referee.match.notes import SeatNote
from referee.records.files import read_regular_file
from referee.records.shape import MAX_ALL_NOTES_BYTES, MAX_SEATS, check_notes, scan_notes
from tortuga.v1 import record_pb2 as pb

SUFFIX = ".notes"


def make_notes(notes: Iterable[SeatNote]) -> list[pb.RecordNote]:
    """Return the notes of a match as messages."""
    return [pb.RecordNote(seat=note.seat, decision=note.decision, text=note.text) for note in notes]


def notes_path(record: Path) -> Path:
    """Return the path of the notes of a match that are not in its record."""
    return record.with_suffix(SUFFIX)


def pack_notes(match_id: str, notes: Iterable[SeatNote]) -> bytes:
    """Return the bytes of a file of notes; nothing if there are none."""
    message = pb.MatchNotes(match_id=match_id, notes=make_notes(notes))
    return gzip.compress(message.SerializeToString(deterministic=True), mtime=0) if message.notes else b""


def read_notes(path: Path) -> pb.MatchNotes:
    """Read a file of notes. Raises RecordError if it cannot be read or is no such file."""
    try:
        packed = read_regular_file(path, MAX_ALL_NOTES_BYTES)
        squeezed = zlib.decompressobj(16 + zlib.MAX_WBITS)
        raw = squeezed.decompress(packed, MAX_ALL_NOTES_BYTES)
        if squeezed.unconsumed_tail or not squeezed.eof:
            raise RecordError("it is cut short, or larger than notes can be")
        scan_notes(raw, pb.MatchNotes.NOTES_FIELD_NUMBER)
        notes = pb.MatchNotes.FromString(raw)
    except (OSError, zlib.error, DecodeError) as error:
        raise RecordError(f"its notes cannot be read: {error}") from None
    check_notes(notes.notes, MAX_SEATS)
    return notes


def all_notes(record: pb.Record, path: Path) -> Sequence[pb.RecordNote]:
    """Return the notes in a record, and those in the file beside it that are of the same match, by decision."""
    try:
        private = read_notes(notes_path(path))
    except RecordError:
        return record.notes  # there is no such file, or it is not ours
    if private.match_id != record.match_id or any(note.seat >= record.story.seats for note in private.notes):
        return record.notes
    return sorted([*record.notes, *private.notes], key=lambda note: note.decision)
