"""Combat and raids: when to shoot, board or run, what to sacrifice, which cards to spend."""

from __future__ import annotations

from collections.abc import Iterable

from marauders_tactics.chart import CARGO, ESCAPE, REPRISALS, CargoCard
from marauders_tactics.situation import CANNONS, CARGO_SECTION, CREW, HULL, MASTS, Situation
from tortuga.v1.marauders_pb2 import Marauders

GLORY_RAID = 12
SAFE_ORDER = (CARGO_SECTION, MASTS, CANNONS, CREW, HULL)
"""What a ship can best do without, first."""


def _sides(table: Situation, mine: bool) -> tuple[Marauders.Fighter, Marauders.Fighter]:
    """Return my side (or the NPC I play) and the other one."""
    combat = table.view.combat
    attacker, defender = combat.attacker, combat.defender
    if mine:
        first = attacker.side.WhichOneof("who") == "seat" and attacker.side.seat == table.seat
    else:
        first = attacker.side.WhichOneof("who") != "seat"
    return (attacker, defender) if first else (defender, attacker)


def _punch(fighter: Marauders.Fighter) -> int:
    return int(fighter.ship.sections[CREW] * fighter.leadership)


def choose_stance(table: Situation, mine: bool) -> int:
    """Board the weaker crew, run from the stronger ship, otherwise shoot."""
    us, them = _sides(table, mine)
    stances = {table.options[index].declare.stance: index for index in table.indices("declare")}
    ours, theirs = _punch(us), _punch(them)
    if Marauders.STANCE_BOARD in stances and 5 * ours > 7 * theirs:
        return stances[Marauders.STANCE_BOARD]
    guns, enemy_guns = us.ship.sections[CANNONS], them.ship.sections[CANNONS]
    if mine and _losing(us, them, guns, enemy_guns):
        slip = table.card(Marauders.GLORY_CARD_SLIP_AWAY)
        if slip is not None:
            return slip
        if Marauders.STANCE_FLEE in stances:
            return stances[Marauders.STANCE_FLEE]
    return stances[Marauders.STANCE_SHOOT]


def _losing(us: Marauders.Fighter, them: Marauders.Fighter, guns: int, enemy_guns: int) -> bool:
    if _punch(them) >= 2 * _punch(us) or us.ship.sections[HULL] <= 1:
        return True
    return enemy_guns > guns + 1 or (not guns and enemy_guns > 0)


def choose_section(table: Situation, own_ship: bool) -> int:
    """Put a skull where it hurts least (on a ship I play) or most (on an enemy's)."""
    sections = [table.options[index].pick_section.section - 1 for index in range(len(table.options))]
    if not own_ship:
        return max(range(len(sections)), key=lambda place: SAFE_ORDER.index(sections[place]))
    if CARGO_SECTION in sections:
        return sections.index(CARGO_SECTION)
    values = _values(table)
    return max(range(len(sections)), key=lambda place: _spare(values, sections[place]))


def _values(table: Situation) -> list[int]:
    """Return the sections of the ship that is hit: the volley's target, or mine in a storm."""
    combat = table.view.combat
    if not combat.HasField("volley"):
        return list(table.ship.sections)
    target = combat.attacker if combat.volley.by_defender else combat.defender
    return list(target.ship.sections)


def _spare(values: list[int], section: int) -> float:
    """Return how much a section can spare: the hull counts double."""
    return (values[section] - 1) / (2.0 if section == HULL else 1.0) - SAFE_ORDER.index(section) / 10


def choose_defence(table: Situation) -> int:
    """Spend whatever saves the hull, the crew, the masts; redirect to the hold."""
    order = [Marauders.SECTION_HULL, Marauders.SECTION_CREW, Marauders.SECTION_MASTS, Marauders.SECTION_CANNONS]
    for section in order:
        for index, option in enumerate(table.options):
            kind = table.kinds[index]
            if kind == "redirect" and option.redirect.section == section:
                if option.redirect.target == Marauders.SECTION_CARGO:
                    return index
            elif kind in ("play_glory", "flip_hull") and getattr(option, kind).section == section:
                return index
    return 0


def choose_reroll(table: Situation) -> int:
    """Play a card or the grapple while I am not ahead: both sides' dice if the card can."""
    us, them = _sides(table, mine=True)
    if _skulls(us.dice) > _skulls(them.dice):
        return 0
    for index in table.indices("play_glory"):
        if table.options[index].play_glory.mode == Marauders.MODE_BOTH:
            return index
    grapple = table.index("use_weapon")
    return 0 if grapple is None else grapple


def _skulls(dice: Iterable[int]) -> int:
    return sum(die >= 5 for die in dice)


def choose_prize(table: Situation) -> int:
    """Take a ship that is better as it is than mine."""
    _, them = _sides(table, mine=True)
    mine, prize = table.ship, them.ship
    guns = prize.sections[CANNONS] - mine.sections[CANNONS]
    strength = sum(prize.maxima) - sum(mine.maxima)
    sound = prize.sections[HULL] >= 2 and prize.sections[MASTS] >= 1
    return int(sound and strength > 0 and guns >= 0)


# --- Raids ------------------------------------------------------------------------------------------------------------


def choose_merchant(table: Situation) -> int:
    """Engage under the flag my mission names, or one that wants me already; never under that of my home."""
    if not table.plan.raids:
        return 0
    flags = table.indices("engage")

    def cost(index: int) -> int:
        nation = table.options[index].engage.nation
        wished = nation == REPRISALS.get(table.me.mission)
        return 100 * (nation == table.nation and not wished) - 50 * wished - table.me.bounties[nation - 1]

    return min(flags, key=cost)


def choose_raid(table: Situation) -> int:
    """Get rid of what would spoil the raid, then push for 12 gold with what is left."""
    cards = [CARGO[card] for card in table.view.raid.table]
    spoiler = _spoiler(table, cards)
    spare = table.view.raid.successes
    if spoiler is not None:
        if not spare:
            index = table.card(Marauders.GLORY_CARD_LUCKY_STAR)
            if index is None:
                index = table.index("use_weapon")
            return 0 if index is None else index
        return _on_card(table, "discard_card", spoiler)
    gold = sum(card.loot for card in cards)
    if not spare or gold >= GLORY_RAID:
        return 0
    if spare > 1 or not cards:
        return table.kinds.index("draw_card")
    poorest = min(range(len(cards)), key=lambda place: cards[place].loot)
    # The last success cannot mend a bad draw any more: exchange only what is worth nothing.
    return _on_card(table, "exchange_card", poorest) if cards[poorest].loot <= 1 else 0


def _on_card(table: Situation, kind: str, place: int) -> int:
    """Return the option of that kind for the card at that place."""
    return next(index for index in table.indices(kind) if getattr(table.options[index], kind).place == place + 1)


def _spoiler(table: Situation, cards: list[CargoCard]) -> int | None:
    """Return the place of a card that would let the merchant go or cripple me; None if all is well."""
    left = list(table.ship.sections)
    for place, card in enumerate(cards):
        if card.icon != ESCAPE:
            left[card.icon - 1] -= 1
            if left[card.icon - 1] <= 0:
                return place
    escapes = [place for place, card in enumerate(cards) if card.icon == ESCAPE]
    if len(escapes) >= table.ship.manoeuvrability:
        return min(escapes, key=lambda place: cards[place].loot)
    return None
