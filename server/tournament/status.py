"""How far an event is, read without touching it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass

from server.jail.level import JailLevel
from server.tournament.contest import ContestState
from server.tournament.folder import Folder
from server.tournament.journal import read_rare, read_steps
from server.tournament.lock import lock_holder
from server.tournament.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class Status:
    """How far an event is."""

    matches_planned: int | None
    matches_done: int
    void: int
    void_for: Mapping[str, int]
    """Of those, how many were void because this bot ran out of time and was excused."""
    faults: int
    running: int
    """Matches being played at this moment."""
    pid: int | None
    """The process that plays them."""
    quarantined: tuple[str, ...]
    jail_levels: tuple[str, ...]
    """How bots were confined in the runs of the event; each record names its own."""


def read_status(folder: Folder) -> Status:
    """How far an event is."""
    agreement = folder.require_agreement()
    with Store.read_only(folder.database) as store:
        matches_done, faults = store.counts()
        wanted = () if agreement.is_open else agreement.manifest.contests
        contests = [ContestState(agreement, contest, rated=False) for contest in wanted]
        for contest in contests:
            deque(contest.load(store.results(contest.id, contest.seats)), maxlen=0)
    planned = [contest.matches_planned() for contest in contests]
    pid = lock_holder(folder)
    running, void = _follow_journal(folder, running=pid is not None)
    return Status(
        matches_planned=None if agreement.is_open or None in planned else sum(filter(None, planned)),
        matches_done=matches_done,
        void=void,
        void_for=count_late_bots(folder) if void else {},
        faults=faults,
        running=running,
        pid=pid,
        quarantined=tuple(sorted({bot for contest in contests for bot in contest.quarantined})),
        jail_levels=read_levels(folder),
    )


def read_levels(folder: Folder) -> tuple[str, ...]:
    """The levels at which bots were confined, the weakest first."""
    told = {line.get("jail_level") for line in read_rare(folder.journal, "run_started")}
    return tuple(level for level in JailLevel if level in told)


def count_late_bots(folder: Folder) -> dict[str, int]:
    """In how many void matches each bot ran out of time and was excused; those with the most come first."""
    lines = read_rare(folder.journal, "match_void")
    names = Counter(name for line in lines if isinstance(line.get("late"), list) for name in map(str, line["late"]))
    return dict(names.most_common())


def _follow_journal(folder: Folder, *, running: bool) -> tuple[int, int]:
    """How many matches are being played (none unless the event is running), and how many were void."""
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
