"""TLS for a door, and which addresses need none."""

from __future__ import annotations

import ipaddress
import re
import ssl
from pathlib import Path

import grpc

from referee.errors import ConfigError

_NOT_VALID_NOW = (9, 10)
"""Numbers of OpenSSL for a certificate that is not yet valid, and for one that has expired."""


def server_credentials(cert: Path, key: Path) -> grpc.ServerCredentials:
    """Read a certificate chain and its private key, both PEM, for `Door.open`. Checked here, because gRPC would
    start with a pair that does not match and then refuse every bot without a reason."""
    chain, secret = _read(cert, "certificate"), _read(key, "private key")
    for path, what, content, mark in (
        (cert, "certificate", chain, b"CERTIFICATE"),
        (key, "private key", secret, b"KEY"),
    ):
        if not re.search(b"-----BEGIN [A-Z0-9 ]*" + mark + b"-----", content):
            raise ConfigError(f"there is no {what} in {path}: it must be a PEM file, and the two are easily swapped")
    _load(cert, key)
    return grpc.ssl_server_credentials([(secret, chain)])


def why_not_valid_now(cert: Path, key: Path) -> str:
    """Return `certificate has expired` or `certificate is not yet valid`; empty if it is valid now. Found by a
    handshake with ourselves: Python reads the dates of a certificate only when it verifies one."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.load_verify_locations(cert)
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # whoever signed it, we trust it
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    caller, callee = client.wrap_bio(back, there), _load(cert, key).wrap_bio(there, back, server_side=True)
    for side in (caller, callee, caller):
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            pass  # it is the other side's turn
        except ssl.SSLCertVerificationError as error:
            return error.verify_message if error.verify_code in _NOT_VALID_NOW else ""
    return ""


def _load(cert: Path, key: Path) -> ssl.SSLContext:
    context, asked = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), False

    def passphrase() -> str:  # a prompt would hang a server
        nonlocal asked
        asked = True
        return ""

    try:
        context.load_cert_chain(cert, key, password=passphrase)
    except ssl.SSLError as error:
        if asked:
            cure = f"keep it without a passphrase and mode 600 (openssl pkey -in {key} -out plain.pem)"
            raise ConfigError(f"the private key {key} is encrypted; {cure}") from None
        if error.reason == "KEY_VALUES_MISMATCH":
            raise ConfigError(f"the private key {key} does not fit the certificate {cert}") from None
        why = (error.reason or "damaged").replace("_", " ").lower()
        raise ConfigError(f"cannot use the certificate {cert} with the private key {key}: {why}") from None
    return context


def _read(path: Path, what: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read the {what} {path}: {error.strerror}") from None


def is_loopback(address: str) -> bool:
    """Check whether a gRPC address (`unix:…`, `host:port`) can only be reached from this machine."""
    if address.startswith(("unix:", "unix-abstract:")):
        return True
    host = address.removeprefix("ipv4:").removeprefix("ipv6:").rpartition(":")[0].removeprefix("[").removesuffix("]")
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
