"""Verifies a record: everything that follows from its choices, its luck and its faults is derived again.

A record holds if the rules, the revealed secret, the listed choices and the listed faults lead to every link of its
chains, to its end, its ranks and its scores, and if choices and faults fit each other as `referee.match.match` plays
them:

        a seat that is out never answers again, and its defaults are played for it
    every default corresponds to a fault at that question, and every fault at a question to a default
    late and illegal answers are forgiven as often as the policy says, and no more
    a match continues only while at least two seats are in it
    a seat that is out ranks below every seat that is in
    a match that has ended, by the rules or by its faults, is not void

No hash can prove that the bots really chose so, were late or crashed, and who they were: for that you have to trust
whoever supplied the record, or a signature.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from referee.errors import RecordError
from referee.match.chain import Links
from referee.match.match import FORGIVABLE
from referee.match.ranking import Elimination, final_ranks, reason_and_scores
from referee.records.replay import Replay, ReplayedMoment, check_game_package
from referee.rules.chance import commitment
from referee.rules.course import Course
from referee.rules.engine import Outcome, Seat, rank_by
from referee.text import harmless
from referee.wire import envelope
from tortuga.v1 import record_pb2 as pb
from tortuga.v1 import referee_pb2

PROVEN = (
    "a record that holds proves that its questions, its end, its ranks and its scores follow from the rules, the "
    "luck committed to, the choices and the faults it lists"
)
NOT_PROVEN = (
    "that these bots made these choices in these times and had these faults rests on the word of whoever hands it over"
)

NOTES = "the notes in it are the bots' own words: nothing proves them, and nothing depends on them"

SIGNED = "that these bots made these choices in these times and had these faults rests on the word of the key's owner"

_FORGIVABLE = frozenset(envelope.FAULT_KINDS[kind] for kind in FORGIVABLE)


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordVerdict:
    """Facts about a record that holds."""

    decisions: int
    messages_compared: bool
    """False: it was written by a version that sent other messages, so only the course of the game was compared."""


def verify(record: pb.Record, *, sealed: bool) -> RecordVerdict:
    """Play the record again; raise RecordError at the first contradiction."""
    replay = Replay(record)
    check_game_package(record)
    story, course = replay.story, replay.course
    if commitment(story.chance_secret) != story.chance_commitment:
        raise RecordError("decision 0: the secret is not the one that was committed to before the match")
    # What was sent can only be compared by a version that sends the same messages.
    same_messages = story.messages_version == replay.wire.messages_version
    judge = _Judge(record)
    for moment in replay:
        judge.hear(moment)
        _compare(moment.links, moment.claimed, moment.first_decision, same_messages)
    _compare(
        replay.chain.end(course.state, course.outcome),
        Links(story.end_course_link, story.end_sent_link),
        judge.decisions,
        same_messages,
    )
    judge.end(course)
    _check_seats(record)
    _check_notes(record)
    if not sealed:
        raise RecordError("the story holds, but bytes of the file around it were changed: its seal is broken")
    return RecordVerdict(decisions=judge.decisions, messages_compared=same_messages)


def _compare(links: Links, claimed: Links, decision: int, same_messages: bool) -> None:
    if links.course != claimed.course:
        raise RecordError(f"decision {decision}: the story breaks here, the chain of choices does not fit")
    if same_messages and links.sent != claimed.sent:
        raise RecordError(f"decision {decision}: the bots were sent something other than the rules say")


def _check_seats(record: pb.Record) -> None:
    """Check who sits where in an event: it follows from the block and its rotation."""
    bots, rotation = record.place.bots, record.place.rotation
    if bots:
        seating = [bots[(seat - rotation) % len(bots)] for seat in range(len(bots))]
        if seating != [seat.bot_name for seat in record.seats]:
            raise RecordError(
                f"rotation {rotation} of its block seats {harmless(', '.join(seating))}, the record has others"
            )


def _check_notes(record: pb.Record) -> None:
    """Check the notes: their words are the bots' own, but a seat can note nothing on a question that it was not
    asked."""
    answers = [answer for moment in record.story.moments for answer in moment.answers]
    for note in record.notes:
        if note.decision <= len(answers):
            answer = answers[note.decision - 1]
            if answer.seat != note.seat or answer.source == pb.ANSWER_SOURCE_OUT:
                raise RecordError(f"decision {note.decision}: a note of seat {note.seat}, which was not asked there")


class _Judge:
    """Follows a match and its faults, and knows which seats are out and why."""

    def __init__(self, record: pb.Record) -> None:
        self._record = record
        self._seats = record.story.seats
        self._allowed = record.fault_policy.faults_allowed
        self._faults = list(record.faults)
        self._forgiven: Counter[int] = Counter()
        self._out: dict[Seat, Elimination] = {}
        self._moments = 0
        self.decisions = 0
        self._take_faults_before_the_start()

    def hear(self, moment: ReplayedMoment) -> None:
        """Check the answers of one moment, and the faults that happened at it."""
        course, first = moment.course, moment.first_decision
        sources = {Seat(answer.seat): answer.source for answer in moment.answers}
        self._check_sources(course, moment.answers, first)
        faults = self._take_faults(first, first + len(sources))
        for fault in faults:
            self._check_fault(fault, list(sources), first, sources.get(Seat(fault.seat)))
        failed = {Seat(fault.seat) for fault in faults}
        for place, (seat, source) in enumerate(sources.items()):
            if source == pb.ANSWER_SOURCE_DEFAULT and seat not in failed:
                raise RecordError(f"decision {first + place}: the default was played for seat {seat}, without a fault")
        self._moments += 1
        self.decisions += len(sources)
        if self._seats_in() < 2:
            raise RecordError(f"decision {first}: the match continues though fewer than two seats are in it")

    def end(self, course: Course) -> None:
        """Check the end of the match: it follows from the rules, or from which seats are out."""
        outcome, claimed = course.outcome, self._record.outcome
        asked = list(course.asked)
        first = self.decisions + 1
        for fault in self._take_faults(first, first + max(1, len(asked))):
            if outcome is not None:
                raise RecordError(f"a fault is at decision {first}, but the game ended before it")
            self._check_fault(fault, asked, first, None)
        if self._faults:
            raise RecordError(f"a fault is at decision {self._faults[0].decision}, out of order or after the end")
        if claimed.void:
            self._check_void(outcome)
            return
        if outcome is None and self._seats_in() > 1:
            raise RecordError(f"the game is not over, and {self._seats_in()} seats are still in it")
        self._check_ranks(outcome)
        reason, scores = reason_and_scores(outcome, tuple(claimed.ranks))
        if claimed.reason != reason:
            raise RecordError(f"the game ended by {reason}, the record says {claimed.reason[:80]!a}")
        if tuple(claimed.scores) != scores:
            raise RecordError(f"the scores are {scores} by the rules, the record says {tuple(claimed.scores)}")

    def _check_sources(self, course: Course, answers: Iterable[pb.Answer], first: int) -> None:
        times = self._record.answer_micros
        for decision, answer in enumerate(answers, first):
            seat = Seat(answer.seat)
            if (answer.source == pb.ANSWER_SOURCE_OUT) != (seat in self._out):
                is_out = "is out" if seat in self._out else "is not out"
                raise RecordError(f"decision {decision}: seat {seat} {is_out}, the record says otherwise")
            if answer.source == pb.ANSWER_SOURCE_BOT:
                continue
            if answer.option_index != course.default(seat):
                raise RecordError(f"decision {decision}: option {answer.option_index} was played as the default")
            if answer.source == pb.ANSWER_SOURCE_OUT and times[decision - 1]:
                raise RecordError(f"decision {decision}: a seat that was out took time to answer")

    def _take_faults_before_the_start(self) -> None:
        while self._faults and self._faults[0].decision == 0:
            fault = self._faults.pop(0)
            if not fault.out or fault.kind in _FORGIVABLE:
                raise RecordError(f"seat {fault.seat} failed before the first question, and was forgiven or late")
            self._put_out(fault)

    def _take_faults(self, first: int, end: int) -> list[referee_pb2.SeatFault]:
        taken = []
        while self._faults and first <= self._faults[0].decision < end:
            taken.append(self._faults.pop(0))
        return taken

    def _check_fault(self, fault: referee_pb2.SeatFault, asked: Sequence[Seat], first: int, source: int | None) -> None:
        """Check one fault at a moment: at the seat's own question, or at the first one if it was not asked."""
        seat, where = Seat(fault.seat), f"decision {fault.decision}"
        if seat in self._out:
            raise RecordError(f"{where}: a fault of seat {seat}, which was out before")
        if fault.decision != first + (asked.index(seat) if seat in asked else 0):
            raise RecordError(f"{where}: a fault of seat {seat}, which was not asked there")
        at_the_question = fault.kind in _FORGIVABLE
        if at_the_question and (seat not in asked or source == pb.ANSWER_SOURCE_BOT):
            raise RecordError(f"{where}: seat {seat} was late or illegal, but was not asked or did answer")
        if not fault.out:
            self._forgiven[seat] += 1
            if not at_the_question or self._forgiven[seat] > self._allowed:
                raise RecordError(f"{where}: seat {seat} was forgiven more than the match allows")
            return
        if at_the_question and self._forgiven[seat] != self._allowed:
            raise RecordError(f"{where}: seat {seat} was put out, though the match would have forgiven it")
        self._put_out(fault)

    def _put_out(self, fault: referee_pb2.SeatFault) -> None:
        if Seat(fault.seat) in self._out:
            raise RecordError(f"seat {fault.seat} was put out twice")
        self._out[Seat(fault.seat)] = Elimination(self._moments, 0.0)

    def _seats_in(self) -> int:
        return self._seats - len(self._out)

    def _check_void(self, outcome: Outcome | None) -> None:
        if outcome is not None:
            raise RecordError("the game was played to its end, so the match cannot be void")
        if self._seats_in() < 2:
            raise RecordError("its faults ended the match, so it cannot be void")
        if not self._record.outcome.reason.startswith("void: "):
            raise RecordError("it is void, but does not say why")

    def _check_ranks(self, outcome: Outcome | None) -> None:
        """Check the ranks. Only one thing about them is not derived: whether two seats that failed at one moment
        failed together."""
        ranks, out = list(self._record.outcome.ranks), self._out
        expected = final_ranks(self._seats, outcome, out)
        if any(ranks[seat] != expected[seat] for seat in range(self._seats) if Seat(seat) not in out):
            raise RecordError("the ranks do not follow from the game and its faults")
        if any(ranks[seat] <= self._seats_in() for seat in out):
            raise RecordError("a seat that is out does not rank below all seats that are in")
        in_order = all(
            ranks[later] < ranks[earlier] or (ranks[later] == ranks[earlier] and first.moment == other.moment)
            for (earlier, first), (later, other) in pairwise(out.items())
        )
        if not in_order or list(rank_by([-rank for rank in ranks])) != ranks:
            raise RecordError("the ranks of the seats that are out are not the order in which they failed")
