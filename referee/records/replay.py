"""Replays a record, moment by moment.

Only the choices and the secret are taken from the record; everything else follows from the rules. `verify.py` compares
it with what the record says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from referee.errors import ConfigError, RecordError
from referee.games import find_game
from referee.match.chain import Chain, Links
from referee.match.question import Question, make_question
from referee.records.record import game_package
from referee.rules.chance import SECRET_BYTES, SeededChance
from referee.rules.course import Course
from referee.rules.engine import AnyGame, Seat, Variant
from referee.rules.infos import PLUGINS
from referee.rules.plugins import VARIABLE
from referee.text import harmless
from referee.wire import AnyWire, find_wire
from tortuga.v1 import record_pb2 as pb


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplayedMoment:
    """One moment of a record, before its choices are made."""

    first_decision: int
    """Number of its first answer, counted over all seats from 1."""
    course: Course
    answers: tuple[pb.Answer, ...]
    questions: dict[Seat, Question]
    """Question that each asked seat was sent, as far as the rules and the luck determine it; times are left at 0."""
    links: Links
    """Links as they follow from playing the record again."""
    claimed: Links
    """Links as the record has them."""


class Replay:
    """A record being played again. Iterate over its moments; afterwards `course` is at the end of the game."""

    def __init__(self, record: pb.Record) -> None:
        story = record.story
        self.story = story
        self.game, self.wire, self.variant = _rules_of(record)
        self.course = Course(self.game, story.seats, self.variant, SeededChance(_secret_of(story)))
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

    def unanswered(self, seat: Seat) -> Question | None:
        """Return what a seat was asked when the match ended before its answer; None if it was asked nothing. To be
        called when all moments have been taken."""
        return self._question(seat) if seat in self.course.asked else None

    def _replay_moment(self, moment: pb.Moment, decision: int) -> ReplayedMoment:
        course, answers = self.course, tuple(moment.answers)
        _check_answers(course, answers, decision)
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


def replay_course(record: pb.Record) -> Iterator[Course]:
    """Yield the course of a record: as it begins, and after each of its choices. Messages and hash chains are left
    out, so this is much faster, and proves nothing."""
    story = record.story
    game, _, variant = _rules_of(record)
    course = Course(game, story.seats, variant, SeededChance(_secret_of(story)))
    yield course
    decision = 1
    for moment in story.moments:
        _check_answers(course, moment.answers, decision)
        course.choose({Seat(answer.seat): answer.option_index for answer in moment.answers})
        yield course
        decision += len(moment.answers)


def _check_answers(course: Course, answers: Sequence[pb.Answer], decision: int) -> None:
    if [answer.seat for answer in answers] != list(course.asked):
        asked = list(course.asked) or "nobody, for the game is over"
        raise RecordError(f"decision {decision}: the rules ask seats {asked}, the record has other answers")
    for place, answer in enumerate(answers):
        count = len(course.asked[Seat(answer.seat)])
        if answer.option_index >= count:
            raise RecordError(f"decision {decision + place}: option {answer.option_index} of {count} was played")


def _secret_of(story: pb.Story) -> bytes:
    if len(story.chance_secret) != SECRET_BYTES:
        raise RecordError("its secret is not revealed yet: it can be retold when its block is over")
    return story.chance_secret


def check_game_package(record: pb.Record) -> None:
    """Refuse a game whose code here is not the very code that the match was played with."""
    theirs, ours = record.game_package, game_package(record.story.game) or pb.GamePackage()
    if theirs != ours and not _is_same_file(theirs, ours):
        raise RecordError(
            f"it was played with {_package_words(theirs)}, and here is {_package_words(ours)}: "
            f"install {_requirement(theirs)}, in an environment of its own if need be"
        )


def _is_same_file(theirs: pb.GamePackage, ours: pb.GamePackage) -> bool:
    """Check whether one of the two is a file with the content of the other: a file has no version to compare."""
    has_file = not (theirs.version and ours.version)
    return has_file and bool(ours.content_hash) and theirs.content_hash == ours.content_hash


def _package_words(package: pb.GamePackage) -> str:
    if not package.name:
        return "a game of tortuga itself"
    return (
        f"{harmless(package.name)} {harmless(package.version) or '(a file)'}, content {package.content_hash.hex()[:12]}"
    )


def _requirement(package: pb.GamePackage) -> str:
    version = f"=={harmless(package.version)}" if package.version else ""
    return f"{harmless(package.name) or 'tortuga-arena'}{version}"


def _rules_of(record: pb.Record) -> tuple[AnyGame, AnyWire, Variant]:
    story, package = record.story, record.game_package
    if package.name and story.game not in PLUGINS:
        raise RecordError(
            f"{harmless(story.game)} is a game of {_package_words(package)}, which is not here: "
            f"install {_requirement(package)}" + ("" if package.version else f", or name its file in {VARIABLE}")
        )
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
