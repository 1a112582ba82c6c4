"""The steps that are played on one stream: matches, tables, questions, and a referee that is newer than the bot.

A step leaves no table open, so that the next one can go on with the same stream.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from referee.games import GAMES
from referee.match.clock import TimeControl
from referee.match.question import Question, make_question
from referee.rules.engine import Seat
from referee.rules.plugins import RandomGame
from referee.wire import envelope, find_wire
from server.conformance import newer_referee
from server.conformance.questions import Sample, begin, kinds_of, pick, samples
from server.conformance.scripted_door import BotStream
from server.conformance.step import CheckStep, Dubious, NotApplicable
from tortuga.v1 import referee_pb2 as pb

WHOLE_MATCH_QUESTIONS = 400
WHOLE_MATCH_SECONDS = 4.0
"""A match that takes longer is called off."""
QUIET_SECONDS = 0.5
SHORT_MATCH_QUESTIONS = 3
RESIGNED = ", then it resigned"


@dataclass(slots=True)
class Conversation:
    """A stream of the bot after Welcome, and what is known of the bot."""

    stream: BotStream
    bot: str
    slots: int
    games: tuple[str, ...]
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def start(self, table: int, sample: Sample, match_id: str = "", **changes: Any) -> bytes:
        """MatchStart, in a new match if none is named."""
        name = match_id or f"check-{next(self._numbers)}"
        message = pb.ToBot.FromString(
            envelope.match_start(table, sample.introduction(name, self.bot), want_rules=self.stream.hello.want_rules)
        )
        message.match_start.MergeFrom(pb.MatchStart(**changes))
        return message.SerializeToString()

    def question(self, table: int, sample: Sample, question_id: int | None = None) -> bytes:
        """A question, without the parts that the bot asked to omit."""
        return self._question(table, sample.terms.wire.field, sample.question, question_id)

    def _question(self, table: int, field: int, question: Question, question_id: int | None = None) -> bytes:
        hello = self.stream.hello
        numbered = question if question_id is None else replace(question, question_id=question_id)
        return envelope.question(
            table,
            numbered,
            field,
            omit_options=hello.omit_options,
            omit_events=hello.omit_events,
            want_model=hello.want_model,
            want_text=hello.want_text,
        )

    def end(self, table: int, seats: int = 2, reason: str = "check") -> bytes:
        """MatchEnd."""
        ranks = range(1, seats + 1)
        end = pb.MatchEnd(ranks=ranks, reason=reason, scores=[float(seats - rank) for rank in ranks], record_id="check")
        return pb.ToBot(table=table, match_end=end).SerializeToString()

    def pick_samples(self, number: int, game_id: str = "") -> list[Sample]:
        """That many different questions, of all games the bot plays or of one."""
        known = [sample for game in ([game_id] if game_id else self.games) for sample in samples(game).all]
        return [known[place * len(known) // number] for place in range(number)]

    async def sit(self, *starts: bytes) -> None:
        """Begin matches, in one batch, and wait for Ready from each."""
        self.stream.send(*starts)
        await self.stream.expect((pb.ToBot.FromString(raw).table, "ready", 0) for raw in starts)

    async def ask(self, *questions: bytes) -> list[int | None]:
        """Ask, in one batch, and wait for an answer to each; None for a match the bot resigned."""
        self.stream.send(*questions)
        messages = [pb.ToBot.FromString(raw) for raw in questions]
        wanted = [(message.table, "choice", message.question.question_id) for message in messages]
        answers = await self.stream.expect(wanted)
        return [answers[key] for key in wanted]


def conversation_steps(games: Sequence[str]) -> list[CheckStep[Conversation]]:
    """All steps of a conversation, in order."""
    steps: list[CheckStep[Conversation]] = []
    for game in games:
        steps.append(CheckStep(f"match-{game}", f"a whole match of {game}", bound(whole_match, game)))
    for game in games:
        steps.append(CheckStep(f"decisions-{game}", f"every kind of decision of {game}", bound(every_decision, game)))
    return [
        *steps,
        CheckStep("simultaneous", "decisions of several seats at once", simultaneous),
        CheckStep("batch", "as many questions in one batch as it has slots", batch),
        CheckStep("tables", "several tables, interleaved, ended and started again", tables),
        CheckStep("ended-match", "a match that ends in the middle of a question", ended_match),
        CheckStep("unknown-table", "messages about a table where no match is played", unknown_table),
        CheckStep("repeated-question", "the same question twice", repeated_question),
        CheckStep("ten-matches", "ten matches, one after the other", ten_matches),
        CheckStep("fault-notice", "after a fault notice, it plays on", fault_notice),
        CheckStep("no-clock", "a match without a clock", no_clock),
        CheckStep("unknown-fields", "a newer referee: unknown fields in every message", unknown_fields),
        CheckStep("unknown-kinds", "a newer referee: unknown kinds of messages", unknown_kinds),
        CheckStep("unknown-values", "a newer referee: unknown decisions, events, options, enum values", unknown_values),
        CheckStep("quiet", "nobody speaks, its stdin is at its end: it waits", quiet),
    ]


def bound(
    script: Callable[[Conversation, str], Coroutine[Any, Any, str]], game_id: str
) -> Callable[[Conversation], Coroutine[Any, Any, str]]:
    """A script for one game."""
    return lambda talk: script(talk, game_id)


async def whole_match(talk: Conversation, game_id: str) -> str:
    """A real match: the bot's own answers are played, the other seats choose at random."""
    game = GAMES[game_id]
    played = RandomGame(0, game.info.min_seats)
    terms, course = begin(game, played)
    clock = TimeControl()
    dice, wire, bot = random.Random(0), find_wire(game_id), Seat(0)
    opening = Sample(terms=terms, seats=played.seats, seat=bot, question=make_question(course, wire, bot, 1))
    await talk.sit(talk.start(1, opening))
    asked, loop = 0, asyncio.get_running_loop()
    end = loop.time() + WHOLE_MATCH_SECONDS
    course = begin(game, played)[1]  # anew: a question tells a seat its events, and the opening has told them
    note = ""
    while course.outcome is None and not note:
        choices = {seat: pick(dice, options) for seat, options in course.asked.items() if seat != bot}
        if bot in course.asked:
            asked += 1
            question = make_question(course, wire, bot, asked)
            question.time_left_seconds, question.bank_left_seconds = clock.cap_seconds, clock.bank_seconds
            [index] = await talk.ask(talk._question(1, wire.field, question))
            if index is None:
                note = RESIGNED
                break
            choices[bot] = index
        course.choose({seat: choices[seat] for seat in course.asked})
        if asked >= WHOLE_MATCH_QUESTIONS or loop.time() > end:
            note = ", then called off"
    talk.stream.send(talk.end(1, played.seats, course.outcome.reason if course.outcome else "void: the check"))
    if note == RESIGNED and asked == 1:
        raise Dubious("it resigned at its first question, which loses the match")
    return f"{asked} questions{note}"


async def every_decision(talk: Conversation, game_id: str) -> str:
    """The shortest and the longest list seen of each kind. Each is asked in the middle of a match, as after a restart:
    an observation is a full snapshot."""
    collected = samples(game_id)
    for sample in collected.all:
        await talk.sit(talk.start(1, sample, resumed=True))
        await talk.ask(talk.question(1, sample))
        talk.stream.send(talk.end(1, sample.seats))
    sizes = [len(sample.question.actions) for sample in collected.all]
    kinds = len(kinds_of(game_id) or collected.shortest)
    return f"{len(collected.shortest)} of {kinds} kinds, {min(sizes)} to {max(sizes)} options"


async def simultaneous(talk: Conversation) -> str:
    """Several seats of one moment, each in a match of its own name: a process knows its matches by name."""
    met = 0
    for game_id in talk.games:
        moment = samples(game_id).together[: talk.slots]
        for table, sample in enumerate(moment, start=1):
            await talk.sit(talk.start(table, sample))
        if moment:
            await talk.ask(*(talk.question(table, sample) for table, sample in enumerate(moment, start=1)))
            talk.stream.send(*(talk.end(table, sample.seats) for table, sample in enumerate(moment, start=1)))
            met += 1
    if not met:
        raise NotApplicable("none of its games has any")
    return f"{met} games" + (", one seat each: it has one slot" if talk.slots == 1 else "")


async def batch(talk: Conversation) -> str:
    """All tables begin, are asked and end in one batch each."""
    needs_slots(talk, 2)
    seated = list(enumerate(talk.pick_samples(talk.slots), start=1))
    await talk.sit(*(talk.start(table, sample) for table, sample in seated))
    for round_number in range(1, SHORT_MATCH_QUESTIONS + 1):
        await talk.ask(*(talk.question(table, sample, round_number) for table, sample in seated))
    talk.stream.send(*(talk.end(table) for table, _ in seated))
    return f"{talk.slots} tables"


async def tables(talk: Conversation) -> str:
    """Table numbers in no order, questions while others are open, one match ending while another goes on."""
    needs_slots(talk, 2)
    first, second = talk.pick_samples(2)
    await talk.sit(talk.start(7, first))
    talk.stream.send(talk.question(7, first, 1))
    talk.stream.send(talk.start(3, second))
    await talk.stream.expect([(7, "choice", 1), (3, "ready", 0)])
    await talk.ask(talk.question(3, second, 1), talk.question(7, first, 2))
    talk.stream.send(talk.end(7), talk.question(3, second, 2))
    talk.stream.send(talk.start(7, second))
    await talk.stream.expect([(3, "choice", 2), (7, "ready", 0)])
    await talk.ask(talk.question(7, second, 1))
    await talk.ask(talk.question(3, second, 3))
    talk.stream.send(talk.end(3), talk.end(7))
    return "2 tables, 3 matches"


async def ended_match(talk: Conversation) -> str:
    """In one batch with the question, and just after it; each time the table is used again at once."""
    sample, other = talk.pick_samples(2)
    await talk.sit(talk.start(1, sample))
    talk.stream.allow_answer(1, 71)
    talk.stream.send(talk.question(1, sample, 71), talk.end(1))
    await talk.sit(talk.start(1, other))
    await talk.ask(talk.question(1, other, 1))
    talk.stream.allow_answer(1, 72)
    talk.stream.send(talk.question(1, other, 72))
    talk.stream.send(talk.end(1, reason="void: the check"))
    await talk.sit(talk.start(1, sample))
    await talk.ask(talk.question(1, sample, 1))
    talk.stream.send(talk.end(1))
    return "the table was used again, twice"


async def unknown_table(talk: Conversation) -> str:
    """A question, a fault and an end for a table nobody sits at; then a match as usual."""
    [sample] = talk.pick_samples(1)
    talk.stream.allow_answer(61, 1)
    fault = pb.Fault(kind=pb.FAULT_KIND_TIMEOUT, message="a fault of nobody, from the check", out=True)
    talk.stream.send(
        talk.question(61, sample, 1), pb.ToBot(table=61, fault=fault).SerializeToString(), talk.end(61), talk.end(61)
    )
    await short_match(talk, sample)
    return ""


async def repeated_question(talk: Conversation) -> str:
    """In one batch, and again after it was answered; the next question is asked as usual."""
    [sample] = talk.pick_samples(1)
    await talk.sit(talk.start(1, sample))
    talk.stream.allow_answer(1, 1)
    again = talk.question(1, sample, 1)
    await talk.ask(again, again)
    talk.stream.send(again)
    await talk.ask(talk.question(1, sample, 2))
    talk.stream.send(talk.end(1))
    return ""


async def ten_matches(talk: Conversation) -> str:
    """At one table; question numbers begin at 1 in each match."""
    for sample in talk.pick_samples(10):
        await short_match(talk, sample)
    return f"{10 * SHORT_MATCH_QUESTIONS} questions"


async def fault_notice(talk: Conversation) -> str:
    """First one that was forgiven, then one that puts the seat out of its match; then a match as usual."""
    [sample] = talk.pick_samples(1)
    await talk.sit(talk.start(1, sample))
    await talk.ask(talk.question(1, sample, 1))
    forgiven = pb.Fault(
        kind=pb.FAULT_KIND_TIMEOUT, message="a fault made up by the check", faults_left=1, substituted_option=0
    )
    talk.stream.send(pb.ToBot(table=1, fault=forgiven).SerializeToString())
    await talk.ask(talk.question(1, sample, 2))
    last = pb.Fault(kind=pb.FAULT_KIND_ILLEGAL, message="another one", out=True)
    talk.stream.send(pb.ToBot(table=1, fault=last).SerializeToString(), talk.end(1))
    await short_match(talk, sample)
    return ""


async def no_clock(talk: Conversation) -> str:
    """The time left is 0, and that does not mean hurry."""
    [sample] = talk.pick_samples(1)
    question = replace(sample.question, time_left_seconds=None, bank_left_seconds=0.0)
    timeless = replace(sample, question=question)
    await talk.sit(talk.start(1, timeless, clock=pb.Clock(unlimited=True)))
    await talk.ask(talk.question(1, timeless, 1))
    talk.stream.send(talk.end(1))
    return ""


async def unknown_fields(talk: Conversation) -> str:
    """A match in which every message has unknown fields."""
    for game_id in talk.games:
        for sample in talk.pick_samples(SHORT_MATCH_QUESTIONS, game_id):
            await talk.sit(newer_referee.with_unknown_fields(talk.start(1, sample)))
            await talk.ask(newer_referee.with_unknown_fields(talk.question(1, sample, 1)))
            talk.stream.send(newer_referee.with_unknown_fields(talk.end(1, sample.seats)))
    return f"{SHORT_MATCH_QUESTIONS * len(talk.games)} questions"


async def unknown_kinds(talk: Conversation) -> str:
    """Before, in and after a match; alone in a batch, and beside a question."""
    [sample] = talk.pick_samples(1)
    talk.stream.send(*newer_referee.of_unknown_kind(0))
    await talk.sit(talk.start(1, sample))
    talk.stream.send(*newer_referee.of_unknown_kind(1))
    await talk.ask(talk.question(1, sample, 1))
    talk.stream.send(*newer_referee.of_unknown_kind(1), talk.question(1, sample, 2), *newer_referee.of_unknown_kind(5))
    await talk.stream.expect([(1, "choice", 2)])
    talk.stream.send(talk.end(1), *newer_referee.of_unknown_kind(1))
    await short_match(talk, sample)
    return ""


async def unknown_values(talk: Conversation) -> str:
    """A decision that is not known is still answered: any index will do."""
    for game_id in talk.games:
        for sample in talk.pick_samples(SHORT_MATCH_QUESTIONS, game_id):
            await talk.sit(talk.start(1, sample))
            await talk.ask(newer_referee.with_unknown_values(talk.question(1, sample, 1)))
            talk.stream.send(talk.end(1, sample.seats))
    return f"{SHORT_MATCH_QUESTIONS * len(talk.games)} questions"


async def quiet(talk: Conversation) -> str:
    """A bot that exits at the end of its stdin is gone by now."""
    await asyncio.sleep(QUIET_SECONDS)
    [sample] = talk.pick_samples(1)
    await short_match(talk, sample)
    return f"{QUIET_SECONDS:g} s"


async def short_match(talk: Conversation, sample: Sample) -> None:
    """A few questions at table 1."""
    await talk.sit(talk.start(1, sample))
    for question_id in range(1, SHORT_MATCH_QUESTIONS + 1):
        await talk.ask(talk.question(1, sample, question_id))
    talk.stream.send(talk.end(1, sample.seats))


def needs_slots(talk: Conversation, number: int) -> None:
    """Skip a step for which the bot has too few slots."""
    if talk.slots < number:
        raise NotApplicable(f"it has {talk.slots} slot, the step needs {number}")
