"""What a folder is, and how its parts are found: an event, an arena that is not running, or a pile of records.

All three are read and never written or locked, also while an event is being played in them. A pile has no database, so
one is made of it in a temporary folder; files that are added later are found.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from referee.errors import ConfigError, RecordError
from referee.games import GAMES
from referee.records.files import read_regular_file
from referee.records.record import unpack
from referee.records.shape import MAX_RECORD_BYTES
from server.arena.operations.fsck import is_arena_folder
from server.bots.spec import NAME
from server.play.summary import MatchSummary, summarize
from server.system.logs import get_logger
from server.tournament.agreement import Agreement, Entry
from server.tournament.folder import RECORD_SUFFIX, Folder
from server.tournament.manifest import Contest, Manifest, read_manifest, write_text
from server.tournament.store import Store
from server.web.templating import plain_name

log = get_logger()

MOST_FILES = 100_000
"""Files of a pile that are looked at."""


class Source(Protocol):
    """Where the matches are."""

    @property
    def title(self) -> str:
        """What the pages are about."""
        ...

    @property
    def arena(self) -> Path | None:
        """The folder of an arena; None: this is none."""
        ...

    @property
    def ladder(self) -> Folder:
        """The folder whose contests are the ladders."""
        ...

    @property
    def event(self) -> str:
        """The name of the one event that this is; empty: it is none."""
        ...

    def record_path(self, folder: Folder, match_id: str) -> Path:
        """The file of a record. Only for ids that the database knows."""
        ...

    def refresh(self) -> None:
        """Look for what was added."""
        ...

    def close(self) -> None:
        """Remove what was made."""
        ...


def open_source(path: Path) -> Source:
    """What a folder is. ConfigError: nothing of ours."""
    if not path.is_dir():
        raise ConfigError(f"{path} is not a folder")
    if is_arena_folder(path):
        return ArenaSource(path=path)
    if Folder(path).agreement.exists() or Folder(path).manifest.exists():
        return EventSource(path=path)
    if next(record_files(path), None) is not None:
        return PileSource(path)
    raise ConfigError(
        f"{path} holds nothing to show: neither an event (tournament.toml), nor an arena (arena.toml), nor records "
        f"(*{RECORD_SUFFIX})"
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class EventSource:
    """The folder of one event."""

    path: Path

    @property
    def title(self) -> str:
        """The name in its manifest."""
        agreement = self.ladder.read_agreement()
        return agreement.manifest.name if agreement else read_manifest(self.ladder.manifest).name

    @property
    def arena(self) -> Path | None:
        """It is none."""
        return None

    @property
    def ladder(self) -> Folder:
        """Its contests are the ladders."""
        return Folder(self.path)

    @property
    def event(self) -> str:
        """Its name in addresses."""
        return plain_name(self.title)

    def record_path(self, folder: Folder, match_id: str) -> Path:
        """In records/."""
        return folder.record(match_id)

    def refresh(self) -> None:
        """The database is read anew each time."""

    def close(self) -> None:
        """Nothing was made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ArenaSource:
    """The folder of an arena."""

    path: Path

    @property
    def title(self) -> str:
        """The folder's name."""
        return self.path.resolve().name

    @property
    def arena(self) -> Path | None:
        """The folder."""
        return self.path

    @property
    def ladder(self) -> Folder:
        """All ladders."""
        return Folder(self.path / "ladder")

    @property
    def event(self) -> str:
        """It has many."""
        return ""

    def record_path(self, folder: Folder, match_id: str) -> Path:
        """In records/."""
        return folder.record(match_id)

    def refresh(self) -> None:
        """The databases are read anew each time."""

    def close(self) -> None:
        """Nothing was made."""


class PileSource:
    """Record files, and an index of them in a temporary folder."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._made = tempfile.TemporaryDirectory(prefix="tortuga-web-")
        self._folder = Folder(Path(self._made.name))
        self._seen: dict[Path, tuple[int, int]] = {}
        self._paths: dict[str, Path] = {}
        self._contents: set[bytes] = set()
        self._blocks: dict[tuple[str, str, int], int] = {}
        self._places: set[tuple[str, int, int]] = set()
        self._contests: dict[str, Contest] = {}
        self._bots: dict[str, None] = {}
        self._next_block: dict[str, int] = {}
        self.left_out = 0
        """Files that are no record, or of a void match."""
        self.refresh()

    @property
    def title(self) -> str:
        """The folder's name."""
        return self._path.resolve().name

    @property
    def arena(self) -> Path | None:
        """It is none."""
        return None

    @property
    def ladder(self) -> Folder:
        """The index."""
        return self._folder

    @property
    def event(self) -> str:
        """It is none."""
        return ""

    def record_path(self, folder: Folder, match_id: str) -> Path:
        """The file as it lies in the pile."""
        return self._paths[match_id]

    def close(self) -> None:
        """Remove the index."""
        self._made.cleanup()

    def refresh(self) -> None:
        """Index the files that are new."""
        added = [found for path in self._new_files() if (found := self._read(path)) is not None]
        if not added:
            return
        self._write_agreement()
        with Store.open(self._folder.database) as store:
            store.add(sorted(added, key=lambda one: (one.contest, one.block, one.rotation)), [])

    def _new_files(self) -> Iterator[Path]:
        for path in record_files(self._path):
            try:
                stat = path.stat()
            except OSError:
                continue
            if self._seen.get(path) != (stat.st_size, stat.st_mtime_ns):
                self._seen[path] = stat.st_size, stat.st_mtime_ns
                yield path

    def _read(self, path: Path) -> MatchSummary | None:
        """What the index holds of a file. None: it is left out."""
        try:
            packed = read_regular_file(path, MAX_RECORD_BYTES)
            record, _ = unpack(packed)
            summary = summarize(record, packed)
        except (OSError, RecordError, ValueError, IndexError) as error:
            log.warning("record_left_out", file=str(path), reason=str(error))
            self.left_out += 1
            return None
        game, seats = record.story.game, len(summary.seats)
        if record.outcome.void or game not in GAMES or len(record.outcome.ranks) != seats or not seats:
            self.left_out += 1
            return None
        match_id = summary.match_id if NAME.fullmatch(summary.match_id) else summary.record_sha256.hex()[:32]
        if summary.record_sha256 in self._contents:
            return None  # a copy
        self._contents.add(summary.record_sha256)
        if match_id in self._paths:
            match_id = summary.record_sha256.hex()[:32]
        contest = Contest(game=game, seats=seats, variant={})
        self._contests.setdefault(contest.id, contest)
        self._paths[match_id] = path
        names = distinct([plain_name(seat.bot) for seat in summary.seats])
        self._bots |= dict.fromkeys(names)
        block, rotation = self._place(contest.id, summary)
        bots = tuple(names[(place + rotation) % seats] for place in range(seats))
        return replace(
            summary,
            match_id=match_id,
            contest=contest.id,
            block=block,
            rotation=rotation,
            bots=bots,
            seats=tuple(replace(seat, bot=name) for seat, name in zip(summary.seats, names, strict=True)),
            faults=tuple(replace(fault, bot=names[fault.seat]) for fault in summary.faults),
        )

    def _place(self, contest: str, summary: MatchSummary) -> tuple[int, int]:
        """A block and rotation of our own: records of one block stay together, and all others apart."""
        key = (summary.event, summary.contest or contest, summary.block)
        block = self._blocks.get(key) if summary.event else None
        if block is None or (contest, block, summary.rotation) in self._places:
            block = self._next_block.get(contest, 0)
            self._next_block[contest] = block + 1
            if summary.event:
                self._blocks[key] = block
        rotation = summary.rotation if summary.rotation < len(summary.seats) else 0
        self._places.add((contest, block, rotation))
        return block, rotation

    def _write_agreement(self) -> None:
        manifest = Manifest(
            name=self.title[:80] or "records",
            seed="none",
            contests=tuple(self._contests.values()),
            bots=(),
            format="ladder",
            anchor="",
        )
        roster = tuple(Entry(name=name, bot=name) for name in sorted(self._bots))
        self._folder.write_agreement(Agreement(manifest=manifest, roster=roster))


def distinct(names: Sequence[str]) -> list[str]:
    """The same names, but nobody meets itself: the second `bot` of a match is `bot-2`."""
    found: list[str] = []
    for name in names:
        own, number = name, 1
        while own in found:
            number += 1
            own = f"{name[:60]}-{number}"
        found.append(own)
    return found


def record_files(path: Path) -> Iterator[Path]:
    """The record files below a folder, but not through links."""
    found = 0
    for folder, _, names in os.walk(path):
        for name in sorted(names):
            if name.endswith(RECORD_SUFFIX):
                found += 1
                if found > MOST_FILES:
                    return
                yield Path(folder) / name


def manifest_texts(source: Source) -> Mapping[str, str]:
    """The manifest of the one event that a folder is, by its name, as text."""
    if not source.event:
        return {}
    agreement = source.ladder.read_agreement()
    manifest = agreement.manifest if agreement else read_manifest(source.ladder.manifest)
    return {source.event: write_text(manifest)}
