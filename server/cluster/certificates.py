"""Creates the certificates of a cluster: its own authority, and a certificate for each machine.

Dask checks that a certificate comes from the authority, but not host names. Whoever holds one can run code on every
machine: protect them like root passwords, and keep the authority's key off the machines.
"""

from __future__ import annotations

import datetime
import os
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from referee.errors import ConfigError
from server.cluster.settings import CA, CERTIFICATE, KEY

CA_KEY = "ca-key.pem"
YEARS = 2
PRIVATE = 0o600


def make_certificates(folder: Path, name: str = "") -> Path:
    """Create a certificate in a folder, or in its subfolder `name`, and first the authority if there is none.

    Returns the folder that a machine needs: the authority's certificate, its own, and its own key.
    """
    if name and (name != Path(name).name or name.startswith(".")):
        raise ConfigError(f"{name!r} is not a name for a folder of certificates")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if (folder / CA).exists() and not (folder / CA_KEY).exists():
        raise ConfigError(f"{folder} holds the certificate of an authority without its key {CA_KEY}: it cannot sign")
    if not (folder / CA).exists():
        _make_authority(folder)
    place = folder / name
    place.mkdir(mode=0o700, exist_ok=True)
    if (place / CERTIFICATE).exists():
        raise ConfigError(f"{place / CERTIFICATE} already exists")
    authority = x509.load_pem_x509_certificate((folder / CA).read_bytes())
    signer = serialization.load_pem_private_key((folder / CA_KEY).read_bytes(), None)
    assert isinstance(signer, ec.EllipticCurvePrivateKey)
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = _builder(name or "tortuga", authority.subject, key).sign(signer, hashes.SHA256())
    _write(place / KEY, _pem(key))
    _write(place / CERTIFICATE, certificate.public_bytes(serialization.Encoding.PEM))
    if name:
        _write(place / CA, (folder / CA).read_bytes())
    return place


def _make_authority(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"tortuga cluster {os.urandom(4).hex()}")])
    builder = _builder("", name, key).subject_name(name)
    certificate = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    _write(folder / CA_KEY, _pem(key))
    _write(folder / CA, certificate.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))


def _builder(subject: str, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    found = (
        x509.CertificateBuilder()
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))  # clocks differ
        .not_valid_after(now + datetime.timedelta(days=365 * YEARS))
    )
    if subject:
        found = found.subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
    return found


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _write(path: Path, content: bytes) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "wb") as file:
        file.write(content)
