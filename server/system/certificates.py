"""Certificate authorities and their certificates, made by the program openssl: for an arena, and for a cluster.

openssl is available wherever TLS is, and something done once a year needs no library. When a certificate expires is
read without it: a machine that only uses certificates needs no openssl.
"""

from __future__ import annotations

import re
import secrets
import shutil
import ssl
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from referee.errors import ConfigError

OPENSSL_SECONDS = 60
MAX_NAME = 64
"""Longest common name, in characters."""
CLOCKS_DIFFER = timedelta(hours=1)
"""Certificates are valid from this long before they are made: the clock of another machine may be behind."""
CONFIG = """
[req]
distinguished_name = subject
prompt = no
utf8 = yes
string_mask = utf8only
[subject]
CN = {name}
[ca]
default_ca = authority
[authority]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = policy
unique_subject = no
[policy]
commonName = supplied
[extensions]
{extensions}
"""
AUTHORITY = (
    "basicConstraints = critical,CA:TRUE,pathlen:0",
    "keyUsage = critical,keyCertSign,cRLSign",
    "subjectKeyIdentifier = hash",
)
CERTIFICATE = (
    "basicConstraints = critical,CA:FALSE",
    "keyUsage = critical,digitalSignature",
    "subjectKeyIdentifier = hash",
    "authorityKeyIdentifier = keyid,issuer",  # an older cluster's authority has no key identifier
)
UTC_TIME, VERSION_FIELD = 0x17, 0xA0
"""Tags in a certificate: a time with two digits for the year, and the field that may come before all others."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SignedKey:
    """A private key with its certificate, both PEM."""

    certificate: bytes
    key: bytes


def make_authority(folder: Path, name: str, *, days: int) -> SignedKey:
    """Make a new authority. `folder` is private and holds the drafts meanwhile."""
    return _make(folder, name, days, AUTHORITY, ("-selfsign",))


def make_certificate(
    folder: Path, name: str, *, days: int, authority: Path, authority_key: Path, extensions: Sequence[str] = ()
) -> SignedKey:
    """Make a new key and a certificate for it, signed by an authority. `folder` holds the drafts meanwhile."""
    signer = ("-cert", str(authority.absolute()), "-keyfile", str(authority_key.absolute()))
    return _make(folder, name, days, (*CERTIFICATE, *extensions), signer)


def require_openssl(needs: str, otherwise: str = "") -> None:
    """Refuse to continue without openssl. `needs` says what needs it, `otherwise` what would do without."""
    if shutil.which("openssl") is None:
        raise ConfigError(
            f"{needs} the program openssl, which is not installed: install it (Debian: apt install openssl){otherwise}"
        )


def read_expiry(path: Path) -> datetime:
    """Return when the first certificate of a PEM file expires. Raises ValueError if it holds none."""
    pem = re.search(rb"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", path.read_bytes(), re.DOTALL)
    if pem is None:
        raise ValueError("it holds no certificate")
    try:
        [(_, certificate)] = _elements(ssl.PEM_cert_to_DER_cert(pem[0].decode("ascii")))
        fields = _elements(_elements(certificate)[0][1])
        _, validity = fields[4 if fields[0][0] == VERSION_FIELD else 3]
        tag, end = _elements(validity)[1]
        year = "%y" if tag == UTC_TIME else "%Y"
        return datetime.strptime(end.decode("ascii"), f"{year}%m%d%H%M%SZ").replace(tzinfo=UTC)
    except (IndexError, ValueError):
        raise ValueError("the certificate in it is damaged") from None


def _elements(content: bytes) -> list[tuple[int, bytes]]:
    """Return the elements of DER content, each with its tag. The form is that of ITU-T X.690."""
    elements = []
    place = 0
    while place < len(content):
        tag, length = content[place], content[place + 1]
        place += 2
        if length & 0x80:  # the length is in that many bytes of its own
            count = length & 0x7F
            length = int.from_bytes(content[place : place + count])
            place += count
        if place + length > len(content):
            raise ValueError("it is cut off")
        elements.append((tag, content[place : place + length]))
        place += length
    return elements


def _make(folder: Path, name: str, days: int, extensions: Sequence[str], signer: Sequence[str]) -> SignedKey:
    now = datetime.now(UTC)
    begin, end = (f"{moment:%Y%m%d%H%M%SZ}" for moment in (now - CLOCKS_DIFFER, now + timedelta(days=days)))
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        draft = Path(scratch)
        plain = re.sub(r"([^A-Za-z0-9._-])", r"\\\1", name)
        (draft / "make.cnf").write_text(CONFIG.format(name=plain, extensions="\n".join(extensions)), encoding="utf-8")
        (draft / "index.txt").touch()
        new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key.pem")
        _run_openssl(draft, "req", "-new", "-config", "make.cnf", *new_key, "-out", "request.pem")
        (draft / "serial").write_text(f"01{secrets.token_hex(15)}\n")  # nobody can guess it, and it is positive
        if "-selfsign" in signer:
            signer = (*signer, "-keyfile", "key.pem")
        validity = ("-startdate", begin, "-enddate", end)
        files = ("-in", "request.pem", "-out", "cert.pem", "-extensions", "extensions")
        _run_openssl(draft, "ca", "-batch", "-notext", "-utf8", "-config", "make.cnf", *signer, *validity, *files)
        return SignedKey(certificate=(draft / "cert.pem").read_bytes(), key=(draft / "key.pem").read_bytes())


def _run_openssl(folder: Path, *arguments: str) -> None:
    try:
        done = subprocess.run(
            ["openssl", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=OPENSSL_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"openssl {arguments[0]} cannot be run: {error}") from None
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise ConfigError(f"openssl {arguments[0]} failed: {reason}")
