"""Certificates that cannot work are refused with a clear line; addresses that need none are known."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from referee.door.tls import is_loopback, server_credentials, why_not_valid_now
from referee.errors import ConfigError
from support.certificates import expire, make_certificate


@pytest.mark.parametrize(
    "address",
    ["unix:/run/door", "unix-abstract:door", "localhost:0", "LOCALHOST:7", "127.0.0.1:7", "127.9.8.7:7", "[::1]:7"],
)
def test_loopback(address: str) -> None:
    assert is_loopback(address)


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0:7",
        "[::]:7",
        "192.168.1.1:7",
        "example.org:7",
        "localhost.example.org:7",
        "127.0.0.1.nip.io:7",
        ":7",
        "",
    ],
)
def test_beyond_loopback(address: str) -> None:
    assert not is_loopback(address)


def test_a_certificate_and_its_key_make_credentials(tmp_path: Path) -> None:
    cert, key = make_certificate(tmp_path)
    server_credentials(cert, key)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    cert, key = make_certificate(tmp_path)
    with pytest.raises(ConfigError, match=r"read.*key.*absent"):
        server_credentials(cert, tmp_path / "absent")
    with pytest.raises(ConfigError, match=r"read.*certificate.*absent"):
        server_credentials(tmp_path / "absent", key)


def test_a_key_of_another_certificate_is_named(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    cert, _ = make_certificate(tmp_path)
    _, other = make_certificate(tmp_path / "other")
    with pytest.raises(ConfigError, match=r"other/key\.pem.*fit.*cert\.pem"):
        server_credentials(cert, other)


def test_a_key_that_asks_for_a_passphrase_is_named(tmp_path: Path) -> None:
    cert, key = make_certificate(tmp_path)
    locked = tmp_path / "locked.pem"
    words = ["openssl", "pkey", "-in", str(key), "-aes256", "-passout", "pass:secret", "-out", str(locked)]
    subprocess.run(words, check=True, capture_output=True, timeout=60)
    with pytest.raises(ConfigError, match=r"locked\.pem.*encrypted.*passphrase"):
        server_credentials(cert, locked)


def test_swapped_files_are_named(tmp_path: Path) -> None:
    cert, key = make_certificate(tmp_path)
    with pytest.raises(ConfigError, match=r"no certificate.*key\.pem"):
        server_credentials(key, cert)
    with pytest.raises(ConfigError, match=r"no private key.*cert\.pem"):
        server_credentials(cert, cert)


def test_a_damaged_key_is_said_to_be_unusable(tmp_path: Path) -> None:
    cert, key = make_certificate(tmp_path)
    key.write_text(key.read_text()[:100])
    with pytest.raises(ConfigError, match=r"cannot use.*cert\.pem"):
        server_credentials(cert, key)


def test_a_certificate_that_has_expired_is_told_of(tmp_path: Path) -> None:
    cert, key = make_certificate(tmp_path)
    assert why_not_valid_now(cert, key) == ""
    expire(cert, key)
    assert why_not_valid_now(cert, key) == "certificate has expired"
