"""Counts how well the questions to one bot shared batches, and how long they waited for it."""

from __future__ import annotations

STEP_SECONDS = 0.0001
"""Waits are counted in steps of this length."""
STEPS = 512
"""How many steps are told apart. The last one counts everything longer."""


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
        """How many questions waited that many steps between being made and being handed over."""

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
        """The seconds within which that share of the questions was handed over (0.5: the median). 0 without any."""
        wanted, seen = q * self.questions, 0
        for step, count in enumerate(self.wait_counts):
            seen += count
            if count and seen >= wanted:
                return (step + 0.5) * STEP_SECONDS
        return 0.0
