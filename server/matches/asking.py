"""`tortuga replay ask`: a bot of today before a question of a record, with the history that led to it.

A bot may keep a memory, so it hears everything its seat heard, in order: MatchStart, then each earlier question with
its events and its clock. What it answers to those is not played, because the match went on as it did; only counted.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from referee import clock
from referee.clock import SeatClock, TimeControl
from referee.engine import Seat
from referee.errors import BotFault, ConfigError, FaultKind, RecordError
from referee.match import FORGIVABLE, Introduction, Question, Source
from referee.records.record import read_record
from referee.records.replay import Replay, ReplayedMoment
from referee.wire.terms import make_terms
from server.bots.spec import BotSpec
from server.hosting.bot_host import BotHost
from server.hosting.hosted_bot import HostedBot
from server.matches.retell import not_asked
from tortuga.v1 import record_pb2, referee_pb2


@dataclass(frozen=True, kw_only=True, slots=True)
class Played:
    """A question of the record and what was answered then."""

    decision: int
    question: Question
    index: int
    source: Source
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Cue:
    """The question to ask, and all that comes before it for that seat."""

    introduction: Introduction
    bot_then: str
    earlier: tuple[Played, ...]
    played: Played
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


def find_cue(path: Path, decision: int, seat: int | None, *, no_clock: bool = False) -> Cue:
    """Walk through a record up to a decision, and gather what one seat was asked on the way."""
    record, _ = read_record(path)
    try:
        return _gather(record, decision, seat, no_clock)
    except (RecordError, ConfigError) as error:
        raise type(error)(f"{path}: {error}") from None


def _gather(record: record_pb2.Record, decision: int, seat: int | None, no_clock: bool) -> Cue:
    replay = Replay(record)
    terms = make_terms(
        replay.game,
        replay.variant,
        record.story.chance_secret,
        match_id=record.match_id,
        clock=TimeControl(unlimited=True) if no_clock else read_clock(record.clock),
        faults_allowed=record.fault_policy.faults_allowed,
    )
    target = _whose(record, decision) if seat is None else Seat(seat)
    if target >= record.story.seats:
        raise ConfigError(f"there are seats 0 to {record.story.seats - 1}")
    seat_clock, played = SeatClock(terms.clock), list[Played]()
    for scene in replay:
        if target in scene.questions:
            played.append(_played(record, scene, target, seat_clock))
        if scene.first_decision <= decision < scene.first_decision + len(scene.answers):
            if target not in scene.questions:
                raise ConfigError(not_asked(record, decision, target))
            names = tuple(one.bot_name for one in record.seats)
            return Cue(
                introduction=Introduction(terms=terms, seat=target, seat_names=names),
                bot_then=" ".join(filter(None, [names[target], record.seats[target].bot_version])),
                earlier=tuple(played[:-1]),
                played=played[-1],
                options=tuple(map(replay.game.text.action, played[-1].question.actions)),
            )
    raise ConfigError(f"it has decisions 1 to {len(record.answer_micros)}")


def _whose(record: record_pb2.Record, decision: int) -> Seat:
    answers = [answer for moment in record.story.moments for answer in moment.answers]
    if decision > len(answers):
        raise ConfigError(f"it has decisions 1 to {len(answers)}")
    return Seat(answers[decision - 1].seat)


def _played(record: record_pb2.Record, scene: ReplayedMoment, seat: Seat, seat_clock: SeatClock) -> Played:
    """What the seat was asked in this scene, with the clock as it stood then."""
    place = next(place for place, answer in enumerate(scene.answers) if answer.seat == seat)
    number, answer, question = scene.first_decision + place, scene.answers[place], scene.questions[seat]
    seconds = record.answer_micros[number - 1] / 1e6
    question.time_left_seconds = seat_clock.begin_question()
    question.bank_left_seconds = seat_clock.bank_seconds
    seat_clock.end_question(seconds)
    return Played(
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


async def ask(cue: Cue, spec: BotSpec, *, cold: bool = False) -> Answer:
    """Start the bot, tell it the history unless it is asked cold, and put the question."""
    spec.check_game(cue.introduction.terms.game.info.id)
    async with BotHost() as host:
        bot = await host.start_bot(spec)
        try:
            return await _ask(cue, bot, cold)
        except BotFault as fault:
            words = bot.last_words()
            detail = f"{spec.name}: {fault.message}" + (f"; its last words: {words}" if words else "")
            raise BotFault(fault.kind, detail, fault.at) from None


async def _ask(cue: Cue, bot: HostedBot, cold: bool) -> Answer:
    player = await bot.player(cue.introduction.terms)
    await player.sit(cue.introduction)
    earlier = () if cold else cue.earlier
    same = 0
    for past in earlier:
        try:
            same += (await player.ask(past.question)).index == past.index
        except BotFault as fault:
            if fault.kind not in FORGIVABLE:
                raise BotFault(fault.kind, f"decision {past.decision}: {fault.message}", fault.at) from None
    began, index, trouble = clock.now(), None, ""
    try:
        index = (await player.ask(cue.played.question)).index
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


def show(cue: Cue, answer: Answer, as_json: bool) -> None:
    """Both answers, side by side."""
    if as_json:
        click.echo(json.dumps(as_data(cue, answer), indent=2))
        return
    then, now = cue.played.index, answer.index
    click.echo(f"{cue.played.decision:>4}  seat {cue.introduction.seat}  {cue.played.question.kind}")
    click.echo("      then now")
    for index, option in enumerate(cue.options):
        marks = f"{'>' if index == then else ' ':>4} {'>' if index == now else ' ':>3}"
        click.echo(f"      {marks} {index:>4}  {option}")
    by = "" if cue.played.source is Source.BOT else ", played by the referee in its place"
    click.echo(f"then: {then}, {cue.options[then]} ({cue.bot_then}{by}, {cue.played.seconds:.3f} s)")
    said = answer.fault if now is None else f"{now}, {cue.options[now]}"
    click.echo(f"now:  {said} ({answer.bot}, {answer.seconds:.3f} s)" + ("; the same" if now == then else ""))
    if answer.earlier_asked:
        count = f"{answer.earlier_same} of the {answer.earlier_asked} questions before"
        click.echo(f"{count} were answered as then")


def as_data(cue: Cue, answer: Answer) -> dict[str, Any]:
    """Both answers for programs."""
    now = answer.index
    return {
        "match_id": cue.introduction.terms.match_id,
        "decision": cue.played.decision,
        "seat": int(cue.introduction.seat),
        "kind": cue.played.question.kind,
        "question_id": cue.played.question.question_id,
        "options": list(cue.options),
        "then": {
            "bot": cue.bot_then,
            "option_index": cue.played.index,
            "option": cue.options[cue.played.index],
            "source": cue.played.source.name.lower(),
            "seconds": cue.played.seconds,
        },
        "now": {
            "bot": answer.bot,
            "option_index": now,
            "option": None if now is None else cue.options[now],
            "fault": answer.fault,
            "seconds": round(answer.seconds, 6),
        },
        "same": now == cue.played.index,
        "earlier": {"asked": answer.earlier_asked, "same": answer.earlier_same},
    }
