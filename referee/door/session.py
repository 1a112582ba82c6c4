"""A bot seen from the referee: one `Session` from Hello to Goodbye, one `StreamPlayer` per match it plays in.

Nothing here touches gRPC: bytes come in by `receive`, bytes go out by `next_batch` (outbox.py).

The session of a bot that we started lives and dies with its stream. That of a remote bot (one with an owner) outlives
a broken stream by the owner's `reconnect_seconds`: `detach` when it breaks, `attach` when the bot reconnects, and the
next Hello restores everything.
"""

from __future__ import annotations

import asyncio
import re
from typing import Protocol

from google.protobuf.message import DecodeError

from referee.door.outbox import Outbox
from referee.door.player import MAX_DROPPED_NOTES, MAX_UNSOLICITED, StreamPlayer
from referee.door.tokens import hash_token, new_token
from referee.errors import BotFault, FaultKind
from referee.match import clock
from referee.match.notes import MAX_NOTE_BYTES, MAX_NOTES_BYTES
from referee.wire import envelope
from tortuga.v1 import referee_pb2 as pb

MAX_MESSAGE_BYTES = 64 * 1024
MAX_SLOTS = 64
MAX_GOODBYE_CHARACTERS = 200
"""Longest Goodbye reason kept, in characters."""
LIMITS = pb.Limits(
    max_message_bytes=MAX_MESSAGE_BYTES,
    max_unsolicited=MAX_UNSOLICITED,
    max_note_bytes=MAX_NOTE_BYTES,
    max_notes_bytes=MAX_NOTES_BYTES,
)

_TEXT = re.compile(r"[A-Za-z0-9._+ -]{0,64}")
"""The names that a remote bot may give itself: they are printed in standings and logs."""


class SessionOwner(Protocol):
    """Looks after the session of a remote bot, and is told when the bot comes and goes. No method may block."""

    @property
    def reconnect_seconds(self) -> float:
        """Return how long the seats of a bot are kept when its stream breaks. 0: not at all."""
        ...

    def arrived(self, name: str, session: Session) -> str:
        """Take in a bot that said Hello. Returns why it is refused, e.g. what is wrong with its Hello; empty: it is
        welcome."""
        ...

    def left(self, name: str, session: Session) -> None:
        """Note that a bot that had arrived is gone for good: it or we said Goodbye, or it did not come back in time."""
        ...

    def presence_changed(self, name: str, session: Session) -> None:
        """Note that the bot's stream broke, or that it is back: `session.is_present` says which."""
        ...


class Session:
    """One bot, from Hello to Goodbye."""

    def __init__(self, name: str, server_version: str, owner: SessionOwner | None = None) -> None:
        self.name = name
        self.hello: pb.Hello | None = None
        """The first Hello. A bot that reconnects says it again, but the first one counts."""
        self.ended: BotFault | None = None
        """Reason why nothing more can come from this bot; None while it can."""
        self.refusal = ""
        """Reason why the bot got no Welcome; empty if it did."""
        self.is_attached = True
        """True if there is a stream."""
        self.is_present = False
        """True if the bot has said Hello on it."""
        self.closing = asyncio.Event()
        self._server_version = server_version
        self._owner = owner
        self._has_arrived = False
        self._players: dict[int, StreamPlayer] = {}
        """Matches that the bot plays in, by table number."""
        self.outbox = Outbox[StreamPlayer]()
        self.traffic = self.outbox.traffic
        """Counts of how the questions to this bot shared batches."""
        self._unsolicited = 0
        self._late_notes = 0
        """Number of notes for tables where no match is played any more."""
        self._hello_timer: asyncio.TimerHandle | None = None
        """Timer that runs while a Hello is waited for: the first one, or that of a bot that should come back."""
        self._resume_hash = b""
        """Hash of the token in the latest Welcome."""
        self._used_resume_hash = b""
        """Hash of the token the present stream came in with, as long as the bot may not have heard the Welcome to
        it."""

    # What goes out

    async def next_batch(self) -> bytes | None:
        """Return the next bytes for the bot's stream; None when the conversation is over."""
        return await self.outbox.next_batch()

    def send(self, message: bytes) -> None:
        """Send a serialized ToBot. Dropped after the Goodbye, and while the bot is not present."""
        if self.is_present:
            self.outbox.put(message)

    def send_reliably(self, player: StreamPlayer, message: bytes) -> None:
        """Send a message that must not be lost when the stream breaks."""
        self.outbox.remember(player, message)
        self.send(message)

    # What comes in

    def receive(self, raw: bytes) -> None:
        """Take one batch as it came off the wire."""
        if self.ended:
            return
        if len(raw) > MAX_MESSAGE_BYTES:
            self._protocol_broken(f"a message of {len(raw)} bytes came, at most {MAX_MESSAGE_BYTES} are allowed")
            return
        try:
            messages = pb.FromBotBatch.FromString(raw).messages
        except DecodeError:
            self._protocol_broken(f"{len(raw)} bytes came that are not a FromBotBatch")
            return
        now = clock.now()
        if not messages:
            self._count_unsolicited("an empty batch")
        for message in messages:
            self._receive(message, now)
            if self.ended:
                return

    def _receive(self, message: pb.FromBot, now: float) -> None:
        kind = message.WhichOneof("message")
        if kind == "hello":
            self._receive_hello(message.hello)
            return
        if not self.is_present:
            self._protocol_broken(f"the first message must be Hello, {kind or 'an empty one'} came")
            return
        if kind == "goodbye":
            reason = one_line(message.goodbye.reason)
            self.end(FaultKind.RESIGN, f"said Goodbye: {reason}" if reason else "said Goodbye")
        elif (player := self._players.get(message.table)) is None and kind == "note":
            self._count_late_note()  # no fault: the match may have ended a moment ago
        elif player is None:
            self._count_unsolicited(f"{kind or 'an empty message'} for table {message.table}, where no match is played")
        elif kind == "choice":
            choice = message.choice
            player.receive_choice(choice.question_id, choice.option_index, now)
        elif kind == "note":
            player.receive_note(message.note.question_id, message.note.text)
        elif kind == "ready":
            player.receive_ready()
        elif kind == "resign":
            player.fail_finally(BotFault(FaultKind.RESIGN, "resigned", now))
        else:
            player.count_unsolicited("an empty message")
        self._used_resume_hash = b""  # it talks, so it has heard Welcome and has the next token

    def _receive_hello(self, hello: pb.Hello) -> None:
        if self.is_present:
            self._protocol_broken("Hello came a second time")
        elif hello.protocol != envelope.PROTOCOL:  # the day there are two numbers, the lower of both is spoken
            self._refuse(f"the bot speaks protocol {hello.protocol}, this referee speaks {envelope.PROTOCOL}")
        elif self.hello is not None:
            self._welcome_back()
        elif self._owner and (invalid := invalid_text(hello)):
            self._refuse(invalid)
        else:
            self.hello = hello
            self._welcome()
            self._announce_arrival()

    def _welcome(self) -> None:
        self._stop_hello_timer()
        self.is_present = True
        if self._owner is None:
            self.send(envelope.welcome(envelope.PROTOCOL, self._server_version, LIMITS))
            return
        token = new_token()
        self._resume_hash = hash_token(token)
        self.send(
            envelope.welcome(
                envelope.PROTOCOL,
                self._server_version,
                LIMITS,
                reconnect_seconds=self._owner.reconnect_seconds,
                resume_token=token,
            )
        )

    def _announce_arrival(self) -> None:
        """Let the owner look at Hello. Nothing has been sent yet: the Welcome can still be withdrawn."""
        if self._owner is None:
            return
        self._has_arrived = True
        if refusal := self._owner.arrived(self.name, self):
            self._has_arrived = self.is_present = False
            self.hello = None
            self.outbox.clear()
            self._refuse(refusal)

    @property
    def asked_at(self) -> float | None:
        """Return when the clock of the oldest open question started; None if no question is open."""
        return min((at for player in self._players.values() if (at := player.asked_at) is not None), default=None)

    @property
    def slots(self) -> int:
        """Return how many matches the bot can play at once."""
        return min(MAX_SLOTS, max(1, self.hello.slots)) if self.hello else 1

    def _count_unsolicited(self, what: str) -> None:
        self._unsolicited += 1
        if self._unsolicited > MAX_UNSOLICITED:
            self._protocol_broken(f"more than {MAX_UNSOLICITED} messages that nobody asked for, the last: {what}")

    def _count_late_note(self) -> None:
        self._late_notes += 1
        if self._late_notes > MAX_DROPPED_NOTES:
            self._protocol_broken(f"more than {MAX_DROPPED_NOTES} notes came for tables where no match is played")

    def _refuse(self, reason: str) -> None:
        self.refusal = reason
        self._protocol_broken(reason)

    def _protocol_broken(self, message: str) -> None:
        self.end(FaultKind.PROTOCOL, message)

    # The stream breaks

    def expect_hello(self, seconds: float) -> None:
        """End the session of a remote bot that says no Hello in time: nobody else looks after it."""
        self._start_hello_timer(seconds, f"no Hello came within {seconds:.3g} s")

    def detach(self) -> None:
        """Note that the stream broke. A remote bot may come back: its clocks run on, and what it has to hear is
        kept."""
        self.is_attached = False
        if self.ended or self.is_closing:
            return
        if self._owner is None or not self._owner.reconnect_seconds or self.hello is None:
            self.end(FaultKind.CRASH, "the stream ended without Goodbye")
            return
        if not self.is_present:
            return  # it dialled again and broke off before Hello: it is still the same absence
        self.is_present = False
        self.outbox.clear()
        for player in self._players.values():
            player.stream_broke()
        seconds = self._owner.reconnect_seconds
        self._start_hello_timer(seconds, f"the stream ended and did not come back within {seconds:.3g} s")
        self._owner.presence_changed(self.name, self)

    def can_resume_with(self, token_hash: bytes) -> bool:
        """Check whether this is the token for coming back to this session.

        Every Welcome brings a new one and ends the old one; but a bot whose stream broke before it heard that
        Welcome has only the old one, and may use it once more.
        """
        if self.ended or self.is_closing or self.hello is None:
            return False
        return token_hash == self._resume_hash or (not self.is_attached and token_hash == self._used_resume_hash)

    def attach(self, token_hash: bytes) -> None:
        """Put the bot on a new stream, by this token. It has to say Hello within what is left of its time to return."""
        self.is_attached = True
        self._used_resume_hash = token_hash

    def _welcome_back(self) -> None:
        """Send Welcome, then for each table its MatchStart and what the bot has not heard of it; also for matches that
        ended meanwhile."""
        self._welcome()
        undelivered = self.outbox.undelivered
        for player in dict.fromkeys([*(player for player, _ in undelivered), *self._players.values()]):
            player.send_match_start()
            for message in [message for owner, message in undelivered if owner is player]:
                self.send(message)
        if self._owner:
            self._owner.presence_changed(self.name, self)

    def _start_hello_timer(self, seconds: float, message: str) -> None:
        self._hello_timer = asyncio.get_running_loop().call_later(seconds, self._hello_timed_out, message)

    def _stop_hello_timer(self) -> None:
        if self._hello_timer is not None:
            self._hello_timer.cancel()
            self._hello_timer = None

    def _hello_timed_out(self, message: str) -> None:
        self.refusal = message  # for a stream that is there, but has not said Hello
        self.end(FaultKind.CRASH, message)

    # The end

    def end(self, kind: FaultKind, message: str, at: float | None = None) -> None:
        """End the session: the bot is gone or has to go, and loses every match it plays in. The first reason counts."""
        if self.ended:
            return
        moment = clock.now() if at is None else at
        self.ended = BotFault(kind, message, moment)
        self._announce_departure()
        for player in list(self._players.values()):
            player.fail_finally(self.ended)
        self._close_if_over()

    @property
    def is_closing(self) -> bool:
        """Check whether Goodbye was said: nothing more is sent."""
        return self.closing.is_set()

    @property
    def is_awaited(self) -> bool:
        """Check whether an answer of this bot is waited for, or its Ready."""
        return any(player.is_awaited for player in self._players.values())

    @property
    def is_over(self) -> bool:
        """Check whether the bot can play no further match in this session."""
        return self.ended is not None or self.is_closing

    def close(self, reason: str) -> None:
        """Say Goodbye and let the stream end once everything is sent.

        A bot that got no Welcome hears the status of the stream instead: it would take a Goodbye for an orderly end.
        """
        if not self.refusal and not self.is_closing:
            self.outbox.put(envelope.goodbye(reason))
        self.closing.set()
        self._announce_departure()
        self.outbox.close()

    def _announce_departure(self) -> None:
        self._stop_hello_timer()
        if self._has_arrived and self._owner:
            self._has_arrived = False
            self._owner.left(self.name, self)

    def _close_if_over(self) -> None:
        """Disconnect a bot that broke the protocol, but only after it was told how its matches ended. So with any
        remote bot that is done: there is no process of it that we could end."""
        if self.ended and not self._players and (self._owner or self.ended.kind is FaultKind.PROTOCOL):
            broken = self.ended.kind is FaultKind.PROTOCOL
            self.close(f"the protocol was broken: {self.ended.message}" if broken else self.ended.message)

    # The tables

    def open_table(self) -> StreamPlayer:
        """Seat the bot as a player of one more match, at a free table."""
        number = next(number for number in range(1, MAX_SLOTS + 2) if number not in self._players)
        player = StreamPlayer(self, number)
        self._players[number] = player
        self._unsolicited = self._late_notes = 0  # they are counted per match: a session may last for weeks
        if self.ended:
            player.fail_finally(self.ended)
        return player

    def close_table(self, number: int) -> None:
        """Note that the match at that table is over."""
        self._players.pop(number, None)
        self._close_if_over()


def one_line(text: str) -> str:
    """Make a bot's own words fit for tables, logs and terminals: short, and without control characters."""
    return "".join(sign if sign.isprintable() else " " for sign in text[:MAX_GOODBYE_CHARACTERS]).strip()


def invalid_text(hello: pb.Hello) -> str:
    """Say what is wrong with the texts of a Hello; empty if nothing is."""
    for field in ("bot_name", "bot_version", "sdk", "language"):
        text = getattr(hello, field)
        if not _TEXT.fullmatch(text):
            return (
                f"Hello.{field} is {text[:64]!a}: at most 64 characters out of A-Z a-z 0-9 . _ + - and space "
                "are allowed"
            )
    return ""
