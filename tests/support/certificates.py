"""A self-signed certificate for localhost, made by openssl."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def need_openssl() -> None:
    """Skip a test that needs openssl where it is missing, but never in CI."""
    if shutil.which("openssl") is None:
        assert os.environ.get("CI") != "true", "openssl is missing, and CI has to try TLS"
        pytest.skip("openssl is not installed: TLS is not tried", allow_module_level=True)


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """Return a certificate and its key, both PEM."""
    need_openssl()
    cert, key = folder / "cert.pem", folder / "key.pem"
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run(
        ["openssl", *words.split(), *names, "-keyout", key, "-out", cert], check=True, capture_output=True, timeout=60
    )
    return cert, key


def expire(cert: Path, key: Path) -> None:
    """Sign a certificate of make_certificate again: it was valid until yesterday."""
    words = ["openssl", "x509", "-in", str(cert), "-signkey", str(key), "-days", "-1", "-out", str(cert)]
    subprocess.run(words, check=True, capture_output=True, timeout=60)
