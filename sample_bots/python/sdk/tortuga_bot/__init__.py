"""The Python SDK: a bot is one function from a question to an index.

    from tortuga_bot import Question, play

    def choose(question: Question) -> int:
        return 0

    if __name__ == "__main__":
        play(choose, name="first", games=["pavillon_noir"])

`play` connects, says hello, plays as many matches at once as the bot has slots, passes each question to `choose` and
returns when the referee says goodbye. It knows the protocol and nothing else of the server.
"""

from __future__ import annotations

from tortuga_bot.client import SDK_VERSION as __version__
from tortuga_bot.client import play
from tortuga_bot.question import Match, Question

__all__ = ["Match", "Question", "__version__", "play"]
