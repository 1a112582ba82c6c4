"""The data rows: complete, counted as the rulebook counts them, and made of words that exist."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, is_dataclass
from typing import Any, get_args

import pytest

from referee.games.marauders import terms
from referee.games.marauders.cards.effects import GloryEffect, HireSpecialist, Reward
from referee.games.marauders.cards.event_texts import EventText
from referee.games.marauders.cards.missions import Condition, MissionTask
from referee.games.marauders.cards.modifiers import ModifierKey
from referee.games.marauders.data.board import (
    DEMAND_TOKENS,
    LINKS,
    MERCHANT_TOKENS,
    MODIFICATION_TOKENS,
    MODIFICATIONS,
    PORTS,
    SHIPS,
    ZONES,
)
from referee.games.marauders.data.captains import CAPTAINS, SPECIALISTS
from referee.games.marauders.data.cargo import CARGO
from referee.games.marauders.data.events import EVENTS
from referee.games.marauders.data.glory import GLORY, GLORY_DECK
from referee.games.marauders.data.quests import MISSIONS, RUMORS
from referee.games.marauders.terms import Good, Nation, NpcKind, Section, Timing, Wind, Zone
from tortuga.v1.marauders_pb2 import Marauders

KEYS = set(get_args(ModifierKey))
EFFECTS = set(get_args(GloryEffect))
REWARDS = set(get_args(Reward))
TASKS = set(get_args(MissionTask))
CONDITIONS = set(get_args(Condition))
TEXTS = set(get_args(EventText))
ROWS: list[Any] = [
    *ZONES.values(),
    *SHIPS.values(),
    *MODIFICATIONS.values(),
    *CAPTAINS.values(),
    *CARGO.values(),
    *EVENTS.values(),
    *GLORY.values(),
    *RUMORS.values(),
    *MISSIONS.values(),
]


def test_the_decks_have_the_rulebooks_sizes() -> None:
    """64 cargo, 34 events, 70 glory cards, 25 rumors, 25 missions: 218; and 16 captains."""
    assert [len(deck) for deck in (CARGO, EVENTS, GLORY_DECK, RUMORS, MISSIONS)] == [64, 34, 70, 25, 25]
    assert len(CAPTAINS) == 16


def test_tokens_are_counted_as_in_the_rulebook() -> None:
    """24 demand, 17 merchant, 16 modification tokens."""
    assert Counter(DEMAND_TOKENS) == dict.fromkeys(Good, 3)
    assert Counter(MERCHANT_TOKENS) == {Nation.ES: 5, Nation.NL: 4, Nation.FR: 4, Nation.EN: 4}
    assert Counter(MODIFICATION_TOKENS) == dict.fromkeys(terms.Modification, 2)


def test_card_ids_are_unique_across_the_decks() -> None:
    """Specialists and kept cards of three decks lie on one board, and go back to the right discard."""
    ids = [*GLORY, *RUMORS, *MISSIONS]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: getattr(row, "id", repr(row)[:40]))
def test_every_row_is_made_of_the_verbs_and_says_where_it_comes_from(row: Any) -> None:
    """Fails when a card names a modifier, effect, task, condition, zone, good or nation that does not exist."""
    assert row.mark[0] in "SFH"
    walk(row)


def walk(value: Any) -> None:
    """Every word inside a row."""
    if isinstance(value, dict):
        assert set(value) <= KEYS, value
        assert all(isinstance(number, int) for number in value.values())
    elif is_dataclass(value):
        for field in fields(value):
            content = getattr(value, field.name)
            check_place(field.name, content)
            walk(content)
    elif isinstance(value, tuple):
        for part in value:
            walk(part)
    else:
        assert value is None or isinstance(value, str | int | terms.Term)


def check_place(name: str, content: Any) -> None:
    """A field of that name holds words of its own kind."""
    kinds: dict[str, set[type]] = {
        "effect": EFFECTS,
        "task": TASKS,
        "condition": CONDITIONS,
        "text": TEXTS | {type(None)},
        "timing": {Timing},
        "zone": {Zone},
        "home": {Zone},
        "good": {Good},
        "nation": {Nation, type(None)},
    }
    if name in kinds:
        assert type(content) in kinds[name], (name, content)
    if name == "rewards":
        assert content
        assert {type(reward) for reward in content} <= REWARDS
    if name == "flag":
        assert content in KEYS


def test_specialists_have_modifiers_and_two_cards_each() -> None:
    """8 kinds x 2 cards: one for gold, one with a roll."""
    assert set(SPECIALISTS) == set(terms.Specialist)
    hired = [card.effect for card in GLORY.values() if isinstance(card.effect, HireSpecialist)]
    assert Counter(effect.specialist for effect in hired) == dict.fromkeys(terms.Specialist, 2)
    assert all((effect.price > 0) != (effect.skill is not None) for effect in hired)
    for modifiers in SPECIALISTS.values():
        assert set(modifiers) <= KEYS


def test_links_are_symmetric_with_opposite_winds() -> None:
    """34 links, each seen from both ends."""
    winds = tuple(Wind)
    for zone, links in LINKS.items():
        for wind, other in links.items():
            assert LINKS[other][winds[(winds.index(wind) + 4) % 8]] == zone
    assert sum(map(len, LINKS.values())) == 2 * 34


def test_ports_and_captains_belong_to_their_nations() -> None:
    """16 ports; a captain has its home port's nation, and each port one captain."""
    assert len(PORTS) == 16
    assert {captain.home for captain in CAPTAINS.values()} == set(PORTS)
    assert all(ZONES[captain.home].nation == captain.nation for captain in CAPTAINS.values())


def test_icons_of_the_cargo_cards_are_distributed_as_specified() -> None:
    """Half escapes, half hits: cargo 8, masts 8, crew 6, cannons 6, hull 4; loot 1 x8, 2 x8, 3 x24, 4 x16, 5 x8."""
    hits = Counter(card.hit for card in CARGO.values())
    assert hits == {None: 32, Section.CARGO: 8, Section.MASTS: 8, Section.CREW: 6, Section.CANNONS: 6, Section.HULL: 4}
    assert Counter(card.loot for card in CARGO.values()) == {1: 8, 2: 8, 3: 24, 4: 16, 5: 8}


def test_npc_cards_and_icons_are_counted_as_specified() -> None:
    """12 naval captains, 3 per nation, 6 pirates; half of the cards carry three icons."""
    kinds = Counter(card.npc.kind for card in EVENTS.values() if card.npc is not None)
    assert kinds == dict.fromkeys(NpcKind, 3)
    assert Counter(len(card.icons) for card in EVENTS.values()) == {0: 17, 3: 17}


@pytest.mark.parametrize(
    ("enum", "ids"),
    [
        ("CargoCard", CARGO),
        ("EventCard", EVENTS),
        ("GloryCard", GLORY),
        ("Rumor", RUMORS),
        ("Mission", MISSIONS),
        ("Captain", CAPTAINS),
    ],
)
def test_every_card_has_its_number_on_the_wire(enum: str, ids: dict[str, Any]) -> None:
    """A new row needs a new enum value, and nothing else."""
    prefix = "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in enum).removeprefix("_") + "_"
    names = {value.name.removeprefix(prefix).lower() for value in Marauders.DESCRIPTOR.enum_types_by_name[enum].values}
    assert names == {*ids, "unspecified"}


@pytest.mark.parametrize(
    "term",
    [
        terms.Nation,
        terms.Zone,
        terms.Good,
        terms.Section,
        terms.ShipType,
        terms.Weapon,
        terms.Modification,
        terms.Specialist,
        terms.NpcKind,
        terms.Mode,
        terms.Stance,
        terms.Entry,
        terms.Activity,
        terms.Roll,
        terms.Feat,
        terms.RaidEnd,
        terms.CombatEnd,
    ],
)
def test_every_term_has_the_number_of_the_wire(term: type[terms.Term]) -> None:
    """Terms are sent as their own numbers."""
    name = term.__name__
    prefix = "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in name).removeprefix("_") + "_"
    values = Marauders.DESCRIPTOR.enum_types_by_name[name].values
    assert {value.name.removeprefix(prefix): value.number for value in values if value.number} == {
        member.name: member.value for member in term
    }
