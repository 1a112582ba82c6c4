"""Stories that people read: sentences without ids, in which numbers add up, plurals are right and nothing is empty."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

import pytest

from referee.games import GAMES
from referee.games.broadsides.events import MeleeFought
from referee.games.marauders.events.round import DiceRolled
from referee.games.pavillon_noir.events import ShotEvaded, ShotFired
from referee.games.pirates_cove.events import Scored, VolleyFired
from referee.rules.engine import AnyGame
from support import sizes
from support.play import start, wander

MATCHES = sizes.pick(quick=2, ci=10, full=1000)
SEATS = {"broadsides": (2,), "pavillon_noir": (2,), "pirates_cove": (2, 3, 5), "marauders": (2, 4)}
SETTINGS: dict[str, tuple[dict[str, str], ...]] = {"pavillon_noir": ({}, {"variant": "full"})}

COUNT = r"(?<![-\d/,.])(?<!seat )(?<!level )\b"
"""Where a number begins that counts what follows."""
FAULTS = {
    "an id": re.compile(r"\w_\w|\b[A-Z]{2,}\b|\b[a-z]+\d\d?\b|\b[a-z]+ [ab]\b(?! )"),
    "code": re.compile(r"[\[\]{}<>]|->|\bNone\b|\bFalse\b(?! orders)|\bTrue\b"),
    "a singular that should be a plural": re.compile(
        COUNT + r"(?:0|[2-9]|\d\d+) (?:card|chest|hit|level|shot|marker|point|move|action|round|turn|man|skull|"
        r"plank|sailor|cannon|figure|option|bounty|crew)\b(?! figures)"
    ),
    "a plural that should be a singular": re.compile(
        COUNT + r"1 (?:(?!from )\w+ )?(?:cards|chests|hits|levels|shots|markers|points|moves|actions|rounds|turns|men|"
        r"skulls|planks|sailors|cannons|figures|bounties)\b"
    ),
    "a verb that does not fit": re.compile(r"^seat \d(?: and|,).* passes\b|^seat \d pass\b"),
    "a figure with the wrong article": re.compile(r"\ba (?:crew|captain|mate|men|skulls)\b(?! figure)"),
    "an article before the wrong sound": re.compile(r"\ba [aeio]\w|\ban [bcdfghj-np-tv-z]\w"),
    "an empty phrase": re.compile(
        r"  |\(\)|\s[,;:]|\( | \)|[,;:]\s*[,;:)]|^\s|\s$|[,:;(]$|\b(?:and|or|of|to|with|at|for)$"
    ),
}
"""What no line may have, each with its name."""


def add_up_shot(event: ShotFired, line: str) -> bool:
    """All terms of a shot come to its damage."""
    terms, _, damage = line.partition(": ")[2].rpartition(": ")
    first, *losses = terms.split(", ")
    return int(first) + sum(int(loss.rsplit(" ", 1)[1]) for loss in losses) == int(damage) == event.damage


def add_up_evasion(event: ShotEvaded, line: str) -> bool:
    """What was evaded and what is left are told."""
    return f"evades {event.reduction} " in line and line.endswith(f"leaves {event.damage}")


def add_up_score(event: Scored, line: str) -> bool:
    """Fame and the bonus come to the score."""
    fame, bonus, score = map(int, re.findall(r"\d+", line)[1:])
    return fame + bonus == score and fame == event.fame


def add_up_volley(event: VolleyFired, line: str) -> bool:
    """There are as many hits as told, and no more than dice."""
    hits = int(line.rsplit(", ", 1)[1].split()[0])
    return hits == event.hits <= len(event.dice)


def add_up_dice(event: DiceRolled, line: str) -> bool:
    """Skulls are shown as such, and counted or judged as they lie."""
    rolled, _, result = line.partition(" rolls ")[2].partition(": ")
    skulls = rolled.split(" for ")[0].split(", ").count("skull")
    judged = {"success": skulls > 0, "failure": skulls == 0, "": True}
    told = judged[result] if result in judged else int(result.split()[0]) == skulls
    return told and skulls == len([die for die in event.dice if die > 4])


def add_up_melee(event: MeleeFought, line: str) -> bool:
    """The lower total loses a figure; on equal ones both or nobody."""
    own, enemy = map(int, re.findall(r"(\d+) v (\d+)", line)[0])
    return (own, enemy) == tuple(event.totals) and len(event.losses) == line.count(" loses ")


ADD_UP: dict[type, Callable[..., bool]] = {
    ShotFired: add_up_shot,
    ShotEvaded: add_up_evasion,
    Scored: add_up_score,
    VolleyFired: add_up_volley,
    DiceRolled: add_up_dice,
    MeleeFought: add_up_melee,
}


def read_match(game: AnyGame, number: int) -> Iterator[str]:
    """Yield every line of a match that has a fault, with the fault."""
    seats, settings = SEATS[game.info.id], SETTINGS.get(game.info.id, ({},))
    variant = game.info.read_variant(settings[number % len(settings)])
    course = start(game, seats[number % len(seats)], variant, f"story {number}")
    faulty: dict[str, str | None] = {}

    def faults(line: str) -> Iterator[str]:
        if line not in faulty:
            faulty[line] = next((name for name, fault in FAULTS.items() if fault.search(line)), None)
        if faulty[line]:
            yield f"{faulty[line]}: {line}"

    for choices in wander(course, random.Random(number)):
        for event in course.events:
            line = game.text.event(event)
            yield from faults(line)
            if type(event) in ADD_UP and not ADD_UP[type(event)](event, line):
                yield f"numbers that do not add up: {line}"
            for seat in choices:
                if (perceived := game.seen(event, seat)) is not None and perceived != event:
                    yield from faults(game.text.event(perceived))
        for line in game.text.tell(course.events):
            yield from faults(line)


@sizes.sized
@pytest.mark.parametrize("game_id", GAMES)
def test_stories_are_sentences_that_add_up(game_id: str) -> None:
    faults = {fault for number in range(MATCHES) for fault in read_match(GAMES[game_id], number)}
    assert not faults


@pytest.mark.parametrize(
    "line",
    [
        "seat 1 takes 1 men aboard",
        "seat 0 buys 2 card for 4 gold",
        "seat 0 has 1 quiet rounds",
        "Royal Isabella loses a crew",
        "month 2, seat 0 first: t29 (4 fame)",
        "seat 0 plays gun captain a",
        "seat 0 loses ",
        "merchants appear in , Havana",
        "seat 1 loads bow [] stern [chain]",
        "seat 0 gains an frigate",
        "seat 0 evades 1 -> 0",
        "seat 1 leaves the combat ()",
    ],
)
def test_faults_are_found(line: str) -> None:
    assert any(fault.search(line) for fault in FAULTS.values())
