"""Authorities and certificates, made by openssl and read without it."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from referee.errors import ConfigError
from server.system.certificates import SignedKey, make_authority, make_certificate, read_expiry, require_openssl
from support.certificates import need_openssl

need_openssl()

KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def write(folder: Path, signed: SignedKey) -> tuple[Path, Path]:
    certificate, key = folder / "made.pem", folder / "made.key"
    certificate.write_bytes(signed.certificate)
    key.write_bytes(signed.key)
    return certificate, key


def subject_of(certificate: Path) -> str:
    words = ("x509", "-noout", "-subject", "-nameopt", "utf8,sep_multiline,lname", "-in", str(certificate))
    done = subprocess.run(["openssl", *words], check=True, capture_output=True, encoding="utf-8")
    return done.stdout.partition("commonName=")[2].rstrip("\n")


def is_trusted(authority: Path, certificate: Path) -> bool:
    done = subprocess.run(["openssl", "verify", "-CAfile", str(authority), str(certificate)], capture_output=True)
    return done.returncode == 0


@pytest.mark.parametrize("name", ["one", "a b", "$HOME", "ü#;=,+x", "[x]", "a\\nb", "x" * 64])
def test_any_name_stands_in_the_certificate_as_it_is(name: str, tmp_path: Path) -> None:
    authority, authority_key = write(tmp_path, make_authority(tmp_path, "authority", days=3))
    other = tmp_path / "other"
    other.mkdir()
    certificate, _ = write(
        other, make_certificate(other, name, days=2, authority=authority, authority_key=authority_key)
    )
    assert subject_of(certificate) == name
    assert is_trusted(authority, certificate)


def test_an_authority_without_key_identifier_can_sign(tmp_path: Path) -> None:
    """Clusters have such authorities, made by an earlier version."""
    config = tmp_path / "plain.cnf"
    config.write_text(
        "[req]\ndistinguished_name = dn\nprompt = no\nx509_extensions = ext\n[dn]\nCN = old\n"
        "[ext]\nbasicConstraints = critical,CA:TRUE,pathlen:0\nsubjectKeyIdentifier = none\n"
    )
    authority, key = tmp_path / "ca.pem", tmp_path / "ca.key"
    files = ("-config", str(config), "-keyout", str(key), "-out", str(authority))
    subprocess.run(["openssl", "req", "-x509", *KEY, "-days", "2", *files], check=True, capture_output=True)
    certificate, _ = write(tmp_path, make_certificate(tmp_path, "new", days=1, authority=authority, authority_key=key))
    assert is_trusted(authority, certificate)


def test_a_certificate_is_valid_from_an_hour_ago_for_its_days(tmp_path: Path) -> None:
    certificate, _ = write(tmp_path, make_authority(tmp_path, "authority", days=3))
    left = read_expiry(certificate) - datetime.now(UTC)
    assert timedelta(days=2, hours=23) < left <= timedelta(days=3)
    assert not list(tmp_path.glob("tmp*")), "drafts are removed"
    words = ("x509", "-noout", "-startdate", "-in", str(certificate))
    started = subprocess.run(["openssl", *words], check=True, capture_output=True, text=True).stdout
    begin = datetime.fromtimestamp(ssl.cert_time_to_seconds(started.strip().partition("=")[2]), UTC)
    assert timedelta(minutes=55) < datetime.now(UTC) - begin < timedelta(minutes=75)


def test_an_end_after_2050_is_read(tmp_path: Path) -> None:
    certificate, key = tmp_path / "far.pem", tmp_path / "far.key"
    files = ("-subj", "/CN=far", "-keyout", str(key), "-out", str(certificate))
    subprocess.run(["openssl", "req", "-x509", *KEY, "-days", "20000", *files], check=True, capture_output=True)
    assert timedelta(days=19_999) < read_expiry(certificate) - datetime.now(UTC) <= timedelta(days=20_000)


@pytest.mark.parametrize("size", [0, 1, 20, 200])
def test_what_is_no_certificate_is_refused(size: int, tmp_path: Path) -> None:
    path = tmp_path / "damaged.pem"
    path.write_bytes(b"nonsense")
    with pytest.raises(ValueError, match="no certificate"):
        read_expiry(path)
    content = ssl.PEM_cert_to_DER_cert(make_authority(tmp_path, "authority", days=1).certificate.decode())
    path.write_text(ssl.DER_cert_to_PEM_cert(content[:size]))
    with pytest.raises(ValueError, match="damaged"):
        read_expiry(path)


def test_without_openssl_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda program: None)
    with pytest.raises(ConfigError) as refused:
        require_openssl("certificates need")
    assert str(refused.value).startswith("certificates need ")
    assert "install openssl" in str(refused.value)
