"""Creates the certificates of a cluster: its own authority, and a certificate for each machine.

Dask checks that a certificate comes from the authority, but not host names. Whoever holds one can run code on every
machine: protect them like root passwords, and keep the authority's key off the machines.
"""

from __future__ import annotations

import os
from pathlib import Path

from referee.errors import ConfigError
from server.cluster.settings import CA, CERTIFICATE, KEY
from server.system.certificates import MAX_NAME, make_authority, make_certificate, require_openssl

CA_KEY = "ca-key.pem"
YEARS = 2
PRIVATE = 0o600


def make_certificates(folder: Path, name: str = "") -> Path:
    """Create a certificate in a folder, or in its subfolder `name`, and first the authority if there is none.

    Returns the folder that a machine needs: the authority's certificate, its own, and its own key.
    """
    if name and (name != Path(name).name or name.startswith(".") or len(name) > MAX_NAME or not name.isprintable()):
        raise ConfigError(f"{name!r} is not a name for a folder of certificates")
    require_openssl("certificates need")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if (folder / CA).exists() and not (folder / CA_KEY).exists():
        raise ConfigError(f"{folder} holds the certificate of an authority without its key {CA_KEY}: it cannot sign")
    if not (folder / CA).exists():
        authority = make_authority(folder, f"tortuga cluster {os.urandom(4).hex()}", days=365 * YEARS)
        _write(folder / CA_KEY, authority.key)
        _write(folder / CA, authority.certificate)
    place = folder / name
    place.mkdir(mode=0o700, exist_ok=True)
    if (place / CERTIFICATE).exists():
        raise ConfigError(f"{place / CERTIFICATE} already exists")
    days, signer = 365 * YEARS, folder / CA_KEY
    signed = make_certificate(folder, name or "tortuga", days=days, authority=folder / CA, authority_key=signer)
    _write(place / KEY, signed.key)
    _write(place / CERTIFICATE, signed.certificate)
    if name:
        _write(place / CA, (folder / CA).read_bytes())
    return place


def _write(path: Path, content: bytes) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "wb") as file:
        file.write(content)
