"""An event is a folder. This file knows where in it everything lies, who may write there, and what was agreed.

tournament.toml   what the organiser wants; his to edit
event.json        what was agreed when play began: the manifest of then, and the roster; ours
lock              held by the one process that runs the event
tortuga.db        the index of the records, and the live ladder
records/, logs/   a record per match, a log per fault
events.jsonl      what happened, line by line
report.html       the tables, for a browser
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from referee.chance import commitment
from referee.errors import ConfigError
from referee.records.files import sync_folder, write_whole
from server.bots.spec import BotSpec
from server.folders import check_writable
from server.tournament.manifest import FILE, Manifest, as_table, differences, find_bots, make_manifest, read_manifest

AGREEMENT_FORMAT = 1
UNFIT = re.compile(r"[^A-Za-z0-9._-]+")
ASKERS_SECONDS = 1.0
"""Who asks whether the lock is held (`holder`) holds it himself for a moment."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Participant:
    """A bot of one version in this event. On a ladder a new version is a new participant, linked to the old one."""

    name: str
    bot: str
    """The bot's name in the manifest; a later version's own name is longer."""
    version: str = ""
    games: tuple[str, ...] = ()
    """Those it plays; empty: all."""
    hero: bool = False
    ancestor: str = ""
    joined: Mapping[str, int] = field(default_factory=dict)
    """Per contest the first stage it plays in; 0 where none is given."""
    left: Mapping[str, int] = field(default_factory=dict)
    """Per contest the first stage it plays in no longer, once it has left."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """What an event is played under, from its first match to its last."""

    manifest: Manifest
    roster: tuple[Participant, ...]

    @property
    def commitment(self) -> str:
        """Shown when play begins; the seed itself, from which all luck follows, when the event is over."""
        return commitment(self.manifest.seed.encode()).hex()

    @property
    def is_open(self) -> bool:
        """Whether this is an arena's ladder: nobody was entered, bots come by themselves, every block is one match."""
        return not self.manifest.bots

    @property
    def event_id(self) -> str:
        """Tells events apart."""
        return self.commitment[:12]

    def participant(self, name: str) -> Participant:
        """By its name in the tables."""
        return next(one for one in self.roster if one.name == name)


@dataclass(frozen=True, slots=True)
class Folder:
    """The paths of an event."""

    path: Path

    @property
    def manifest(self) -> Path:
        """What the organiser wants."""
        return self.path / FILE

    @property
    def agreement(self) -> Path:
        """What was agreed."""
        return self.path / "event.json"

    @property
    def database(self) -> Path:
        """The index."""
        return self.path / "tortuga.db"

    @property
    def records(self) -> Path:
        """One file per match."""
        return self.path / "records"

    @property
    def logs(self) -> Path:
        """One file per fault: what the bot had printed."""
        return self.path / "logs"

    @property
    def journal(self) -> Path:
        """What happened."""
        return self.path / "events.jsonl"

    @property
    def report(self) -> Path:
        """The tables for a browser."""
        return self.path / "report.html"

    def check_writable(self) -> None:
        """Find out before the first match."""
        for folder in (self.path, self.records, self.logs):
            check_writable(folder)

    def read_agreement(self) -> Agreement | None:
        """None: nothing was played yet."""
        try:
            table = json.loads(self.agreement.read_text())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise ConfigError(f"{self.agreement} cannot be read: {error}") from None
        if not isinstance(table, dict) or table.get("format") != AGREEMENT_FORMAT:
            raise ConfigError(f"{self.agreement} was written by another version of tortuga")
        try:
            roster = tuple(Participant(**{**one, "games": tuple(one["games"])}) for one in table["roster"])
            return Agreement(manifest=make_manifest(table["manifest"]), roster=roster)
        except (KeyError, TypeError, ConfigError) as error:
            raise ConfigError(f"{self.agreement} is damaged: {error!r}") from None

    def require_agreement(self) -> Agreement:
        """For those who only look."""
        found = self.read_agreement()
        if found is None:
            what = "no match was played yet" if self.manifest.is_file() else f"there is no {FILE}"
            raise ConfigError(f"{self.path} is not an event under way: {what}")
        return found

    def write_agreement(self, agreement: Agreement) -> None:
        """Durable before the first match that follows from it."""
        table = {
            "format": AGREEMENT_FORMAT,
            "event": agreement.event_id,
            "manifest": as_table(agreement.manifest),
            "roster": [asdict(one) for one in agreement.roster],
        }
        write_whole(self.agreement, json.dumps(table, indent=1).encode())
        sync_folder(self.path)


def agree(
    folder: Folder, stages: Mapping[str, int] | None = None, *, remote: bool = False
) -> tuple[Agreement, dict[str, BotSpec]]:
    """What the event is played under now, and its bots; refuses a manifest that was changed under a half-played event.

    A ladder's bots may come, go and change version: `stages` gives per contest the first stage that is not yet drawn.
    `remote`: bots that dial in by themselves can take part.
    """
    manifest, agreed = read_manifest(folder.manifest), folder.read_agreement()
    bots = find_bots(manifest, folder.path)
    for spec in bots.values():
        if not (remote and spec.remote):
            check_startable(spec)
    if agreed is None:
        entered = zip(bots.items(), manifest.bots, strict=True)
        roster = tuple(enter(name, spec, hero=entry.hero) for (name, spec), entry in entered)
        return Agreement(manifest=manifest, roster=roster), bots
    check_unchanged(folder, agreed, manifest, bots)
    if manifest.format == "ladder":
        roster = follow_roster(agreed.roster, bots, stages or {})
        found = Agreement(manifest=manifest, roster=roster)
    else:
        found = replace(agreed, manifest=manifest)
    return found, {one.name: replace(bots[one.bot], name=one.name) for one in found.roster if is_present(one, bots)}


def enter(name: str, spec: BotSpec, *, hero: bool = False) -> Participant:
    """A bot as it takes part."""
    return Participant(name=name, bot=name, version=spec.version, games=spec.games, hero=hero)


def is_present(participant: Participant, bots: Mapping[str, BotSpec]) -> bool:
    """Whether the manifest still has this bot in this version."""
    spec = bots.get(participant.bot)
    return spec is not None and spec.version == participant.version


def check_startable(spec: BotSpec) -> None:
    """A bot that was never built should be found before the event, not by its forfeits."""
    if spec.remote:
        raise ConfigError(f"the bot {spec.name} dials in by itself: an arena (`tortuga serve`) can run this event")
    if shutil.which(spec.run[0]) is None and not spec.run[0].startswith("python"):
        hint = f"; build it: {' '.join(spec.build)}" if spec.build else ""
        raise ConfigError(f"the bot {spec.name} cannot be started: there is no {spec.run[0]}{hint}")


def check_unchanged(folder: Folder, agreed: Agreement, manifest: Manifest, bots: Mapping[str, BotSpec]) -> None:
    """Refuse, with the difference, what would make another event of it."""
    ignore = {"concurrency", "pin"} | ({"bots", "rounds"} if manifest.format == "ladder" else set())
    changed = differences(as_table(agreed.manifest), as_table(manifest), frozenset(ignore))
    if manifest.format != "ladder":
        changed += [
            f"bot {one.name}: was version {one.version or '-'}, is now {bots[one.bot].version or '-'}"
            for one in agreed.roster
            if one.bot in bots and not is_present(one, bots)
        ]
    if changed:
        raise ConfigError(
            f"{folder.manifest} was changed under an event that is half played: {'; '.join(changed)}. "
            "Change it back, or start a new event in another folder"
        )


def follow_roster(
    roster: Sequence[Participant], bots: Mapping[str, BotSpec], stages: Mapping[str, int]
) -> tuple[Participant, ...]:
    """A ladder's roster after bots came, went, or changed version."""
    found = [one if one.left or is_present(one, bots) else replace(one, left=dict(stages)) for one in roster]
    for name, spec in bots.items():
        versions = [one for one in found if one.bot == name]
        if any(one.version == spec.version and not one.left for one in versions):
            continue
        label = new_name(name, spec.version if versions else "", {one.name for one in found})
        ancestor = versions[-1].name if versions else ""
        found.append(replace(enter(name, spec), name=label, ancestor=ancestor, joined=dict(stages)))
    return tuple(found)


def new_name(bot: str, version: str, taken: Collection[str]) -> str:
    """What a later version is called: `bot-2`, or more if somebody is called that. A version may be any text."""
    stem = f"{bot[:40]}-{UNFIT.sub('-', version)[:16]}" if version else bot
    label, number = stem, 2
    while label in taken:
        label, number = f"{stem[:57]}-{number}", number + 1
    return label


class Held:
    """The lock of a folder, held by this process; keeps account of what would have to be cleaned up after it."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._scratch: list[str] = []

    def new_scratch(self) -> Path:
        """The path of a private folder for a worker: written down before it is made, so that it is never lost."""
        path = Path(tempfile.gettempdir()) / f"tortuga-{os.urandom(6).hex()}"
        self._scratch.append(str(path))
        self.write()
        return path

    def write(self) -> None:
        """Who holds the lock, for those who are refused and for those who come after."""
        self._file.seek(0)
        self._file.truncate()
        json.dump({"pid": os.getpid(), "scratch": self._scratch}, self._file)
        self._file.flush()

    def clean(self) -> None:
        """Remove what was written down."""
        for path in self._scratch:
            shutil.rmtree(path, ignore_errors=True)
        self._scratch = []


@contextmanager
def hold(folder: Folder) -> Iterator[Held]:
    """Be the one process that runs this event. The kernel frees the lock of a process that was killed."""
    try:
        file = (folder.path / "lock").open("a+")
    except OSError as error:
        raise ConfigError(f"cannot write into the folder {folder.path}: {error.strerror}") from None
    with file:
        _lock(folder, file)
        held = Held(file)
        held._scratch = _left_behind(file)
        held.clean()
        held.write()
        try:
            yield held
        finally:
            held.clean()
            file.seek(0)
            file.truncate()


def _lock(folder: Folder, file: Any) -> None:
    patience = time.monotonic() + ASKERS_SECONDS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            pid = holder(folder)
            if pid is not None or time.monotonic() > patience:
                raise ConfigError(f"{folder.path} is being run by process {pid or 'unknown'}") from None
            time.sleep(0.02)


def holder(folder: Folder) -> int | None:
    """The process that runs the event at this moment, if any does."""
    try:
        with (folder.path / "lock").open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return int(json.load(file).get("pid", 0)) or None
    except (OSError, ValueError):
        pass
    return None


def _left_behind(file: Any) -> list[str]:
    file.seek(0)
    try:
        # Only what has the look of ours: the file could have been edited.
        return [path for path in json.load(file)["scratch"] if Path(path).name.startswith("tortuga-")]
    except (ValueError, KeyError, TypeError):
        return []
