"""Records of matches: converts between a MatchResult, a protobuf Record and a file.

A record file is plain gzip, so `zcat | protoc --decode` reads it anywhere. Its gzip header carries an extra field with
a SHA-256 over everything after the header (the seal): the hash chains inside protect the story, the seal protects
every other byte of the file. A second extra field, if there is one, holds a signature of the seal and its public key.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from google.protobuf.message import DecodeError

from referee.errors import RecordError
from referee.match.ids import BotIdentity
from referee.match.match import Chooser, MatchResult
from referee.records.files import read_regular_file, write_atomically
from referee.records.notes import make_notes
from referee.records.shape import MAX_NAME, MAX_RECORD_BYTES, MAX_TEXT, check_shape, max_raw_bytes, scan
from referee.records.signature import RECORD, SIGNATURE_BYTES, SigningKey, is_signed
from referee.rules.infos import PLUGINS
from referee.rules.plugins import content_sha256
from referee.wire import envelope
from tortuga.v1 import record_pb2 as pb
from tortuga.v1 import referee_pb2

FORMAT = 1

_SOURCES = {
    Chooser.BOT: pb.ANSWER_SOURCE_BOT,
    Chooser.DEFAULT: pb.ANSWER_SOURCE_DEFAULT,
    Chooser.OUT: pb.ANSWER_SOURCE_OUT,
}

_HEAD = b"\x1f\x8b\x08\x04\x00\x00\x00\x00\x02\xff"  # gzip, deflate, "extra field follows", no time, no system
_LENGTH = struct.Struct("<H")  # of all extra fields together
_FIELD = struct.Struct("<2sH")  # our mark for a field, and its length
_SEAL_MARK = b"TT"
_SIGNATURE_MARK = b"TS"


def make_record(
    result: MatchResult,
    bots: Sequence[BotIdentity],
    *,
    server_version: str,
    started_unix_millis: int,
    place: pb.RecordPlace | None = None,
    jail_level: str = "",
    host: str = "",
    host_speed: int = 0,
    with_notes: bool = True,
) -> pb.Record:
    """Make the record of a match; `with_notes` says whether its readers may see what the bots noted."""
    terms = result.terms
    answers = [answer for moment in result.moments for answer in moment.answers]
    return pb.Record(
        format=FORMAT,
        server_version=server_version,
        match_id=terms.match_id,
        story=make_story(result),
        seats=[
            pb.RecordSeat(
                bot_name=bot.name,
                bot_version=bot.version,
                language=bot.language,
                manifest_hash=bot.manifest_hash,
                bundle_hash=bot.bundle_hash,
                notes_dropped=dropped,
            )
            for bot, dropped in zip(bots, result.notes_dropped or [0] * len(bots), strict=True)
        ],
        clock=envelope.clock(terms.clock),
        fault_policy=referee_pb2.FaultPolicy(faults_allowed=terms.faults_allowed),
        faults=[envelope.seat_fault(replace(fault, message=fault.message[:MAX_TEXT])) for fault in result.faults],
        outcome=pb.RecordOutcome(ranks=result.ranks, reason=result.reason, scores=result.scores, void=result.void),
        answer_micros=[round(answer.seconds * 1e6) for answer in answers],
        started_unix_millis=started_unix_millis,
        seed=terms.seed,
        place=place,
        jail_level=jail_level,
        host=host[:MAX_NAME],
        host_speed=host_speed,
        notes=make_notes(result.notes) if with_notes else (),
        game_package=game_package(terms.game.info.id),
    )


def game_package(game_id: str) -> pb.GamePackage | None:
    """Return the package of a game as it is here; None for our own games."""
    plugin = PLUGINS[game_id]
    if not plugin.package:
        return None
    content = bytes.fromhex(content_sha256(plugin))
    return pb.GamePackage(name=plugin.package, version=plugin.version, content_hash=content)


def make_story(result: MatchResult) -> pb.Story:
    """Make the deterministic part of a record: what the game, the luck and the choices determine."""
    terms = result.terms
    return pb.Story(
        game=terms.game.info.id,
        rules_version=terms.game.info.rules_version,
        variant=envelope.settings(terms.variant),
        seats=len(result.names),
        chance_commitment=terms.commitment,
        chance_secret=terms.secret,
        moments=[
            pb.Moment(
                answers=[
                    pb.Answer(seat=a.seat, option_index=a.index, source=_SOURCES[a.source]) for a in moment.answers
                ],
                course_link=moment.links.course,
                sent_link=moment.links.sent,
            )
            for moment in result.moments
        ],
        end_course_link=result.end_links.course,
        end_sent_link=result.end_links.sent,
        messages_version=terms.wire.messages_version,
    )


def pack(record: pb.Record) -> bytes:
    """Return the bytes of a record file."""
    raw = record.SerializeToString(deterministic=True)
    squeezer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = squeezer.compress(raw) + squeezer.flush() + struct.pack("<II", zlib.crc32(raw), len(raw))
    return _head(seal_of(body)) + body


def sign(packed: bytes, key: SigningKey) -> bytes:
    """Return the same record file, signed."""
    place = len(_HEAD)
    body = packed[place + _LENGTH.size + _LENGTH.unpack_from(packed, place)[0] :]
    seal = seal_of(body)
    return _head(seal, key.sign(RECORD, seal) + key.public) + body


def signer_of(packed: bytes) -> bytes | None:
    """Return the public key by which a record file is signed; None if it is not. Raises RecordError if the signature is
    false.

    The seal has to hold as well: ask `unpack`.
    """
    fields = _extra_fields(packed)
    signed = fields.get(_SIGNATURE_MARK)
    if signed is None:
        return None
    signature, public = signed[:SIGNATURE_BYTES], signed[SIGNATURE_BYTES:]
    if not is_signed(public, RECORD, fields.get(_SEAL_MARK, b""), signature):
        raise RecordError("its signature is invalid")
    return public


def unchecked_signer(packed: bytes) -> bytes:
    """Return the public key a record file says it is signed by; empty if it is not signed. Anybody can write one
    there."""
    return _extra_fields(packed).get(_SIGNATURE_MARK, b"")[SIGNATURE_BYTES:]


def seal_of(body: bytes) -> bytes:
    """Return the hash over everything after the header."""
    return hashlib.sha256(body).digest()


def _head(seal: bytes, signature: bytes = b"") -> bytes:
    extra = _FIELD.pack(_SEAL_MARK, len(seal)) + seal
    if signature:
        extra += _FIELD.pack(_SIGNATURE_MARK, len(signature)) + signature
    return _HEAD + _LENGTH.pack(len(extra)) + extra


def _extra_fields(packed: bytes) -> dict[bytes, bytes]:
    """Return the extra fields of the header, by mark; none if it is no header of ours."""
    if len(packed) < len(_HEAD) + _LENGTH.size or packed[: len(_HEAD)] != _HEAD:
        return {}
    place = len(_HEAD) + _LENGTH.size
    end = place + _LENGTH.unpack_from(packed, len(_HEAD))[0]
    fields: dict[bytes, bytes] = {}
    while place + _FIELD.size <= min(end, len(packed)):
        mark, length = _FIELD.unpack_from(packed, place)
        place += _FIELD.size
        fields[mark] = packed[place : place + length]
        place += length
    return fields


def unpack(packed: bytes) -> tuple[pb.Record, bool]:
    """Return the record in a file's bytes, and whether its seal holds. Raises RecordError if it is not of a record's
    shape.

    This is the only way in: whoever reads a record may rely on what `referee.records.shape` promises.
    """
    try:
        squeezed = zlib.decompressobj(16 + zlib.MAX_WBITS)
        raw = squeezed.decompress(packed, max_raw_bytes(len(packed)))
        if squeezed.unconsumed_tail or not squeezed.eof:
            raise RecordError("it is cut short, or larger than a record can be")
        scan(raw)
        record = pb.Record.FromString(raw)
    except (zlib.error, DecodeError) as error:
        raise RecordError(f"it is damaged or not a record at all ({error})") from None
    if record.format != FORMAT:
        raise RecordError(f"it has format {record.format}, this version of tortuga reads format {FORMAT}")
    check_shape(record)
    return record, _is_sealed(packed) and not squeezed.unused_data


def _is_sealed(packed: bytes) -> bool:
    """Check that every byte of the file is as it was written."""
    fields = _extra_fields(packed)
    head = _head(fields.get(_SEAL_MARK, b""), fields.get(_SIGNATURE_MARK, b""))
    return packed.startswith(head) and seal_of(packed[len(head) :]) == fields.get(_SEAL_MARK)


def write_record(path: Path, record: pb.Record) -> None:
    """Write a record file, and its folder if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, pack(record))


def read_record(path: Path) -> tuple[pb.Record, bool]:
    """Read a record file. Returns the record, and whether its seal holds. Errors name the file."""
    try:
        return unpack(read_packed(path))
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None


def read_packed(path: Path) -> bytes:
    """Read the bytes of a record file."""
    try:
        return read_regular_file(path, MAX_RECORD_BYTES)
    except OSError as error:
        raise RecordError(error.strerror or str(error)) from None
