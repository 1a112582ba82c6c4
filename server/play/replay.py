"""Look into a record: tell its story, show its decisions, prove it, turn it into JSON. Printing is server/cli's."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from google.protobuf import json_format

from referee.errors import ConfigError, RecordError
from referee.match.match import Chooser
from referee.match.question import Question
from referee.match.question_text import tell_question
from referee.records.notes import all_notes
from referee.records.record import read_packed, read_record, signer_of, unpack
from referee.records.replay import Replay, ReplayedMoment, replay_course
from referee.records.signature import check_signer, file_signer, signature_path
from referee.records.verify import verify
from referee.rules.course import Course
from referee.rules.engine import Seat
from referee.rules.infos import end_words
from referee.rules.known_table import known_table
from referee.text import harmless, plural
from referee.wire import position_member
from server.play.narrate import Narrator, read_question_log
from tortuga.v1 import record_pb2, referee_pb2


def tell_record(path: Path) -> Iterator[str]:
    """Tell the match of a record, line by line."""
    record = read_with_notes(path)
    with naming(path):
        yield from story(record)


def read_moments(path: Path, decision: int | None, seat: int | None, logs: Path | None = None) -> list[dict[str, Any]]:
    """Read one decision of a record, or all; as the table or as one seat saw it, with what its bot printed then."""
    record = read_with_notes(path)
    with naming(path):
        replay = Replay(record)
        if seat is not None and seat >= record.story.seats:
            raise ConfigError(f"{path} has seats 0 to {record.story.seats - 1}")
        moments = [
            moment_data(record, moment, seat, whole=decision is not None)
            for moment in pick(record, replay, decision, seat)
        ] + failed_at(record, replay, decision, seat)
    if logs is not None and seat is not None:
        printed = read_question_log(logs, record.match_id, seat)
        for moment in moments:
            moment["printed"] = printed.get(moment["question"]["question_id"], [])
    if not moments:
        total = sum(len(moment.answers) for moment in record.story.moments)
        known = f"decisions 1 to {total}" if total else "no decisions"
        none = f", none of them is seat {seat}'s" if total and decision is None else ""
        raise ConfigError(f"{path} has {known}{none}")
    return moments


def read_with_notes(path: Path) -> record_pb2.Record:
    """Read a record with all notes at hand: also those in the file beside it, which is not handed out."""
    record, _ = read_record(path)
    notes = [*all_notes(record, path)]
    del record.notes[:]
    record.notes.extend(notes)
    return record


def notes_on(record: record_pb2.Record, decision: int) -> list[str]:
    """Return what was noted on a decision, fit for a terminal."""
    return [harmless(note.text) for note in record.notes if note.decision == decision]


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name the file in whatever is wrong with its record."""
    try:
        yield
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None


def pick(record: record_pb2.Record, replay: Replay, decision: int | None, seat: int | None) -> Iterator[ReplayedMoment]:
    """Yield the moments asked for. Each is valid only until the next one is taken."""
    for moment in replay:
        numbers = range(moment.first_decision, moment.first_decision + len(moment.answers))
        if decision is not None and decision in numbers:
            if seat is not None and not is_put_to(moment, decision, seat):
                raise ConfigError(not_asked(record, decision, seat))
            yield moment
            return
        if decision is None and (seat is None or seat in moment.questions):
            yield moment


def failed_at(
    record: record_pb2.Record, replay: Replay, decision: int | None, seat: int | None
) -> list[dict[str, Any]]:
    """Return a seat's last question, if the match ended because it got no answer. The story has no such decision."""
    total = sum(len(moment.answers) for moment in record.story.moments)
    at = next((fault.decision for fault in record.faults if fault.seat == seat and fault.decision > total), None)
    if seat is None or at is None or decision not in (None, at):
        return []
    question = replay.unanswered(Seat(seat))
    return [] if question is None else [unanswered_data(record, replay.course, question, at, seat)]


def is_put_to(moment: ReplayedMoment, decision: int, seat: int) -> bool:
    """Check whether a decision of this moment is the seat's: several may decide at once, each with its own number."""
    return seat in moment.questions and moment.answers[decision - moment.first_decision].seat == seat


def not_asked(record: record_pb2.Record, decision: int, seat: int) -> str:
    """Return why a seat has nothing to show at a decision, and where it has."""
    answers = [answer for moment in record.story.moments for answer in moment.answers]
    whose = answers[decision - 1].seat
    asked = [at for at, one in enumerate(answers, 1) if one.seat == seat and Chooser(one.source) is not Chooser.OUT]
    near = [at for at in asked if at < decision][-1:] + [at for at in asked if at > decision][:1]
    where = f"; try --at {' or '.join(map(str, near))}" if near else ", which was never asked"
    if whose == seat:
        return f"decision {decision} was put to nobody: seat {seat} was out{where}"
    return f"decision {decision} was put to seat {whose}, not to seat {seat}{where}"


def story(record: record_pb2.Record) -> Iterator[str]:
    """Tell the match from the first line to the last. What bots were sent is not told, so no messages are made."""
    courses = replay_course(record)
    course = next(courses)
    narrator = Narrator([harmless(seat.bot_name) for seat in record.seats])
    variant = " ".join(f"{setting.name}={setting.value}" for setting in record.story.variant)
    title = f"{course.game.info.title} ({variant})" if variant else course.game.info.title
    seats = range(record.story.seats)
    yield f"{harmless(record.match_id)}: {title}, " + " against ".join(narrator.who(seat) for seat in seats)
    yield from narrator.moment(course, "", ())
    notes, decision = deque(record.notes), 1
    for moment in record.story.moments:
        kind, asked = course.kind, course.asked
        next(courses)  # checks the answers against the rules and plays them
        choices = [(Seat(a.seat), asked[Seat(a.seat)][a.option_index], Chooser(a.source)) for a in moment.answers]
        yield from narrator.moment(course, kind, choices)
        decision += len(moment.answers)
        yield from told_notes(notes, narrator, decision)
    yield from told_notes(notes, narrator, len(record.answer_micros) + record.story.seats + 1)
    for seat, bot in enumerate(record.seats):
        if bot.notes_dropped:
            dropped = plural(bot.notes_dropped, "note")
            yield f"      {dropped} of {narrator.who(seat)} dropped: beyond the limits, or on no question of it"
    for fault in record.faults:
        kind = referee_pb2.FaultKind.Name(fault.kind).removeprefix("FAULT_KIND_").lower()
        message = harmless(fault.message)
        yield f"      fault of {narrator.who(fault.seat)} at decision {fault.decision}: {kind}: {message}"
    yield f"      end: {harmless(end_words(record.outcome.reason))}; ranks " + ", ".join(
        f"{narrator.who(seat)}: {rank}" for seat, rank in enumerate(record.outcome.ranks)
    )


def told_notes(notes: deque[record_pb2.RecordNote], narrator: Narrator, before: int) -> Iterator[str]:
    """Take away the notes on decisions before that one, and tell them. They are the bots' own words."""
    while notes and notes[0].decision < before:
        note = notes.popleft()
        yield f"      note of {narrator.who(note.seat)} on decision {note.decision}: {harmless(note.text)}"


def moment_data(record: record_pb2.Record, moment: ReplayedMoment, seat: int | None, *, whole: bool) -> dict[str, Any]:
    """Return a moment as plain data: what was asked and answered, and the table or the message that one seat got."""
    course, text = moment.course, moment.course.game.text
    answers = []
    for place, answer in enumerate(moment.answers):
        if seat is not None and answer.seat != seat:
            continue
        actions = course.asked[Seat(answer.seat)]
        number = moment.first_decision + place
        answers.append(
            {
                "decision": number,
                "seat": answer.seat,
                "bot": harmless(record.seats[answer.seat].bot_name),
                "option_index": answer.option_index,
                "option": text.action(actions[answer.option_index]),
                "source": Chooser(answer.source).name.lower(),
                "seconds": record.answer_micros[number - 1] / 1e6,
                "options": [text.action(action) for action in actions],
                "notes": notes_on(record, number),
            }
        )
    narrator = Narrator([harmless(place.bot_name) for place in record.seats])
    data: dict[str, Any] = {"kind": course.kind, "answers": answers}
    if seat is not None:
        data |= question_data(record, moment.questions[Seat(seat)], narrator, whole=whole)
    elif whole:
        data["table"] = narrator.name_seats(text.table(course.state))
    return data


def question_data(record: record_pb2.Record, question: Question, narrator: Narrator, *, whole: bool) -> dict[str, Any]:
    """Return a question of one seat as plain data and in words; the table only if the whole of it is asked for."""
    text = question.game.text
    data = {
        "question": sent_question(record, question),
        "heard": [narrator.name_seats(line) for line in text.tell(question.heard)],
        "text": narrator.name_seats(tell_question(question, with_table=whole)),
    }
    if whole:
        data["table"] = narrator.name_seats(known_table(question.game, question.state, question.seat))
    return data


def unanswered_data(
    record: record_pb2.Record, course: Course, question: Question, decision: int, seat: int
) -> dict[str, Any]:
    """Return a question that was never answered, as plain data."""
    text, narrator = course.game.text, Narrator([harmless(place.bot_name) for place in record.seats])
    answer = {
        "decision": decision,
        "seat": seat,
        "bot": harmless(record.seats[seat].bot_name),
        "option_index": None,
        "option": None,
        "source": "nobody",
        "seconds": None,
        "options": [text.action(action) for action in question.actions],
        "notes": notes_on(record, decision),
    }
    return {
        "kind": course.kind,
        "answers": [answer],
        **question_data(record, question, narrator, whole=True),
    }


def sent_question(record: record_pb2.Record, asked: Question) -> dict[str, Any]:
    """Return the message that seat was sent, without the times, as JSON."""
    message = referee_pb2.Question(question_id=asked.question_id, option_count=len(asked.actions))
    getattr(message, position_member(record.story.game)).ParseFromString(asked.position)
    data: dict[str, Any] = json_format.MessageToDict(message, preserving_proto_field_name=True)
    return data


def verify_records(paths: Sequence[Path], key: bytes | None = None) -> list[dict[str, Any]]:
    """Prove every record; say of each whether it holds, and if not, why. With a public key, it must be signed by it."""
    findings: list[dict[str, Any]] = []
    for path in paths:
        try:
            if key is not None and signature_path(path).exists():  # a table of results
                check_signer(file_signer(path), key)
                findings.append({"record": str(path), "holds": True, "signed_by": key.hex(), "messages_compared": True})
                continue
            packed = read_packed(path)
            record, sealed = unpack(packed)
            verdict = verify(record, sealed=sealed)
            if key is not None:
                check_signer(signer_of(packed), key)
        except RecordError as error:
            findings.append({"record": str(path), "holds": False, "reason": str(error)})
        else:
            findings.append(
                {
                    "record": str(path),
                    "holds": True,
                    "match_id": record.match_id,
                    "decisions": verdict.decisions,
                    "messages_compared": verdict.messages_compared,
                    "signed_by": None if key is None else key.hex(),
                    "notes": len(record.notes),
                }
            )
    return findings


def record_json(path: Path) -> str:
    """Return the whole record as JSON, with the notes beside it."""
    record = read_with_notes(path)
    return json_format.MessageToJson(record, preserving_proto_field_name=True)
