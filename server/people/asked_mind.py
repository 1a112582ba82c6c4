"""A mind that others ask: its open question waits until somebody fetches it, and answers it. MCP tools do both."""

from __future__ import annotations

import asyncio

from referee.errors import ConfigError
from referee.rules.infos import end_words
from referee.text import harmless
from tortuga.v1 import referee_pb2 as pb

STILL_WAITING = "Still waiting: the others are choosing. Ask again."


class AskedMind:
    """A Mind whose questions are fetched with `next_question` and answered with `answer`, by whoever calls them."""

    def __init__(self) -> None:
        self._match = pb.MatchStart()
        self._question: pb.Question | None = None
        self._choice: asyncio.Future[int | None] | None = None
        self._why = ""
        self._news: list[str] = []
        """What happened to the seat since the last question was fetched: faults."""
        self._result = ""
        self._ending = ""
        self._changed = asyncio.Event()
        self._wants_to_resign = False

    @property
    def rules_text(self) -> str:
        """Return the rules of the match's game; empty before it has begun."""
        return self._match.rules_text

    async def next_question(self, seconds: float) -> str:
        """Return the open question, or how the match ended; after that time, that nothing is asked yet."""
        try:
            async with asyncio.timeout(seconds):
                while self._question is None and not self._ending:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return "\n".join([*self._take_news(), STILL_WAITING])
        if self._question is None:
            return "\n".join([*self._take_news(), self._ending])
        left = self._question.time_left_millis / 1000
        clock = [f"You have {left:.0f} s to answer."] if left else []
        return "\n".join([*self._take_news(), *clock, self._question.text])

    def answer(self, index: int, why: str) -> None:
        """Answer the open question. ConfigError if there is none, or no such option."""
        if self._question is None or self._choice is None:
            raise ConfigError("no question is open: call next_question first")
        if not 0 <= index < self._question.option_count:
            raise ConfigError(f"there is no option {index}: expected 0 to {self._question.option_count - 1}")
        self._why = why
        self._settle(index)

    def resign(self) -> None:
        """Resign the match: now if a question is open, otherwise at the next one."""
        self._wants_to_resign = True
        if self._choice is not None:
            self._settle(None)

    def _settle(self, index: int | None) -> None:
        choice, self._choice, self._question = self._choice, None, None
        if choice is not None and not choice.done():
            choice.set_result(index)

    def _take_news(self) -> list[str]:
        news, self._news = self._news, []
        return news

    # What a Guest calls

    def start(self, match: pb.MatchStart) -> None:
        """Take in that a match begins."""
        self._match = match

    async def choose(self, question: pb.Question) -> int | None:
        """Wait until somebody answers."""
        if self._wants_to_resign:
            return None
        self._question, self._choice = question, asyncio.get_running_loop().create_future()
        self._changed.set()
        try:
            return await self._choice
        finally:
            self._question = self._choice = None

    def note(self) -> str:
        """Return why the latest option was chosen."""
        why, self._why = self._why, ""
        return why

    def hear_fault(self, fault: pb.Fault) -> None:
        """Keep what went wrong, for whoever fetches the next question."""
        cost = "you are out of the match" if fault.out else f"option {fault.substituted_option} was played for you"
        self._news.append(f"{harmless(fault.message)}: {cost}.")

    def end(self, end: pb.MatchEnd) -> None:
        """Keep how the match ended, until `finish` says that it is written, too."""
        self._result = f"The match is over ({harmless(end_words(end.reason))}). {tell_ranks(self._match, end)}"

    def finish(self, words: str) -> None:
        """Tell whoever waits for a question how the match ended, and these words: there is nothing more to come."""
        self._ending = "\n".join(filter(None, [self._result, words]))
        self._changed.set()


def tell_ranks(match: pb.MatchStart, end: pb.MatchEnd) -> str:
    """Return the final ranks in a line."""
    ranks = sorted(zip(end.ranks, match.seat_names, strict=False))
    return ", ".join(f"{rank}. {harmless(name)}" for rank, name in ranks)
