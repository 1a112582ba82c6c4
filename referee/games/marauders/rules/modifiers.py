"""What a captain is worth where it stands: `mod` (cards file A.1), skills, hostility, letters of marque."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from referee.games.marauders.cards.effects import Keep, PortMod
from referee.games.marauders.cards.modifiers import ModifierKey, Modifiers
from referee.games.marauders.data.board import ZONES
from referee.games.marauders.data.captains import CAPTAINS, SPECIALISTS, Captain
from referee.games.marauders.data.events import EVENTS
from referee.games.marauders.data.glory import GLORY
from referee.games.marauders.data.quests import MISSIONS, RUMORS
from referee.games.marauders.state import Player, State
from referee.games.marauders.terms import Nation, NpcKind, Skill, Specialist, Zone
from referee.rules.engine import Seat
from referee.rules.parts import kept

CAPTAINS_IN_PLACES = 1 << 12
"""How many captains with their men in a zone are remembered."""


def captain_of(player: Player) -> Captain:
    """Return the captain card of a seat that has one."""
    assert player.captain is not None
    return CAPTAINS[player.captain]


def mod(state: State, seat: Seat, key: ModifierKey) -> int:
    """Return the sum of a modifier over captain, specialists, kept cards, zone, event and Port action; missing
    counts 0."""
    total = own_modifiers(state.players[seat]).get(key, 0)
    if state.event is not None:
        total += EVENTS[state.event].modifiers.get(key, 0)
    visit = state.visit
    if visit is not None and visit.played and state.turn is not None and state.turn.seat == seat:
        for card in visit.played:
            effect = GLORY[card].effect
            if isinstance(effect, PortMod):
                total += effect.modifiers.get(key, 0)
    return total


@kept
def own_modifiers(player: Player) -> Modifiers:
    """Return what captain, specialists, kept cards and zone add."""
    assert player.captain is not None
    return _own_modifiers(player.captain, player.zone, tuple([h.specialist for h in player.specialists]), player.kept)


@lru_cache(CAPTAINS_IN_PLACES)
def _own_modifiers(captain: str, zone: Zone, specialists: tuple[Specialist, ...], cards: tuple[str, ...]) -> Modifiers:
    sources = [CAPTAINS[captain].modifiers, ZONES[zone].modifiers, *[SPECIALISTS[man] for man in specialists]]
    totals: Counter[ModifierKey] = Counter()
    for modifiers in sources:
        totals.update(modifiers)
    totals.update(_kept_flags(cards))
    return totals


def round_mod(state: State, key: ModifierKey) -> int:
    """Return what the event in force adds."""
    return EVENTS[state.event].modifiers.get(key, 0) if state.event is not None else 0


def kept_mod(player: Player, key: ModifierKey) -> int:
    """Return what the cards kept on the board add."""
    return _kept_flags(player.kept).count(key)


def _kept_flags(cards: tuple[str, ...]) -> list[ModifierKey]:
    rewards = [reward for card in cards for reward in (RUMORS[card] if card in RUMORS else MISSIONS[card]).rewards]
    return [reward.flag for reward in rewards if isinstance(reward, Keep)]


def pool(state: State, seat: Seat, skill: Skill, *keys: ModifierKey) -> int:
    """Dice of a roll on a skill: never fewer than 1."""
    dice = captain_of(state.players[seat]).skill(skill)
    for key in keys:
        dice += mod(state, seat, key)
    return max(1, dice)


def bounty(player: Player, nation: Nation) -> int:
    """Return what a nation asks for the captain's head."""
    return player.bounties[nation - 1]


def at_war(state: State, first: Nation, second: Nation) -> bool:
    """Check whether two nations are at war with each other."""
    return state.war is not None and first != second and first in state.war and second in state.war


def is_hostile(state: State, kind: NpcKind, player: Player) -> bool:
    """Check whether an NPC of that kind hunts the captain (6.4)."""
    wanted = any(player.bounties)
    nation = kind.nation
    if nation is None:
        return not wanted
    return wanted or at_war(state, nation, captain_of(player).nation)


def is_excused(state: State, player: Player, nation: Nation) -> bool:
    """Check whether a letter of marque lets the captain engage that nation without bounty."""
    return state.marque == (captain_of(player).nation, nation)


def home_of(player: Player) -> Zone:
    """Return the home port."""
    return captain_of(player).home


def seats_after(state: State, seat: Seat) -> list[Seat]:
    """Return the other seats in turn order after that one."""
    place = state.turn_order.index(seat)
    return [*state.turn_order[place + 1 :], *state.turn_order[:place]]
