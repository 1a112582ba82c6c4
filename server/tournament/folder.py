"""The layout of an event's folder: where every file is.

tournament.toml   what the organiser wants; theirs to edit
event.json        the agreement when play began: that manifest, and the roster; ours
starting-ratings.jsonl  what bots start a ladder's season with
signing.key       signs the records. There is none without the library cryptography
lock              held by the one process that runs the event
tortuga.db        the index of the records, and the live ladder
records/, logs/   a record per match, beside it the notes that are not for everybody; a log per fault
events.jsonl      what happened, line by line
rulings.jsonl     who was disqualified and which matches were annulled; part of the truth, beside the records
report.html       the tables, for a browser
replays/          matches for a browser, where they were asked for

Only its owner may enter the folder: the first two files contain the seed, which determines all luck, and in a running
event a record reveals the luck of matches that are still to be played. All files except the report and the replays are
also readable only by their owner, so that a copy of the folder in an open place leaks nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from referee.errors import ConfigError
from referee.records.files import read_regular_file, sync_folder, write_atomically
from referee.records.signature import SigningKey
from server.system.files import make_private
from server.tournament.agreement import FORMAT, Agreement, agreement_table, make_agreement
from server.tournament.manifest import FILE
from server.tournament.starting_ratings import FILE as STARTING_RATINGS
from server.tournament.starting_ratings import read_starting_ratings

RECORD_SUFFIX = ".tortuga"
MOST_AGREEMENT_BYTES = 256 * 1024 * 1024
"""An arena's roster has an entry of some 200 bytes for every version of every bot."""


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
    def starting_ratings(self) -> Path:
        """What bots start a ladder's season with."""
        return self.path / STARTING_RATINGS

    @property
    def key(self) -> Path:
        """What signs the records."""
        return self.path / "signing.key"

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
    def rulings(self) -> Path:
        """What the organiser ruled."""
        return self.path / "rulings.jsonl"

    @property
    def report(self) -> Path:
        """The tables, for a browser."""
        return self.path / "report.html"

    @property
    def replays(self) -> Path:
        """One HTML file per match that was exported, for the report to link."""
        return self.path / "replays"

    def record(self, match_id: str) -> Path:
        """The record of one match."""
        return self.records / f"{match_id}{RECORD_SUFFIX}"

    def notes(self, match_id: str) -> Path:
        """The notes of one match that are not in its record."""
        from referee.records.notes import notes_path  # it needs protobuf, and few need the notes

        return notes_path(self.record(match_id))

    def public_key(self) -> bytes:
        """What the signatures of the records are checked with; empty if they are not signed."""
        key = SigningKey.open(self.key) if self.key.exists() else None
        return key.public if key is not None else b""

    def prepare(self) -> list[str]:
        """Make the folder and close it to other users; refuse one that cannot be written to, before the first match.

        Returns warnings for people, as text.
        """
        databases = [path for path in self.path.glob(f"{self.database.name}*") if path.is_file()]
        stated = (self.manifest, self.agreement, self.starting_ratings, self.rulings, self.key)
        files = (*stated, self.journal, *databases)
        return [*make_private(self.path, files), *make_private(self.records), *make_private(self.logs)]

    def read_agreement(self) -> Agreement | None:
        """What was agreed. None: nothing was played yet."""
        try:
            table = json.loads(read_regular_file(self.agreement, MOST_AGREEMENT_BYTES))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            raise ConfigError(f"{self.agreement} cannot be read: {error}") from None
        if not isinstance(table, dict) or table.get("format") != FORMAT:
            raise ConfigError(f"{self.agreement} was written by another version of tortuga")
        try:
            agreement = make_agreement(table)
            if table.get("event") != agreement.event_id:
                raise ConfigError("its seed is not that of its event")
        except (KeyError, TypeError, ValueError, AttributeError, ConfigError) as error:
            raise ConfigError(f"{self.agreement} is damaged: {error!r}") from None
        return replace(agreement, starting_ratings=read_starting_ratings(self.starting_ratings))

    def require_agreement(self) -> Agreement:
        """What was agreed, for commands that only read."""
        found = self.read_agreement()
        if found is None:
            what = "no match was played yet" if self.manifest.is_file() else f"there is no {FILE}"
            raise ConfigError(f"{self.path} is not an event in progress: {what}")
        return found

    def write_agreement(self, agreement: Agreement) -> None:
        """Make the agreement durable, before the first match that is played under it."""
        SigningKey.open(self.key)  # made now, so that it can be published before the first match
        write_atomically(self.agreement, json.dumps(agreement_table(agreement), indent=1).encode(), private=True)
        sync_folder(self.path)


def fault_log_name(match_id: str, seat: int, bot: str) -> str:
    """The file in logs/ that holds what a bot had printed when it failed."""
    return f"{match_id}.seat{seat}.{bot}.log"
