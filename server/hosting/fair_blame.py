"""Decides who is to blame when a bot runs out of time: the bot, this machine, or another bot that hogged the machine.

Only what we measure ourselves counts as evidence: that the referee's own event loop was held up (LagMeter), or that the
core watch was (hold_ups.py). That several bots were late at the same moment, or that a bot says it had to wait for a
core, can be arranged, and excuses nobody.

A bot's share of the machine is one core, or more if its limits grant it more. A bot with one busy thread never takes
more than that, so it loses nothing by this rule, however long it thinks. A bot that took more while cores were held up
gets no excuse, for it may have held up itself. If such a bot also has more threads that want to run than two for each
core, then it is what held up the others, and it fails with `resource`.

If only the referee's event loop was held up, and no core, then it was busy with work of its own, and no bot's use of
the machine matters.

A bot that merely sleeps gets no excuse, whatever the machine does: the kernel counts how long a bot's threads were
ready to run but had no core, and a bot is excused only if it waited like that, and for longer than it slept. A bot that
keeps computing until its clock runs out cannot be told from a slow one, so excuses are counted, too: a bot that has
none left is excused only if an opponent at its table waited at the same time, for opponents have no reason to help it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from referee.match import clock
from referee.match.clock import HOST_LATE_SECONDS, excuse_by_lag
from referee.rules.engine import Seat
from server.hosting.cores import ProcessorUse, Use
from server.hosting.hold_ups import HoldUp
from server.system.logs import get_logger

READ_SECONDS = 0.25
"""Interval at which the processor time of the bots is read while one of them thinks for longer than
HOST_LATE_SECONDS."""
READING_COST = 0.003
"""Largest part of the time that is spent on reading."""
THREADS_PER_CORE = 2
"""A bot with more threads that want to run, for each core, leaves no core to the others."""
OVER_SHARE = "it took more than its share"
"""Why a bot gets no excuse that may have held itself up."""

log = get_logger()


class Suspect(Protocol):
    """A bot of this host whose processes can be looked at."""

    @property
    def name(self) -> str:
        """Return the bot's name."""
        ...

    @property
    def is_gone(self) -> bool:
        """Check whether it has ended."""
        ...

    @property
    def share_cores(self) -> float:
        """Return how many cores it may take without being blamed."""
        ...

    @property
    def asked_at(self) -> float | None:
        """Return the moment at which the oldest of its open questions was asked; None if none is open."""
        ...

    def cpu_seconds(self) -> float | None:
        """Return the processor time it has used; None if that is not known."""
        ...

    def waited_seconds(self) -> float | None:
        """Return how long it was ready to run but had no core; None if that is not known."""
        ...

    def running_threads(self) -> int:
        """Count its threads that run now, or wait for a core."""
        ...

    def end_for_overuse(self, message: str) -> None:
        """End it with the fault `resource`, in all its matches."""
        ...


class Lag(Protocol):
    """Measures how late the referee's event loop is."""

    def longest_stall_since(self, moment: float) -> float:
        """Return the longest stall since that moment, in seconds."""
        ...

    def stalled_since(self, moment: float) -> float:
        """Return for how long a question and its answer can have waited since that moment, in seconds."""
        ...


class Watch(Protocol):
    """Knows how long cores were held up."""

    def longest(self, since: float, until: float) -> HoldUp | None:
        """Return the longest hold-up between two moments, the latter of which is the present."""
        ...


class FairBlame:
    """Judges the overruns of all matches of one host."""

    def __init__(self, lag: Lag, watch: Watch, core_count: int) -> None:
        self._lag = lag
        self._watch = watch
        self._core_count = core_count
        self._bots: dict[Suspect, ProcessorUse] = {}
        self._excuses_left: dict[str, int] = {}
        """How often a bot may still be excused, by its name. A bot that is not there has no limit."""
        self._timer: asyncio.TimerHandle | None = None
        self._read_not_before = 0.0

    # The bots and what they use

    def add(self, bot: Suspect) -> None:
        """Add a bot that was started."""
        self._bots[bot] = ProcessorUse()

    def start(self) -> None:
        """Start reading what the bots use."""
        self._timer = asyncio.get_running_loop().call_later(READ_SECONDS, self._read_all)

    def stop(self) -> None:
        """Stop reading."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _read_all(self) -> None:
        """Read what all bots have used, if one of them thinks for long: it may run out of time."""
        self.start()
        self._bots = {bot: use for bot, use in self._bots.items() if not bot.is_gone}
        now = clock.now()
        thinks_since = min((at for bot in self._bots if (at := bot.asked_at) is not None), default=now)
        if now - thinks_since > HOST_LATE_SECONDS and now >= self._read_not_before:
            for bot in self._bots:
                self._read(bot)
            ended = clock.now()
            self._read_not_before = ended + (ended - now) / READING_COST

    def _read(self, bot: Suspect) -> None:
        seconds = bot.cpu_seconds()
        if seconds is not None:
            self._bots[bot].add(clock.now(), seconds, bot.waited_seconds())

    # The judgement

    def limit_excuses(self, left: Mapping[str, int]) -> None:
        """Take how often bots may still be excused in their event, unless fewer excuses are left here."""
        for name, count in left.items():
            self._excuses_left[name] = min(count, self._excuses_left.get(name, count))

    def excuse_overrun(
        self, bot: object, name: str, asked_at: float, match_id: str, opponents: Sequence[object] = ()
    ) -> str:
        """Say why the host is to blame for a bot that ran out of time; empty if the bot is."""
        facts: dict[str, object] = {"match": match_id, "bot": name}
        judged_at = clock.now()
        hold_up = self._watch.longest(asked_at, judged_at)
        lag = self._lag.longest_stall_since(asked_at)
        facts["lag_seconds"] = round(lag, 3)
        if hold_up is None or hold_up.seconds <= HOST_LATE_SECONDS:
            if lag <= HOST_LATE_SECONDS:
                return ""
            hold_up = None
        else:
            facts |= {"core": hold_up.core, "held_up_seconds": round(hold_up.seconds, 3)}
        uses = self._uses_since(asked_at)
        refusal = ""
        for late in (suspect for suspect in uses if suspect is bot):  # none: nothing is known of it
            slept = uses[late].slept_seconds(judged_at - asked_at)
            facts |= _facts_of(uses[late], slept)
            if hold_up is not None and self._is_over_share(late, uses[late]):
                refusal = OVER_SHARE
            else:
                refusal = _refuse_sleeper(uses[late].waited_seconds, slept, self._lag.stalled_since(asked_at))
        if not refusal and self._excuses_left.get(name) == 0 and not _has_waited(uses, opponents):
            refusal = "it has no excuses left, and no opponent had to wait"
        if refusal:
            log.warning("overrun_not_excused", why=refusal, **facts)
            return ""
        if name in self._excuses_left:
            self._excuses_left[name] = max(0, self._excuses_left[name] - 1)
        log.warning("overrun_excused", **facts)
        if hold_up is None:
            return excuse_by_lag(lag)
        evidence = f"core {hold_up.core} was held up for {hold_up.seconds:.2f} s while its question was open"
        if own_excuse := excuse_by_lag(lag):
            evidence += f", and {own_excuse}"
        guilty = [suspect for suspect, use in uses.items() if suspect is not bot and self._held_up_others(suspect, use)]
        for suspect in guilty:
            self._blame(suspect, uses[suspect], hold_up)
        return f"{evidence}, by a bot that took more than its share" if guilty else evidence

    def _uses_since(self, asked_at: float) -> dict[Suspect, Use]:
        uses = {}
        for bot, use in self._bots.items():
            self._read(bot)
            if (taken := use.since(asked_at, HOST_LATE_SECONDS)) is not None:
                uses[bot] = taken
        return uses

    def _is_over_share(self, bot: Suspect, use: Use) -> bool:
        """Check whether a bot took more than its share; of a machine with no more cores than that, so much that nobody
        can have held it up.

        The margin is what the kernel's rounding and the keeper's own work may add.
        """
        share = 1.05 * bot.share_cores * use.over_seconds + 0.02
        all_cores = self._core_count * use.over_seconds - HOST_LATE_SECONDS
        return use.used_seconds > min(share, all_cores)

    def _held_up_others(self, bot: Suspect, use: Use) -> bool:
        return self._is_over_share(bot, use) and bot.running_threads() > THREADS_PER_CORE * self._core_count

    def _blame(self, bot: Suspect, use: Use, hold_up: HoldUp) -> None:
        log.warning("bot_held_up_others", bot=bot.name, took_cores=round(use.cores, 2), core=hold_up.core)
        bot.end_for_overuse(
            f"took {use.cores:.1f} cores, where its share is {bot.share_cores:g}, with more than {THREADS_PER_CORE} "
            f"running threads for each core, while core {hold_up.core} was held up for {hold_up.seconds:.2f} s and "
            "another bot ran out of time"
        )


def _facts_of(use: Use, slept: float | None) -> dict[str, float]:
    """Return what a bot did while its question was open, for the log."""
    facts = {"took_cores": round(use.cores, 2)}
    if use.waited_seconds is not None and slept is not None:
        facts |= {"waited_seconds": round(use.waited_seconds, 3), "slept_seconds": round(slept, 3)}
    return facts


def _refuse_sleeper(waited: float | None, slept: float | None, stalled: float) -> str:
    """Return why a bot that waited and slept so long gets no excuse, though the referee, which was stalled so long, or
    a core was held up; empty if it may get one, or if nothing was counted."""
    if waited is None or slept is None:
        return ""
    if not stalled and waited <= HOST_LATE_SECONDS:
        return "it did not have to wait for a core"
    # Its question or its answer can have waited for the referee: meanwhile it had nothing to do.
    return "it slept for longer than it had to wait" if slept > waited + stalled else ""


def _has_waited(uses: Mapping[Suspect, Use], bots: Iterable[object]) -> bool:
    """Check whether one of these bots had to wait for a core for so long that it could have been late."""
    return any(
        use.waited_seconds is not None and use.waited_seconds > HOST_LATE_SECONDS
        for suspect, use in uses.items()
        if any(suspect is bot for bot in bots)
    )


class FairMatchHost:
    """The host of one match: the Host of `referee.match.match`."""

    def __init__(self, blame: FairBlame, match_id: str, bots: Sequence[object], names: Sequence[str]) -> None:
        self._blame = blame
        self._match_id = match_id
        self._bots = bots
        self._names = names

    def excuse_overrun(self, seat: Seat, asked_at: float) -> str:
        """Say why the host is to blame for a seat that ran out of time; empty if its bot is."""
        bot = self._bots[seat]
        opponents = [other for other in self._bots if other is not bot]
        return self._blame.excuse_overrun(bot, self._names[seat], asked_at, self._match_id, opponents)
