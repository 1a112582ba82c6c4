"""`tortuga replay ask`: ask a bot of today a question of a record, with the history that led to it.

A bot may keep a memory, so it hears everything its seat heard, in order: MatchStart, then each earlier question with
its events and its clock. Its answers to those are counted but not played: the match goes on as recorded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.errors import BotFault, ConfigError, FaultKind, RecordError
from referee.match import clock
from referee.match.clock import SeatClock, TimeControl
from referee.match.match import FORGIVABLE, Chooser, Introduction, Player
from referee.match.question import Question
from referee.records.record import read_record
from referee.records.replay import Replay, ReplayedMoment
from referee.rules.engine import Seat
from referee.text import harmless
from referee.wire import make_terms
from server.bots.spec import BotSpec
from server.hosting.bot_host import BotHost
from server.hosting.hosted_bot import HostedBot
from server.jail.confinement import Confinement
from server.play.replay import is_put_to, not_asked
from tortuga.v1 import record_pb2, referee_pb2


@dataclass(frozen=True, kw_only=True, slots=True)
class PastAnswer:
    """A question of the record and what was answered then."""

    decision: int
    question: Question
    index: int
    source: Chooser
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedQuestion:
    """The question to ask, and all that its seat was asked before it."""

    introduction: Introduction
    bot_then: str
    earlier: tuple[PastAnswer, ...]
    played: PastAnswer
    options: tuple[str, ...]
    """The legal actions of the question, in words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewAnswer:
    """What the bot says today."""

    bot: str
    index: int | None
    """None: it gave no legal answer, and `fault` says why."""
    fault: str
    seconds: float
    earlier_asked: int
    earlier_same: int


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerDifference:
    """A question that the bot would answer differently today, or cannot answer."""

    decision: int
    question_id: int
    kind: str
    then: str
    """What was chosen then, in words."""
    now: str | None
    """What the bot would choose; None: it gave no legal answer, and `fault` says why."""
    fault: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerComparison:
    """A bot of today asked everything that one seat was asked in a match."""

    bot: str
    bot_then: str
    asked: int
    """How many questions it was asked: all of them, unless it failed for good before."""
    questions: int
    differences: tuple[AnswerDifference, ...]


def find_questions(path: Path, seat: int | None, bot: str, *, no_clock: bool = False) -> RecordedQuestion:
    """Return all questions of one seat, the last as the one to ask. Without a seat: that of the bot of this name."""
    record, _ = read_record(path)
    seats = [place for place, seat in enumerate(record.seats) if seat.bot_name == bot]
    if seat is None and len(seats) != 1:
        names = ", ".join(f"{place} {harmless(seat.bot_name)}" for place, seat in enumerate(record.seats))
        raise ConfigError(f"{path}: whose questions? Pass --seat; the seats are {names}")
    target = seats[0] if seat is None else seat
    answers = [answer for moment in record.story.moments for answer in moment.answers]
    asked = [
        place for place, one in enumerate(answers, 1) if one.seat == target and Chooser(one.source) is not Chooser.OUT
    ]
    if not asked:
        raise ConfigError(f"{path}: seat {target} was never asked")
    return find_question(path, asked[-1], target, no_clock=no_clock)


def find_question(path: Path, decision: int, seat: int | None, *, no_clock: bool = False) -> RecordedQuestion:
    """Walk through a record up to a decision, and gather what one seat was asked on the way."""
    record, _ = read_record(path)
    try:
        return _gather(record, decision, seat, no_clock)
    except (RecordError, ConfigError) as error:
        raise type(error)(f"{path}: {error}") from None


def _gather(record: record_pb2.Record, decision: int, seat: int | None, no_clock: bool) -> RecordedQuestion:
    replay = Replay(record)
    terms = make_terms(
        replay.game,
        replay.variant,
        record.story.chance_secret,
        match_id=record.match_id,
        clock=TimeControl(unlimited=True) if no_clock else read_clock(record.clock),
        faults_allowed=record.fault_policy.faults_allowed,
    )
    target = _seat_asked(record, decision) if seat is None else Seat(seat)
    if target >= record.story.seats:
        raise ConfigError(f"there are seats 0 to {record.story.seats - 1}")
    seat_clock, played = SeatClock(terms.clock), list[PastAnswer]()
    for moment in replay:
        if target in moment.questions:
            played.append(_past_answer(record, moment, target, seat_clock))
        if moment.first_decision <= decision < moment.first_decision + len(moment.answers):
            if not is_put_to(moment, decision, target):
                raise ConfigError(not_asked(record, decision, target))
            names = tuple(harmless(seat.bot_name) for seat in record.seats)
            return RecordedQuestion(
                introduction=Introduction(terms=terms, seat=target, seat_names=names),
                bot_then=" ".join(filter(None, [names[target], harmless(record.seats[target].bot_version)])),
                earlier=tuple(played[:-1]),
                played=played[-1],
                options=tuple(map(replay.game.text.action, played[-1].question.actions)),
            )
    raise ConfigError(f"it has decisions 1 to {len(record.answer_micros)}")


def _seat_asked(record: record_pb2.Record, decision: int) -> Seat:
    answers = [answer for moment in record.story.moments for answer in moment.answers]
    if decision > len(answers):
        raise ConfigError(f"it has decisions 1 to {len(answers)}")
    return Seat(answers[decision - 1].seat)


def _past_answer(record: record_pb2.Record, moment: ReplayedMoment, seat: Seat, seat_clock: SeatClock) -> PastAnswer:
    """Return what the seat was asked in this moment, with the clock as it stood then."""
    place = next(place for place, answer in enumerate(moment.answers) if answer.seat == seat)
    number, answer, question = moment.first_decision + place, moment.answers[place], moment.questions[seat]
    seconds = record.answer_micros[number - 1] / 1e6
    question.time_left_seconds = seat_clock.begin_question()
    question.bank_left_seconds = seat_clock.bank_seconds
    seat_clock.end_question(seconds)
    return PastAnswer(
        decision=number,
        question=question,
        index=answer.option_index,
        source=Chooser(answer.source),
        seconds=seconds,
    )


def read_clock(control: referee_pb2.Clock) -> TimeControl:
    """Return the time a recorded match allowed."""
    return TimeControl(
        bank_seconds=control.bank_millis / 1000,
        increment_seconds=control.increment_millis / 1000,
        cap_seconds=control.cap_millis / 1000,
        start_seconds=control.start_millis / 1000,
        unlimited=control.unlimited,
    )


async def ask(
    recorded: RecordedQuestion, spec: BotSpec, *, cold: bool = False, confinement: Confinement | None = None
) -> NewAnswer:
    """Start the bot, tell it the history unless it is asked cold, and put the question."""
    spec.check_game(recorded.introduction.terms.game.info.id)
    async with BotHost(confinement=confinement) as host:
        bot = await host.start_bot(spec)
        try:
            return await _ask(recorded, bot, cold)
        except BotFault as fault:
            words = bot.last_words()
            detail = f"{spec.name}: {fault.message}" + (f"; its last output: {words}" if words else "")
            raise BotFault(fault.kind, detail, fault.at) from None


async def _ask(recorded: RecordedQuestion, bot: HostedBot, cold: bool) -> NewAnswer:
    player = await bot.player(recorded.introduction.terms)
    await player.sit(recorded.introduction)
    earlier = () if cold else recorded.earlier
    same = 0
    for past in earlier:
        try:
            same += await _put(player, past.question) == past.index
        except BotFault as fault:
            if fault.kind not in FORGIVABLE:
                raise BotFault(fault.kind, f"decision {past.decision}: {fault.message}", fault.at) from None
    began, index, trouble = clock.now(), None, ""
    try:
        index = await _put(player, recorded.played.question)
    except BotFault as fault:
        if fault.kind not in FORGIVABLE | {FaultKind.RESIGN}:
            raise
        trouble = f"{fault.kind}: {fault.message}"
    identity = bot.identity()
    return NewAnswer(
        bot=" ".join(filter(None, [identity.name, identity.version])),
        index=index,
        fault=trouble,
        seconds=clock.now() - began,
        earlier_asked=len(earlier),
        earlier_same=same,
    )


async def ask_all(
    recorded: RecordedQuestion, spec: BotSpec, *, confinement: Confinement | None = None
) -> AnswerComparison:
    """Start the bot, ask it all the questions in order, and tell where it differs. The match goes on as recorded."""
    spec.check_game(recorded.introduction.terms.game.info.id)
    tell = recorded.introduction.terms.game.text.action
    questions, differences, asked = (*recorded.earlier, recorded.played), list[AnswerDifference](), 0
    async with BotHost(confinement=confinement) as host:
        bot = await host.start_bot(spec)
        player = await bot.player(recorded.introduction.terms)
        await player.sit(recorded.introduction)
        for past in questions:
            index, trouble = None, ""
            asked += 1
            try:
                index = await _put(player, past.question)
            except BotFault as fault:
                words = bot.last_words() if fault.kind not in FORGIVABLE | {FaultKind.RESIGN} else ""
                trouble = f"{fault.kind}: {fault.message}" + (f"; its last output: {words}" if words else "")
                if fault.kind not in FORGIVABLE:  # it is gone, or has resigned: there is nobody left to ask
                    differences.append(_difference(past, tell, index, trouble))
                    break
            if index != past.index:
                differences.append(_difference(past, tell, index, trouble))
        identity = bot.identity()
    return AnswerComparison(
        bot=" ".join(filter(None, [identity.name, identity.version])),
        bot_then=recorded.bot_then,
        asked=asked,
        questions=len(questions),
        differences=tuple(differences),
    )


def _difference(past: PastAnswer, tell: Callable[[Any], str], index: int | None, fault: str) -> AnswerDifference:
    return AnswerDifference(
        decision=past.decision,
        question_id=past.question.question_id,
        kind=past.question.kind,
        then=tell(past.question.actions[past.index]),
        now=None if index is None else tell(past.question.actions[index]),
        fault=fault,
    )


async def _put(player: Player, question: Question) -> int:
    """Put one question and wait for the index. Raises BotFault."""
    reply = _Reply()
    player.ask(question, reply)
    return await reply.index


class _Reply:
    """The asker of one question."""

    def __init__(self) -> None:
        self.index: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def answered(self, seat: Seat, index: int, seconds: float) -> None:
        self.index.set_result(index)

    def failed(self, seat: Seat, fault: BotFault, asked_at: float) -> None:
        self.index.set_exception(fault)
