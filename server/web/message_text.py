"""Says in words what pages tell of messages."""

from __future__ import annotations

import time
from collections.abc import Sequence

from markupsafe import Markup

from referee.rules.infos import INFOS
from referee.text import brief, harmless, listed, plural, spaced
from server.viewer.match_text import ending, language_name, result_in_words
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import referee_pb2

EVENT_STATES = {
    pb.EVENT_STATE_UNSPECIFIED: "of unknown state",
    pb.EVENT_STATE_ANNOUNCED: "announced",
    pb.EVENT_STATE_REGISTRATION: "open for entries",
    pb.EVENT_STATE_CHECK_IN: "check-in",
    pb.EVENT_STATE_RUNNING: "being played",
    pb.EVENT_STATE_FINISHED: "over",
    pb.EVENT_STATE_CANCELLED: "cancelled",
}
PRESENCE = {
    pb.PRESENCE_UNSPECIFIED: "",
    pb.PRESENCE_ABSENT: "not connected",
    pb.PRESENCE_RECONNECTING: "reconnecting",
    pb.PRESENCE_CONNECTED: "connected",
}


def game_title(game: str) -> str:
    """Return a game's name for people. Records of strangers may name any game."""
    return INFOS[game].title if game in INFOS else game


def frozen(ladder: pb.LadderInfo) -> str:
    """Return `frozen since` or `will be frozen`; the time follows."""
    return "frozen since" if ladder.frozen_millis <= 1000 * time.time() else "will be frozen"


def contest_title(contest: str) -> str:
    """Return `Broadsides, 2 seats`, from `broadsides-2`."""
    game, _, seats = contest.rpartition("-")
    return f"{game_title(game)}, {seats} seats" if game in INFOS and seats.isdecimal() else contest


def result(match: pb.MatchInfo) -> str:
    """Return the result of a match, or who plays it."""
    names = [seat.entry for seat in match.seats]
    if match.state == pb.MATCH_STATE_RUNNING:
        names = [brief(name) for name in names]
        return " against ".join(names) if len(names) == 2 else listed(names)
    return result_in_words(names, [seat.rank for seat in match.seats])


def match_ending(match: pb.MatchInfo) -> str:
    """Return why a match ended, and after how many decisions."""
    return ending(match.reason, match.decisions)


def fault_kind(kind: referee_pb2.FaultKind.ValueType) -> str:
    """Return `timeout`, of FAULT_KIND_TIMEOUT."""
    try:
        name = referee_pb2.FaultKind.Name(kind)
    except ValueError:
        return "unknown"
    return spaced(name.removeprefix("FAULT_KIND_").lower())


def clock(clock: referee_pb2.Clock) -> str:
    """Return `60 s for all decisions, 0.1 s more for each, at most 1 s for one`."""
    if clock.unlimited:
        return "no clock"
    parts = [f"{clock.bank_millis / 1000:g} s for all decisions"] if clock.bank_millis else []
    parts += [f"{clock.increment_millis / 1000:g} s more for each"] if clock.increment_millis else []
    parts += [f"at most {clock.cap_millis / 1000:g} s for one"] if clock.cap_millis else []
    return ", ".join(parts)


def bot_state(bot: pb.Bot) -> str:
    """Return whether a bot can play, in words."""
    if bot.revoked:
        return "revoked"
    if bot.suspended:
        return f"suspended: {bot.suspended}"
    return PRESENCE.get(bot.presence, "")


def settings(variant: Sequence[referee_pb2.Setting]) -> str:
    """Return `map ring, round cap 30`."""
    return ", ".join(f"{spaced(setting.name)} {setting.value}" for setting in variant)


def count(number: int, noun: str) -> str:
    """Return `1 match`, `2 matches`."""
    return plural(number, noun, "matches" if noun == "match" else "")


def unbroken(text: str) -> Markup:
    """Return a name that may be broken after its signs, so that long names fit a phone."""
    return Markup("<wbr>").join(Markup.escape(part) for part in _pieces(harmless(text)))


def _pieces(text: str) -> list[str]:
    pieces, start = [], 0
    for at, sign in enumerate(text):
        if sign in "-_./":
            pieces.append(text[start : at + 1])
            start = at + 1
    return [*pieces, text[start:]]


def sentence(text: str) -> str:
    """Return a text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def language(bot: pb.Bot) -> str:
    """Return the language that a bot is written in."""
    return language_name(bot.language)
