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

from referee.errors import ConfigError, RecordError
from referee.records.files import read_regular_file
from referee.records.record import unpack
from referee.records.shape import MAX_RECORD_BYTES
from referee.rules.infos import INFOS
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Where the matches are."""

    title: str
    """What the pages are about."""
    ladder: Folder
    """The folder whose contests are the ladders."""
    arena: Path | None = None
    """The folder of an arena. None: this is none."""
    event: str = ""
    """The name, in addresses, of the one event that this is. Empty: it is none."""
    pile: Pile | None = None
    """The pile of records that `ladder` is an index of. None: it is none."""

    def record_path(self, folder: Folder, match_id: str) -> Path:
        """Return the file of a record. Only for ids that the database knows."""
        return self.pile.paths[match_id] if self.pile else folder.record(match_id)

    def refresh(self) -> None:
        """Look for what was added. Databases are read anew each time anyway."""
        if self.pile:
            self.pile.refresh()

    def close(self) -> None:
        """Remove what was made."""
        if self.pile:
            self.pile.close()


def open_source(path: Path) -> Source:
    """Find out what a folder is. ConfigError: nothing of ours."""
    if not path.is_dir():
        raise ConfigError(f"{path} is not a folder")
    if is_arena_folder(path):
        return Source(title=path.resolve().name, ladder=Folder(path / "ladder"), arena=path)
    if Folder(path).agreement.exists() or Folder(path).manifest.exists():
        agreement = Folder(path).read_agreement()
        title = agreement.manifest.name if agreement else read_manifest(Folder(path).manifest).name
        return Source(title=title, ladder=Folder(path), event=plain_name(title))
    if next(record_files(path), None) is not None:
        pile = Pile(path)
        return Source(title=pile.title, ladder=pile.folder, pile=pile)
    raise ConfigError(
        f"{path} holds nothing to show: neither an event (tournament.toml), nor an arena (arena.toml), nor records "
        f"(*{RECORD_SUFFIX})"
    )


class Pile:
    """Record files, and an index of them in a temporary folder."""

    def __init__(self, path: Path) -> None:
        self.title = path.resolve().name
        self._path = path
        self._index = tempfile.TemporaryDirectory(prefix="tortuga-web-")
        self.folder = Folder(Path(self._index.name))
        """An event folder without records: the index."""
        self.paths: dict[str, Path] = {}
        """The file of each match."""
        self._seen: dict[Path, tuple[int, int]] = {}
        self._contents: set[bytes] = set()
        self._blocks: dict[tuple[str, str, int], int] = {}
        self._places: set[tuple[str, int, int]] = set()
        self._contests: dict[str, Contest] = {}
        self._bots: dict[str, None] = {}
        self._next_block: dict[str, int] = {}
        self.left_out = 0
        """Files that are no record, or of a void match."""
        self.refresh()

    def close(self) -> None:
        """Remove the index."""
        self._index.cleanup()

    def refresh(self) -> None:
        """Index the files that are new."""
        added = [summary for path in self._new_files() if (summary := self._read(path)) is not None]
        if not added:
            return
        self._write_agreement()
        with Store.open(self.folder.database) as store:
            store.add(sorted(added, key=lambda match: (match.contest, match.block, match.rotation)), [])

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
        """Read what the index holds of a file. None: it is left out."""
        try:
            packed = read_regular_file(path, MAX_RECORD_BYTES)
            record, _ = unpack(packed)
            summary = summarize(record, packed)
        except (OSError, RecordError, ValueError, IndexError) as error:
            log.warning("record_left_out", file=str(path), reason=str(error))
            self.left_out += 1
            return None
        game, seats = record.story.game, len(summary.seats)
        if record.outcome.void or game not in INFOS or len(record.outcome.ranks) != seats or not seats:
            self.left_out += 1
            return None
        match_id = summary.match_id if NAME.fullmatch(summary.match_id) else summary.record_sha256.hex()[:32]
        if summary.record_sha256 in self._contents:
            return None  # a copy
        self._contents.add(summary.record_sha256)
        if match_id in self.paths:
            match_id = summary.record_sha256.hex()[:32]
        contest = Contest(game=game, seats=seats, variant={})
        self._contests.setdefault(contest.id, contest)
        self.paths[match_id] = path
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
        """Find a block and rotation of our own: records of one block stay together, and all others apart."""
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
        self.folder.write_agreement(Agreement(manifest=manifest, roster=roster))


def distinct(names: Sequence[str]) -> list[str]:
    """Return the same names, but nobody meets itself: the second `bot` of a match is `bot-2`."""
    different: list[str] = []
    for name in names:
        own, number = name, 1
        while own in different:
            number += 1
            own = f"{name[:60]}-{number}"
        different.append(own)
    return different


def record_files(path: Path) -> Iterator[Path]:
    """Find the record files below a folder, but not through links."""
    count = 0
    for folder, _, names in os.walk(path):
        for name in sorted(names):
            if name.endswith(RECORD_SUFFIX):
                count += 1
                if count > MOST_FILES:
                    return
                yield Path(folder) / name


def manifest_texts(source: Source) -> Mapping[str, str]:
    """Return the manifest of the one event that a folder is, by its name, as text."""
    if not source.event:
        return {}
    agreement = source.ladder.read_agreement()
    manifest = agreement.manifest if agreement else read_manifest(source.ladder.manifest)
    return {source.event: write_text(manifest)}
