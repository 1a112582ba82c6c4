"""Runs an event: locks its folder, reconciles it, plays, and leaves it so that the next run can continue."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from referee.errors import TortugaError
from server.bots.spec import BotSpec
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.jail.machine import require_level
from server.play.local_pool import LocalPool
from server.play.pool import BlockPool
from server.play.summary import MatchSummary
from server.system.database import DamagedDatabase
from server.system.files import DATABASE_PARTS, set_database_aside
from server.system.logs import get_ready
from server.tournament import store_queries
from server.tournament.agreement import Agreement
from server.tournament.contest import ContestState
from server.tournament.folder import Folder, lock_folder, lock_holder
from server.tournament.journal import Journal, read_rare, read_steps
from server.tournament.listener import Listener
from server.tournament.live_ladder import NEVER, LiveLadder
from server.tournament.repair.reconcile import Findings, reconcile
from server.tournament.results import journal_finished
from server.tournament.roster import current_agreement
from server.tournament.rulings.new_rulings import settle_rulings
from server.tournament.rulings.ruled_matches import read_ruled
from server.tournament.rulings.ruling_file import NO_RULINGS, Rulings, read_rulings
from server.tournament.runner import Ending, Runner
from server.tournament.store import Store

COPIED_AT_ONCE = 1000
"""Rows to copy to a new database in one transaction."""


async def run_event(
    folder: Folder,
    listener: Listener,
    *,
    concurrency: int | None = None,
    pin: bool | None = None,
    confinement: Confinement | None = None,
    make_pool: Callable[..., BlockPool] = LocalPool,
    remote: bool = False,
    stop: asyncio.Event | None = None,
) -> Ending:
    """Play an event to its end, or until it is interrupted. The same call continues it.

    `remote`: the pool can seat bots that dial in.
    Ctrl-C and SIGTERM interrupt it, unless the caller handles them and gives `stop`: when that is set, running blocks
    are finished. To stop without waiting for them, cancel this call.
    """
    get_ready()
    confinement = confinement or Confinement()
    for warning in folder.prepare():
        listener.warned(warning)
    with lock_folder(folder) as lock, open_store(folder, listener) as store:
        agreement, bots, findings = open_agreement(folder, store, remote=remote)
        require_level(confinement.level, JailLevel(agreement.manifest.jail), f"the event {agreement.manifest.name}")
        confinement.refuse_exposure([spec.folder.resolve() for spec in bots.values() if spec.folder])
        for problem in findings.problems:
            listener.warned(problem)
        rulings = read_rulings(folder.rulings)
        contests = load_contests(agreement, store, bots, rulings)
        if rulings:
            rulings = settle_rulings(folder, contests)
            contests = load_contests(agreement, store, bots, rulings)
        for contest in contests:
            if not contest.matches_done and (warning := contest.inequality()):
                listener.warned(warning)
        journal = Journal(folder.journal)
        try:
            write_missing_lines(folder, journal, store)
            manifest = agreement.manifest
            runner = Runner(
                folder,
                lock,
                store,
                journal,
                contests,
                listener,
                concurrency=manifest.concurrency if concurrency is None else concurrency,
                pin=manifest.pin if pin is None else pin,
                confinement=confinement,
                make_pool=make_pool,
                stop=stop,
                excuses=manifest.excuses,
                rulings=rulings,
                reload=partial(load_contests, agreement, store, bots),
            )
            facts = {"matches_done": runner.done, "matches_planned": runner.planned}
            level = str(confinement.level)
            journal.write("run_started", commitment=agreement.commitment, jail_level=level, **facts)
            listener.begin(agreement, store.matches())
            try:
                ending = await runner.run()
            finally:
                listener.end()
            if manifest.format == "ladder":
                announce_scale(folder, agreement, store, journal, listener.noted)
            facts = {"matches_done": runner.done, "matches_planned": runner.planned}
            if ending is Ending.FINISHED:
                journal.write("run_finished", seed=manifest.seed, **facts)
            else:
                journal.write("run_interrupted", **facts)
        finally:
            journal.close()
    return ending


def open_agreement(
    folder: Folder, store: Store, *, remote: bool = False
) -> tuple[Agreement, dict[str, BotSpec], Findings]:
    """Make or update the agreement, and reconcile records and database under it."""
    agreed = folder.read_agreement()
    if agreed is None:
        agreement, bots = current_agreement(folder, remote=remote)
        check_schedules(agreement)
        folder.write_agreement(agreement)
        return agreement, bots, reconcile(folder, store, agreement)
    current_agreement(folder, remote=remote)  # refuses a changed manifest before anything is changed
    findings = reconcile(folder, store, agreed)
    # Newcomers join at the first stage without a result. It is taken from the matches: where an early record was lost,
    # the schedule cannot be drawn that far.
    stages = {contest.id: store_queries.last_stage(store, contest.id) + 1 for contest in agreed.manifest.contests}
    agreement, bots = current_agreement(folder, stages, remote=remote)
    if agreement != agreed:
        folder.write_agreement(agreement)
    return agreement, bots, findings


def check_schedules(agreement: Agreement) -> None:
    """Refuse what cannot be scheduled, while the manifest can still be corrected."""
    for contest in agreement.manifest.contests:
        ContestState(agreement, contest)


def load_contests(
    agreement: Agreement,
    store: Store,
    bots: dict[str, BotSpec] | None = None,
    rulings: Rulings = NO_RULINGS,
    running: Collection[tuple[str, int]] = (),
) -> list[ContestState]:
    """Return all contests with their results. Correct the stored live ladder where it does not follow from these.

    Running blocks stay open, whatever was ruled.
    """
    states = [
        ContestState(agreement, contest, bots, ruled=read_ruled(rulings, agreement, contest.id, store))
        for contest in agreement.manifest.contests
    ]
    for state in states:
        store.replace_live_elo(state.id, state.load(store.results(state.id, state.seats), running))
    return states


def rate_all(agreement: Agreement, store: Store, rulings: Rulings) -> None:
    """Correct the live ladder: in schedule order, or on an arena's ladder by the numbers of the matches."""
    if not agreement.is_open:
        load_contests(agreement, store, rulings=rulings)
        return
    for contest in agreement.manifest.contests:
        ladder = LiveLadder(NEVER, ruled=read_ruled(rulings, agreement, contest.id, store))
        store.replace_live_elo(contest.id, map(ladder.feed_numbered, store.results(contest.id, contest.seats)))


def follow_rulings(folder: Folder) -> None:
    """Make the live ladder of an event that nobody runs follow its rulings. One that is run does that by itself."""
    agreement = folder.read_agreement()
    if agreement is None or not folder.database.is_file() or lock_holder(folder) is not None:
        return
    with lock_folder(folder), Store.open(folder.database) as store:
        rate_all(agreement, store, read_rulings(folder.rulings))


@contextmanager
def open_store(folder: Folder, listener: Listener | None = None) -> Iterator[Store]:
    """Open the database. A damaged one is set aside and rebuilt from the records."""
    try:
        refuse_remains(folder.database)
        store = Store.open(folder.database)
    except DamagedDatabase:
        aside = set_database_aside(folder.database)
        if listener:
            listener.warned(f"{folder.database} is damaged: set aside as {aside.name} and rebuilt from the records")
        store = Store.open(folder.database)
        keep_rows_without_records(aside, store)
    with store:
        yield store


def refuse_remains(database: Path) -> None:
    """Raise DamagedDatabase if there is no database but remains of one.

    Remains are something else of its name, or rows that SQLite kept beside it: it would fill a new database with them.
    """
    if database.is_file():
        return
    rows = database.with_name(f"{database.name}-wal")
    if os.path.lexists(database) or (rows.exists() and rows.stat().st_size):
        raise DamagedDatabase(f"{database} is damaged: only parts of it exist")


def keep_rows_without_records(database: Path, store: Store) -> None:
    """Copy the matches whose records were deleted on purpose, as far as an old or damaged database can be read."""
    if not database.is_file():
        return  # opening a pipe would block
    batch: list[MatchSummary] = []
    with suppress(TortugaError), Store.read_only(database) as old:  # if it is damaged, these rows are lost
        for match in old.matches():
            if not match.kept and len(match.seats) == len(match.bots):
                batch.append(match)
            if len(batch) == COPIED_AT_ONCE:
                store.add(batch, ())
                batch = []
    store.add(batch, ())


def rebuild(folder: Folder, *, course_only: bool = False, unsigned: bool = False) -> Findings:
    """Rebuild the database from the records, whatever its state. Every record is verified.

    `course_only`: records of a version that sent other messages count as well. `unsigned`: so do those that nobody
    signed, though the event has a key.
    """
    agreement = folder.require_agreement()
    with lock_folder(folder):
        draft = folder.database.with_name(f"{folder.database.name}.draft")
        draft.unlink(missing_ok=True)
        with Store.open(draft) as store:
            keep_rows_without_records(folder.database, store)
            findings = reconcile(folder, store, agreement, course_only=course_only, unsigned=unsigned)
            rate_all(agreement, store, read_rulings(folder.rulings))
        for part in DATABASE_PARTS[1:]:
            folder.database.with_name(folder.database.name + part).unlink(missing_ok=True)
        draft.replace(folder.database)
    return findings


def write_missing_lines(folder: Folder, journal: Journal, store: Store) -> None:
    """Write the journal lines that a killed process could not write."""
    written = {match_id for _, match_id in read_steps(folder.journal, ["match_finished"])}
    for match_id in [match_id for match_id in store.match_ids() if match_id not in written]:
        match = store.match(match_id)
        assert match is not None
        journal_finished(journal, match)


def announce_scale(
    folder: Folder, agreement: Agreement, store: Store, journal: Journal, say: Callable[[str], None]
) -> None:
    """Compare the scale of every ladder with the one last announced, and announce what changed.

    It changes when anchors join or are changed. The journal remembers the scale that was last announced, in a line
    `scale` for each contest.
    """
    # Import late: ratings need numpy, and an event without a ladder should not wait for that.
    from server.tournament.standings import read_ladder

    lines = read_rare(folder.journal, "scale")
    announced = {line.get("contest"): line["anchors"] for line in lines if isinstance(line.get("anchors"), dict)}
    for contest in agreement.manifest.contests:
        if not store.match_count(contest.id):
            continue
        fitted = read_ladder(agreement, contest, store, read_rulings(folder.rulings)).fitted
        if not fitted.matches:
            continue  # rulings left no rated match: there is no scale
        anchors = {anchor.name: anchor.rating for anchor in fitted.anchors}
        before = announced.get(contest.id)
        if anchors == before:
            continue
        shift = 0.0 if before is None else fitted.shift_from(before)
        journal.write("scale", contest=contest.id, anchors=anchors, shift=shift)
        if before is not None:
            say(
                f"{contest.id}: the scale changed from {_words(before)} to {_words(anchors)}: every Elo moved by "
                f"{shift:+.0f}"
            )


def _words(anchors: dict[str, float]) -> str:
    return ", ".join(f"{name} = {rating:g}" for name, rating in anchors.items()) or "mean = 1000"
