"""A match as one JSON document: what the viewer shows, the same live, on a page and in an offline file.

Every step of the game is a place on one timeline (`at`). A perspective (`views`) is a list of frames, each with its
place, so that switching eyes stays at the same moment: spectators see what live spectators get, a seat what it was sent
with each of its questions, and the all-seeing every step with all hands. Seats' eyes, clocks and notes need the secret
of the match, and so does any replay: without it the document holds the result and says why there is no more.

All texts of strangers are made harmless here; a viewer still shows them as text only.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Sequence
from typing import Any

from referee.draw import find_drawing
from referee.errors import RecordError
from referee.match.match import Chooser
from referee.match.public_scenes import PublicScene, PublicScenes, sort_events
from referee.records.record import unpack
from referee.records.replay import Replay, ReplayedMoment
from referee.rules.engine import SPECTATOR, Seat, Step
from referee.rules.infos import end_words
from referee.text import harmless, spaced
from referee.wire.envelope import fault_kind_name
from server.viewer import Perspectives
from server.viewer.frames import Json, Painter, ShapeTable, Thinner, parse_position, readable
from server.viewer.match_text import circumstances, day, ending, language_name, result_in_words, title_of
from tortuga.v1 import arena_pb2, record_pb2, referee_pb2

FORMAT = 1
KIND = "tortuga-replay"
"""Value by which a viewer recognises a document that is dropped onto it."""


def document_of(packed: bytes, *, perspectives: Perspectives, file: str = "", attach: bool = False) -> Json:
    """Make the document of a record file; raises RecordError if it is no record.

    `file` is how people call it. With `attach` the file itself is in the document, for a page without network.
    """
    record, sealed = unpack(packed)
    document = make_document(record, perspectives=perspectives)
    document["record"] = record_facts(
        hashlib.sha256(packed).hexdigest(), file or f"{harmless(record.match_id)}.tortuga"
    )
    if attach:
        document["record"]["bytes"] = base64.b64encode(packed).decode()
    if not sealed:
        document["notices"].append("The seal of this record is broken: bytes of the file were changed.")
    return document


def record_facts(sha256: str, file: str) -> Json:
    """Tell how to get hold of the record itself and how to prove it."""
    name = harmless(file)
    quoted = name if name.replace("/", "").replace(".", "").replace("-", "").replace("_", "").isalnum() else "FILE"
    return {"sha256": sha256, "file": name, "verify": f"tortuga replay verify {quoted}"}


def make_document(record: record_pb2.Record, *, perspectives: Perspectives) -> Json:
    """Make the document of a record. For one that cannot be replayed, it says why."""
    document = _head(record)
    try:
        document |= _Retelling(record, perspectives).tell()
    except RecordError as error:
        document["notices"].append(f"There is no replay of this match: {harmless(str(error))}.")
    return document


def squeeze(document: Json) -> bytes:
    """Pack a document as it is served and put into offline files: gzip, the same bytes for the same document."""
    return gzip.compress(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode(), 9, mtime=0)


def _head(record: record_pb2.Record) -> Json:
    """Return the part that is known without replaying the record."""
    story, outcome = record.story, record.outcome
    names = [harmless(seat.bot_name) for seat in record.seats]
    decisions = sum(len(moment.answers) for moment in story.moments)
    settings = [(setting.name, setting.value) for setting in story.variant]
    facts = [ending(outcome.reason, decisions), harmless(record.place.label), day(record.started_unix_millis)]
    return {
        "kind": KIND,
        "format": FORMAT,
        "match": harmless(record.match_id),
        "game": {"id": harmless(story.game), "title": title_of(story.game)},
        "luck": story.chance_commitment.hex(),
        "result": result_in_words(names, outcome.ranks),
        "about": circumstances(story.game, settings, facts),
        "seats": [_seat(seat, names[number], record.outcome, number) for number, seat in enumerate(record.seats)],
        "notices": _notices(record),
        "steps": 0,
        "views": [],
        "faults": [],
        "notes": [],
    }


def _seat(seat: record_pb2.RecordSeat, name: str, outcome: record_pb2.RecordOutcome, number: int) -> Json:
    facts: Json = {"name": name, "version": harmless(seat.bot_version), "language": language_name(seat.language)}
    if number < len(outcome.ranks):
        facts["rank"] = outcome.ranks[number]
    if number < len(outcome.scores):
        facts["score"] = outcome.scores[number]
    return facts


def _notices(record: record_pb2.Record) -> list[str]:
    """Return what is special about a record, for its reader."""
    notices = []
    if record.outcome.void:
        why = harmless(record.outcome.reason).removeprefix("void: ")
        notices.append(f"This match is void and counts for nobody: {why}.")
    return notices


class _Retelling:
    """A record played again, with everything that each viewer sees of it."""

    def __init__(self, record: record_pb2.Record, perspectives: Perspectives) -> None:
        self._record = record
        self._replay = Replay(record)
        self._game, self._wire = self._replay.game, self._replay.wire
        self._names = [harmless(seat.bot_name) for seat in record.seats]
        self._painter = Painter(self._game.info.id, self._names)
        self._scenes = PublicScenes(self._game)
        self._step = -1
        self._shapes = ShapeTable()
        self._spectator = _View(self._shapes)
        self._eyes = [_View(self._shapes) for _ in record.seats] if perspectives is Perspectives.ALL else []
        self._everything = _View(self._shapes)
        self._texts: dict[str, int] = {}
        self._made: list[Json] = []
        """The choices that led to the next step."""
        self._asked_at = [0]
        """By decision, counted from 1, the step at which it was put; 0 stands for the time before the first."""

    def tell(self) -> Json:
        """Return everything a document has beyond its head."""
        course = self._replay.course
        for moment in self._replay:
            self._take_steps(course.steps)
            self._take_questions(moment)
        self._take_steps(course.steps)
        self._take_end()
        return {
            "steps": self._step + 1,
            "score_title": self._painter.score_title,
            "views": self._views(),
            "texts": list(self._texts),
            "shapes": self._shapes.shapes,
            "paths": self._shapes.paths,
            "faults": [self._fault(fault) for fault in self._record.faults],
            "notes": self._notes(),
            "times": self._times(),
            "notices": _notices(self._record) + self._replay_notices(),
        }

    def _take_steps(self, steps: Sequence[Step[Any, Any]]) -> None:
        for step in steps:
            self._step += 1
            public, _ = sort_events(self._game, step.events)
            scene = self._scenes.take(step.state, public)
            if scene is not None:
                self._show_spectators(scene)
            if self._eyes:
                self._show_everything(step, public)

    def _show_spectators(self, scene: PublicScene) -> None:
        position = self._position(scene.state, SPECTATOR, scene.events)
        self._spectator.show(self._step, self._painter.frame(position, self._tell(scene.events)))

    def _show_everything(self, step: Step[Any, Any], public: Sequence[Any]) -> None:
        hands = {}
        for seat in map(Seat, range(len(self._eyes))):
            seen = [perceived for event in step.events if (perceived := self._game.seen(event, seat)) is not None]
            hands[int(seat)] = self._position(step.state, seat, seen)
        table = "" if find_drawing(self._game.info.id) else self._game.text.table(step.state)
        position = self._position(step.state, SPECTATOR, public)
        frame = self._painter.frame(position, self._tell(step.events), hands, table=table)
        self._everything.show(self._step, frame, choices=self._made)
        self._made = []

    def _take_questions(self, moment: ReplayedMoment) -> None:
        for decision, answer in enumerate(moment.answers, moment.first_decision):
            seat, actions = Seat(answer.seat), moment.course.asked[Seat(answer.seat)]
            self._asked_at.append(self._step)
            if not self._eyes:
                continue
            option, by = self._game.text.action(actions[answer.option_index]), Chooser(answer.source).name.lower()
            self._made.append({"seat": int(seat), "option": option, "by": by})
            if (question := moment.questions.get(seat)) is None:
                continue
            asked = {
                "kind": spaced(question.kind),
                "decision": decision,
                "options": [self._text(self._game.text.action(action)) for action in actions],
                "chosen": answer.option_index,
                "by": by,
            }
            position = parse_position(self._game.info.id, question.position)
            frame = self._painter.frame(position, self._tell(question.heard), {int(seat): position})
            self._eyes[seat].show(self._step, frame, question=asked)

    def _take_end(self) -> None:
        """Add the last place of the timeline: how the match ended."""
        self._step += 1
        if (rest := self._scenes.rest()) is not None:
            self._show_spectators(rest)
        outcome = self._record.outcome
        lines = [f"{result_in_words(self._names, outcome.ranks)}: {harmless(end_words(outcome.reason))}."]
        for view in (self._spectator, *self._eyes, self._everything):
            view.end(self._step, lines)

    def _views(self) -> list[Json]:
        views: list[Json] = [{"eyes": "spectator", "frames": self._spectator.frames}]
        views += [{"eyes": "seat", "seat": seat, "frames": view.frames} for seat, view in enumerate(self._eyes)]
        if self._eyes:
            views.append({"eyes": "all", "frames": self._everything.frames})
        return views

    def _position(self, state: Any, seat: Seat, events: Sequence[Any]) -> Any:
        return parse_position(self._game.info.id, self._wire.scene(self._game.view(state, seat), events))

    def _tell(self, events: Sequence[Any]) -> list[str]:
        return self._game.text.tell(events)

    def _text(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))

    def _place(self, decision: int, *, after: bool = False) -> int:
        """Return the step at which a decision was put, or the one it led to; the last for one that was never
        answered."""
        if decision >= len(self._asked_at):
            return self._step
        return min(self._asked_at[decision] + (1 if after and decision else 0), self._step)

    def _fault(self, fault: referee_pb2.SeatFault) -> Json:
        return {
            "at": self._place(fault.decision, after=True),
            "seat": fault.seat,
            "decision": fault.decision,
            "kind": fault_kind_name(fault.kind).replace("_", " "),
            "message": harmless(fault.message),
            "out": fault.out,
        }

    def _notes(self) -> list[Json]:
        return [
            {"at": self._place(note.decision), "seat": note.seat, "text": harmless(note.text)}
            for note in self._record.notes
        ]

    def _times(self) -> Json:
        """Return how long each answer took, in milliseconds, in three columns."""
        answers = [answer for moment in self._record.story.moments for answer in moment.answers]
        return {
            "at": self._asked_at[1:],
            "seat": [answer.seat for answer in answers],
            "ms": [round(micros / 1000, 1) for micros in self._record.answer_micros],
        }

    def _replay_notices(self) -> list[str]:
        notices = []
        if self._record.story.messages_version != self._wire.messages_version:
            notices.append(
                "This record was written by a version of Tortuga that sent other messages: the game is the same, but "
                "the bots were sent other words than a seat's eyes show here."
            )
        return notices


class _View:
    """The frames of one perspective."""

    def __init__(self, table: ShapeTable) -> None:
        self.frames: list[Json] = []
        self._thinner = Thinner(table)

    def show(self, at: int, whole: Json, **more: Any) -> None:
        """Add the next frame, with its place and more about it."""
        self.frames.append(
            {"at": at} | self._thinner.take(whole) | {key: value for key, value in more.items() if value}
        )

    def end(self, at: int, lines: list[str]) -> None:
        """Add the result to a table that stays as it was."""
        if self.frames and self.frames[-1]["at"] == at:
            last = self.frames[-1]
            last["lines"] = last.get("lines", []) + lines
            last["marks"] = [*last.get("marks", []), "end"]
        else:
            self.frames.append({"at": at, "heading": "The end", "lines": lines, "marks": ["end"]})


def start_of(start: arena_pb2.Sight) -> Json:
    """Make the first event of a live stream: a document's head, as far as it is known while a match is played."""
    match = start.start
    names = [harmless(name) for name in match.seat_names]
    return {
        "kind": KIND,
        "format": FORMAT,
        "match": harmless(match.match_id),
        "game": {"id": harmless(match.game), "title": title_of(match.game)},
        "result": " against ".join(names),
        "about": circumstances(match.game, [(setting.name, setting.value) for setting in match.variant], ()),
        "seats": [{"name": name, "version": "", "language": ""} for name in names],
        "score_title": Painter(match.game, names).score_title,
        "notices": [],
    }


def frame_of(start: arena_pb2.Sight, sight: arena_pb2.Sight) -> Json:
    """Make a whole frame from one scene of a live stream; `number` counts the sights, so a gap in it is seen."""
    match, scene = start.start, sight.scene
    painter = Painter(match.game, [harmless(name) for name in match.seat_names])
    return {"number": sight.number} | painter.frame(
        readable(getattr(scene, scene.WhichOneof("position") or match.game)), [harmless(line) for line in scene.lines]
    )


def end_of(start: arena_pb2.Sight, sight: arena_pb2.Sight) -> Json:
    """Make the last event of a live stream: the result, the faults and what was hidden until then."""
    names, end = [harmless(name) for name in start.start.seat_names], sight.end
    faults = [
        {
            "seat": fault.seat,
            "decision": fault.decision,
            "kind": fault_kind_name(fault.kind).replace("_", " "),
            "message": harmless(fault.message),
            "out": fault.out,
        }
        for fault in end.faults
    ]
    return {
        "number": sight.number,
        "result": result_in_words(names, end.ranks),
        "reason": harmless(end_words(end.reason)),
        "ranks": list(end.ranks),
        "scores": list(end.scores),
        "faults": faults,
        "secrets": [harmless(line) for line in sight.secrets],
    }
