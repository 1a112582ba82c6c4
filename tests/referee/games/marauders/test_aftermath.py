"""Spoils of victory, bounties and new captains (6.9 Aftermath, 6.11, R17, R29, R30); vectors T5 and T6."""

from __future__ import annotations

from referee.games.marauders.actions.cards import KeepRumor
from referee.games.marauders.actions.combat import KeepShip, TakeShip
from referee.games.marauders.actions.turn import ChooseShip
from referee.games.marauders.events.combat import CombatEnded
from referee.games.marauders.events.wealth import GloryPoint, GoldGained
from referee.games.marauders.rules.death import Die, NewCaptain
from referee.games.marauders.rules.fighting.aftermath import finish, head_money
from referee.games.marauders.rules.fighting.combat import AttackNpc, AttackPlayer, begin
from referee.games.marauders.rules.fighting.fighters import change_ship, seat_fighter
from referee.games.marauders.state import Hired
from referee.games.marauders.terms import (
    CombatEnd,
    Feat,
    Nation,
    NpcKind,
    ShipType,
    Specialist,
    Weapon,
    Zone,
)
from support.marauders import (
    ONE,
    TWO,
    asked,
    calm,
    change_player,
    choose,
    dice,
    events_of,
    happen,
    lay_on_deck,
    options,
    scripted,
    ship,
    table,
    to_sea,
    values,
    with_npc,
)


def test_a_boarded_naval_ship_gives_cargo_gold_and_itself() -> None:
    """6.9 Aftermath: loot of three cards, one card lost per Cargo damage, `capture`, bounty, glory, mission."""
    state = with_npc(calm(), NpcKind.NAVY_NL, Zone.TRINIDAD, "navy_nl_1")
    to_sea(state, ONE, Zone.TRINIDAD)
    change_player(state, ONE, mission="sink_the_admiral")
    state = happen(state, AttackNpc(ONE, NpcKind.NAVY_NL), chance=scripted(dice(1, 1, 1, 1), [2]))
    change_ship(state, 1, ship(ShipType.FRIGATE, 3, 2, 3, 0, 3))
    lay_on_deck(state, state.cargo, "rum_8", "spice_8", "cocoa_8")
    finish(state, 0, CombatEnd.CREW)
    state.pending = tuple(frame for frame in state.pending if type(frame).__name__ != "AskDeclare")
    state = happen(state, chance=scripted())
    assert state.cargo.discard == ("rum_8",)
    assert options(state, "capture", ONE) == [KeepShip(), TakeShip(ShipType.FRIGATE)]
    state = choose(state, (ONE, TakeShip(ShipType.FRIGATE)))
    player = state.players[ONE]
    assert (values(state, ONE), player.cargo, player.gold) == ("3/2/3/2/3", ("cocoa_8", "spice_8"), 35)
    assert (player.bounties, player.track, state.npcs[NpcKind.NAVY_NL - 1]) == ((0, 0, 0, 2), 2, None)


def test_r29_a_boarded_captain_loses_everything_useful() -> None:
    """6.9 Aftermath over a player, ruling R29: gold, weapons, specialists, cargo, glory cards, the rumor."""
    state = calm()
    for seat in (ONE, TWO):
        to_sea(state, seat, Zone.TRINIDAD)
    change_player(state, ONE, weapons=(Weapon.CHAIN,), glory=("brace", "rally"), rumor="pearl_beds")
    change_player(state, ONE, specialists=(Hired(Specialist.PURSER, "purser_a"),))
    change_player(state, TWO, gold=7, weapons=(Weapon.CHAIN, Weapon.GRAPE), cargo=("rum_1",), rumor="gunsmith")
    men = (Hired(Specialist.PURSER, "purser_b"), Hired(Specialist.SURGEON, "surgeon_a"))
    change_player(state, TWO, specialists=men, glory=("pardon", "sea_fog"), mission="spy_mission")
    state.combat = None
    draft = happen(state, AttackPlayer(ONE, TWO), chance=scripted(dice(1, 1, 1, 1, 1)))
    draft.pending = draft.pending[:-1]
    finish(draft, 0, CombatEnd.CREW)
    state = choose(happen(draft), (ONE, KeepShip()))
    assert options(state, "keep_rumor", ONE) == [KeepRumor("pearl_beds"), KeepRumor("gunsmith")]
    state = choose(state, (ONE, KeepRumor("pearl_beds")))
    assert asked(state).kind == "discard_glory"  # the glory point's card is the fifth
    winner = state.players[ONE]
    assert (winner.gold, winner.cargo, winner.weapons) == (7, ("rum_1",), (Weapon.CHAIN, Weapon.GRAPE))
    assert [hired.card for hired in winner.specialists] == ["purser_a", "surgeon_a"]
    assert winner.glory[:4] == ("brace", "rally", "pardon", "sea_fog")


def test_r17_a_captain_whose_home_is_watched_by_a_pirate_is_drawn_again() -> None:
    """Ruling R17: the card set aside goes to the bottom of the deck."""
    state = calm()
    state.captains = ("henry_thorne", "edward_marsh", "thomas_keene")
    with_npc(state, NpcKind.PIRATE_SLOOP, Zone.BRIDGETOWN, "pirate_sloop_1")
    state = choose(happen(state, Die(ONE), NewCaptain(ONE)), (ONE, ChooseShip(ShipType.SLOOP)))
    assert (state.players[ONE].captain, state.captains) == ("edward_marsh", ("thomas_keene", "henry_thorne"))


def test_combat_without_winner_keeps_both_captains() -> None:
    """Ruling R30: no glory when the opponent fled."""
    state = calm()
    for seat in (ONE, TWO):
        to_sea(state, seat, Zone.TRINIDAD)
    draft = happen(state)
    draft.chance = scripted(dice(1, 1, 1, 1, 1))
    begin(draft, seat_fighter(draft, ONE), seat_fighter(draft, TWO))
    finish(draft, None, CombatEnd.FLED)
    assert events_of(draft, CombatEnded) == [CombatEnded(None, CombatEnd.FLED)]
    assert all(player.captain for player in draft.players)


def test_t5_the_reward_comes_from_one_nation_that_does_not_want_the_winner() -> None:
    """Vector T5, ruling R3."""
    state = table("frances_wright", "felipe_montoya")
    change_player(state, ONE, bounties=(0, 1, 0, 0))
    change_player(state, TWO, bounties=(1, 3, 0, 0))
    assert head_money(state, *state.players) == 5
    change_player(state, ONE, captain="blanche_moreau")
    state.war = (Nation.EN, Nation.FR)
    assert head_money(state, *state.players) == 0


def test_t5_the_reward_is_paid_for_a_sunk_pirate() -> None:
    """Vector T5: 5 gold run."""
    state = table("frances_wright", "isabel_carranza")
    for seat in (ONE, TWO):
        to_sea(state, seat, Zone.TRINIDAD)
    change_player(state, ONE, bounties=(0, 1, 0, 0))
    change_player(state, TWO, bounties=(1, 3, 0, 0))
    change_player(state, TWO, ship=ship(ShipType.SLOOP, 1, 0, 2, 2, 1))
    state = happen(state, AttackPlayer(ONE, TWO), chance=scripted(dice(5, 5, 1, 1), dice(1)))
    assert events_of(state, GoldGained) == [GoldGained(ONE, 5)]
    assert state.players[TWO].captain is None
    assert events_of(state, GloryPoint) == [GloryPoint(ONE, Feat.PLAYER, 1)]


def test_t6_attacking_and_beating_a_naval_ship_costs_a_bounty_each() -> None:
    """Vector T6, first half."""
    state = table("frances_wright", "felipe_montoya")
    to_sea(state, ONE, Zone.TRINIDAD)
    with_npc(state, NpcKind.NAVY_NL, Zone.TRINIDAD, "navy_nl_1")
    state = happen(state, AttackNpc(ONE, NpcKind.NAVY_NL), chance=scripted(dice(1, 1, 1, 1)))
    assert state.players[ONE].bounties == (0, 0, 0, 1)
    finish(state, 0, CombatEnd.SUNK)
    assert state.players[ONE].bounties == (0, 0, 0, 2)


def test_t6_attacking_an_honest_captain_makes_a_pirate_but_shooting_back_does_not() -> None:
    """Vector T6, second half."""
    state = table("frances_wright", "blanche_moreau")
    for seat in (ONE, TWO):
        to_sea(state, seat, Zone.TRINIDAD)
    state = happen(state, AttackPlayer(ONE, TWO), chance=scripted(dice(1, 1, 1, 1, 1)))
    assert [player.bounties for player in state.players] == [(0, 0, 1, 0), (0, 0, 0, 0)]
    # Now the French captain attacks the pirate and stays without bounty.
    state = happen(state, AttackPlayer(TWO, ONE), chance=scripted(dice(1, 1, 1, 1, 1)))
    assert state.players[TWO].bounties == (0, 0, 0, 0)
