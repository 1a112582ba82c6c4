"""Estimates the cost of an event: its matches, and from a few trial matches time and disk. The event is not touched.

Trial matches are real matches, played by the same workers as the event, in a folder that is removed afterwards. Their
luck is different from the event's, so nobody learns anything from them.
"""

from __future__ import annotations

import secrets
import shlex
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from server.bots.spec import MANIFEST as BOT_MANIFEST
from server.bots.spec import find_bot
from server.play.summary import MatchSummary
from server.ratings.power import Power, forecast_power
from server.schedule import Plan, unequal_matches
from server.schedule.forecast import PlannedBlocks, forecast
from server.tournament.agreement import Agreement
from server.tournament.contest import make_plan
from server.tournament.folder import Folder
from server.tournament.listener import Listener
from server.tournament.manifest import Manifest, find_bots, read_manifest, write_text
from server.tournament.roster import first_agreement

if TYPE_CHECKING:
    from server.jail.confinement import Confinement
    from server.tournament.format_chances import FormatChance

REPEATED = ("round-robin", "gauntlet", "league", "ladder")
"""Formats in which twice the rounds are twice the blocks."""

ROW_BYTES = 900
"""Space of a match in the database and in the journal, about."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContestForecast:
    """The matches of one contest."""

    contest: str
    format: str
    matches: int | None
    """None: the contest has no end."""
    per_bot: Mapping[str, int]
    exact: bool
    """False: a knockout may need more, and in a Swiss other bots may get the byes."""
    among_equals: float | None
    """In a knockout, the mean number of matches if all bots are equally good; else None."""
    unequal: str
    """Reason why some bots play more matches than others, and what would make them equal. Empty: all play as many."""
    power: Power | None
    """How small a gap its ratings will tell. None: not asked for, a knockout, a contest without end, more bots than
    are forecast, or bots that never meet."""
    rounds_for_goal: int | None
    """The setting `rounds` that gives the blocks of `power.blocks_for_goal`. None: the format has no such number."""
    formats: Sequence[FormatChance] | None
    """The chance that the best bot comes first, by format. None: not asked for, or a contest without end."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialCost:
    """The time and the disk that a few trial matches took."""

    matches: int
    seconds: float
    record_bytes: int

    def expected_seconds(self, matches: int) -> float:
        """Return how long this many matches take at the same pace."""
        return self.seconds / self.matches * matches

    def expected_bytes(self, matches: int) -> int:
        """Return the disk space that this many matches take: records, rows and journal."""
        return round((self.record_bytes / self.matches + ROW_BYTES) * matches)


def expected_agreement(folder: Folder) -> Agreement:
    """Return the terms that the event is or will be played under."""
    agreed = folder.read_agreement()
    if agreed is not None:
        return agreed
    manifest = read_manifest(folder.manifest)
    return first_agreement(manifest, find_bots(manifest, folder.path))


def forecast_event(folder: Folder, *, with_power: bool = False, with_formats: bool = False) -> list[ContestForecast]:
    """Return the matches of every contest, as forecast before anything is played.

    Compute what they will tell, and compare formats, only if asked.
    """
    agreement = expected_agreement(folder)
    forecasts = []
    for contest in agreement.manifest.contests:
        plan = make_plan(agreement, contest)
        counted = forecast(plan)
        power = _forecast_power(plan, counted) if with_power else None
        forecasts.append(
            ContestForecast(
                contest=contest.id,
                format=plan.format,
                matches=None if counted.blocks is None else counted.blocks * contest.seats,
                per_bot={bot: blocks * contest.seats for bot, blocks in counted.per_bot.items()},
                exact=counted.exact,
                among_equals=None if counted.among_equals is None else counted.among_equals * contest.seats,
                unequal=unequal_matches(plan),
                power=power,
                rounds_for_goal=_rounds_for_goal(plan, power),
                formats=_compare_formats(plan, counted) if with_formats else None,
            )
        )
    return forecasts


def _forecast_power(plan: Plan, counted: PlannedBlocks) -> Power | None:
    if plan.format == "knockout":
        return None  # its tables follow from results, and so do its places
    numbers = {bot: number for number, bot in enumerate(sorted(counted.per_bot))}
    tables = {tuple(numbers[bot] for bot in table): blocks for table, blocks in counted.tables.items()}
    return forecast_power(len(numbers), tables)


def _compare_formats(plan: Plan, counted: PlannedBlocks) -> list[FormatChance] | None:
    # Import late: a status asks for counts only.
    from server.tournament.format_chances import compare_formats

    return None if counted.blocks is None else compare_formats(plan, round(counted.among_equals or counted.blocks))


def _rounds_for_goal(plan: Plan, power: Power | None) -> int | None:
    if power is None or plan.format not in REPEATED:
        return None
    return ceil(power.blocks_for_goal / power.blocks * plan.rounds)


def planned_matches(contests: Sequence[ContestForecast]) -> int | None:
    """Return the number of matches of an event. None: it has no end."""
    counts = [contest.matches for contest in contests]
    return None if None in counts else sum(filter(None, counts))


@dataclass(slots=True)
class _TrialListener(Listener):
    """Counts matches until there are enough."""

    wanted: int
    matches: list[MatchSummary] = field(default_factory=list)
    ended: float = 0.0

    def match_finished(self, match: MatchSummary, done: int, planned: int | None) -> None:
        """Count a match, and note when the last one ended."""
        self.matches.append(match)
        self.ended = time.time()

    def warned(self, text: str) -> None:
        """Ignore the warning: the run will repeat it."""

    def enough(self) -> bool:
        """Return whether no more matches are needed."""
        return len(self.matches) >= self.wanted


async def try_matches(folder: Folder, count: int, confinement: Confinement) -> TrialCost:
    """Play about this many matches of the event in another folder, in whole blocks, and measure them."""
    # Import late: a forecast without trials needs nothing that plays.
    from server.tournament.event import run_event

    manifest = read_manifest(folder.manifest)
    listener = _TrialListener(count)
    with tempfile.TemporaryDirectory(prefix="tortuga-plan-") as scratch:
        trial = Folder(Path(scratch) / "event")
        trial.path.mkdir(mode=0o700)
        trial.manifest.write_text(write_text(trial_manifest(manifest, folder)))
        await run_event(trial, listener, confinement=confinement)
    began = min(match.started_millis for match in listener.matches) / 1000
    return TrialCost(
        matches=len(listener.matches),
        seconds=max(listener.ended - began, 0.001),
        record_bytes=sum(match.record_bytes for match in listener.matches),
    )


def trial_manifest(manifest: Manifest, folder: Folder) -> Manifest:
    """Return the same event with other luck, and with bots that are found from any folder."""
    names = find_bots(manifest, folder.path)
    bots = tuple(
        replace(bot, name=name, spec=_spec_from_anywhere(bot.spec, folder.path))
        for bot, name in zip(manifest.bots, names, strict=True)
    )
    return replace(manifest, seed=secrets.token_hex(16), bots=bots)


def _spec_from_anywhere(spec: str, base: Path) -> str:
    if spec.startswith("cmd:"):
        return f"cmd: {shlex.join(find_bot(spec, base).run)}"
    return str((base / spec).resolve()) if (base / spec / BOT_MANIFEST).is_file() else spec
