"""Exports every decision of an event for learning: files of rows, split by block, and a manifest.

Matches are taken in schedule order, in parts of some ten thousand decisions. Each part is replayed by one process,
which writes its own files, so memory does not grow with the event, and the files do not depend on how many processes
there are. Only whole blocks are taken: while matches of a block are open, its secret would tell their luck.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol, get_type_hints

from referee.errors import ConfigError, RecordError
from server.system.processes import Workers
from server.tournament.agreement import Agreement
from server.tournament.decision_rows import (
    COLUMNS,
    DecisionRow,
    PlannedMatch,
    Split,
    decision_rows,
    read_planned,
    split_of,
)
from server.tournament.folder import Folder
from server.tournament.manifest import Contest
from server.tournament.rulings.ruled_matches import read_ruled
from server.tournament.rulings.ruling_file import read_rulings
from server.tournament.store import Store

FORMAT = 1
"""Of the files and the manifest. We only add; what changes its meaning gets a new number."""
MANIFEST, MATCHES = "manifest.json", "matches.jsonl"
PART_DECISIONS = 50_000
"""Decisions of a part: it has one file for each split."""
ROWS_AT_ONCE = 2_000
"""Rows held in memory before they are written."""
PROBLEMS_LISTED = 20

UNFINISHED = "the block is not finished"
RULED = "a ruling takes it out of the standings"
DELETED = "the record was deleted after its retention time"
DAMAGED = "the record cannot be replayed"


@dataclass(frozen=True, slots=True)
class ExportPart:
    """What one process turns into files."""

    number: int
    matches: tuple[PlannedMatch, ...]
    out: Path
    form: str
    decisions: int
    """As the database knows them, for the progress."""


class DataFile(NamedTuple):
    """A file that was written."""

    name: str
    split: str
    rows: int
    bytes: int
    sha256: str


@dataclass(slots=True)
class PartResult:
    """What became of a part."""

    decisions: int
    files: list[DataFile] = field(default_factory=list)
    matches: list[dict[str, Any]] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)


class RowWriter(Protocol):
    """Writes rows into one file."""

    def write(self, rows: Sequence[DecisionRow]) -> None:
        """Write some more rows."""
        ...

    def close(self) -> None:
        """Finish the file."""
        ...


def export_decisions(
    folder: Folder,
    out: Path,
    form: str,
    *,
    made_by: str = "",
    jobs: int = 1,
    advance: Callable[[int], None] = lambda count: None,
) -> dict[str, Any]:
    """Write all decisions of an event into a new folder; returns the manifest.

    `made_by` is the program and its version, and `advance` is told how many decisions are done.
    """
    WRITERS[form].check()
    agreement, left_out = folder.require_agreement(), Counter[str]()
    totals = {str(split): Counter(blocks=0, matches=0, decisions=0) for split in Split}
    files: list[DataFile] = []
    problems: list[tuple[str, str]] = []
    last_block: dict[str, tuple[str, int]] = {}
    with _new_folder(out) as draft, (draft / MATCHES).open("w", encoding="utf-8") as listing:
        for split in Split:
            (draft / split).mkdir()
        with Store.read_only(folder.database) as store, store.snapshot(), Workers(jobs) as workers:
            parts = _parts(plan_matches(folder, agreement, store, left_out), draft, form)
            for result in workers.run(export_part, parts):
                files += result.files
                problems += result.problems
                for match in result.matches:
                    listing.write(json.dumps(match) + "\n")
                    total, block = totals[match["split"]], (match["contest"], match["block"])
                    total["blocks"] += last_block.get(match["split"]) != block
                    last_block[match["split"]] = block
                    total["matches"] += 1
                    total["decisions"] += match["rows"]
                advance(result.decisions)
        listing.close()
        if problems:
            left_out[DAMAGED] = len(problems)
        matches = sum(total["matches"] for total in totals.values())
        files.append(_describe(draft, MATCHES, "", matches))
        manifest = {
            "format": FORMAT,
            "made_by": made_by,
            "event": agreement.event_id,
            "contests": {contest.id: _contest_facts(contest) for contest in agreement.manifest.contests},
            "form": form,
            "columns": COLUMNS,
            "matches": matches,
            "decisions": sum(total["decisions"] for total in totals.values()),
            "splits": {split: dict(total) for split, total in totals.items()},
            "left_out": dict(left_out),
            "problems": [{"match": match, "reason": reason} for match, reason in problems[:PROBLEMS_LISTED]],
            "files": [written._asdict() for written in files],
        }
        (draft / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return manifest


def _contest_facts(contest: Contest) -> dict[str, Any]:
    from referee.wire import find_wire

    return {
        "game": contest.game,
        "seats": contest.seats,
        "variant": dict(contest.variant),
        "rules_version": contest.rules.info.rules_version,
        "messages_version": find_wire(contest.game).messages_version,
    }


@contextmanager
def _new_folder(out: Path) -> Iterator[Path]:
    """Make a folder that appears under its name when everything is in it."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ConfigError(f"{out} already exists; expected a new or an empty folder")
    draft = out.with_name(f".{out.name}.{os.getpid()}.draft")
    try:
        draft.mkdir(parents=True)
    except OSError as error:
        raise ConfigError(f"{out} cannot be made: {error.strerror}") from None
    try:
        yield draft
        draft.replace(out)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def plan_matches(
    folder: Folder, agreement: Agreement, store: Store, left_out: Counter[str]
) -> Iterator[tuple[PlannedMatch, int]]:
    """Yield the matches to export in schedule order, each with its decisions, and count the others."""
    rulings = read_rulings(folder.rulings)
    for contest in agreement.manifest.contests:
        ruled = read_ruled(rulings, agreement, contest.id, store)
        for number, group in groupby(store.matches(contest.id), key=lambda match: match.block):
            block, split = list(group), split_of(contest.id, number)
            for match in block:
                if not agreement.is_open and len(block) < contest.seats:
                    left_out[UNFINISHED] += 1
                elif ruled.is_out(match.match_id):
                    left_out[RULED] += 1
                elif not match.kept:
                    left_out[DELETED] += 1
                else:
                    record = folder.record(match.match_id)
                    planned = PlannedMatch(match.match_id, contest.id, number, record, match.record_sha256, split)
                    yield planned, match.decisions


def _parts(matches: Iterator[tuple[PlannedMatch, int]], out: Path, form: str) -> Iterator[ExportPart]:
    """Gather matches until there are enough for a part."""
    gathered: list[PlannedMatch] = []
    number = decisions = 0
    for match, count in matches:
        gathered.append(match)
        decisions += count
        if decisions >= PART_DECISIONS:
            yield ExportPart(number, tuple(gathered), out, form, decisions)
            gathered, number, decisions = [], number + 1, 0
    if gathered:
        yield ExportPart(number, tuple(gathered), out, form, decisions)


def export_part(part: ExportPart) -> PartResult:
    """Replay the matches of a part and write their rows."""
    result, kind = PartResult(part.decisions), WRITERS[part.form]
    waiting: dict[Split, list[DecisionRow]] = {split: [] for split in Split}
    writers: dict[Split, RowWriter] = {}
    rows_of: Counter[Split] = Counter()
    names = {split: f"{split}/part-{part.number:05d}.{kind.ending}" for split in Split}

    def write(split: Split) -> None:
        if waiting[split]:
            if split not in writers:
                writers[split] = kind(part.out / names[split])
                open_files.callback(writers[split].close)
            writers[split].write(waiting[split])
            waiting[split].clear()

    with ExitStack() as open_files:
        for match in part.matches:
            try:
                record = read_planned(match)
                rows = list(decision_rows(match, record))
            except RecordError as error:
                result.problems.append((match.match_id, str(error)))
                continue
            result.matches.append(
                {
                    "match": match.match_id,
                    "contest": match.contest,
                    "block": match.block,
                    "split": str(match.split),
                    "bots": [seat.bot_name for seat in record.seats],
                    "ranks": list(record.outcome.ranks),
                    "rows": len(rows),
                    "record_sha256": match.sha256.hex(),
                    "messages_version": record.story.messages_version,
                    "secret": record.story.chance_secret.hex(),
                }
            )
            rows_of[match.split] += len(rows)
            waiting[match.split] += rows
            if len(waiting[match.split]) >= ROWS_AT_ONCE:
                write(match.split)
        for split in Split:
            write(split)
    result.files = [_describe(part.out, names[split], split, rows_of[split]) for split in writers]
    return result


def _describe(out: Path, name: str, split: str, rows: int) -> DataFile:
    with (out / name).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return DataFile(name, str(split), rows, (out / name).stat().st_size, digest)


class ParquetWriter:
    """Writes Parquet, compressed with zstd."""

    ending = "parquet"

    def __init__(self, path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        kinds = {str: pa.string(), int: pa.int32(), float: pa.float64(), bytes: pa.binary()}
        hints = get_type_hints(DecisionRow)
        self._schema = pa.schema(
            [pa.field(name, kinds[hints[name]], nullable=False) for name in COLUMNS],
            metadata=dict(COLUMNS),
        )
        repeated = [name for name in COLUMNS if name != "observation"]
        self._writer = pq.ParquetWriter(path, self._schema, compression="zstd", use_dictionary=repeated)

    @staticmethod
    def check() -> None:
        """Refuse to begin without the library."""
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise ConfigError(
                "Parquet needs the extra `data` (`pip install tortuga-arena[data]`); or pass --format jsonl"
            ) from None

    def write(self, rows: Sequence[DecisionRow]) -> None:
        """Write some more rows."""
        import pyarrow as pa

        columns = [
            pa.array(column, kind.type) for column, kind in zip(zip(*rows, strict=True), self._schema, strict=True)
        ]
        self._writer.write_table(pa.Table.from_arrays(columns, schema=self._schema))

    def close(self) -> None:
        """Finish the file."""
        self._writer.close()


class JsonLinesWriter:
    """Writes JSON lines, with bytes in base64."""

    ending = "jsonl"

    def __init__(self, path: Path) -> None:
        self._file: IO[str] = path.open("w", encoding="utf-8")

    @staticmethod
    def check() -> None:
        """Accept: this needs no library."""

    def write(self, rows: Sequence[DecisionRow]) -> None:
        """Write some more rows."""
        for row in rows:
            plain = row._asdict()
            for name in ("observation", "options"):
                plain[name] = base64.b64encode(plain[name]).decode()
            self._file.write(json.dumps(plain) + "\n")

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


WRITERS: Mapping[str, type[ParquetWriter] | type[JsonLinesWriter]] = {
    "parquet": ParquetWriter,
    "jsonl": JsonLinesWriter,
}
