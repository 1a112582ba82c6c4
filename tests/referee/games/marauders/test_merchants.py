"""Merchants and raids beyond the vectors (6.8)."""

from __future__ import annotations

from referee.games.marauders.actions.raid import Engage, LetGo, UseWeapon
from referee.games.marauders.actions.turn import ScoutMerchant
from referee.games.marauders.events.raid import RaidEnded
from referee.games.marauders.events.wealth import GloryPoint
from referee.games.marauders.rules.raid import FindMerchant
from referee.games.marauders.state import State
from referee.games.marauders.terms import (
    Feat,
    Nation,
    RaidEnd,
    ShipType,
    Weapon,
    Zone,
)
from support.marauders import (
    ONE,
    calm,
    choose,
    dice,
    events_of,
    happen,
    options,
    scripted,
    ship,
    to_sea,
    turn,
)


def merchant(state: State, zone: Zone, nation: Nation, *rolls: list[int]) -> State:
    to_sea(state, ONE, zone)
    state.merchants[zone - 1] = nation
    return happen(state, FindMerchant(ONE), chance=scripted(*rolls))


def test_a_merchant_may_be_engaged_as_its_own_or_the_zones_nation() -> None:
    """5 `merchant`; the token goes to the track even if it is let go."""
    state = merchant(calm(), Zone.HAVANA, Nation.NL)
    assert options(state, "merchant", ONE) == [LetGo(), Engage(Nation.NL), Engage(Nation.ES)]
    assert (state.merchant_track, state.merchants[Zone.HAVANA - 1]) == ([Nation.NL], None)
    same = merchant(calm(), Zone.HAVANA, Nation.ES)
    assert options(same, "merchant", ONE) == [LetGo(), Engage(Nation.ES)]
    sea = merchant(calm(), Zone.CARIBBEAN_SEA, Nation.NL)
    assert options(sea, "merchant", ONE) == [LetGo(), Engage(Nation.NL)]


def test_cartagena_finds_the_merchant_without_a_roll_as_spanish() -> None:
    """`scout.auto_merchant: ES`."""
    state = calm()
    to_sea(state, ONE, Zone.CARTAGENA)
    state.merchants[Zone.CARTAGENA - 1] = Nation.NL
    state = choose(turn(state, ONE), (ONE, ScoutMerchant(auto=True)))
    assert options(state, "merchant", ONE) == [LetGo(), Engage(Nation.ES)]


def test_a_letter_of_marque_excuses_the_bounty() -> None:
    """`MARQUE`."""
    state = calm()
    state.marque = (Nation.EN, Nation.NL)
    state = choose(merchant(state, Zone.TRINIDAD, Nation.NL, dice(5, 1)), (ONE, Engage(Nation.NL)))
    assert state.players[ONE].bounties == (0, 0, 0, 0)


def test_henry_thorne_talks_himself_out_of_a_bounty() -> None:
    """`raid.talk_out`."""
    state = calm("henry_thorne")
    state = choose(merchant(state, Zone.TRINIDAD, Nation.NL, dice(5, 1, 5, 1, 1)), (ONE, Engage(Nation.NL)))
    assert state.players[ONE].bounties == (0, 0, 0, 0)
    state = calm("henry_thorne")
    state = choose(merchant(state, Zone.TRINIDAD, Nation.NL, dice(1, 1, 5, 1, 1)), (ONE, Engage(Nation.NL)))
    assert state.players[ONE].bounties == (0, 0, 0, 1)


def test_raid_gold_of_captain_and_event_counts_for_the_glory_point() -> None:
    """`raid.gold: +2` and `raid.gold.ES: +4`: 6 + 6 = 12."""
    state = calm()
    state.event = "treasure_fleet"
    state.players[ONE].ship = ship(ShipType.FRIGATE)
    state.cargo.deck += ["coffee_3", "sugar_1", "coffee_2"]
    state = choose(merchant(state, Zone.TRINIDAD, Nation.ES, dice(1, 1)), (ONE, Engage(Nation.ES)))
    assert events_of(state, RaidEnded) == [RaidEnded(ONE, RaidEnd.SUCCESS, 12)]
    assert events_of(state, GloryPoint) == [GloryPoint(ONE, Feat.RAID, 1)]


def test_weapons_turn_failed_dice_and_gaspar_has_a_free_success() -> None:
    """6.8 step 4, `raid.free: +1`."""
    state = calm("gaspar_ortuno")
    state.players[ONE].weapons = (Weapon.GRAPPLE,)
    state = choose(merchant(state, Zone.TRINIDAD, Nation.NL, dice(1, 1, 1)), (ONE, Engage(Nation.NL)))
    entries = options(state, "raid", ONE)
    assert len(entries) == 9  # stop, draw, discard and exchange of three cards, the weapon
    assert entries[-1] == UseWeapon(Weapon.GRAPPLE)
