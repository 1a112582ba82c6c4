"""Plays one match: ask, wait, check, apply, tell, until there is an outcome. No gRPC here: a match also runs with
fake players.

A bot that fails is told why. Its seat is either forgiven (the decision's default is played) or out. In a game of three
or more the defaults are played for a seat that is out, so that the others finish a real game; when only one seat is
left, the match is over. Faults of the host void the match: a seat that ran out of time is excused if the host says so.
If a bot of the same match is what held the seat up, that bot is out and the seat is asked again. All times are read
from `clock.now`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

from referee.errors import BotFault, FaultKind, GameFault, MatchVoid, RulesError, TortugaError
from referee.match.chain import Chain, Links
from referee.match.clock import SeatClock, TimeControl
from referee.match.notes import Notebook, SeatNote
from referee.match.question import Question, Wire, make_question
from referee.match.ranking import Elimination, final_ranks, reason_and_scores
from referee.rules.chance import SeededChance, commitment
from referee.rules.course import Course
from referee.rules.engine import AnyGame, Seat, Variant

if TYPE_CHECKING:
    import asyncio

FORGIVABLE = frozenset({FaultKind.TIMEOUT, FaultKind.ILLEGAL})
"""Kinds of faults that a lenient policy forgives. Everything else puts a seat out at once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """The terms of a match: all that is fixed before the first question."""

    match_id: str
    game: AnyGame
    wire: Wire
    variant: Variant
    secret: bytes
    seed: str = ""
    clock: TimeControl = field(default_factory=TimeControl)
    faults_allowed: int = 0
    """Number of late or illegal answers that a seat is forgiven: 0 is the strict policy."""

    @property
    def commitment(self) -> bytes:
        """Return the commitment to the match's luck, which the bots are sent before the match."""
        return commitment(self.secret)


@dataclass(frozen=True, kw_only=True, slots=True)
class Introduction:
    """The facts that a seat is sent before the first question."""

    terms: Terms
    seat: Seat
    seat_names: tuple[str, ...]
    notebook: Notebook | None = None
    """The notebook into which the player writes its bot's notes. None: nobody reads them."""


class Asker(Protocol):
    """Hears the result of a question: for each question one of these methods is called, once."""

    def answered(self, seat: Seat, index: int, seconds: float) -> None:
        """Take the option that the seat chose, legally and in time, after this many seconds on its clock."""
        ...

    def failed(self, seat: Seat, fault: BotFault, asked_at: float) -> None:
        """Take the fault of a seat that gave no legal answer in time; its clock had run from that moment."""
        ...


class Player(Protocol):
    """A bot at one table, wherever it runs. None of these methods may block."""

    @property
    def name(self) -> str:
        """Return the bot's name, for the other seats and for people."""
        ...

    def sit(self, introduction: Introduction) -> asyncio.Future[None]:
        """Begin a match; done when the player is ready, failed with a BotFault when it never will be."""
        ...

    def ask(self, question: Question, asker: Asker) -> None:
        """Put a question and tell the asker what came of it. The seat's clock is the player's to start and to stop."""
        ...

    def final_fault(self) -> BotFault | None:
        """Return the fault after which the player can answer no more (crashed, resigned, disconnected); None while
        it can."""
        ...

    def tell_fault(self, fault: BotFault, *, faults_left: int, substituted: int | None) -> None:
        """Tell the player what it did wrong and what that costs; substituted is None when the seat is out."""
        ...

    def end(self, result: MatchResult) -> None:
        """Tell the player how the match ended."""
        ...


class Host(Protocol):
    """Answers the match's questions about the machine it runs on."""

    def excuse_overrun(self, seat: Seat, asked_at: float) -> str:
        """Return the reason why the host is to blame, and not the bot, for a seat that ran out of time; the clock of
        its question had started at that moment. Empty: the bot is to blame.

        If another bot is what held it up, that bot has a final fault of the kind `resource` when this returns.
        """
        ...


class Chooser(IntEnum):
    """The maker of a choice; the numbers are those of `AnswerSource` in record.proto."""

    BOT = 1
    DEFAULT = 2
    OUT = 3


@dataclass(slots=True)
class SeatAnswer:
    """The choice of one seat at one moment."""

    seat: Seat
    index: int
    source: Chooser
    seconds: float


@dataclass(slots=True)
class Moment:
    """A moment of choice and its links in the chains."""

    answers: tuple[SeatAnswer, ...]
    links: Links


@dataclass(frozen=True, kw_only=True, slots=True)
class SeatFault:
    """A fault, with its seat and the decision (counted over all seats from 1; 0 before the first)."""

    seat: Seat
    decision: int
    kind: FaultKind
    message: str
    out: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchResult:
    """Everything that is known of a match when it is over."""

    terms: Terms
    names: tuple[str, ...]
    moments: tuple[Moment, ...]
    end_links: Links
    faults: tuple[SeatFault, ...]
    ranks: tuple[int, ...]
    scores: tuple[float, ...]
    reason: str
    void: bool
    time_used_seconds: tuple[float, ...]
    excused: tuple[Seat, ...] = ()
    """Seats that ran out of time and for whose sake the match is void."""
    notes: tuple[SeatNote, ...] = ()
    """Notes of the bots, by decision."""
    notes_dropped: tuple[int, ...] = ()
    """Number of notes that were not kept, per seat; empty: none."""

    @property
    def late_bots(self) -> tuple[str, ...]:
        """Return the bots that ran out of time and for whose sake the match is void."""
        return tuple(self.names[seat] for seat in self.excused)

    @property
    def decisions(self) -> int:
        """Count the choices that were made, by bots or in their place."""
        return sum(len(moment.answers) for moment in self.moments)


Choices = Sequence[tuple[Seat, Any, "Chooser"]]
"""The choices of one moment: the seat, the action, and who chose it."""

Watcher = Callable[[Course, str, Choices], None]
"""Called after the start (nothing was chosen yet) and after every moment with its kind: for spectators."""


class Match:
    """A match in progress. `await Match(...).play()` returns its result.

    It is the Asker of its questions, and continues inside the call that brings the last answer of a moment: to wake a
    task for every decision would cost time.
    """

    def __init__(self, terms: Terms, players: Sequence[Player], host: Host, watcher: Watcher | None = None) -> None:
        self._terms = terms
        self._players = list(players)
        self._host = host
        self._watcher = watcher
        seats = len(players)
        self._course = Course(terms.game, seats, terms.variant, SeededChance(terms.secret))
        self._chain = Chain(terms.game, seats, terms.variant, terms.secret)
        self._clocks = [SeatClock(terms.clock) for _ in players]
        self._notebooks = [Notebook(Seat(seat)) for seat in range(seats)]
        self._questions_asked = [0] * seats
        self._faults_left = [terms.faults_allowed] * seats
        self._eliminated: dict[Seat, Elimination] = {}
        self._moments: list[Moment] = []
        self._faults: list[SeatFault] = []
        self._decisions = 0
        self._seated = False
        self._awaited = 0
        """Number of answers that are missing before the match can go on."""
        self._answers: dict[Seat, SeatAnswer] = {}
        """Answers to the questions of this moment."""
        self._failures: dict[Seat, tuple[BotFault, float]] = {}
        """Seats that failed at their question of this moment, and since when they had been asked."""
        self._questions: dict[Seat, Question] = {}
        """Questions of this moment; empty once the moment is closed."""
        self._unlinked: list[tuple[Seat, bytes]] = []
        """Questions of this moment as bytes, until they are part of the chain."""
        self._excused: tuple[Seat, ...] = ()

    async def play(self) -> MatchResult:
        """Play to the end. Never raises for anything a bot does."""
        import asyncio  # here: what only reads the result of a match does without

        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[None] = self._loop.create_future()
        try:
            await self._seat_players()
            self._seated = True
            if self._watcher:
                self._watcher(self._course, "", ())
            self._ask_next()
            await self._over
            result = self._result()
        except MatchVoid as reason:
            result = self._void(str(reason))
        except BaseException:  # cancelled, or our bug: the bots would wait for ever, and their tables stay taken
            self._tell_end(self._void("the server abandoned it"))
            raise
        self._tell_end(result)
        return result

    def _tell_end(self, result: MatchResult) -> None:
        for player in self._players:
            player.end(result)

    async def _seat_players(self) -> None:
        names = tuple(player.name for player in self._players)
        waiting = {
            Seat(seat): player.sit(
                Introduction(terms=self._terms, seat=Seat(seat), seat_names=names, notebook=notebook)
            )
            for seat, (player, notebook) in enumerate(zip(self._players, self._notebooks, strict=True))
        }
        faults = {}
        for seat, ready in waiting.items():
            try:
                await ready
            except BotFault as fault:
                faults[seat] = fault
        self._eliminate(self._final_faults() | faults)  # a bot may have crashed while the others got ready

    # One moment: ask its seats together, wait for all, judge, apply

    def _ask_next(self) -> None:
        """Ask the seats of the next decision, or end the match. Moments that nobody is asked about are played here."""
        course = self._course
        while course.outcome is None and self._seats_in() > 1:
            if not self._questions:
                self._make_questions()
            awaited = [seat for seat in self._questions if seat not in self._answers and seat not in self._failures]
            self._awaited = len(awaited) + 1  # one more, so that a player that answers at once does not re-enter
            for seat in awaited:
                self._players[seat].ask(self._questions[seat], self)
            self._awaited -= 1
            if self._awaited:
                self._loop.call_soon(self._link_while_bots_think)
                return
            self._close_moment()
        self._over.set_result(None)

    def _make_questions(self) -> None:
        asked = self._course.asked
        self._questions = {
            seat: self._question(seat, decision)
            for decision, seat in enumerate(asked, self._decisions + 1)
            if seat not in self._eliminated
        }
        self._unlinked = [(seat, self._questions[seat].position if seat in self._questions else b"") for seat in asked]

    def answered(self, seat: Seat, index: int, seconds: float) -> None:
        """Take a seat's choice."""
        self._answers[seat] = SeatAnswer(seat, index, Chooser.BOT, seconds)
        self._awaited -= 1
        if not self._awaited:
            self._go_on()

    def failed(self, seat: Seat, fault: BotFault, asked_at: float) -> None:
        """Take a seat's failure at its question."""
        self._failures[seat] = fault, asked_at
        self._awaited -= 1
        if not self._awaited:
            self._go_on()

    def _go_on(self) -> None:
        """Play on in somebody's callback. What goes wrong concerns this match, never the caller."""
        if self._over.done():
            return
        try:
            self._close_moment()
            self._ask_next()
        except Exception as error:
            self._over.set_exception(error)

    def _link_while_bots_think(self) -> None:
        """Write into the chain what was asked, once the questions have left."""
        if self._over.done():
            return
        try:
            self._link_questions()
        except Exception as error:
            self._over.set_exception(error)

    def _link_questions(self) -> None:
        if self._unlinked:
            try:
                self._chain.ask(self._course.state, self._unlinked)
            except RulesError as error:
                raise self._blame(error) from error
            self._unlinked = []

    def _close_moment(self) -> None:
        """Judge what failed, then play the choices: all answers are in. A moment at which a seat has to be asked
        again stays open."""
        self._link_questions()
        if self._failures and self._excuse_overruns():
            return
        self._questions = {}
        answers, faults = [], {}
        for seat in self._course.asked:
            answer = self._answers.pop(seat, None)
            if answer is None and (failure := self._failures.pop(seat, None)):
                fault, asked_at = failure
                # Its time may lie before the question: a crash is sometimes noticed late.
                answer = SeatAnswer(seat, self._course.default(seat), Chooser.DEFAULT, max(0.0, fault.at - asked_at))
                if seat not in self._eliminated and not self._forgive(seat, fault):
                    faults[seat] = fault
            if answer is None:
                answer = SeatAnswer(seat, self._course.default(seat), Chooser.OUT, 0.0)
            else:
                self._clocks[seat].end_question(answer.seconds)
            answers.append(answer)
        if faults or any(player.final_fault() for player in self._players):
            self._eliminate(self._final_faults() | faults)
        if self._seats_in() > 1:
            self._apply(tuple(answers))

    def _question(self, seat: Seat, decision: int) -> Question:
        self._questions_asked[seat] += 1
        self._notebooks[seat].asked(decision)
        question = make_question(self._course, self._terms.wire, seat, self._questions_asked[seat])
        self._start_clock(seat, question)
        return question

    def _start_clock(self, seat: Seat, question: Question) -> None:
        seat_clock = self._clocks[seat]
        question.time_left_seconds = seat_clock.begin_question()
        question.bank_left_seconds = seat_clock.bank_seconds

    def _excuse_overruns(self) -> bool:
        """Ask the host about the seats that ran out of time. Whether some of them have to be asked again; MatchVoid if
        the host held them up, and not a bot of this match."""
        reasons = {
            seat: self._host.excuse_overrun(seat, asked_at)
            for seat, (fault, asked_at) in self._failures.items()
            if fault.kind is FaultKind.TIMEOUT
        }
        excused = [seat for seat, reason in reasons.items() if reason]
        if not excused:
            return False
        guilty = {seat: fault for seat, fault in self._final_faults().items() if fault.kind is FaultKind.RESOURCE}
        if not guilty:
            self._excused = tuple(excused)
            seat = excused[0]
            raise MatchVoid(f"seat {seat} overran its time, but {reasons[seat]}")
        for seat in guilty.keys() & self._failures.keys():
            self._failures[seat] = guilty[seat], self._failures[seat][1]
        self._eliminate(guilty)  # now, so that nobody is asked again for the same bot's sake
        for seat in excused:
            del self._failures[seat]
            self._start_clock(seat, self._questions[seat])
        return self._seats_in() > 1

    def _forgive(self, seat: Seat, fault: BotFault) -> bool:
        """Forgive a seat that failed at its question, if the policy plays on with the default, and tell it. Returns
        whether it was forgiven."""
        if fault.kind not in FORGIVABLE or self._faults_left[seat] == 0:
            return False
        self._faults_left[seat] -= 1
        self._record_fault(seat, fault, out=False)
        substituted = self._course.default(seat)
        self._players[seat].tell_fault(fault, faults_left=self._faults_left[seat], substituted=substituted)
        return True

    def _final_faults(self) -> dict[Seat, BotFault]:
        """Return the faults of seats still in the match whose bots can answer no more, asked or not."""
        faults = {Seat(seat): player.final_fault() for seat, player in enumerate(self._players)}
        return {seat: fault for seat, fault in faults.items() if fault and seat not in self._eliminated}

    def _eliminate(self, faults: dict[Seat, BotFault]) -> None:
        """Put these seats out, in the order in which they failed."""
        for seat, fault in sorted(faults.items(), key=lambda item: item[1].at):
            self._eliminated[seat] = Elimination(len(self._moments), fault.at)
            self._record_fault(seat, fault, out=True)
            self._players[seat].tell_fault(fault, faults_left=0, substituted=None)

    def _record_fault(self, seat: Seat, fault: BotFault, *, out: bool) -> None:
        """Keep a fault, with the number of the seat's own decision, or of the one the others were asked."""
        asked = list(self._course.asked)
        place = asked.index(seat) if seat in asked else 0
        decision = self._decisions + 1 + place if self._seated else 0
        self._faults.append(SeatFault(seat=seat, decision=decision, kind=fault.kind, message=fault.message, out=out))

    def _apply(self, answers: tuple[SeatAnswer, ...]) -> None:
        course = self._course
        kind, asked = course.kind, course.asked
        links = self._chain.answer(kind, [(a.seat, len(asked[a.seat]), a.index, a.source) for a in answers])
        self._moments.append(Moment(answers, links))
        self._decisions += len(answers)
        course.choose({answer.seat: answer.index for answer in answers})
        if self._watcher:
            self._watcher(course, kind, [(a.seat, asked[a.seat][a.index], a.source) for a in answers])

    def _seats_in(self) -> int:
        return len(self._players) - len(self._eliminated)

    def _blame(self, error: RulesError) -> TortugaError:
        """Return whose fault it is that a state has no fingerprint: of a game of another package, or ours."""
        game = self._terms.game
        return GameFault(f"the game {game.info.id} of {game.origin}: {error}") if game.origin else error

    def _result(self) -> MatchResult:
        outcome = self._course.outcome
        ranks = final_ranks(len(self._players), outcome, self._eliminated)
        reason, scores = reason_and_scores(outcome, ranks)
        try:
            links = self._chain.end(self._course.state, outcome)
        except RulesError as error:
            raise self._blame(error) from error
        return self._finish(ranks, scores, reason, links, void=False)

    def _void(self, reason: str) -> MatchResult:
        try:
            links = self._chain.end(self._course.state, self._course.outcome)
        except RulesError:
            if not self._terms.game.origin:
                raise
            links = self._chain.end(None, None)  # a state without a fingerprint may be why it is void
        return self._finish((), (), f"void: {reason}", links, void=True)

    def _finish(
        self, ranks: tuple[int, ...], scores: tuple[float, ...], reason: str, links: Links, *, void: bool
    ) -> MatchResult:
        return MatchResult(
            terms=self._terms,
            names=tuple(player.name for player in self._players),
            moments=tuple(self._moments),
            end_links=links,
            faults=tuple(self._faults),
            ranks=ranks,
            scores=scores,
            reason=reason,
            void=void,
            time_used_seconds=tuple(clock.used_seconds for clock in self._clocks),
            excused=self._excused,
            notes=tuple(sorted(chain.from_iterable(book.notes for book in self._notebooks), key=_decision)),
            notes_dropped=tuple(book.dropped for book in self._notebooks),
        )


def _decision(note: SeatNote) -> int:
    return note.decision
