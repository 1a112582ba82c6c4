"""What waits to be sent to one bot. Everything that is ready at one moment leaves as one batch, because a streamed
message costs far more than the bytes in it."""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

from referee import clock
from referee.door.traffic import Traffic
from referee.wire import envelope

HOLD_SECONDS = 0.002
"""How long a question may wait for company while the bot is busy with others. The deadline moves by as much."""

P = TypeVar("P")


class Outbox(Generic[P]):
    """The messages of one session on their way to its stream. P is what an important message belongs to."""

    def __init__(self) -> None:
        self.traffic = Traffic()
        self._messages: list[bytes] = []
        self._important: list[tuple[P, bytes]] = []
        """Messages that must survive a broken stream, until they were handed to the transport."""
        self._important_leaving = 0
        """How many of them are in the batch that is being handed over."""
        self._queued_questions: dict[int, float] = {}
        """Tables with a question among the messages, and when it was made."""
        self._open_questions: set[int] = set()
        """Tables with a question that was sent and is not answered."""
        self._hold_is_over = False
        self._is_closed = False
        self._writer: asyncio.Future[None] | None = None

    def put(self, message: bytes) -> None:
        """Send a serialized ToBot with the next batch."""
        self._messages.append(message)
        self._wake_writer()

    def put_question(self, table: int, message: bytes) -> None:
        """Send a question with the next batch. It is open until `question_closed`."""
        self._queued_questions[table] = clock.now()
        self.put(message)

    def question_closed(self, table: int) -> None:
        """The question of that table was answered, or nobody waits for its answer any more."""
        self._open_questions.discard(table)
        if not self._open_questions and self._messages:
            self._wake_writer()

    def remember(self, owner: P, message: bytes) -> None:
        """Keep a message until it was handed to the transport: if the stream breaks before, it is sent again."""
        self._important.append((owner, message))

    @property
    def undelivered(self) -> list[tuple[P, bytes]]:
        """The remembered messages that were not handed over, in order."""
        return list(self._important)

    def clear(self) -> None:
        """The stream broke: forget all that was only meant for it."""
        self._messages.clear()
        self._queued_questions.clear()
        self._open_questions.clear()
        self._important_leaving = 0

    def close(self) -> None:
        """After what is in here nothing more will come."""
        self._is_closed = True
        self._wake_writer()

    async def next_batch(self) -> bytes | None:
        """All that is ready for the bot, as soon as it can use it; None when nothing more will come.

        A bot that still thinks about earlier questions would let a new one wait anyway. Holding it back for a moment
        lets the tables fall into step, so that they share batches; a table that thinks long holds nobody back for
        longer.
        """
        loop = asyncio.get_running_loop()
        del self._important[: self._important_leaving]  # the last batch was handed over
        self._important_leaving = 0
        while not self._messages or (self._open_questions and not self._hold_is_over and not self._is_closed):
            if self._is_closed:
                return None
            timer = loop.call_later(HOLD_SECONDS, self._end_hold) if self._messages else None
            self._writer = loop.create_future()
            await self._writer
            if timer is not None:
                timer.cancel()
        messages, self._messages = self._messages, []
        self._important_leaving = len(self._important)
        if self._queued_questions:
            now = clock.now()
            self.traffic.add([now - made_at for made_at in self._queued_questions.values()])
            self._open_questions.update(self._queued_questions)
            self._queued_questions.clear()
        self._hold_is_over = False
        return envelope.batch(messages)

    def _end_hold(self) -> None:
        self._hold_is_over = True
        self._wake_writer()

    def _wake_writer(self) -> None:
        if self._writer is not None and not self._writer.done():
            self._writer.set_result(None)
