"""Naval and crew combat: vectors T1, T8 to T17, rulings R6, R14, R18, R20, R21, R26, R30, R31."""

from __future__ import annotations

import pytest

from referee.chance import ScriptedChance
from referee.games.marauders.actions import Action
from referee.games.marauders.actions.cards import Decline, PlayGlory
from referee.games.marauders.actions.combat import Declare, FlipHull, KeepShip, PickSection, Redirect, TakeShip
from referee.games.marauders.actions.raid import UseWeapon
from referee.games.marauders.events.combat import CombatEnded, ContestDecided, VolleyFired
from referee.games.marauders.events.wealth import GloryPoint
from referee.games.marauders.rules.combat import AttackNpc, AttackPlayer, NpcAttacks
from referee.games.marauders.rules.npc_policy import policy_section
from referee.games.marauders.state import Hired, Npc, State
from referee.games.marauders.terms import (
    CombatEnd,
    Mode,
    Modification,
    NpcKind,
    Section,
    ShipType,
    Side,
    Specialist,
    Stance,
    Weapon,
    Zone,
)
from support.marauders import (
    ONE,
    TWO,
    asked,
    choose,
    dice,
    events_of,
    happen,
    left,
    options,
    scripted,
    ship,
    ship_values,
    table,
    to_sea,
    values,
)

SHOOT, BOARD, FLEE = (Declare(stance) for stance in Stance)
FELIPE, FRANCES = ONE, TWO


def duel(attacker: str = "edward_marsh", defender: str = "henry_thorne") -> State:
    """Two plain captains at sea off Trinidad; both have Seamanship 3 and Leadership 2."""
    state = table(attacker, defender)
    for seat in (ONE, TWO):
        to_sea(state, seat, Zone.TRINIDAD)
    return state


def fight(state: State, *rolls: list[int]) -> State:
    """Seat 0 attacks seat 1."""
    return happen(state, AttackPlayer(ONE, TWO), chance=scripted(*rolls))


# --- The example of the rulebook --------------------------------------------------------------------------------------


def rulebook_example() -> State:
    state = table("felipe_montoya", "frances_wright")
    for seat in (FELIPE, FRANCES):
        to_sea(state, seat, Zone.TRINIDAD)
    felipe, frances = state.players
    felipe.ship, felipe.weapons, felipe.glory = ship(ShipType.FRIGATE), (Weapon.CHAIN,), ("quick_wits",)
    frances.ship = ship(ShipType.SLOOP, mods=[Modification.RIGGING])
    frances.weapons, frances.glory = (Weapon.GRAPPLE,), ("turn_the_tide",)
    for card in ("quick_wits", "turn_the_tide"):
        state.glory.deck.remove(card)
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


def broadside(state: State, *locations: int) -> State:
    """Round 1 won by seat 0 with as many hits as location dice."""
    return fight(state, dice(5, 6, 5, 1, 1, 1), dice(*locations))


def test_t8_grape_shot_beyond_the_crew_is_lost() -> None:
    """Vector T8."""
    state = duel()
    state.players[ONE].ship = ship(ShipType.FRIGATE)
    state.players[ONE].weapons = (Weapon.GRAPE,)
    state = choose(broadside(state, 5, 6, 3), (ONE, UseWeapon(Weapon.GRAPE)))
    assert values(state, TWO) == "2/2/2/0/1"
    assert state.players[ONE].weapons == ()


def test_t9_chain_shot_beyond_the_masts_is_lost() -> None:
    """Vector T9."""
    state = duel()
    state.players[ONE].ship = ship(ShipType.FRIGATE)
    state.players[ONE].weapons = (Weapon.CHAIN,)
    state.players[TWO].ship = ship(ShipType.SLOOP, 2, 2, 1, 2, 1)
    state = fight(state, dice(5, 6, 5, 1, 1, 1), dice(2, 5, 6))
    state = choose(state, (ONE, UseWeapon(Weapon.CHAIN)))
    assert values(state, TWO) == "2/2/0/2/1"


def test_t10_a_hit_on_destroyed_masts_goes_to_the_hull() -> None:
    """Vector T10, ruling R26."""
    state = duel()
    state.players[TWO].ship = ship(ShipType.SLOOP, 2, 2, 0, 2, 1)
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
    state.players[ONE].ship = ship(ShipType.FRIGATE)
    state = fight(state, dice(5, 6, 1, 1, 1), dice(2, 2, 2))
    assert events_of(state, VolleyFired) == [VolleyFired(Side(ONE), Side(TWO), (Section.MASTS,) * 3)]
    assert values(state, TWO) == "1/2/0/2/1"


def second_round(state: State, *rolls: list[int]) -> State:
    """A fight whose first round has no skull at all."""
    return fight(state, dice(1, 1, 1, 1, 1), *rolls)


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
    state.players[ONE].ship = ship(ShipType.SLOOP, 2, 2, 2, 1, 1)
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
        state.players[seat].ship = ship(ShipType.SLOOP, 1, 0, 2, 2, 1)
    state = fight(state, dice(5, 1, 1, 6, 2), dice(1, 1))
    assert events_of(state, CombatEnded) == [CombatEnded(None, CombatEnd.SUNK)]
    assert [player.captain for player in state.players] == [None, None]
    assert events_of(state, GloryPoint) == []
    assert state.used_captains == ["edward_marsh", "frances_wright"]


def test_t17_a_full_tie_on_deck_leaves_both_captains_alive() -> None:
    """Vector T17."""
    state = duel("edward_marsh", "henry_thorne")
    for seat in (ONE, TWO):
        state.players[seat].ship = ship(ShipType.SLOOP, 2, 2, 2, 1, 0)
    state = fight(state, dice(1, 1, 1, 1, 1, 1), dice(5, 5, 5, 1, 1, 1), dice(5, 3, 6, 3))
    state = choose(state, (ONE, BOARD), (TWO, SHOOT))
    assert events_of(state, CombatEnded) == [CombatEnded(None, CombatEnd.CREW)]
    assert [player.captain for player in state.players] == ["edward_marsh", "henry_thorne"]
    assert (values(state, ONE), values(state, TWO)) == ("2/2/2/0/0", "2/2/2/0/0")


# --- Modifications, specialists, cards --------------------------------------------------------------------------------


def test_long_guns_fire_before_the_first_round_without_ammunition() -> None:
    """6.9 step 1: one die per cannon, hits for skulls, no chain or grape."""
    state = duel()
    state.players[ONE].ship = ship(ShipType.FRIGATE, mods=[Modification.LONG_GUNS])
    state.players[ONE].weapons = (Weapon.CHAIN,)
    state = fight(state, dice(5, 6, 1), dice(5, 1), dice(1, 1, 1, 1, 1, 1))
    # cargo 1 is hit first; the skull is the target's to place
    sections = (Section.CARGO, Section.MASTS, Section.CREW, Section.CANNONS, Section.HULL)
    assert options(state, "assign_hit", TWO) == [PickSection(section) for section in sections]
    state = choose(state, (TWO, PickSection(Section.CARGO)))
    assert values(state, TWO) == "2/0/2/2/1"
    assert state.players[ONE].weapons == (Weapon.CHAIN,)


def test_r31_a_section_destroyed_by_the_same_volley_is_not_listed() -> None:
    """Ruling R31."""
    state = duel()
    state.players[ONE].ship = ship(ShipType.FRIGATE)
    state = broadside(state, 1, 1, 6)
    sections = (Section.MASTS, Section.CREW, Section.CANNONS, Section.HULL)
    assert options(state, "assign_hit", TWO) == [PickSection(section) for section in sections]


def test_r14_chasers_fire_once_when_somebody_flees() -> None:
    """Ruling R14."""
    state = duel()
    state.players[ONE].ship = ship(ShipType.SLOOP, 2, 2, 2, 2, 0, mods=[Modification.CHASERS])
    state = fight(state, dice(1, 1, 1, 1, 1, 1), dice(1), dice(1, 1, 1, 1, 1, 1), dice(1, 1, 1, 1, 1, 1))
    state = choose(state, (ONE, SHOOT), (TWO, FLEE), (ONE, SHOOT), (TWO, FLEE))
    assert values(state, TWO) == "2/1/2/2/1"
    assert left(state) == 0


def test_both_fleeing_end_the_combat_without_a_roll() -> None:
    """6.9 step 2b, ruling R30."""
    state = choose(fight(duel(), dice(1, 1, 1, 1, 1, 1)), (ONE, FLEE), (TWO, FLEE))
    assert events_of(state, CombatEnded) == [CombatEnded(None, CombatEnd.FLED)]
    assert state.combat is None


def test_a_flight_succeeds_when_the_enemy_has_no_skull() -> None:
    """6.9 step 2h."""
    state = choose(fight(duel(), dice(1, 1, 1, 1, 1, 1), dice(5, 1, 1, 1, 1, 1)), (ONE, FLEE), (TWO, SHOOT))
    assert events_of(state, CombatEnded) == [CombatEnded(None, CombatEnd.FLED)]


def test_a_reinforced_hull_cancels_a_hit_and_lies_flipped() -> None:
    """2.3: flip to cancel 1 hit after sections are determined."""
    state = duel()
    state.players[TWO].ship = ship(ShipType.SLOOP, mods=[Modification.REINFORCED_HULL])
    state = fight(state, dice(5, 1, 1, 1, 1, 1), dice(2))
    assert options(state, "w_hits", TWO) == [Decline(), FlipHull(Section.MASTS)]
    state = choose(state, (TWO, FlipHull(Section.MASTS)))
    assert values(state, TWO) == "2/2/2/2/1"
    vessel = state.players[TWO].ship
    assert vessel is not None
    assert vessel.flipped


def test_brace_cancels_a_hit_of_the_section_chosen() -> None:
    """`CANCEL_HIT 1`."""
    state = duel()
    state.players[ONE].ship = ship(ShipType.FRIGATE)
    state.players[TWO].glory = ("brace",)
    state = broadside(state, 1, 1, 2)
    cancel = [PlayGlory("brace", section=section) for section in (Section.CARGO, Section.MASTS)]
    assert options(state, "w_hits", TWO) == [Decline(), *cancel]
    state = choose(state, (TWO, cancel[0]))
    assert values(state, TWO) == "2/1/1/2/1"


def test_double_shot_adds_a_hit_beyond_the_cannons() -> None:
    """`EXTRA_HIT 1`: not capped by Cannons."""
    state = duel()
    state.players[ONE].glory = ("double_shot",)
    state = fight(state, dice(5, 1, 1, 1, 1, 1), dice(1, 2))
    assert options(state, "w_volley", ONE) == [Decline(), PlayGlory("double_shot")]
    state = choose(state, (ONE, PlayGlory("double_shot")))
    assert values(state, TWO) == "2/1/1/2/1"


def test_a_gun_captain_adds_a_hit_to_a_lost_contest() -> None:
    """`combat.loser_hit`: +1 before the cap, with at least one skull."""
    state = duel()
    state.players[TWO].ship = ship(ShipType.FRIGATE)
    state.players[TWO].specialists = (Hired(Specialist.GUN_CAPTAIN, "gun_captain_a"),)
    state = fight(state, dice(5, 5, 1, 5, 1, 1), dice(1), dice(1, 2))
    assert values(state, ONE) == "2/1/1/2/1"


def test_a_master_gunner_places_the_first_skull() -> None:
    """`combat.aim_skull`: the first by the shooter, the second by the target."""
    state = duel()
    state.players[ONE].ship = ship(ShipType.FRIGATE, 3, 3, 3, 3, 2)
    state.players[ONE].specialists = (Hired(Specialist.MASTER_GUNNER, "master_gunner_a"),)
    state = broadside(state, 5, 6)
    assert asked(state).kind == "aim_hit"
    state = choose(state, (ONE, PickSection(Section.CANNONS)))
    sections = (Section.CARGO, Section.MASTS, Section.CREW, Section.HULL)
    assert options(state, "assign_hit", TWO) == [PickSection(section) for section in sections]


def test_a_surgeon_ignores_the_first_crew_damage_of_a_combat() -> None:
    """`combat.surgeon`."""
    state = duel()
    state.players[ONE].ship = ship(ShipType.FRIGATE)
    state.players[TWO].specialists = (Hired(Specialist.SURGEON, "surgeon_a"),)
    state = broadside(state, 3, 3, 1)
    assert values(state, TWO) == "2/1/2/1/1"


def test_tie_win_beats_the_sum_of_dice() -> None:
    """`combat.tie_win` of Rodrigo Salcedo."""
    state = fight(duel("rodrigo_salcedo", "edward_marsh"), dice(5, 1, 1, 1, 6, 4, 4), dice(1, 1))
    assert events_of(state, ContestDecided) == [ContestDecided(Side(ONE))]


def test_blanche_moreau_boards_with_one_more_die() -> None:
    """`dice.contest.board`, only in a round in which Board was declared."""
    state = fight(duel("blanche_moreau", "henry_thorne"), dice(1, 1, 1, 1, 1, 1), dice(1, 1, 1, 1, 1, 1, 1))
    state = choose(state, (ONE, BOARD), (TWO, SHOOT))
    assert left(state) == 0


def test_much_better_manoeuvrability_gives_a_die() -> None:
    """6.9 step 2c: own Manoeuvrability at least 2 above the enemy's."""
    state = duel()
    state.players[TWO].ship = ship(ShipType.FLUTE)
    state = fight(state, dice(1, 1, 1, 1, 1, 1, 1))
    assert left(state) == 0
    assert asked(state).kind == "declare"


def test_slip_away_ends_the_combat_and_needs_masts() -> None:
    """`END_COMBAT`, listed in `declare` from round 2 with own masts."""
    state = duel()
    state.players[ONE].glory = ("slip_away",)
    state = fight(state, dice(1, 1, 1, 1, 1, 1))
    assert options(state, "declare", ONE) == [SHOOT, BOARD, FLEE, PlayGlory("slip_away")]
    state = choose(state, (ONE, PlayGlory("slip_away")))
    assert events_of(state, CombatEnded) == [CombatEnded(None, CombatEnd.NOBODY)]
    assert state.glory.discard == ["slip_away"]


def test_a_dismasted_ship_can_only_shoot() -> None:
    """5, `declare`: board, flee and slip_away need masts."""
    state = duel()
    state.players[ONE].ship = ship(ShipType.SLOOP, 2, 2, 0, 2, 1)
    state.players[ONE].glory = ("slip_away",)
    state = fight(state, dice(1, 1, 1, 1))
    assert asked(state).options == {ONE: (SHOOT,)}


def test_boarding_fury_and_rally_before_a_crew_combat() -> None:
    """`CREW_DICE 2` in the first round, `CREW_HEAL 1` only below the maximum; asked until passed."""
    state = duel()
    state.players[ONE].ship = ship(ShipType.SLOOP, 2, 2, 2, 1, 1)
    state.players[ONE].glory = ("rally", "boarding_fury")
    rolls = (dice(1, 1, 1, 1, 1, 1), dice(5, 1, 1, 1, 1, 1), dice(5, 5, 1, 1, 1, 1))
    state = choose(fight(state, *rolls), (ONE, BOARD), (TWO, SHOOT))
    cards = [PlayGlory("boarding_fury"), PlayGlory("rally")]
    assert options(state, "w_crew_start", ONE) == [Decline(), *cards]
    state = choose(state, (ONE, cards[1]))
    assert options(state, "w_crew_start", ONE) == [Decline(), cards[0]]
    state = choose(state, (ONE, cards[0]))
    assert events_of(state, CombatEnded) == [CombatEnded(Side(ONE), CombatEnd.CREW)]
    assert left(state) == 0


def test_swivel_guns_cost_the_enemy_one_man() -> None:
    """2.3: 2 dice before a crew combat at sea, any skull is 1 Crew damage."""
    state = duel()
    state.players[ONE].ship = ship(ShipType.SLOOP, mods=[Modification.SWIVEL_GUNS])
    state.players[TWO].ship = ship(ShipType.SLOOP, 2, 2, 2, 1, 1)
    rolls = (dice(1, 1, 1, 1, 1, 1), dice(5, 1, 1, 1, 1, 1), dice(5, 6))
    state = choose(fight(state, *rolls), (ONE, BOARD), (TWO, SHOOT))
    assert events_of(state, CombatEnded) == [CombatEnded(Side(ONE), CombatEnd.CREW)]
    assert left(state) == 0


def test_quick_wits_needs_a_glory_card_in_the_same_window() -> None:
    """`COPY`: grapple is no glory card."""
    state = duel()
    state.players[ONE].glory = ("weather_gage",)
    state.players[TWO].glory = ("quick_wits",)
    state = fight(state, dice(1, 1, 1, 4, 1, 1), dice(5, 5, 1), dice(6, 1, 1), dice(1, 1))
    gage: list[Action] = [Decline(), *(PlayGlory("weather_gage", mode=mode) for mode in Mode)]
    assert options(state, "w_contest", ONE) == gage
    state = choose(state, (ONE, PlayGlory("weather_gage", mode=Mode.OWN)))
    wits: list[Action] = [Decline(), *(PlayGlory("quick_wits", mode=mode) for mode in Mode)]
    assert options(state, "w_contest", TWO) == wits
    state = choose(state, (TWO, PlayGlory("quick_wits", mode=Mode.OWN)))
    assert events_of(state, ContestDecided) == [ContestDecided(Side(ONE))]


# --- NPCs -------------------------------------------------------------------------------------------------------------


def with_navy(state: State, card: str = "navy_nl_1", kind: NpcKind = NpcKind.NAVY_NL) -> State:
    state.npcs[kind - 1] = Npc(kind, (card,), Zone.TRINIDAD)
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
