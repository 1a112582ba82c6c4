"""A step of the check, what it may come to, and the messages of its stream, which are shown when it fails."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from google.protobuf import text_format

from tortuga.v1 import referee_pb2 as pb

T = TypeVar("T")

KEPT = 8
"""How many of the last messages are shown when a step fails."""
HEAD, TAIL = 200, 60
"""How many characters of a long message are shown, of its beginning and of its end."""


@dataclass(frozen=True, slots=True)
class CheckStep(Generic[T]):
    """One step. Its script takes a conversation, or a starter of processes, and returns a word about what was seen."""

    id: str
    """For programs."""
    title: str
    """For people."""
    script: Callable[[T], Coroutine[Any, Any, str]]


class Unsound(Exception):
    """The bot did something else than the script expects. TestedBot.explain adds the last messages and what became of
    the process."""

    exchange: Sequence[str] = ()
    aftermath: str = ""


class NothingCame(Unsound):
    """Nothing came."""


class NotApplicable(Exception):
    """The step does not apply to this bot."""


class Dubious(Exception):
    """The bot follows the protocol, but does something that its author can hardly want."""


class Transcript:
    """Who said what, in order. Messages are turned into text only on demand: most scripts go well."""

    def __init__(self) -> None:
        self._said: deque[pb.ToBot | pb.FromBot | str] = deque(maxlen=KEPT)

    def clear(self) -> None:
        """Begin a new step."""
        self._said.clear()

    def note(self, what: pb.ToBot | pb.FromBot | str) -> None:
        """Note a message, or something that happened to the stream."""
        self._said.append(what)

    def lines(self) -> list[str]:
        """`>` the referee said, `<` the bot said, `-` happened."""
        return [as_line(what) for what in self._said]


def as_line(what: pb.ToBot | pb.FromBot | str) -> str:
    """Return one line of a transcript."""
    if isinstance(what, str):
        return f"- {what}"
    text = text_format.MessageToString(what, as_one_line=True, print_unknown_fields=True)
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]} … {text[-TAIL:]}"
    return f"{'>' if isinstance(what, pb.ToBot) else '<'} {text or '(an empty message)'}"


def kind_of(message: pb.FromBot) -> str:
    """Return the kind of a bot's message, in words."""
    return message.WhichOneof("message") or "an empty message"
