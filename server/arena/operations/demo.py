"""`tortuga serve DIR --demo`: a demo arena. Sample bots play all games, slowly enough for people to watch.

Copies of the sample bots are in DIR/demo_bots: each thinks for a moment before it answers. A team "guest" is invited,
in DIR/invites/guest.toml. Nothing here is special otherwise: more bots and teams can be added, and a later start
without --demo runs the same arena.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from referee.door.tokens import hash_token
from referee.errors import ConfigError
from referee.records.files import write_atomically
from server.arena.config import FILE, ArenaConfig, default_config, write_text
from server.arena.people.teams import Team, Teams, TokenKind
from server.arena.registry import Registry
from server.bots.spec import SAMPLE_BOTS, find_bot, sample_manifests
from server.system.invites import Invite, read_invite, write_invite
from server.system.setting_files import toml
from tortuga.v1 import arena_pb2 as pb

FOLDER = "demo_bots"
OWNER = "demo"
GUEST = "guest"
INVITES = "invites"
SAMPLES = {
    "random": "random",
    "castaway": "random",
    "deckhand": "random",
    "gunner": "gunner",
    "privateer": "privateer",
    "buccaneer": "buccaneer",
    "raider": "raider",
    "trader": "trader",
}
"""The sample bot that plays under each name of the demo."""
SHARED = SAMPLE_BOTS / "python" / "shared" / "marauders_tactics"
SLOW = '''"""Plays as the sample bot beside it, after a moment of thought, so that people can watch."""

import importlib.util
import time

from tortuga_bot import Question, play

NAME = "strategy" if importlib.util.find_spec("strategy") else "bot"
plays = importlib.import_module(NAME).choose


def choose(question: Question) -> int | None:
    """What the sample bot chooses."""
    if question.option_count > 1:
        time.sleep(0.4)
    return plays(question)


if __name__ == "__main__":
    play(choose, slots=2)
'''


def prepare_demo(directory: Path) -> None:
    """Write the settings of a demo, unless the folder has some, and its bots."""
    path = directory / FILE
    if not path.exists():
        config = replace(
            default_config(),
            clock="600+1/10",
            matches_per_bot=2,
            rest_seconds=3.0,
            drain_seconds=0.0,
            trust_hosted=True,
        )
        write_atomically(path, write_text(config).encode(), private=True)
    for name, sample in SAMPLES.items():
        folder = directory / FOLDER / name
        if folder.exists():
            continue
        spec = find_bot(sample)
        draft = folder.with_name(f"{name}.draft")
        shutil.rmtree(draft, ignore_errors=True)
        shutil.copytree(sample_manifests()[sample].parent, draft, ignore=shutil.ignore_patterns("__pycache__"))
        if "marauders" in spec.games:  # what `build` in their bot.toml does
            shutil.copytree(SHARED, draft / SHARED.name, dirs_exist_ok=True)
        (draft / "slow.py").write_text(SLOW)
        facts = {
            "name": name,
            "version": spec.version,
            "language": "python",
            "games": list(spec.games),
            "slots": 2,
            "run": ["python", "{dir}/slow.py"],
        }
        (draft / "bot.toml").write_text("".join(f"{key} = {toml(value)}\n" for key, value in facts.items()))
        draft.rename(folder)


def host_demo(directory: Path, registry: Registry) -> None:
    """Register the bots of the demo as hosted ones. They are ours and need no check."""
    known = {bot.name for bot in registry.bots()}
    for name in SAMPLES:
        if name not in known:
            spec = find_bot(str(directory / FOLDER / name))
            registry.host(
                name,
                OWNER,
                str(directory / FOLDER / name),
                version=spec.version,
                language=spec.language,
                games=spec.games,
                slots=2,
            )


def invite_guest(directory: Path, teams: Teams, doors: pb.DoorsInfo) -> Path:
    """Write the invite of the team that visitors of the demo play for, and return its path.

    An existing invite keeps its token while that is valid, and gets today's addresses and authority.
    """
    path = directory / INVITES / f"{GUEST}.toml"
    if GUEST not in [team.name for team in teams.teams()]:
        teams.put([Team(name=GUEST, members=("whoever tries the demo",))])
    token = ""
    with suppress(ConfigError):  # there is none yet, or it was changed
        token = read_invite(path).token
    if not token or teams.find(hash_token(token)) is None:
        token, _ = teams.new_token(TokenKind.AUTHOR, team=GUEST)
    addresses = (doors.bots_address, doors.public_address)
    bots, public = (f"127.0.0.1{address}" if address.startswith(":") else address for address in addresses)
    invite = Invite(kind="author", name=GUEST, bots=bots, public=public, token=token, tls=doors.tls, ca=doors.ca)
    write_invite(path, invite)
    return path


def demo_instructions(directory: Path, config: ArenaConfig, invite: Path, pages: str) -> list[str]:
    """Return what to type, and where, as lines."""
    ladder = config.ladders[0].id if config.ladders else "LADDER"
    lines = ["Watch it in a browser on this machine:", f"  {pages}"] if pages else []
    lines += [
        "Play along, in another terminal of this machine:",
        "  tortuga bot new mine --language python",
        f"  tortuga bot connect mine --invite {invite}",
        f"  tortuga client ladder {ladder} --invite {invite}",
    ]
    if config.tls_cert:
        lines.append(f"Play along from elsewhere: copy {invite} there, and use it in the same way.")
    lines += [
        "Invite others, as the organiser, in another terminal of this machine:",
        f"  tortuga server team add ann --dir {directory}",
        f"  tortuga server status --dir {directory}",
    ]
    return lines
