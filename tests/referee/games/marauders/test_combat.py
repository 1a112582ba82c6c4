"""Naval and crew combat: vectors T1, T8 to T17, rulings R6, R18, R20, R21, R26, R30."""

from __future__ import annotations

import pytest

from referee.games.marauders.actions import Action
from referee.games.marauders.actions.cards import Decline, PlayGlory
from referee.games.marauders.actions.combat import Declare, KeepShip, PickSection, Redirect, TakeShip
from referee.games.marauders.actions.raid import UseWeapon
from referee.games.marauders.events.combat import CombatEnded, ContestDecided, VolleyFired
from referee.games.marauders.events.wealth import GloryPoint
from referee.games.marauders.rules.fighting.combat import AttackNpc, AttackPlayer, NpcAttacks
from referee.games.marauders.rules.fighting.npc_policy import policy_section
from referee.games.marauders.state import State
from referee.games.marauders.terms import (
    CombatEnd,
    Mode,
    Modification,
    NpcKind,
    Section,
    ShipType,
    Side,
    Stance,
    Weapon,
    Zone,
)
from referee.rules.chance import ScriptedChance
from support.marauders import (
    ONE,
    TWO,
    asked,
    broadside,
    change_player,
    choose,
    dice,
    duel,
    events_of,
    fight,
    happen,
    left,
    options,
    scripted,
    second_round,
    ship,
    ship_values,
    table,
    take_from_deck,
    to_sea,
    values,
    with_npc,
)

SHOOT, BOARD, FLEE = (Declare(stance) for stance in Stance)
FELIPE, FRANCES = ONE, TWO


# --- The example of the rulebook --------------------------------------------------------------------------------------


def rulebook_example() -> State:
    state = table("felipe_montoya", "frances_wright")
    for seat in (FELIPE, FRANCES):
        to_sea(state, seat, Zone.TRINIDAD)
    change_player(state, FELIPE, ship=ship(ShipType.FRIGATE), weapons=(Weapon.CHAIN,), glory=("quick_wits",))
    change_player(state, FRANCES, ship=ship(ShipType.SLOOP, mods=[Modification.RIGGING]))
    change_player(state, FRANCES, weapons=(Weapon.GRAPPLE,), glory=("turn_the_tide",))
    for card in ("quick_wits", "turn_the_tide"):
        take_from_deck(state, state.glory, card)
    return state


def test_t1_the_whole_combat_of_the_rulebook() -> None:
    """Vector T1; R1 locations, R5 re-rolls, R20 tie-break winners, R31 assignment."""
    state = fight(
        rulebook_example(),
        dice(5, 1, 1, 6, 1, 4, 1, 3),  # round 1, then both locations
        dice(5, 1, 3, 6, 1, 4, 4),  # round 2
        dice(5, 6, 2, 5, 1, 2, 1, 4, 6),  # round 3
        dice(5, 2, 3, 1, 2, 3, 5, 6, 1, 2),  # round 4, grapple, location
        dice(5, 1, 5, 5, 6),  # crew round 1
        dice(5, 6, 6, 1, 4, 1, 2, 5, 2),  # crew round 2, turn_the_tide, quick_wits
    )
    others = (Section.CARGO, Section.MASTS, Section.CANNONS, Section.HULL)
    expected: list[Action] = [Decline(), *(Redirect(Section.CREW, other) for other in others)]
    assert options(state, "w_hits", FELIPE) == expected

    state = choose(state, (FELIPE, Redirect(Section.CREW, Section.CARGO)))
    assert (values(state, FELIPE), values(state, FRANCES)) == ("3/2/3/3/3", "2/1/2/2/1")
    assert options(state, "declare", FELIPE) == [SHOOT, BOARD, FLEE]

    state = choose(state, (FELIPE, SHOOT), (FRANCES, FLEE))
    assert values(state, FRANCES) == "2/1/2/2/0"

    state = choose(state, (FELIPE, SHOOT), (FRANCES, FLEE))
    assert options(state, "ammo", FELIPE) == [Decline(), UseWeapon(Weapon.CHAIN)]
    state = choose(state, (FELIPE, UseWeapon(Weapon.CHAIN)))
    assert values(state, FRANCES) == "1/0/1/2/0"

    state = choose(state, (FELIPE, SHOOT), (FRANCES, BOARD))
    assert options(state, "w_contest", FRANCES) == [Decline(), UseWeapon(Weapon.GRAPPLE)]
    state = choose(state, (FRANCES, UseWeapon(Weapon.GRAPPLE)))
    assert values(state, FRANCES) == "1/0/0/2/0"
    tide: list[Action] = [Decline(), *(PlayGlory("turn_the_tide", mode=mode) for mode in Mode)]
    assert options(state, "w_crew", FRANCES) == tide

    state = choose(state, (FRANCES, Decline()))
    assert (values(state, FELIPE), values(state, FRANCES)) == ("3/2/3/1/3", "1/0/0/1/0")

    state = choose(state, (FRANCES, PlayGlory("turn_the_tide", mode=Mode.ENEMY)))
    copies: list[Action] = [Decline(), *(PlayGlory("quick_wits", mode=mode) for mode in Mode)]
    assert options(state, "w_crew", FELIPE) == copies
    state = choose(state, (FELIPE, PlayGlory("quick_wits", mode=Mode.OWN)))
    assert (values(state, FELIPE), values(state, FRANCES)) == ("3/2/3/0/3", "1/0/0/0/0")
    assert events_of(state, CombatEnded) == [CombatEnded(Side(FRANCES), CombatEnd.CREW)]
    assert options(state, "capture", FRANCES) == [KeepShip(), TakeShip(ShipType.FRIGATE)]
    assert left(state) == 0


# --- Volleys ----------------------------------------------------------------------------------------------------------


def test_t8_grape_shot_beyond_the_crew_is_lost() -> None:
    """Vector T8."""
    state = duel()
    change_player(state, ONE, ship=ship(ShipType.FRIGATE), weapons=(Weapon.GRAPE,))
    state = choose(broadside(state, 5, 6, 3), (ONE, UseWeapon(Weapon.GRAPE)))
    assert values(state, TWO) == "2/2/2/0/1"
    assert state.players[ONE].weapons == ()


def test_t9_chain_shot_beyond_the_masts_is_lost() -> None:
    """Vector T9."""
    state = duel()
    change_player(state, ONE, ship=ship(ShipType.FRIGATE), weapons=(Weapon.CHAIN,))
    change_player(state, TWO, ship=ship(ShipType.SLOOP, 2, 2, 1, 2, 1))
    state = fight(state, dice(5, 6, 5, 1, 1, 1), dice(2, 5, 6))
    state = choose(state, (ONE, UseWeapon(Weapon.CHAIN)))
    assert values(state, TWO) == "2/2/0/2/1"


def test_t10_a_hit_on_destroyed_masts_goes_to_the_hull() -> None:
    """Vector T10, ruling R26."""
    state = duel()
    change_player(state, TWO, ship=ship(ShipType.SLOOP, 2, 2, 0, 2, 1))
    # Without masts 1 die; the sloop's one cannon hits once.
    state = fight(state, dice(5, 1, 1, 1), dice(2))
    assert values(state, TWO) == "1/2/0/2/1"


def test_t11_no_skulls_no_winner_no_hits() -> None:
    """Vector T11, ruling R20."""
    state = fight(duel("edward_marsh", "frances_wright"), dice(1, 2, 3, 4, 4))
    assert events_of(state, ContestDecided) == [ContestDecided(None)]
    assert events_of(state, VolleyFired) == []


def test_t12_a_full_tie_has_no_winner_but_both_hit() -> None:
    """Vector T12."""
    state = fight(duel("edward_marsh", "frances_wright"), dice(5, 1, 1, 6, 2), dice(1, 1))
    assert events_of(state, ContestDecided) == [ContestDecided(None)]
    assert (values(state, ONE), values(state, TWO)) == ("2/1/2/2/1", "2/1/2/2/1")


def test_t13_the_winner_hits_with_all_cannons() -> None:
    """Vector T13."""
    state = duel("edward_marsh", "frances_wright")
    change_player(state, ONE, ship=ship(ShipType.FRIGATE))
    state = fight(state, dice(5, 6, 1, 1, 1), dice(2, 2, 2))
    assert events_of(state, VolleyFired) == [VolleyFired(Side(ONE), Side(TWO), (Section.MASTS,) * 3)]
    assert values(state, TWO) == "1/2/0/2/1"


def test_t14_a_skull_of_the_shooter_stops_a_flight() -> None:
    """Vector T14."""
    state = duel("frances_wright", "edward_marsh")
    state = second_round(state, dice(5, 6, 5, 1, 1), dice(3))
    state = choose(state, (ONE, FLEE), (TWO, SHOOT))
    assert values(state, ONE) == "2/2/2/1/1"
    assert events_of(state, CombatEnded) == []
    assert asked(state).kind == "declare"


def test_t15_a_boarder_without_crew_does_not_board() -> None:
    """Vector T15."""
    state = duel("frances_wright", "edward_marsh")
    change_player(state, ONE, ship=ship(ShipType.SLOOP, 2, 2, 2, 1, 1))
    state = second_round(state, dice(5, 6, 5, 1, 1), dice(3))
    state = choose(state, (ONE, BOARD), (TWO, SHOOT))
    assert values(state, ONE) == "2/2/2/0/1"
    assert state.combat is not None
    assert (state.combat.round, state.combat.crew_round) == (3, 0)
    assert options(state, "declare", ONE) == [SHOOT, FLEE]


def test_t16_two_ships_sink_in_one_volley() -> None:
    """Vector T16."""
    state = duel("edward_marsh", "frances_wright")
    for seat in (ONE, TWO):
        change_player(state, seat, ship=ship(ShipType.SLOOP, 1, 0, 2, 2, 1))
    state = fight(state, dice(5, 1, 1, 6, 2), dice(1, 1))
    assert events_of(state, CombatEnded) == [CombatEnded(None, CombatEnd.SUNK)]
    assert [player.captain for player in state.players] == [None, None]
    assert events_of(state, GloryPoint) == []
    assert state.used_captains == ("edward_marsh", "frances_wright")


def test_t17_a_full_tie_on_deck_leaves_both_captains_alive() -> None:
    """Vector T17."""
    state = duel("edward_marsh", "henry_thorne")
    for seat in (ONE, TWO):
        change_player(state, seat, ship=ship(ShipType.SLOOP, 2, 2, 2, 1, 0))
    state = fight(state, dice(1, 1, 1, 1, 1, 1), dice(5, 5, 5, 1, 1, 1), dice(5, 3, 6, 3))
    state = choose(state, (ONE, BOARD), (TWO, SHOOT))
    assert events_of(state, CombatEnded) == [CombatEnded(None, CombatEnd.CREW)]
    assert [player.captain for player in state.players] == ["edward_marsh", "henry_thorne"]
    assert (values(state, ONE), values(state, TWO)) == ("2/2/2/0/0", "2/2/2/0/0")


# --- NPCs -------------------------------------------------------------------------------------------------------------


def with_navy(state: State, card: str = "navy_nl_1", kind: NpcKind = NpcKind.NAVY_NL) -> State:
    with_npc(state, kind, Zone.TRINIDAD, card)
    return state


def test_r18_the_next_seat_plays_the_npc_and_the_policy_is_its_default() -> None:
    """Ruling R18 and 6.12: seat 1 answers for the NPC that attacks seat 0; the default is the policy's choice."""
    state = with_navy(duel("edward_marsh", "henry_thorne"))
    state = happen(state, NpcAttacks(NpcKind.NAVY_NL, ONE), chance=scripted(dice(1, 1, 1, 1, 1)))
    decision = asked(state)
    # The frigate is stronger in Cannons and Crew than the sloop, so it may not flee.
    assert (decision.kind, dict(decision.options)) == ("npc_declare", {TWO: (SHOOT, BOARD)})
    assert decision.defaults == {TWO: 1}  # crew 3 x leadership 2 against 2 x 2: board
    assert options(choose(state, (TWO, SHOOT)), "declare", ONE) == [SHOOT, BOARD, FLEE]


def test_npc_assign_hit_is_the_controllers_with_the_policy_as_default() -> None:
    """6.12: cargo first."""
    state = with_navy(duel("edward_marsh", "henry_thorne"))
    chance = scripted(dice(5, 1, 1), dice(1, 1), dice(5))
    state = happen(state, AttackNpc(ONE, NpcKind.NAVY_NL), chance=chance)
    decision = asked(state)
    assert (decision.kind, list(decision.options)) == ("npc_assign_hit", [TWO])
    assert decision.options[TWO][decision.defaults.get(TWO, 0)] == PickSection(Section.CARGO)
    state = choose(state, (TWO, PickSection(Section.MASTS)))
    assert state.combat is not None
    assert ship_values(state.combat.fighters[1].ship) == "3/3/2/3/3"


def test_npc_control_policy_asks_nobody() -> None:
    """Option `npc_control`: the policy declares and assigns by itself."""
    state = with_navy(table("edward_marsh", "henry_thorne", npc_control="policy"))
    to_sea(state, ONE, Zone.TRINIDAD)
    chance = scripted(dice(5, 1, 1), dice(1, 1), dice(5))
    state = happen(state, AttackNpc(ONE, NpcKind.NAVY_NL), chance=chance)
    assert options(state, "declare", ONE) == [SHOOT, BOARD, FLEE]
    assert state.combat is not None
    assert ship_values(state.combat.fighters[1].ship) == "3/2/3/3/3"


@pytest.mark.parametrize(
    ("vessel", "expected"),
    [
        ((3, 1, 3, 3, 3), Section.CARGO),
        ((3, 0, 2, 3, 3), Section.CREW),
        ((3, 0, 2, 2, 2), Section.MASTS),
        ((3, 0, 1, 1, 1), Section.HULL),
        ((2, 0, 1, 1, 1), Section.CANNONS),
        ((2, 0, 1, 1, 0), Section.MASTS),
        ((2, 0, 0, 0, 0), Section.HULL),
    ],
)
def test_policy_of_npc_assign_hit(vessel: tuple[int, ...], expected: Section) -> None:
    """6.12, in its order."""
    assert policy_section(ship(ShipType.FRIGATE, *vessel)) == expected


def test_the_naval_combat_ends_after_twenty_rounds() -> None:
    """6.9 and ruling R30: no winner."""
    state = duel()
    state = happen(state, AttackPlayer(ONE, TWO), chance=ScriptedChance(dice(*[1] * 6 * 20)))
    for _ in range(19):
        state = choose(state, (ONE, SHOOT), (TWO, SHOOT))
    assert events_of(state, CombatEnded) == [CombatEnded(None, CombatEnd.NOBODY)]
    assert state.combat is None
