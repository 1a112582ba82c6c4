"""What modifications, specialists and glory cards change in a combat: rulings R14 and R31."""

from __future__ import annotations

from referee.games.marauders.actions import Action
from referee.games.marauders.actions.cards import Decline, PlayGlory
from referee.games.marauders.actions.combat import Declare, FlipHull, PickSection
from referee.games.marauders.events.combat import CombatEnded, ContestDecided
from referee.games.marauders.state import Hired
from referee.games.marauders.terms import (
    CombatEnd,
    Mode,
    Modification,
    Section,
    ShipType,
    Side,
    Specialist,
    Stance,
    Weapon,
)
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
    left,
    options,
    ship,
    values,
)

SHOOT, BOARD, FLEE = (Declare(stance) for stance in Stance)


FELIPE, FRANCES = ONE, TWO


def test_long_guns_fire_before_the_first_round_without_ammunition() -> None:
    """6.9 step 1: one die per cannon, hits for skulls, no chain or grape."""
    state = duel()
    change_player(state, ONE, ship=ship(ShipType.FRIGATE, mods=[Modification.LONG_GUNS]), weapons=(Weapon.CHAIN,))
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
    change_player(state, ONE, ship=ship(ShipType.FRIGATE))
    state = broadside(state, 1, 1, 6)
    sections = (Section.MASTS, Section.CREW, Section.CANNONS, Section.HULL)
    assert options(state, "assign_hit", TWO) == [PickSection(section) for section in sections]


def test_r14_chasers_fire_once_when_somebody_flees() -> None:
    """Ruling R14."""
    state = duel()
    change_player(state, ONE, ship=ship(ShipType.SLOOP, 2, 2, 2, 2, 0, mods=[Modification.CHASERS]))
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
    change_player(state, TWO, ship=ship(ShipType.SLOOP, mods=[Modification.REINFORCED_HULL]))
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
    change_player(state, ONE, ship=ship(ShipType.FRIGATE))
    change_player(state, TWO, glory=("brace",))
    state = broadside(state, 1, 1, 2)
    cancel = [PlayGlory("brace", section=section) for section in (Section.CARGO, Section.MASTS)]
    assert options(state, "w_hits", TWO) == [Decline(), *cancel]
    state = choose(state, (TWO, cancel[0]))
    assert values(state, TWO) == "2/1/1/2/1"


def test_double_shot_adds_a_hit_beyond_the_cannons() -> None:
    """`EXTRA_HIT 1`: not capped by Cannons."""
    state = duel()
    change_player(state, ONE, glory=("double_shot",))
    state = fight(state, dice(5, 1, 1, 1, 1, 1), dice(1, 2))
    assert options(state, "w_volley", ONE) == [Decline(), PlayGlory("double_shot")]
    state = choose(state, (ONE, PlayGlory("double_shot")))
    assert values(state, TWO) == "2/1/1/2/1"


def test_a_gun_captain_adds_a_hit_to_a_lost_contest() -> None:
    """`combat.loser_hit`: +1 before the cap, with at least one skull."""
    state = duel()
    change_player(state, TWO, ship=ship(ShipType.FRIGATE))
    change_player(state, TWO, specialists=(Hired(Specialist.GUN_CAPTAIN, "gun_captain_a"),))
    state = fight(state, dice(5, 5, 1, 5, 1, 1), dice(1), dice(1, 2))
    assert values(state, ONE) == "2/1/1/2/1"


def test_a_master_gunner_places_the_first_skull() -> None:
    """`combat.aim_skull`: the first by the shooter, the second by the target."""
    state = duel()
    change_player(state, ONE, ship=ship(ShipType.FRIGATE, 3, 3, 3, 3, 2))
    change_player(state, ONE, specialists=(Hired(Specialist.MASTER_GUNNER, "master_gunner_a"),))
    state = broadside(state, 5, 6)
    assert asked(state).kind == "aim_hit"
    state = choose(state, (ONE, PickSection(Section.CANNONS)))
    sections = (Section.CARGO, Section.MASTS, Section.CREW, Section.HULL)
    assert options(state, "assign_hit", TWO) == [PickSection(section) for section in sections]


def test_a_surgeon_ignores_the_first_crew_damage_of_a_combat() -> None:
    """`combat.surgeon`."""
    state = duel()
    change_player(state, ONE, ship=ship(ShipType.FRIGATE))
    change_player(state, TWO, specialists=(Hired(Specialist.SURGEON, "surgeon_a"),))
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
    change_player(state, TWO, ship=ship(ShipType.FLUTE))
    state = fight(state, dice(1, 1, 1, 1, 1, 1, 1))
    assert left(state) == 0
    assert asked(state).kind == "declare"


def test_slip_away_ends_the_combat_and_needs_masts() -> None:
    """`END_COMBAT`, listed in `declare` from round 2 with own masts."""
    state = duel()
    change_player(state, ONE, glory=("slip_away",))
    state = fight(state, dice(1, 1, 1, 1, 1, 1))
    assert options(state, "declare", ONE) == [SHOOT, BOARD, FLEE, PlayGlory("slip_away")]
    state = choose(state, (ONE, PlayGlory("slip_away")))
    assert events_of(state, CombatEnded) == [CombatEnded(None, CombatEnd.NOBODY)]
    assert state.glory.discard == ("slip_away",)


def test_a_dismasted_ship_can_only_shoot() -> None:
    """5, `declare`: board, flee and slip_away need masts."""
    state = duel()
    change_player(state, ONE, ship=ship(ShipType.SLOOP, 2, 2, 0, 2, 1), glory=("slip_away",))
    state = fight(state, dice(1, 1, 1, 1))
    assert asked(state).options == {ONE: (SHOOT,)}


def test_boarding_fury_and_rally_before_a_crew_combat() -> None:
    """`CREW_DICE 2` in the first round, `CREW_HEAL 1` only below the maximum; asked until passed."""
    state = duel()
    change_player(state, ONE, ship=ship(ShipType.SLOOP, 2, 2, 2, 1, 1), glory=("rally", "boarding_fury"))
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
    change_player(state, ONE, ship=ship(ShipType.SLOOP, mods=[Modification.SWIVEL_GUNS]))
    change_player(state, TWO, ship=ship(ShipType.SLOOP, 2, 2, 2, 1, 1))
    rolls = (dice(1, 1, 1, 1, 1, 1), dice(5, 1, 1, 1, 1, 1), dice(5, 6))
    state = choose(fight(state, *rolls), (ONE, BOARD), (TWO, SHOOT))
    assert events_of(state, CombatEnded) == [CombatEnded(Side(ONE), CombatEnd.CREW)]
    assert left(state) == 0


def test_quick_wits_needs_a_glory_card_in_the_same_window() -> None:
    """`COPY`: grapple is no glory card."""
    state = duel()
    change_player(state, ONE, glory=("weather_gage",))
    change_player(state, TWO, glory=("quick_wits",))
    state = fight(state, dice(1, 1, 1, 4, 1, 1), dice(5, 5, 1), dice(6, 1, 1), dice(1, 1))
    gage: list[Action] = [Decline(), *(PlayGlory("weather_gage", mode=mode) for mode in Mode)]
    assert options(state, "w_contest", ONE) == gage
    state = choose(state, (ONE, PlayGlory("weather_gage", mode=Mode.OWN)))
    wits: list[Action] = [Decline(), *(PlayGlory("quick_wits", mode=mode) for mode in Mode)]
    assert options(state, "w_contest", TWO) == wits
    state = choose(state, (TWO, PlayGlory("quick_wits", mode=Mode.OWN)))
    assert events_of(state, ContestDecided) == [ContestDecided(Side(ONE))]
