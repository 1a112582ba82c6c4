"""The ladders of an arena: an event folder that never ends, whose bots come, go and change version.

Whatever reads an event folder can read this one: `tortuga ladder show`, `rebuild`, `replay verify`. Only, it has no
schedule. **A match gets its number when it is over**: number n is the n-th match of its ladder that counts, so the live
Elo moves in the order in which matches ended, and the records alone determine that order.
"""

from __future__ import annotations

import asyncio
import functools
import secrets
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import permutations
from typing import TYPE_CHECKING, TypeVar

from referee.errors import ConfigError
from server.arena.config import ArenaConfig
from server.arena.ladders.retention import RetentionPolicy, delete_expired
from server.arena.registry import wall_millis
from server.play.recorded_match import RecordedMatch, place_match
from server.play.summary import MatchSummary, Result
from server.schedule.open_field import OpenField
from server.system.logs import get_logger
from server.tournament.agreement import Agreement, Entry
from server.tournament.event import announce_scale, open_store, write_missing_lines
from server.tournament.folder import Folder, FolderLock, lock_folder
from server.tournament.journal import Journal, read_journal
from server.tournament.live_ladder import NEVER, Changes, LiveLadder, RatingChange
from server.tournament.manifest import Contest, Manifest
from server.tournament.repair.reconcile import Findings, reconcile
from server.tournament.results import journal_finished, store_matches, to_thread, write_with_retry
from server.tournament.roster import new_name
from server.tournament.rulings.ruled_matches import RuledMatches, read_ruled
from server.tournament.rulings.ruling_file import NO_RULINGS, read_rulings
from server.tournament.store import Store
from tortuga.v1 import record_pb2

if TYPE_CHECKING:
    from server.tournament.result_columns import ResultColumns

log = get_logger()

T = TypeVar("T")
LadderMatch = tuple[str, RecordedMatch]
"""A contest, and a match of it that counts and has no number yet."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Unfinished:
    """A match that began and does not count: it is played again by the same bots with other luck."""

    match_id: str
    contest: str
    entries: tuple[str, ...]


class LadderState:
    """One ladder in memory: what the choice of the next table needs."""

    def __init__(self, seats: int, ruled: RuledMatches) -> None:
        self._ruled = ruled
        self._live = LiveLadder(NEVER, ruled=ruled)
        self.field = OpenField(seats)
        self.matches = 0
        """Matches that count."""

    @property
    def next_number(self) -> int:
        """Return the number of the next match. It may exceed the count, because numbers of lost records are missing."""
        return self._live.next_block

    def add(self, match: Result) -> list[RatingChange]:
        """Add a match. Its number is the next one, or a later one where records were lost."""
        self.matches += 1
        if isinstance(match, MatchSummary):
            self._ruled.judge_match(match)
        if not self._ruled.is_unplayed(match.match_id):
            self.field.add(match.seated, match.ranks)
        return self._live.feed_match(match)

    def load(self, results: ResultColumns) -> Changes:
        """Add stored matches, in the order of their numbers."""
        self.matches += len(results)
        names = results.names
        played = [not self._ruled.is_unplayed(match_id) for match_id in results.match_ids]
        bots, ranks = results.bots[played], results.ranks[played]
        for seat, other in permutations(range(results.seats), 2):
            columns = (bots[:, seat], bots[:, other], ranks[:, seat], ranks[:, other])
            rows = zip(*(column.tolist() for column in columns), strict=True)
            meetings = Counter((bot, met, (rank < theirs) - (rank > theirs)) for bot, met, rank, theirs in rows)
            for (bot, met, won), games in meetings.items():
                self.field.add_pairs(names[bot], names[met], games, games * (1 + won))
        return self._live.feed_numbered(results)

    def rate_under(self, ruled: RuledMatches, results: Iterable[ResultColumns]) -> Iterator[Changes]:
        """Compute the live Elo again under other rulings, from all stored matches; to be read to its end.

        The field stays as it was: it chooses tables, and what was played tells of strength whatever was ruled.
        """
        ladder = LiveLadder(NEVER, ruled=ruled)
        for part in results:
            yield ladder.feed_numbered(part)
        ladder.next_block = max(ladder.next_block, self._live.next_block)
        self._ruled, self._live = ruled, ladder

    def played(self, entry: str) -> int:
        """Return how many matches an entry has played."""
        return self._live.played[entry]


class OpenLadder:
    """All ladders of an arena, in a folder locked by this process."""

    def __init__(self, folder: Folder, lock: FolderLock, config: ArenaConfig, warn: Callable[[str], None]) -> None:
        self.folder = folder
        self.lock = lock
        self._config, self._warn = config, warn
        self._writing = asyncio.Lock()
        self._open = ExitStack()
        self._load()

    def _load(self) -> None:
        """Reconcile the folder, and load its ladders."""
        folder, warn = self.folder, self._warn
        store = self._database = self._open.enter_context(open_store(folder))
        agreed = folder.read_agreement()
        agreement = self._agreement = ladder_agreement(folder, agreed, self._config)
        self._agreement_stored = True
        findings = reconcile(folder, store, agreement)
        for problem in findings.problems:
            warn(problem)
        if agreement != agreed:
            folder.write_agreement(agreement)
        journal = self._journal = Journal(folder.journal)
        self._open.callback(journal.close)
        write_missing_lines(folder, journal, store)
        self.states = {
            contest.id: LadderState(contest.seats, read_ruled(NO_RULINGS, agreement, contest.id, store))
            for contest in agreement.manifest.contests
        }
        self.disqualified: frozenset[str] = frozenset()
        """Bots that may not play on the ladders."""
        for contest in agreement.manifest.contests:
            changes = map(self.states[contest.id].load, store.results(contest.id, contest.seats))
            if folder.rulings.exists():
                deque(changes, maxlen=0)  # they are stored below, as the rulings leave them
            else:
                store.replace_live_elo(contest.id, changes)
        if folder.rulings.exists():
            self.apply_rulings()
        announce_scale(folder, agreement, store, journal, warn)
        contests = {contest.id for contest in self._config.ladders}
        self.unfinished = find_unfinished(folder, contests, findings, store)
        """Matches of earlier runs that are to be played again."""

    def close(self) -> None:
        """Close the folder's files."""
        self._open.close()

    async def restart(self, change: Callable[[], T]) -> T:
        """Change the folder while nothing of it is open, and load it again. No match may be running."""
        results: list[T] = []
        async with self._writing:
            await to_thread(lambda: results.append(self._restart(change)))
        return results[0]

    def _restart(self, change: Callable[[], T]) -> T:
        self.close()
        try:
            return change()
        finally:
            self._load()

    def contest(self, name: str) -> Contest:
        """Return a contest by its id."""
        return next(contest for contest in self._agreement.manifest.contests if contest.id == name)

    def enter(self, bot: str, version: str, games: Sequence[str], sha256: str = "") -> Entry:
        """Return the entry of a bot in this version. A new version is linked to the one before it."""
        versions = [entry for entry in self._agreement.roster if entry.bot == bot]
        for entry in versions:
            if entry.version == version:
                return entry
        taken = {entry.name for entry in self._agreement.roster}
        name = new_name(bot, version if versions else "", taken)
        participant = Entry(
            name=name,
            bot=bot,
            version=version,
            games=tuple(games),
            ancestor=versions[-1].name if versions else "",
            sha256=sha256,
        )
        self._agreement = replace(self._agreement, roster=(*self._agreement.roster, participant))
        self._agreement_stored = False
        return participant

    def versions(self, bot: str) -> set[str]:
        """Return the versions in which a bot has entered."""
        return {entry.version for entry in self._agreement.roster if entry.bot == bot}

    def entries_of(self, bots: Mapping[str, T]) -> dict[str, T]:
        """Turn values per bot into values per entry of these bots."""
        return {entry.name: bots[entry.bot] for entry in self._agreement.roster if entry.bot in bots}

    def adopt(self, entry: Entry) -> None:
        """Enter a bot under the name it has in another folder of the arena."""
        if all(known.name != entry.name for known in self._agreement.roster):
            self._agreement = replace(self._agreement, roster=(*self._agreement.roster, entry))
            self._agreement_stored = False

    def begin(self, match_id: str, contest: str, entries: Sequence[str], again: str = "") -> None:
        """Note in the journal that a match begins, so that it is played again if this process is killed."""
        facts = {"again": again} if again else {}
        self._journal.write("match_started", match=match_id, contest=contest, bots=list(entries), **facts)

    def void(self, match_id: str, contest: str, reason: str, late: Sequence[str] = ()) -> None:
        """Note in the journal that a match is void, perhaps because these bots ran out of time and were excused."""
        facts = {"late": list(late)} if late else {}
        self._journal.write("match_void", match=match_id, contest=contest, reason=reason, **facts)

    async def store(
        self, finished: Sequence[LadderMatch], warn: Callable[[str], None], label: str = "ladder"
    ) -> list[MatchSummary]:
        """Number these matches and make them durable, all in one transaction. The label goes into their records."""
        async with self._writing:
            return await self._store_all(finished, warn, label)

    async def take_rulings(self) -> None:
        """Go on under the rulings as they are now."""
        async with self._writing:
            await to_thread(self.apply_rulings)

    def apply_rulings(self) -> None:
        """Compute the live ladder again, and keep out who is disqualified."""
        rulings, store = read_rulings(self.folder.rulings), self._database
        for contest in self._agreement.manifest.contests:
            ruled = read_ruled(rulings, self._agreement, contest.id, store)
            changes = self.states[contest.id].rate_under(ruled, store.results(contest.id, contest.seats))
            store.replace_live_elo(contest.id, changes)
        self.disqualified = frozenset(ruling.bot for ruling in rulings.standing if ruling.bot)

    async def delete_expired(self, keep: RetentionPolicy) -> None:
        """Delete expired logs and records."""
        async with self._writing:
            await to_thread(functools.partial(delete_expired, self.folder, self._database, keep, wall_millis()))

    async def _store_all(
        self, finished: Sequence[LadderMatch], warn: Callable[[str], None], label: str
    ) -> list[MatchSummary]:
        matches: list[RecordedMatch] = []
        changes: list[RatingChange] = []
        for contest, unplaced in finished:
            match = self._place(contest, unplaced, label)
            if match is not None:
                matches.append(match)
                changes += self.states[contest].add(match.summary)
        if not self._agreement_stored:
            self._agreement_stored = True
            # The roster is written before the first row that names a newcomer.
            await write_with_retry(self.folder, warn, functools.partial(self.folder.write_agreement, self._agreement))
        write = functools.partial(store_matches, self.folder, self._database, matches, changes)
        await write_with_retry(self.folder, warn, write)
        for match in matches:
            journal_finished(self._journal, match.summary)
        return [match.summary for match in matches]

    def _place(self, contest: str, match: RecordedMatch, label: str) -> RecordedMatch | None:
        """Give a match the next number of its ladder."""
        place = record_pb2.RecordPlace(
            event=self._agreement.event_id,
            contest=contest,
            block=self.states[contest].next_number,
            label=label,
            bots=match.names,
        )
        try:
            return place_match(match, place)
        except Exception as error:  # our bug: one match is lost, and the ladders continue
            log.exception("record_failed", match=match.match_id)
            self.void(match.match_id, contest, f"void: no record could be made ({error!r})")
            return None


@contextmanager
def open_ladder(folder: Folder, config: ArenaConfig, warn: Callable[[str], None]) -> Iterator[OpenLadder]:
    """Lock the folder, reconcile it, and load its ladders."""
    for warning in folder.prepare():
        warn(warning)
    with lock_folder(folder) as lock:
        ladder = OpenLadder(folder, lock, config, warn)
        try:
            yield ladder
        finally:
            ladder.close()


def ladder_agreement(folder: Folder, agreed: Agreement | None, config: ArenaConfig) -> Agreement:
    """Make the agreement of the ladders: the settings, and the contests played under earlier ones."""
    contests, old = list(config.ladders), agreed.manifest.contests if agreed else ()
    for contest in old:
        same = next((today for today in contests if today.id == contest.id), None)
        if same is None:
            contests.append(contest)  # no longer played, but its records remain
        elif same.variant != contest.variant:
            raise ConfigError(
                f"the ladder {contest.id} was played with {dict(contest.variant) or 'no settings'} and arena.toml "
                f"now asks for {dict(same.variant) or 'none'}: undo that, or move {folder.path} away to start again"
            )
    manifest = Manifest(
        name="ladder",
        seed=agreed.manifest.seed if agreed else secrets.token_hex(16),
        contests=tuple(contests),
        bots=(),
        format="ladder",
        rounds=0,
        mirrored=False,
        clock=config.clock,
        start_seconds=config.start_seconds,
        faults=config.faults,
        quarantine=1,
        anchor=config.anchor,
        anchors=config.anchors,
        rate_faults=config.rate_faults,
        notes=config.notes,
    )
    if agreed is None:
        return Agreement(manifest=manifest, roster=())
    return replace(agreed, manifest=manifest)


def find_unfinished(folder: Folder, contests: set[str], findings: Findings, store: Store) -> list[Unfinished]:
    """Find matches that began in an earlier run, have no result or lost it, and were not played again since."""
    unfinished = {
        match.match_id: Unfinished(match_id=match.match_id, contest=match.contest, entries=match.seated)
        for match in findings.lost
    }
    for line in read_journal(folder.journal, ["match_started", "match_finished"]):
        match line:  # a line that was damaged may be anything
            case {"event": "match_started", "match": str(match_id), "contest": str(contest), "bots": [*bots]}:
                unfinished.pop(str(line.get("again", "")), None)
                unfinished[match_id] = Unfinished(match_id=match_id, contest=contest, entries=tuple(map(str, bots)))
            case {"event": "match_finished", "match": str(match_id)} if store.has_match(match_id):
                unfinished.pop(match_id, None)  # else it may have lost its record since
    return [match for match in unfinished.values() if match.contest in contests]
