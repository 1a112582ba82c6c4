"""The envelopes of referee.proto: what the referee says to a bot, as serialized `ToBot` messages.

Questions are joined from ready-made bytes, since there is one for every decision; everything else is rare and uses the
generated classes.
"""

from __future__ import annotations

from collections.abc import Iterable

from referee.errors import BotFault, FaultKind
from referee.match.clock import TimeControl
from referee.match.match import Introduction, MatchResult, SeatFault
from referee.match.question import Question
from referee.match.question_text import tell_question
from referee.rules.engine import Variant
from referee.wire.codec import nested, number
from tortuga.v1 import referee_pb2 as pb

PROTOCOL = 1
"""The number of the protocol this referee speaks."""

SHORTEST_SECONDS = 0.001
"""Shortest time left that is sent with a question: 0 on the wire means that there is no clock."""

FAULT_KINDS = {kind: pb.FaultKind.Value(f"FAULT_KIND_{kind.name}") for kind in FaultKind}
_FAULT_NAMES: dict[int, str] = {number: str(kind) for kind, number in FAULT_KINDS.items()}


def batch(messages: Iterable[bytes]) -> bytes:
    """Join serialized ToBot messages into a ToBotBatch."""
    return b"".join([nested(1, message) for message in messages])


def welcome(
    protocol: int, server_version: str, limits: pb.Limits, *, reconnect_seconds: float = 0.0, resume_token: str = ""
) -> bytes:
    """Encode the answer to Hello; with a token for a bot that may come back when its stream breaks."""
    message = pb.Welcome(
        protocol=protocol,
        server_version=server_version,
        limits=limits,
        reconnect_millis=millis(reconnect_seconds),
        resume_token=resume_token,
    )
    return pb.ToBot(welcome=message).SerializeToString()


def goodbye(reason: str) -> bytes:
    """Encode the end of the conversation."""
    return pb.ToBot(goodbye=pb.Goodbye(reason=reason)).SerializeToString()


def settings(variant: Variant) -> list[pb.Setting]:
    """Return the variant of a match as messages, in the game's order."""
    return [pb.Setting(name=name, value=str(value)) for name, value in variant.items()]


def clock(control: TimeControl) -> pb.Clock:
    """Return the time allowed as a message."""
    return pb.Clock(
        bank_millis=millis(control.bank_seconds),
        increment_millis=millis(control.increment_seconds),
        cap_millis=millis(control.cap_seconds),
        start_millis=millis(control.start_seconds),
        unlimited=control.unlimited,
    )


def match_start(table: int, introduction: Introduction, *, resumed: bool = False, want_rules: bool = False) -> bytes:
    """Encode that a match begins, or goes on for a bot that is back."""
    terms = introduction.terms
    start = pb.MatchStart(
        match_id=terms.match_id,
        game=terms.game.info.id,
        rules_version=terms.game.info.rules_version,
        variant=settings(terms.variant),
        seat=introduction.seat,
        seat_names=introduction.seat_names,
        clock=clock(terms.clock),
        fault_policy=pb.FaultPolicy(faults_allowed=terms.faults_allowed),
        chance_commitment=terms.commitment,
        resumed=resumed,
        rules_text=terms.game.text.rules if want_rules else "",
    )
    return pb.ToBot(table=table, match_start=start).SerializeToString()


def question(
    table: int,
    asked: Question,
    field: int,
    *,
    omit_options: bool,
    omit_events: bool,
    want_model: bool = False,
    want_text: bool = False,
    used_seconds: float = 0.0,
) -> bytes:
    """Encode a question; `field` is the game's number in `Question.position`. `used_seconds` of its time are over."""
    position = asked.situation
    if not omit_events:
        position += asked.events
    if not omit_options:
        position += asked.options
    time_left, bank_left = asked.time_left_seconds, asked.bank_left_seconds
    if time_left is None:
        time_left = 0.0
    elif used_seconds > 0.0:
        time_left, bank_left = max(SHORTEST_SECONDS, time_left - used_seconds), max(0.0, bank_left - used_seconds)
    body = (
        number(1, asked.question_id)
        + number(2, len(asked.actions))
        + number(3, millis(time_left))
        + number(4, millis(bank_left))
        + (nested(5, asked.model()) if want_model else b"")
        + (nested(6, tell_question(asked).encode()) if want_text else b"")
        + nested(field, position)
    )
    return number(1, table) + nested(4, body)


def fault(table: int, what: BotFault, faults_left: int, substituted: int | None) -> bytes:
    """Encode what the bot did wrong and what it costs."""
    message = pb.Fault(
        kind=FAULT_KINDS[what.kind],
        message=what.message,
        faults_left=faults_left,
        substituted_option=substituted,
        out=substituted is None,
    )
    return pb.ToBot(table=table, fault=message).SerializeToString()


def fault_kind_name(number: int) -> str:
    """Return the name of a kind of fault; a record of a later version may hold one we do not know."""
    return _FAULT_NAMES.get(number, f"kind {number}")


def seat_fault(what: SeatFault) -> pb.SeatFault:
    """Return a fault as all seats are told of it when the match is over."""
    return pb.SeatFault(
        seat=what.seat, decision=what.decision, kind=FAULT_KINDS[what.kind], message=what.message, out=what.out
    )


def match_end(table: int, result: MatchResult) -> bytes:
    """Encode that the match is over."""
    end = pb.MatchEnd(
        ranks=result.ranks,
        reason=result.reason,
        scores=result.scores,
        faults=[seat_fault(fault) for fault in result.faults],
        record_id=result.terms.match_id,
    )
    return pb.ToBot(table=table, match_end=end).SerializeToString()


def millis(seconds: float) -> int:
    """Convert to whole milliseconds, rounded."""
    return round(seconds * 1000)
