"""Record files of any bytes: every reader tells what is in them or refuses them in words.

Mutants of whole records with new seals are in tests/server/play/test_strange_records.py and
tests/referee/records/test_verify.py. Here files are changed that were packed already: most fail at the seal or before.
"""

from __future__ import annotations

import gzip
from contextlib import suppress
from functools import cache
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.errors import TortugaError
from referee.records.record import signer_of, unpack
from server.play.replay import record_json, tell_record, verify_records
from support.corpus import saved, with_saved
from support.sizes import pick, sized

fuzz = settings(
    deadline=None,
    max_examples=pick(quick=40, ci=400, full=10_000),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@cache
def sound() -> bytes:
    """A record that holds."""
    return next(content for content in saved("records") if holds(content))


def holds(content: bytes) -> bool:
    try:
        return unpack(content)[1]
    except TortugaError:
        return False


def read_everything(path: Path) -> None:
    """Let every reader loose on a file."""
    with suppress(TortugaError):
        list(tell_record(path))
    with suppress(TortugaError):
        record_json(path)
    with suppress(TortugaError):
        signer_of(path.read_bytes())
    verify_records([path])


@st.composite
def changed(draw: st.DrawFn) -> bytes:
    """The sound record with some bytes changed: of the file, or of what is packed in it."""
    inside = draw(st.booleans())
    content = gzip.decompress(sound()) if inside else sound()
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 8)))
        content = content[:start] + draw(st.binary(max_size=8)) + content[end:]
    return gzip.compress(content, 1) if inside else content


@sized
@fuzz
@with_saved("records")
@given(changed() | st.binary(max_size=100) | st.binary(max_size=100).map(gzip.compress))
def test_a_record_of_any_bytes_is_told_or_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.tortuga"
    path.write_bytes(content)
    read_everything(path)


def test_of_the_saved_records_one_holds() -> None:
    assert sum(map(holds, saved("records"))) >= 1
    assert len(saved("records")) > 10
