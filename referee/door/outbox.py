"""The queue of messages to one bot. Everything that is ready at one moment is sent as one batch, because a streamed
message costs far more than the bytes in it.

`Traffic` counts how well the questions to one bot shared batches, and how long they waited for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from referee.match import clock
from referee.wire import envelope

HOLD_SECONDS = 0.02
"""Longest time a question may wait for company, and by which its seat's clock may start late."""

P = TypeVar("P")

MakeQuestion = Callable[[float], bytes]
"""Function that serializes a question at the moment, given in monotonic seconds, at which it leaves."""


class Outbox(Generic[P]):
    """The messages of one session on their way to its stream. P is what an important message belongs to.

    A bot that still works on the last batch would let a new question wait anyway. Holding the question back until that
    batch is answered lets the tables fall into step, so that they share batches. A question is held until HOLD_SECONDS
    after the last batch at the most, and not at all if the bot's latest answer took longer than that: such a bot
    thinks, perhaps about several tables at once, and should get what it can think about.
    """

    def __init__(self) -> None:
        self.traffic = Traffic()
        self._messages: list[bytes | MakeQuestion] = []
        self._important: list[tuple[P, bytes]] = []
        """Messages that must survive a broken stream, until they are handed to the transport."""
        self._important_leaving = 0
        """Number of them in the batch that is being handed over."""
        self._queued_questions: dict[int, float] = {}
        """Tables with an open question among the messages, and the time when it was made."""
        self._awaited: set[int] = set()
        """Tables of the last batch whose answers are worth waiting for."""
        self._handed_over_at = 0.0
        """Time when the last batch with a question left."""
        self._is_quick = True
        """True if the latest answer came within the hold."""
        self._hold: asyncio.TimerHandle | None = None
        """Timer that runs while messages are held back."""
        self._is_closed = False
        self._writer: asyncio.Future[None] | None = None

    def put(self, message: bytes | MakeQuestion) -> None:
        """Send a serialized ToBot with the next batch. Dropped once the outbox is closed."""
        if self._is_closed:
            return
        self._messages.append(message)
        if not (self._awaited and self._is_quick):
            self._wake_writer()
        elif self._hold is None:
            self._start_hold()

    def put_question(self, table: int, made_at: float, make: MakeQuestion) -> None:
        """Send a question with the next batch. It is open until it is answered or closed."""
        self._queued_questions[table] = made_at
        self.put(make)

    def question_answered(self, table: int, now: float) -> None:
        """Note that the question of that table was answered."""
        self._is_quick = table in self._awaited and now < self._handed_over_at + HOLD_SECONDS
        self.question_closed(table)

    def question_closed(self, table: int) -> None:
        """Note that nobody waits for the answer to that table's question any more."""
        self._queued_questions.pop(table, None)
        self._awaited.discard(table)
        if self._messages and not (self._awaited and self._is_quick):
            self._wake_writer()

    def remember(self, owner: P, message: bytes) -> None:
        """Keep a message until it was handed to the transport: if the stream breaks before, it is sent again."""
        self._important.append((owner, message))

    @property
    def undelivered(self) -> list[tuple[P, bytes]]:
        """Return the remembered messages that were not handed over, in order."""
        return list(self._important)

    def clear(self) -> None:
        """Forget all that was only meant for a stream that broke."""
        self._messages.clear()
        self._queued_questions.clear()
        self._awaited.clear()
        self._important_leaving = 0
        self._stop_hold()

    def close(self) -> None:
        """Close the outbox: after what is in it nothing more will come."""
        self._is_closed = True
        self._wake_writer()

    async def next_batch(self) -> bytes | None:
        """Return all that waits for the bot, as soon as it may leave; None when nothing more will come."""
        del self._important[: self._important_leaving]  # the last batch was handed over
        self._important_leaving = 0
        while not self._messages or (self._awaited and self._is_quick and not self._is_closed):
            if self._is_closed:
                return None
            if self._messages and self._hold is None:
                self._start_hold()
            self._writer = asyncio.get_running_loop().create_future()
            await self._writer
        self._stop_hold()
        now = clock.now()
        if self._queued_questions:
            self.traffic.add([now - made_at for made_at in self._queued_questions.values()])
            self._awaited = set(self._queued_questions)
            self._handed_over_at = now
            self._queued_questions.clear()
        messages, self._messages = self._messages, []
        self._important_leaving = len(self._important)
        return envelope.batch([message if isinstance(message, bytes) else message(now) for message in messages])

    def _start_hold(self) -> None:
        seconds = max(0.0, self._handed_over_at + HOLD_SECONDS - clock.now())
        self._hold = asyncio.get_running_loop().call_later(seconds, self._end_hold)

    def _stop_hold(self) -> None:
        if self._hold is not None:
            self._hold.cancel()
            self._hold = None

    def _end_hold(self) -> None:
        self._hold = None
        self._awaited.clear()
        self._wake_writer()

    def _wake_writer(self) -> None:
        if self._writer is not None and not self._writer.done():
            self._writer.set_result(None)


STEP_SECONDS = 0.0001
"""Waits are counted in steps of this length."""
STEPS = 512
"""Number of steps that are told apart. The last one counts everything longer."""


class Traffic:
    """Counts of one session, for measurements. A fixed size however many questions there were."""

    __slots__ = ("batches", "questions", "wait_counts")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin to count anew."""
        self.questions = 0
        """Questions that were handed to the transport."""
        self.batches = 0
        """Batches with at least one question."""
        self.wait_counts = [0] * STEPS
        """Number of questions that waited that many steps between being made and being handed over."""

    def add(self, waits: list[float]) -> None:
        """Count a batch whose questions waited that many seconds each."""
        self.batches += 1
        self.questions += len(waits)
        counts = self.wait_counts
        for wait in waits:
            counts[min(int(wait / STEP_SECONDS), STEPS - 1)] += 1

    def merge(self, other: Traffic) -> None:
        """Add the counts of another session."""
        self.questions += other.questions
        self.batches += other.batches
        self.wait_counts = [mine + its for mine, its in zip(self.wait_counts, other.wait_counts, strict=True)]

    def wait_quantile(self, q: float) -> float:
        """Return the seconds within which that share of the questions was handed over (0.5: the median). 0 without
        any."""
        wanted, seen = q * self.questions, 0
        for step, count in enumerate(self.wait_counts):
            seen += count
            if count and seen >= wanted:
                return (step + 0.5) * STEP_SECONDS
        return 0.0
