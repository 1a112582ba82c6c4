"""Records of strangers: who looks into one gets its story or a reason, never a traceback or an escape byte."""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from referee.errors import FaultKind, TortugaError
from referee.records.record import pack, read_record, unpack
from server.cli.main import main
from server.play.ask import find_question
from server.play.replay import read_moments, record_json, tell_record, verify_records
from support.approved import Approver
from support.forging import mutate, play_record
from support.sizes import pick, sized
from tortuga.v1 import record_pb2 as pb

ESCAPE = "\x1b[31mred\x1b]0;title\x07"


def is_harmless(text: str) -> bool:
    return all(sign.isprintable() or sign == "\n" for sign in text)


READERS: dict[str, Callable[[Path], str]] = {
    "show": lambda path: "\n".join(tell_record(path)),
    "show --at": lambda path: str([one["answers"] for one in read_moments(path, 3, None)]),
    "show --seat": lambda path: str([one["answers"] for one in read_moments(path, None, 1)]),
    "verify": lambda path: str(verify_records([path])),
    "json": record_json,
    "ask": lambda path: str(find_question(path, 4, None).options),
}


@pytest.mark.few(1)
@sized
@pytest.mark.parametrize("game", ["broadsides", "pirates_cove"])
def test_no_reader_falls_over_a_mutant(game: str, tmp_path: Path) -> None:
    original = play_record(game, 2, fails={1: {4: FaultKind.TIMEOUT}}, faults_allowed=1)
    rng, path = random.Random(game), tmp_path / "mutant.tortuga"
    read = 0
    for _ in range(pick(quick=10, ci=150, full=1000)):
        mutant = pb.Record.FromString(original.SerializeToString())
        for _ in range(rng.choice([1, 1, 2, 5])):
            mutate(mutant, rng)
        path.write_bytes(pack(mutant))
        for name, reader in READERS.items():
            try:
                told = reader(path)
            except TortugaError as error:
                told = str(error)
            else:
                read += 1
            assert is_harmless(told), f"{name} printed {told!r}"
    assert read


def test_no_escape_byte_of_a_record_reaches_the_terminal(tmp_path: Path) -> None:
    record = play_record("broadsides", 2, fails={1: {4: FaultKind.CRASH}})
    record.match_id = record.outcome.reason = record.faults[0].message = ESCAPE
    for seat in record.seats:
        seat.bot_name = seat.bot_version = seat.language = ESCAPE
    path = tmp_path / "escape.tortuga"
    path.write_bytes(pack(record))
    for words in (["show"], ["show", "--at", "2"], ["show", "--seat", "0"], ["verify"], ["json"]):
        done = CliRunner().invoke(main, ["replay", *words, str(path)])
        assert done.exception is None or isinstance(done.exception, SystemExit)
        assert is_harmless(done.output), words


def test_verify_says_what_it_proves_and_counts_no_record_of_other_messages(tmp_path: Path, approve: Approver) -> None:
    record, path = play_record("broadsides", 2), tmp_path / "one.tortuga"
    path.write_bytes(pack(record))
    done = CliRunner().invoke(main, ["replay", "verify", str(path)])
    assert done.exit_code == 0
    assert "holds" in done.output
    assert "rests on the word" in done.output
    approve("replay", done.output)
    record.story.messages_version += 1
    path.write_bytes(pack(record))
    assert CliRunner().invoke(main, ["replay", "verify", "--course-only", str(path)]).exit_code == 0
    done = CliRunner().invoke(main, ["replay", "verify", str(path)])
    assert done.exit_code == 1
    assert "course only" in done.output


# Bombs: small files that would take gigabytes


def many(field: str, count: int) -> pb.Record:
    """A record with so many empty messages in one place."""
    record = play_record("broadsides", 2)
    rows: dict[str, Any] = {
        "moments": record.story.moments,
        "faults": record.faults,
        "seats": record.seats,
        "answers": record.story.moments[0].answers,
    }
    for _ in range(count):
        rows[field].add()
    return record


@pytest.mark.parametrize("field", ["moments", "faults", "seats", "answers"])
def test_too_many_messages_are_refused_before_they_are_parsed(field: str) -> None:
    packed = pack(many(field, 100_000))
    with pytest.raises(TortugaError, match="more than"):
        unpack(packed)


MEASURE = """
import resource, sys
from pathlib import Path
from server.play.replay import record_json, verify_records
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(verify_records([Path(sys.argv[1])])[0]["holds"])
try:
    record_json(Path(sys.argv[1]))
except Exception as error:
    print(type(error).__name__)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.mark.few(1)
@pytest.mark.parametrize("bomb", ["moments", "faults", "zeros"])
def test_a_small_file_takes_little_memory(bomb: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.tortuga"
    raw = {
        "moments": b"\x08\x01\x22" + b"\xfe\xff\xff\x07" + b"\x3a\x00" * (2**23),
        "faults": b"\x08\x01" + b"\x42\x00" * 2**24,
        "zeros": bytes(2**26),
    }[bomb]
    path.write_bytes(gzip.compress(raw))
    done = subprocess.run([sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True)
    holds, error, grown = done.stdout.split()
    assert (holds, error) == ("False", "RecordError")
    assert int(grown) <= 64 * 2**20 + 20 * path.stat().st_size


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.mkdir()])
def test_what_is_no_file_keeps_no_reader_waiting(make: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "x.tortuga"
    make(path)
    with pytest.raises(TortugaError, match=r"regular file|directory"):
        read_record(path)
