"""Invite files: everything somebody needs to connect to an arena, in one secret TOML file.

`tortuga server team import` and `server token new` write them; `tortuga bot connect --invite` and `client … --invite`
read them. A file that is read is not trusted: it may be damaged or malicious.
"""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from referee.errors import ConfigError
from referee.records.files import OTHERS, write_atomically
from server.system.setting_files import is_address, toml

KINDS = ("author", "commentator", "organiser")
MAX_BYTES = 256 * 1024
CERTIFICATE = "-----BEGIN CERTIFICATE-----"
SYSTEM = "system"
"""Trust the roots that the machine trusts anyway."""
_TOKEN = re.compile(r"[A-Za-z0-9_-]{20,100}", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Invite:
    """The content of an invite."""

    kind: str
    name: str
    """The team, or the label of the token."""
    bots: str
    """Address of the bots' door."""
    public: str
    """Address of the public door. Empty: there is none."""
    token: str
    tls: bool
    ca: str = ""
    """The certificate authority to trust, PEM. Empty: those of the system."""

    def __repr__(self) -> str:  # the token is for nobody's eyes
        return f"Invite(kind={self.kind!r}, name={self.name!r}, bots={self.bots!r})"

    @property
    def trust(self) -> str:
        """Return the value for TORTUGA_TLS, where the roots are the system's or none are needed."""
        return SYSTEM if self.tls and not self.ca else ""


def write_invite(path: Path, invite: Invite) -> None:
    """Write a file that only its owner may read."""
    ca = f'ca = """\n{invite.ca.strip()}\n"""\n' if invite.ca else ""
    text = (
        f"# An invite to a Tortuga arena, for {invite.name}. Keep it secret: whoever has it can act as {invite.name}.\n"
        f"{USES[invite.kind].format(file=path.name)}"
        f"kind = {toml(invite.kind)}\nname = {toml(invite.name)}\nbots = {toml(invite.bots)}\n"
        f"public = {toml(invite.public)}\ntls = {toml(invite.tls)}\ntoken = {toml(invite.token)}\n{ca}"
    )
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(path, text.encode(), private=True)


USES = {
    "author": "# Submit a bot, to be hosted there:  tortuga client submit FOLDER --bot NAME --invite {file}\n"
    "# Or run it yourself:  tortuga bot connect FOLDER --invite {file}\n"
    "# Enter an event:  tortuga client enter EVENT --invite {file}\n",
    "commentator": "# Watch a match:  tortuga client watch --invite {file}\n",
    "organiser": "# Give orders:  tortuga server status --invite {file}\n",
}


def read_invite(path: Path) -> Invite:
    """Read an invite, or say what is wrong with it."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"the invite {path} cannot be read: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise ConfigError(f"{path} is too large for an invite")
    try:
        table = tomllib.loads(content.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{path} is not an invite: {error}") from None
    known: dict[str, type] = {
        **dict.fromkeys(("kind", "name", "bots", "public", "token", "ca"), str),
        "tls": bool,
    }
    unknown = [name for name in table if name not in known]
    wrong = [name for name, kind in known.items() if name in table and type(table[name]) is not kind]
    missing = [name for name in known if name not in table and name != "ca"]
    if unknown or wrong or missing:
        raise ConfigError(f"{path} is not an invite: check {', '.join([*unknown, *wrong, *missing])}")
    invite = Invite(**table)
    if invite.kind not in KINDS:
        raise ConfigError(f"{path} is not an invite: its kind is {invite.kind!a}, expected {', '.join(KINDS)}")
    for address in filter(None, (invite.bots, invite.public)):
        if not is_address(address):
            raise ConfigError(f"{path} is not an invite: {address!a} is not an address, expected HOST:PORT")
    if not _TOKEN.fullmatch(invite.token):
        raise ConfigError(f"{path} is not an invite: its token is not a token")
    if invite.ca and CERTIFICATE not in invite.ca:
        raise ConfigError(f"{path} is not an invite: its ca is not a certificate")
    return invite


def open_to_others(path: Path) -> bool:
    """Check whether other users of this machine can read a file."""
    return bool(os.stat(path).st_mode & OTHERS)
