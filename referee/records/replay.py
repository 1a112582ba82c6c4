"""A record played again: a `Replay` walks through it, `verify` compares every link of its chains.

Only the choices and the secret are taken from the record; everything else follows from the rules and is compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from referee.chain import Chain, Links
from referee.chance import SECRET_BYTES, SeededChance, commitment
from referee.course import Course
from referee.engine import AnyGame, Seat, Variant
from referee.errors import ConfigError, RecordError
from referee.games import find_game
from referee.question import Question, make_question
from referee.ranking import Elimination, final_ranks
from referee.wire import AnyWire, find_wire
from tortuga.v1 import record_pb2 as pb


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplayedMoment:
    """One moment of a record, before its choices are made."""

    first_decision: int
    """The number of its first answer, counted over all seats from 1."""
    course: Course
    answers: tuple[pb.Answer, ...]
    questions: dict[Seat, Question]
    """What each asked seat was sent, as far as the rules and the luck determine it; times are left at 0."""
    links: Links
    """The links as they follow from playing the record again."""
    claimed: Links
    """The links as the record has them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What was found out about a record that holds."""

    decisions: int
    messages_compared: bool
    """False: it was written by a version that sent other messages, so only the course of the game was compared."""


class Replay:
    """A record being played again. Iterate over its moments; afterwards `course` is at the end of the game."""

    def __init__(self, record: pb.Record) -> None:
        story = record.story
        self.story = story
        self.game, self.wire, self.variant = _rules_of(story)
        if len(story.chance_secret) != SECRET_BYTES:
            raise RecordError("its secret is not revealed yet: it can be retold when its block is over")
        self.course = Course(self.game, story.seats, self.variant, SeededChance(story.chance_secret))
        # Only the settings the record names: one that was added to the game since has its default and no link.
        named = {setting.name: self.variant[setting.name] for setting in story.variant}
        self.chain = Chain(self.game, story.seats, named, story.chance_secret)
        self._asked = [0] * story.seats

    def __iter__(self) -> Iterator[ReplayedMoment]:
        decision = 1
        for moment in self.story.moments:
            yield self._replay_moment(moment, decision)
            self.course.choose({Seat(answer.seat): answer.option_index for answer in moment.answers})
            decision += len(moment.answers)

    def _replay_moment(self, moment: pb.Moment, decision: int) -> ReplayedMoment:
        course, answers = self.course, tuple(moment.answers)
        if [answer.seat for answer in answers] != list(course.asked):
            asked = list(course.asked) or "nobody, for the game is over"
            raise RecordError(f"decision {decision}: the rules ask seats {asked}, the record has other answers")
        for place, answer in enumerate(answers):
            count = len(course.asked[Seat(answer.seat)])
            if answer.option_index >= count:
                raise RecordError(f"decision {decision + place}: option {answer.option_index} of {count} was played")
        questions = {Seat(a.seat): self._question(Seat(a.seat)) for a in answers if a.source != pb.ANSWER_SOURCE_OUT}
        sent = [(a.seat, questions[Seat(a.seat)].position if Seat(a.seat) in questions else b"") for a in answers]
        self.chain.ask(course.state, sent)
        chosen = [(a.seat, len(course.asked[Seat(a.seat)]), a.option_index, a.source) for a in answers]
        links = self.chain.answer(course.kind, chosen)
        return ReplayedMoment(
            first_decision=decision,
            course=course,
            answers=answers,
            questions=questions,
            links=links,
            claimed=Links(moment.course_link, moment.sent_link),
        )

    def _question(self, seat: Seat) -> Question:
        self._asked[seat] += 1
        return make_question(self.course, self.wire, seat, self._asked[seat])


def verify(record: pb.Record, *, sealed: bool) -> Verdict:
    """Play the record again; raise RecordError at the first difference."""
    replay = Replay(record)
    story, course = replay.story, replay.course
    if commitment(story.chance_secret) != story.chance_commitment:
        raise RecordError("decision 0: the secret is not the one that was committed to before the match")
    # What was sent can only be compared by a version that sends the same messages.
    same_messages = story.messages_version == replay.wire.messages_version
    decisions = 0
    for moment in replay:
        _compare(moment.links, moment.claimed, moment.first_decision, same_messages)
        decisions += len(moment.answers)
    _compare(
        replay.chain.end(course.state, course.outcome),
        Links(story.end_course_link, story.end_sent_link),
        decisions,
        same_messages,
    )
    _check_outcome(record, course)
    if len(record.seats) != story.seats or len(record.answer_micros) != decisions:
        raise RecordError(f"decision {decisions}: seats or times are missing")
    if not sealed:
        raise RecordError("the story holds, but bytes of the file around it were changed: its seal is broken")
    return Verdict(decisions=decisions, messages_compared=same_messages)


def _compare(links: Links, claimed: Links, decision: int, same_messages: bool) -> None:
    if links.course != claimed.course:
        raise RecordError(f"decision {decision}: the story breaks here, the chain of choices does not fit")
    if same_messages and links.sent != claimed.sent:
        raise RecordError(f"decision {decision}: the bots were sent something else than the rules say")


def _check_outcome(record: pb.Record, course: Course) -> None:
    """The ranks follow from the rules and from who was out."""
    if record.outcome.void:
        return
    # The order of `faults` is the order of time, and equal times are kept as equal ranks: only what the rules say of
    # the seats that stayed in can be derived.
    out = {
        Seat(fault.seat): Elimination(fault.decision, float(place))
        for place, fault in enumerate(record.faults)
        if fault.out
    }
    expected = final_ranks(record.story.seats, course.outcome, out)
    stayed = [seat for seat in range(record.story.seats) if seat not in out]
    if course.outcome is None and len(stayed) > 1:
        raise RecordError(f"the game is not over, and {len(stayed)} seats are still in it")
    if len(record.outcome.ranks) != record.story.seats or any(
        record.outcome.ranks[seat] != expected[seat] for seat in stayed
    ):
        raise RecordError("the ranks do not follow from the game and its faults")
    if course.outcome is not None and record.outcome.reason != course.outcome.reason:
        raise RecordError(f"the game ended by {course.outcome.reason}, the record says {record.outcome.reason}")


def _rules_of(story: pb.Story) -> tuple[AnyGame, AnyWire, Variant]:
    try:
        game = find_game(story.game)
        variant = game.info.read_variant({setting.name: setting.value for setting in story.variant})
        game.info.check_seats(story.seats)
    except ConfigError as error:
        raise RecordError(str(error)) from None
    if story.rules_version != game.info.rules_version:
        raise RecordError(
            f"it was played by version {story.rules_version} of the rules of {game.info.id}, "
            f"this version of tortuga has version {game.info.rules_version}"
        )
    return game, find_wire(game.info.id), variant
