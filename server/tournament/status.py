"""Reads the progress of an event without changing anything."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from server.jail.level import JailLevel
from server.tournament.agreement import Agreement
from server.tournament.contest import ContestState
from server.tournament.folder import Folder, lock_holder
from server.tournament.forecast import forecast_event, planned_matches
from server.tournament.journal import count_late_bots, last_line, read_rare, read_steps
from server.tournament.rulings.ruled_matches import read_ruled
from server.tournament.rulings.ruling_file import read_rulings
from server.tournament.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class Status:
    """The progress of an event."""

    matches_planned: int | None
    matches_done: int
    void: int
    void_for: Mapping[str, int]
    """Void matches in which a bot ran out of time and was excused, by bot."""
    faults: int
    running: int
    """Matches being played at this moment."""
    pid: int | None
    """Process that plays them."""
    quarantined: tuple[str, ...]
    jail_levels: tuple[str, ...]
    """Levels at which bots were confined in the runs of the event; each record names its own."""
    over: bool
    """Whether everything is played."""


def read_status(folder: Folder) -> Status:
    """Return the progress of an event. One that has not begun has no matches yet."""
    if folder.read_agreement() is None and folder.manifest.is_file():
        return Status(
            matches_planned=planned_matches(forecast_event(folder)),
            matches_done=0,
            void=0,
            void_for={},
            faults=0,
            running=0,
            pid=None,
            quarantined=(),
            jail_levels=(),
            over=False,
        )
    agreement = folder.require_agreement()
    with Store.read_only(folder.database) as store:
        matches_done, faults = store.counts()
        contests = read_contests(folder, agreement, store)
        if not is_over(folder, contests) and any(contest.is_in_doubt for contest in contests):
            contests = read_contests(folder, agreement, store, draw=True)
    planned = [contest.matches_planned() for contest in contests]
    pid = lock_holder(folder)
    running, void = _follow_journal(folder, running=pid is not None)
    return Status(
        matches_planned=None if agreement.is_open or None in planned else sum(filter(None, planned)),
        matches_done=matches_done,
        void=void,
        void_for=count_late_bots(folder.journal) if void else {},
        faults=faults,
        running=running,
        pid=pid,
        quarantined=tuple(sorted({bot for contest in contests for bot in contest.quarantined})),
        jail_levels=read_levels(folder),
        over=is_over(folder, contests),
    )


def read_contests(folder: Folder, agreement: Agreement, store: Store, *, draw: bool = False) -> list[ContestState]:
    """Return the contests of an event as far as they are played. An arena's ladders have no schedule: none.

    The waves of a ladder are drawn only with `draw`: that may take minutes.
    """
    if agreement.is_open:
        return []
    rulings = read_rulings(folder.rulings)
    contests = [
        ContestState(agreement, contest, rated=False, ruled=read_ruled(rulings, agreement, contest.id, store))
        for contest in agreement.manifest.contests
    ]
    for state in contests:
        results = store.results(state.id, state.seats)
        if draw:
            deque(state.load(results), maxlen=0)
        else:
            state.read(results)
    return contests


def is_over(folder: Folder, contests: Sequence[ContestState]) -> bool:
    """Return whether everything is played.

    Of a ladder that is not drawn we do not know what was cancelled at its end. There the last run may have noted the
    end.
    """
    if all(contest.is_over() for contest in contests):
        return bool(contests)
    last = last_line(folder.journal) if all(contest.is_over() or contest.is_undrawn for contest in contests) else None
    if last is None or last["event"] != "run_finished":
        return False
    return bool(last.get("matches_done") == sum(contest.matches_done for contest in contests))


def read_levels(folder: Folder) -> tuple[str, ...]:
    """Return the levels at which bots were confined, the weakest first."""
    levels = {line.get("jail_level") for line in read_rare(folder.journal, "run_started")}
    return tuple(level for level in JailLevel if level in levels)


def _follow_journal(folder: Folder, *, running: bool) -> tuple[int, int]:
    """Return how many matches are being played (none unless the event is running), and how many were void."""
    void = 0
    playing: set[str] = set()
    kinds = ["match_void", "run_started", "match_started", "match_finished"]
    for event, match_id in read_steps(folder.journal, kinds if running else kinds[:1]):
        match event:
            case "run_started":
                playing = set()
            case "match_started":
                playing.add(match_id)
            case "match_finished":
                playing.discard(match_id)
            case "match_void":
                void += 1
    return len(playing), void
