"""Every exception of Tortuga, in one tree.

TortugaError
|- RulesError    our bug: a game was asked the impossible. Never caught: it ends with its traceback
|- BotFault      the bot's doing: late, dead or nonsensical. Caught in match.py, recorded
|- ConfigError   the user's doing. Caught in server/cli: one line on stderr, exit code 2
|- RecordError   a damaged or newer record. Names the file and the place
|- ModelError    a forward model that cannot be read here, or asked for what it cannot give
`- MatchVoid     our doing: the match counts for nobody and has to be played again
   `- GameFault  a game of another package broke a promise of the contract: its match is void, everything else goes on
"""

from __future__ import annotations

from enum import StrEnum


class TortugaError(Exception):
    """The root of all errors that Tortuga raises on purpose."""


class RulesError(TortugaError):
    """A game was asked for something its rules do not allow: a bug of ours, never of a bot."""


class ConfigError(TortugaError):
    """A user's input, typed or in a file, cannot be carried out; the message says what can."""


class RecordError(TortugaError):
    """A record cannot be read or does not hold what it claims."""


class ModelError(TortugaError):
    """A forward model is of another version, or was asked for worlds that do not exist."""


class MatchVoid(TortugaError):
    """The host failed, not a bot: the match has no result."""


class GameFault(MatchVoid):
    """A game of another package broke a promise of the contract; the message names the game, its package and the
    rule."""


class FaultKind(StrEnum):
    """The faults of a seat, as in the table of faults of the protocol."""

    NO_SHOW = "no_show"
    TIMEOUT = "timeout"
    ILLEGAL = "illegal"
    PROTOCOL = "protocol"
    CRASH = "crash"
    RESOURCE = "resource"
    RESIGN = "resign"


class BotFault(TortugaError):
    """A bot's fault: its kind, a sentence the bot's author can act upon, and when it happened (monotonic seconds)."""

    def __init__(self, kind: FaultKind, message: str, at: float) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.at = at
