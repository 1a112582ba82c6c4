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

from typing import TYPE_CHECKING, Any

from tortuga_bot.client import SDK_VERSION as __version__
from tortuga_bot.client import play
from tortuga_bot.question import Match, Question

if TYPE_CHECKING:
    from tortuga_bot.environment import TortugaEnv, TortugaParallelEnv
    from tortuga_bot.forward_model import Model
    from tortuga_bot.pool import EnvPool

__all__ = ["Match", "Question", "__version__", "env", "env_pool", "model", "parallel_env", "play"]


def env(game: str, **how: Any) -> TortugaEnv:
    """A PettingZoo AEC environment to train in: docs/training.md. Needs the extra `train`."""
    from tortuga_bot.environment import TortugaEnv  # brings numpy and the rules, which bots do without

    return TortugaEnv(game, **how)


def parallel_env(game: str, **how: Any) -> TortugaParallelEnv:
    """The same as a PettingZoo parallel environment."""
    from tortuga_bot.environment import TortugaParallelEnv

    return TortugaParallelEnv(game, **how)


def env_pool(game: str, **how: Any) -> EnvPool:
    """Many environments over several processes, stepped together."""
    from tortuga_bot.pool import EnvPool

    return EnvPool(game, **how)


def model(question: Question) -> Model:
    """The table as this seat may know it, and worlds to look ahead in: docs/model.md. For bots that pass
    `want_model=True` to `play`."""
    from tortuga_bot.forward_model import read_model  # brings the rules, which other bots do without

    return read_model(question)
