"""Every word in which the comments of marauders.proto describe a card is explained in docs/games/marauders.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from referee.games.marauders.cards.missions import DefeatNavy, DefeatPirate
from referee.games.marauders.data.quests import MISSIONS

ROOT = Path(__file__).parents[2]
PROTO = (ROOT / "proto" / "tortuga" / "v1" / "marauders.proto").read_text()
DOCS = (ROOT / "docs" / "games" / "marauders.md").read_text()
CARDS = ("Zone", "Specialist", "Captain", "EventCard", "GloryCard", "Rumor", "Mission")
KEY = re.compile(r"\b[a-z]+\.[a-z_]+(?:\.[a-zA-Z_]+)?\b")
EFFECT = re.compile(r"\b[A-Z][A-Z_]{2,}\b")
TIMING = re.compile(r"\btiming (\w+)")


def card_comments() -> str:
    """The comments of all values of the enums of cards."""
    found = []
    for enum in CARDS:
        body = PROTO.partition(f"  enum {enum} {{")[2].partition("\n  }\n")[0]
        found += [line.strip().removeprefix("// ") for line in body.split("\n") if line.strip().startswith("//")]
    return "\n".join(found)


def words() -> list[str]:
    comments = card_comments()
    return sorted({*KEY.findall(comments), *EFFECT.findall(comments), *TIMING.findall(comments)})


def test_there_are_words_to_look_for() -> None:
    assert {"raid.talk_out", "SHIFT_DEMAND", "STASH_HERE", "PORT_MOD", "port.enter_any", "crew_start"} <= set(words())
    assert len(words()) > 80


@pytest.mark.parametrize("word", words())
def test_a_word_of_the_cards_is_explained(word: str) -> None:
    assert f"`{word}`" in DOCS


def test_the_missions_to_defeat_somebody_say_whom() -> None:
    words = {DefeatPirate: "DEFEAT pirate;", DefeatNavy: "DEFEAT navy;"}
    tasks = {name: words[type(row.task)] for name, row in MISSIONS.items() if type(row.task) in words}
    assert len(tasks) == 3
    for name, told in tasks.items():
        comment = PROTO.partition(f"    MISSION_{name.upper()} = ")[0].rstrip().rpartition("\n")[2]
        assert told in comment, name
