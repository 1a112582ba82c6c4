"""Signatures: who vouches for a record or a table of results.

A seal only shows that a file was not damaged: anybody can make one. An arena or an event that signs has an Ed25519
key in a file that only its owner may read. It signs the seal of every record; the signature and the public key stand in
the gzip header beside the seal. A reader compares the public key with the one the organiser published.

The library `cryptography` is an extra, and only imported here: `pip install 'tortuga-arena[signatures]'`.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import ConfigError, RecordError
from referee.records.files import write_atomically

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY_BYTES = 32
SIGNATURE_BYTES = 64
RECORD = b"tortuga/v1/record\0"
"""Prefix of the seal of a record in what is signed, so that no signature can be taken for one of something else."""
RESULTS = b"tortuga/v1/results\0"
"""Prefix of the SHA-256 of a results file in what is signed."""

MISSING = "signatures need the library cryptography: pip install 'tortuga-arena[signatures]'"


class SigningKey:
    """The private key of an arena or event."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes_raw()

    @classmethod
    def open(cls, path: Path) -> SigningKey | None:
        """Return the key in that file; make it if need be. None: the library is not installed, and there is no key yet.
        None: the library is not installed, and there is no key yet.

        Where there is a key, everything is signed with it: a record without a signature would look forged.
        """
        try:
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        except ImportError:
            if path.exists():
                raise ConfigError(f"there is a key in {path}, but {MISSING}") from None
            return None
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            raw = Ed25519PrivateKey.generate().private_bytes_raw()
            write_atomically(path, raw, private=True)
        except OSError as error:
            raise ConfigError(f"the key {path} cannot be read: {error.strerror}") from None
        if len(raw) != KEY_BYTES:
            raise ConfigError(f"{path} is not a key: it has {len(raw)} bytes instead of {KEY_BYTES}")
        return cls(Ed25519PrivateKey.from_private_bytes(raw))

    def sign(self, purpose: bytes, digest: bytes) -> bytes:
        """Return the signature of a hash, for one purpose."""
        return self._private.sign(purpose + digest)


def is_signed(public: bytes, purpose: bytes, digest: bytes, signature: bytes) -> bool:
    """Check that the owner of that public key signed the hash for that purpose."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise ConfigError(MISSING) from None
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, purpose + digest)
    except (InvalidSignature, ValueError):
        return False
    return True


def read_public_key(text: str) -> bytes:
    """Read a public key as people pass it around: 64 hexadecimal digits, or a file that holds them."""
    digits = text.strip()
    path = Path(text)
    if len(digits) != 2 * KEY_BYTES and path.is_file():
        digits = path.read_text(errors="replace").strip()
    try:
        key = bytes.fromhex(digits)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise ConfigError(
            f"{text[:80]!r} is not a public key, expected {2 * KEY_BYTES} hexadecimal digits or a file with them"
        )
    return key


def sign_file(path: Path, key: SigningKey) -> None:
    """Write the signature of a file of results beside it, as FILE.sig: the signature and the public key."""
    signature = key.sign(RESULTS, hashlib.sha256(path.read_bytes()).digest())
    write_atomically(signature_path(path), f"{signature.hex()} {key.public.hex()}\n".encode())


def signature_path(path: Path) -> Path:
    """Return the path of the signature of a results file."""
    return path.with_name(f"{path.name}.sig")


def file_signer(path: Path) -> bytes | None:
    """Return the public key by which a results file is signed; None if it is not. RecordError if the signature is
    false."""
    try:
        parts = signature_path(path).read_text(errors="replace").split()
        digest = hashlib.sha256(path.read_bytes()).digest()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RecordError(error.strerror or str(error)) from None
    try:
        signature, public = map(bytes.fromhex, parts)
    except ValueError:
        raise RecordError(f"{signature_path(path).name} is not a signature") from None
    if not is_signed(public, RESULTS, digest, signature):
        raise RecordError("its signature is invalid")
    return public


def check_signer(signer: bytes | None, expected: bytes) -> None:
    """Refuse what somebody else signed, or nobody."""
    if signer is None:
        raise RecordError("it is not signed")
    if signer != expected:
        raise RecordError(f"it is signed by {signer.hex()}, not by {expected.hex()}")
