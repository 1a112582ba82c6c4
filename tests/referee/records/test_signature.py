"""Signatures of records: who stands by them."""

from __future__ import annotations

import builtins
import stat
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from referee.errors import ConfigError, RecordError
from referee.records.record import pack, sign, signer_of, unpack
from referee.records.signature import SigningKey, check_signer, read_public_key
from referee.records.verify import verify
from server.cli.main import main
from support.forging import play_record

pytest.importorskip("cryptography", reason="the extra `signatures` is not installed")


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    found = SigningKey.open(tmp_path / "event.key")
    assert found is not None
    return found


def verify_signed(packed: bytes, public: bytes) -> None:
    record, sealed = unpack(packed)
    verify(record, sealed=sealed)
    check_signer(signer_of(packed), public)


def test_a_key_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "event.key"
    first, second = SigningKey.open(path), SigningKey.open(path)
    assert first is not None
    assert second is not None
    assert first.public == second.public
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_bytes(b"short")
    with pytest.raises(ConfigError, match=r"event\.key.* 5 bytes.* 32"):
        SigningKey.open(path)


def test_a_signed_record_is_the_same_record_and_names_its_signer(key: SigningKey) -> None:
    record = play_record("broadsides", 2)
    packed = pack(record)
    signed = sign(packed, key)
    assert signer_of(packed) is None
    assert signer_of(signed) == key.public
    assert unpack(signed) == (record, True)
    assert sign(signed, key) == signed


def test_no_byte_of_a_signed_record_can_be_changed(key: SigningKey) -> None:
    signed = sign(pack(play_record("broadsides", 2)), key)
    for place in [*range(0, len(signed), 97), *range(60)]:
        changed = bytearray(signed)
        changed[place] ^= 1
        with pytest.raises(RecordError):
            verify_signed(bytes(changed), key.public)


def test_a_record_that_somebody_else_signed_is_refused(key: SigningKey, tmp_path: Path) -> None:
    other = SigningKey.open(tmp_path / "other.key")
    assert other is not None
    packed = pack(play_record("broadsides", 2))
    with pytest.raises(RecordError, match="not signed"):
        verify_signed(packed, key.public)
    with pytest.raises(RecordError, match=f"signed by {other.public.hex()}, not by {key.public.hex()}"):
        verify_signed(sign(packed, other), key.public)


def test_a_signature_cannot_be_moved_to_another_record(key: SigningKey) -> None:
    mine, other = (sign(pack(play_record("broadsides", 2, seed=seed)), key) for seed in ("a", "b"))
    head = 10 + 2 + 4 + 32  # of the file, up to the signature
    moved = other[:head] + mine[head : head + 4 + 96] + other[head + 4 + 96 :]
    with pytest.raises(RecordError, match="its signature is invalid"):
        verify_signed(moved, key.public)


def test_the_command_takes_a_key_in_digits_or_in_a_file(key: SigningKey, tmp_path: Path) -> None:
    path, public = tmp_path / "one.tortuga", tmp_path / "public"
    path.write_bytes(sign(pack(play_record("broadsides", 2)), key))
    public.write_text(f"{key.public.hex()}\n")
    for words in (key.public.hex(), str(public)):
        done = CliRunner().invoke(main, ["replay", "verify", "--key", words, str(path)])
        assert done.exit_code == 0
        assert "decisions, signed" in done.output
        assert "word of the key's owner" in done.output
    done = CliRunner().invoke(main, ["replay", "verify", "--key", "0" * 64, str(path)])
    assert done.exit_code == 1
    assert f"it is signed by {key.public.hex()}" in done.output
    assert CliRunner().invoke(main, ["replay", "verify", "--key", "abc", str(path)]).exit_code == 2


def test_without_the_library_nothing_is_signed_and_no_key_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "event.key"
    SigningKey.open(path)
    real_import = builtins.__import__

    def refuse(name: str, *rest: Any, **words: Any) -> Any:
        if name.startswith("cryptography"):
            raise ImportError(name)
        return real_import(name, *rest, **words)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert SigningKey.open(tmp_path / "none.key") is None
    assert not (tmp_path / "none.key").exists()
    with pytest.raises(ConfigError, match=r"pip install .*\[signatures\]"):
        SigningKey.open(path)


@pytest.mark.parametrize("text", ["", "xyz", "00" * 31, "/nowhere"])
def test_what_is_no_public_key_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="is not a public key"):
        read_public_key(text)
