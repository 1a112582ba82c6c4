"""`tortuga serve --self-signed NAME`: the arena's own certificate authority, and its server's certificate.

DIR/tls holds both with their keys. The authority lasts ten years and is part of every invite. The certificate is
renewed when it is close to its end, or for another name; clients that trust the authority do not notice.

The program openssl does the work (server/system/certificates.py).
"""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from referee.errors import ConfigError
from referee.records.files import write_atomically
from server.system.certificates import make_authority, make_certificate, read_expiry, require_openssl
from server.system.setting_files import is_address

FOLDER = "tls"
CA_DAYS = 3650
CERTIFICATE_DAYS = 397
RENEW_DAYS = 60
"""A certificate with less time left than this is renewed at the next start."""
OPENSSL = ("--self-signed needs", ", or pass --tls-cert and --tls-key with a certificate of your own")
"""What needs openssl, and what would do without."""


def prepare_self_signed(directory: Path, name: str) -> dict[str, str]:
    """Return the settings of an arena with its own authority. Create the authority if it does not exist."""
    check_host(name)
    folder = directory / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    if not (folder / "ca.pem").exists() or not (folder / "ca.key").exists() or not has_time_left(folder / "ca.pem"):
        replace_authority(folder, name)
    names = folder / "names.txt"
    wanted = alternative_names(name)
    fits = names.exists() and names.read_text() == wanted
    if not (fits and (folder / "key.pem").exists() and has_time_left(folder / "cert.pem")):
        replace_certificate(folder, name)
        write_atomically(names, wanted.encode(), private=True)
    return {
        "tls_cert": str(folder / "cert.pem"),
        "tls_key": str(folder / "key.pem"),
        "tls_ca": str(folder / "ca.pem"),
        "host_name": name,
    }


def remembered_name(directory: Path) -> str:
    """Return the name that an arena's own certificate was made for, or an empty string if it has none.

    A later start without --self-signed continues with it, because the invites contain its authority.
    """
    folder = directory / FOLDER
    if not all((folder / name).is_file() for name in ("ca.pem", "ca.key", "names.txt")):
        return ""
    kind, _, name = (folder / "names.txt").read_text().partition(",")[0].partition(":")
    return f"[{name}]" if kind == "IP" and ":" in name else name


def check_host(name: str) -> None:
    """Refuse what is not a host name: it goes into a configuration file and into invites."""
    if not is_address(f"{name}:1") or len(name) > 253 or name.startswith("-"):
        raise ConfigError(f"--self-signed is {name!a}, expected the name or address by which others reach this machine")


def alternative_names(name: str) -> str:
    """Return the names that the certificate is valid for, as OpenSSL writes them, including this machine's own."""
    host = name.removeprefix("[").removesuffix("]")
    try:
        own = f"IP:{ipaddress.ip_address(host)}"
    except ValueError:
        own = f"DNS:{host}"
    return ",".join(dict.fromkeys([own, "DNS:localhost", "IP:127.0.0.1", "IP:::1"]))


def has_time_left(certificate: Path) -> bool:
    """Return whether a certificate exists and remains valid for some time."""
    try:
        return read_expiry(certificate) > datetime.now(UTC) + timedelta(days=RENEW_DAYS)
    except (FileNotFoundError, ValueError):
        return False


def replace_authority(folder: Path, name: str) -> None:
    """Create a new authority. All certificates and invites of an older one become invalid."""
    require_openssl(*OPENSSL)
    authority = make_authority(folder, f"Tortuga arena {name[:40]}", days=CA_DAYS)
    for file in ("cert.pem", "names.txt"):
        (folder / file).unlink(missing_ok=True)
    write_atomically(folder / "ca.key", authority.key, private=True)
    write_atomically(folder / "ca.pem", authority.certificate, private=True)


def replace_certificate(folder: Path, name: str) -> None:
    """Create a new certificate of the server, signed by the authority."""
    require_openssl(*OPENSSL)
    signed = make_certificate(
        folder,
        name[:60],
        days=CERTIFICATE_DAYS,
        authority=folder / "ca.pem",
        authority_key=folder / "ca.key",
        extensions=("extendedKeyUsage = serverAuth", f"subjectAltName = {alternative_names(name)}"),
    )
    write_atomically(folder / "key.pem", signed.key, private=True)
    write_atomically(folder / "cert.pem", signed.certificate, private=True)
