"""`tortuga replay ask`: ask a bot of today a question of a record, with the history that led to it.

A bot may keep a memory, so it hears everything its seat heard, in order: MatchStart, then each earlier question with
its events and its clock. Its answers to those are counted but not played: the match goes on as recorded.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from referee import clock
from referee.clock import SeatClock, TimeControl
from referee.engine import Seat
from referee.errors import BotFault, ConfigError, FaultKind, RecordError
from referee.match import FORGIVABLE, Introduction, Player, Source
from referee.question import Question
from referee.records.record import read_record
from referee.records.replay import Replay, ReplayedMoment
from referee.wire.terms import make_terms
from referee.words import harmless
from server.bots.spec import BotSpec
from server.hosting.bot_host import BotHost
from server.hosting.hosted_bot import HostedBot
from server.jail.confinement import Confinement
from server.matches.replay import is_put_to, not_asked
from tortuga.v1 import record_pb2, referee_pb2


@dataclass(frozen=True, kw_only=True, slots=True)
class PastAnswer:
    """A question of the record and what was answered then."""

    decision: int
    question: Question
    index: int
    source: Source
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
class Answer:
    """What the bot says today."""

    bot: str
    index: int | None
    """None: it gave no legal answer, and `fault` says why."""
    fault: str
    seconds: float
    earlier_asked: int
    earlier_same: int


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
            names = tuple(harmless(one.bot_name) for one in record.seats)
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
    """What the seat was asked in this moment, with the clock as it stood then."""
    place = next(place for place, answer in enumerate(moment.answers) if answer.seat == seat)
    number, answer, question = moment.first_decision + place, moment.answers[place], moment.questions[seat]
    seconds = record.answer_micros[number - 1] / 1e6
    question.time_left_seconds = seat_clock.begin_question()
    question.bank_left_seconds = seat_clock.bank_seconds
    seat_clock.end_question(seconds)
    return PastAnswer(
        decision=number, question=question, index=answer.option_index, source=Source(answer.source), seconds=seconds
    )


def read_clock(control: referee_pb2.Clock) -> TimeControl:
    """The time a recorded match allowed."""
    return TimeControl(
        bank_seconds=control.bank_millis / 1000,
        increment_seconds=control.increment_millis / 1000,
        cap_seconds=control.cap_millis / 1000,
        start_seconds=control.start_millis / 1000,
        unlimited=control.unlimited,
    )


async def ask(
    recorded: RecordedQuestion, spec: BotSpec, *, cold: bool = False, confinement: Confinement | None = None
) -> Answer:
    """Start the bot, tell it the history unless it is asked cold, and put the question."""
    spec.check_game(recorded.introduction.terms.game.info.id)
    async with BotHost(confinement=confinement) as host:
        bot = await host.start_bot(spec)
        try:
            return await _ask(recorded, bot, cold)
        except BotFault as fault:
            words = bot.last_words()
            detail = f"{spec.name}: {fault.message}" + (f"; its last words: {words}" if words else "")
            raise BotFault(fault.kind, detail, fault.at) from None


async def _ask(recorded: RecordedQuestion, bot: HostedBot, cold: bool) -> Answer:
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
    return Answer(
        bot=" ".join(filter(None, [identity.name, identity.version])),
        index=index,
        fault=trouble,
        seconds=clock.now() - began,
        earlier_asked=len(earlier),
        earlier_same=same,
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
