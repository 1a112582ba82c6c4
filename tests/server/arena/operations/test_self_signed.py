"""An arena with a certificate authority of its own."""

from __future__ import annotations

import shutil
import ssl
import stat
from pathlib import Path

import pytest

from referee.door.tls import server_credentials
from referee.errors import ConfigError
from server.arena.config import default_config
from server.arena.operations import self_signed
from server.arena.operations.self_signed import prepare_self_signed, remembered_name
from server.arena.serve import go_public, prepare
from server.cli.serve import read_settings
from support.certificates import need_openssl

need_openssl()


def handshake(folder: Path, host: str, ca: Path | None = None) -> str:
    """Dial a server that has the certificate, trusting the authority; why that fails, or nothing."""
    client = ssl.create_default_context(cafile=str(ca or folder / "ca.pem"))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    caller = client.wrap_bio(back, there, server_hostname=host)
    callee = server.wrap_bio(there, back, server_side=True)
    for side in (caller, callee, caller):
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLCertVerificationError as error:
            return error.verify_message
    return ""


def test_whoever_trusts_the_authority_can_dial_by_the_name_or_from_this_machine(tmp_path: Path) -> None:
    flags = prepare_self_signed(tmp_path, "arena.example.org")
    folder = tmp_path / "tls"
    server_credentials(Path(flags["tls_cert"]), Path(flags["tls_key"]))
    for host in ("arena.example.org", "localhost", "127.0.0.1", "::1"):
        assert handshake(folder, host) == "", host
    assert "not valid for" in handshake(folder, "other.example.org")
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert flags["host_name"] == "arena.example.org"


def test_a_certificate_is_kept_until_it_is_close_to_its_end_or_the_name_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tls"

    def files() -> tuple[bytes, bytes]:
        return (folder / "ca.pem").read_bytes(), (folder / "cert.pem").read_bytes()

    prepare_self_signed(tmp_path, "arena.example.org")
    authority, first = files()
    prepare_self_signed(tmp_path, "arena.example.org")
    assert files() == (authority, first)
    prepare_self_signed(tmp_path, "192.0.2.7")
    again, second = files()
    assert (again, second != first, handshake(folder, "192.0.2.7")) == (authority, True, "")
    monkeypatch.setattr(self_signed, "RENEW_DAYS", self_signed.CERTIFICATE_DAYS + 1)
    prepare_self_signed(tmp_path, "192.0.2.7")
    assert files()[0] == authority, "invites stay good"
    assert files()[1] != second
    (folder / "ca.key").unlink()
    prepare_self_signed(tmp_path, "192.0.2.7")
    assert files()[0] != authority
    assert handshake(folder, "192.0.2.7") == "", "a new authority signs a new certificate"


@pytest.mark.parametrize("name", ["arena.example.org", "192.0.2.7", "[2001:db8::7]", "localhost", "127.0.0.1"])
def test_a_folder_remembers_the_name_it_was_made_for(name: str, tmp_path: Path) -> None:
    assert remembered_name(tmp_path) == ""
    prepare_self_signed(tmp_path, name)
    assert remembered_name(tmp_path) == name
    (tmp_path / "tls" / "ca.key").unlink()
    assert remembered_name(tmp_path) == "", "another authority would make the invites worthless: nobody asked for one"


@pytest.mark.parametrize("name", ["", "a b", "x\n[ext]", "http://x", "x:7071", "-x", "a" * 300, "x,DNS:y"])
def test_what_is_no_host_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the name or address"):
        prepare_self_signed(tmp_path, name)
    assert not (tmp_path / "tls").exists()


def test_without_openssl_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda program: None)
    with pytest.raises(ConfigError, match="apt install openssl"):
        prepare_self_signed(tmp_path, "localhost")


def test_it_listens_everywhere_unless_somebody_chose_otherwise() -> None:
    config = default_config()
    assert (go_public(config, {}).listen, go_public(config, {}).public) == ("0.0.0.0:7071", "0.0.0.0:7072")
    chosen = go_public(config, {"listen": config.listen})
    assert (chosen.listen, chosen.public) == (config.listen, "0.0.0.0:7072")


class Said:
    """What an arena prints."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        self.lines.append(text)

    warn = say


def test_an_arena_that_is_started_again_without_the_flag_keeps_its_certificate(tmp_path: Path) -> None:
    """Invites and bots trust its authority: in plain text, none of them would get in."""
    said = Said()
    path = prepare(tmp_path, said)
    first = read_settings(tmp_path, path, "arena.example.org", {}, said)
    assert (first.host_name, first.listen) == ("arena.example.org", "0.0.0.0:7071")
    said.lines.clear()
    assert read_settings(tmp_path, path, None, {}, said) == first
    [line] = said.lines
    assert ("arena.example.org" in line, "--insecure" in line) == (True, True)
    assert read_settings(tmp_path, path, None, {"insecure": True}, said).tls_cert == ""
    own = read_settings(tmp_path, path, None, {"tls_cert": "/c.pem", "tls_key": "/k.pem"}, said)
    assert (own.tls_cert, own.tls_ca) == ("/c.pem", "")
    assert len(said.lines) == 1
    with pytest.raises(ConfigError, match="leave out --tls-cert"):
        read_settings(tmp_path, path, "localhost", {"tls_cert": "/c.pem", "tls_key": "/k.pem"}, said)
