"""TLS for a door, and where a door can do without it."""

from __future__ import annotations

import ipaddress
import ssl
from pathlib import Path

import grpc

from referee.errors import ConfigError


def server_credentials(cert: Path, key: Path) -> grpc.ServerCredentials:
    """A certificate chain and its private key, both PEM, for `Door.open`. Tried here, because gRPC would start with a
    pair that does not fit and then refuse every bot without a word."""
    chain, secret = _read(cert, "certificate"), _read(key, "private key")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(cert, key, password="")  # a prompt for a passphrase would hang a server
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise ConfigError(f"the private key {key} does not fit the certificate {cert}") from None
        why = (error.reason or "no PEM").replace("_", " ").lower()
        raise ConfigError(f"cannot use the certificate {cert} with the private key {key}: {why}") from None
    return grpc.ssl_server_credentials([(secret, chain)])


def _read(path: Path, what: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read the {what} {path}: {error.strerror}") from None


def is_loopback(address: str) -> bool:
    """Whether a gRPC address (`unix:…`, `host:port`) can only be reached from this machine."""
    if address.startswith(("unix:", "unix-abstract:")):
        return True
    host = address.removeprefix("ipv4:").removeprefix("ipv6:").rpartition(":")[0].removeprefix("[").removesuffix("]")
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
