"""The two sides of a combat, seats and NPCs alike: their values, their dice, who decides for them (6.9, R6, R18)."""

from __future__ import annotations

from referee.games.marauders.cards.modifiers import ModifierKey
from referee.games.marauders.events.combat import Damaged
from referee.games.marauders.rules.dice import roll
from referee.games.marauders.rules.modifiers import captain_of, mod, seats_after
from referee.games.marauders.rules.ships import new_ship, set_ship, with_value
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import Combat, Fighter, Npc, Player, Ship, State
from referee.games.marauders.terms import Modification, NpcKind, Roll, Section, Side, Skill
from referee.rules.engine import Seat
from referee.rules.parts import replace


def combat_of(state: State) -> Combat:
    """Return the combat under way."""
    assert state.combat is not None
    return state.combat


def npc_of(state: State, kind: NpcKind) -> Npc:
    """Return an NPC in play."""
    npc = state.npcs[kind - 1]
    assert npc is not None
    return npc


def seat_fighter(state: State, seat: Seat) -> Fighter:
    """Return a seat with its ship."""
    player = state.players[seat]
    captain = captain_of(player)
    assert player.ship is not None
    return Fighter(Side(seat), player.ship, captain.skill(Skill.SEAMANSHIP), captain.skill(Skill.LEADERSHIP))


def npc_fighter(state: State, kind: NpcKind) -> Fighter:
    """Return an NPC, undamaged at the start of each combat."""
    seamanship, _, leadership = npc_of(state, kind).skills
    return Fighter(Side(npc=kind), new_ship(state.npc_ship_type(kind)), seamanship, leadership)


def player_of(state: State, fighter: Fighter) -> Player | None:
    """Return the seat behind a side, if there is one."""
    return None if fighter.side.seat is None else state.players[fighter.side.seat]


def trait(state: State, fighter: Fighter, key: ModifierKey) -> int:
    """Return a modifier of a side; only seats have any (R6)."""
    return 0 if fighter.side.seat is None else mod(state, fighter.side.seat, key)


def has_built(fighter: Fighter, kind: Modification) -> bool:
    """Check whether the ship carries that modification."""
    return kind in fighter.ship.mods


def set_fighter(draft: State, index: int, fighter: Fighter) -> None:
    """Put a changed side into the place of the old one: 0 is the attacker, 1 the defender."""
    combat = combat_of(draft)
    attacker, defender = combat.fighters
    draft.combat = replace(combat, fighters=(attacker, fighter) if index else (fighter, defender))


def set_dice(draft: State, attacker: tuple[int, ...], defender: tuple[int, ...]) -> None:
    """Both pools lie on the table."""
    combat = combat_of(draft)
    first, second = combat.fighters
    draft.combat = replace(combat, fighters=(replace(first, dice=attacker), replace(second, dice=defender)))


def change_ship(draft: State, index: int, ship: Ship) -> None:
    """Set the ship of a side as it is now: a seat's own, or the NPC's for this combat."""
    fighter = combat_of(draft).fighters[index]
    set_fighter(draft, index, replace(fighter, ship=ship))
    if fighter.side.seat is not None:
        set_ship(draft, fighter.side.seat, ship)


def damage(draft: State, index: int, ship: Ship) -> None:
    """Set the ship of a side after damage, for all to see."""
    fighter = combat_of(draft).fighters[index]
    if ship != fighter.ship:
        change_ship(draft, index, ship)
        tell(draft, Damaged, fighter.side, ship.sections)


def lose_crew(draft: State, index: int, count: int) -> None:
    """Crew damage outside a volley; a surgeon ignores the first point of the combat."""
    fighter = combat_of(draft).fighters[index]
    crew = fighter.ship.value(Section.CREW)
    if not count or not crew:
        return
    if not fighter.surgeon_used and trait(draft, fighter, "combat.surgeon"):
        set_fighter(draft, index, replace(fighter, surgeon_used=True))
        count -= 1
    damage(draft, index, with_value(fighter.ship, Section.CREW, max(0, crew - count)))


def roll_for(draft: State, index: int, what: Roll, count: int) -> tuple[int, ...]:
    """Dice of a side; those of an NPC belong to the seat it fights."""
    fighters = combat_of(draft).fighters
    return roll(draft, fighters[index].side, what, count, meets=fighters[1 - index].side.seat)


def controller(state: State) -> Seat:
    """Return who plays the NPC of this combat: the next seat in turn order after the engaged one (R18)."""
    attacker, defender = combat_of(state).fighters
    engaged = defender.side.seat if attacker.side.seat is None else attacker.side.seat
    assert engaged is not None
    return seats_after(state, engaged)[0]
