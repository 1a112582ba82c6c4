"""`tortuga serve --self-signed NAME`: the arena's own certificate authority, and its server's certificate.

DIR/tls holds both with their keys. The authority lasts ten years and is part of every invite. The certificate is
renewed when it is close to its end, or for another name; clients that trust the authority do not notice.

openssl does the work: it is available wherever TLS is, and something done once a year needs no library.
"""

from __future__ import annotations

import ipaddress
import shutil
import subprocess
import tempfile
from pathlib import Path

from referee.errors import ConfigError
from referee.records.files import write_atomically
from server.system.setting_files import is_address

FOLDER = "tls"
CA_DAYS = 3650
CERTIFICATE_DAYS = 397
RENEW_DAYS = 60
"""A certificate with less time left than this is renewed at the next start."""
OPENSSL_SECONDS = 60
KEY_KIND = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
CA_CONFIG = """
[req]
distinguished_name = dn
x509_extensions = ext
prompt = no
[dn]
CN = Tortuga arena {name}
[ext]
basicConstraints = critical,CA:TRUE,pathlen:0
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
"""
SERVER_CONFIG = """
[req]
distinguished_name = dn
prompt = no
[dn]
CN = {common_name}
[ext]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = {names}
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
"""


def prepare_self_signed(directory: Path, name: str) -> dict[str, str]:
    """The settings of an arena with its own authority, which is made if it is not there."""
    check_host(name)
    folder = directory / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    if not (folder / "ca.pem").exists() or not (folder / "ca.key").exists() or not lasts(folder / "ca.pem"):
        make_authority(folder, name)
    names = folder / "names.txt"
    wanted = alternative_names(name)
    fits = names.exists() and names.read_text() == wanted
    if not (fits and (folder / "key.pem").exists() and lasts(folder / "cert.pem")):
        make_certificate(folder, name)
        write_atomically(names, wanted.encode(), private=True)
    return {
        "tls_cert": str(folder / "cert.pem"),
        "tls_key": str(folder / "key.pem"),
        "tls_ca": str(folder / "ca.pem"),
        "host_name": name,
    }


def remembered_name(directory: Path) -> str:
    """The name that an arena's own certificate was made for: a later start without --self-signed goes on with it, since
    the invites bring along its authority. Empty: it has none."""
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
    """The names that the certificate is valid for, as OpenSSL writes them, always including this machine's own."""
    host = name.removeprefix("[").removesuffix("]")
    try:
        own = f"IP:{ipaddress.ip_address(host)}"
    except ValueError:
        own = f"DNS:{host}"
    return ",".join(dict.fromkeys([own, "DNS:localhost", "IP:127.0.0.1", "IP:::1"]))


def lasts(certificate: Path) -> bool:
    """Whether a certificate is there, and valid for some time to come."""
    if not certificate.exists():
        return False
    seconds = str(RENEW_DAYS * 86_400)
    return run_openssl("x509", "-checkend", seconds, "-noout", "-in", str(certificate), may_fail=True)


def make_authority(folder: Path, name: str) -> None:
    """Create a new authority. All certificates and invites of an older one become invalid."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        draft = Path(scratch)
        (draft / "ca.cnf").write_text(CA_CONFIG.format(name=name[:40]))
        files = ("-config", str(draft / "ca.cnf"), "-keyout", str(draft / "ca.key"), "-out", str(draft / "ca.pem"))
        run_openssl("req", "-x509", *KEY_KIND, "-days", str(CA_DAYS), *files)
        for file in ("cert.pem", "names.txt"):
            (folder / file).unlink(missing_ok=True)
        keep(draft, folder, ("ca.key", "ca.pem"))


def make_certificate(folder: Path, name: str) -> None:
    """A new certificate of the server, signed by the authority."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        draft = Path(scratch)
        config = draft / "server.cnf"
        config.write_text(SERVER_CONFIG.format(common_name=name[:60], names=alternative_names(name)))
        request = ("-keyout", str(draft / "key.pem"), "-out", str(draft / "request.pem"))
        run_openssl("req", "-new", *KEY_KIND, "-config", str(config), *request)
        run_openssl(
            *("x509", "-req", "-in", str(draft / "request.pem"), "-CA", str(folder / "ca.pem")),
            *("-CAkey", str(folder / "ca.key"), "-CAcreateserial", "-CAserial", str(draft / "serial")),
            *("-days", str(CERTIFICATE_DAYS), "-extfile", str(config), "-extensions", "ext"),
            *("-out", str(draft / "cert.pem")),
        )
        keep(draft, folder, ("key.pem", "cert.pem"))


def keep(draft: Path, folder: Path, names: tuple[str, ...]) -> None:
    """Move finished files to their place, for the eyes of the arena's user alone."""
    for name in names:
        write_atomically(folder / name, (draft / name).read_bytes(), private=True)


def run_openssl(*words: str, may_fail: bool = False) -> bool:
    """Run openssl; returns whether it was content."""
    if shutil.which("openssl") is None:
        raise ConfigError(
            "--self-signed needs the program openssl, which is not installed: install it (Debian: apt install "
            "openssl), or pass --tls-cert and --tls-key with a certificate of your own"
        )
    try:
        done = subprocess.run(
            ["openssl", *words], capture_output=True, text=True, timeout=OPENSSL_SECONDS, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"openssl {words[0]} cannot be run: {error}") from None
    if done.returncode and not may_fail:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise ConfigError(f"openssl {words[0]} failed: {last}")
    return done.returncode == 0
