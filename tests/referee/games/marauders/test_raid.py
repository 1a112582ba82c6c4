"""Merchants and raids (6.8), vectors T2, T26 and T27."""

from __future__ import annotations

from referee.games.marauders.actions import Action
from referee.games.marauders.actions.raid import DrawCard, Engage, ExchangeCard, Jettison, LetGo, UseWeapon
from referee.games.marauders.actions.turn import ScoutMerchant
from referee.games.marauders.data.cargo import CARGO
from referee.games.marauders.events.raid import RaidEnded
from referee.games.marauders.events.wealth import GloryPoint
from referee.games.marauders.rules.raid import FindMerchant
from referee.games.marauders.state import State
from referee.games.marauders.terms import (
    Feat,
    Good,
    Nation,
    RaidEnd,
    ShipType,
    Weapon,
    Zone,
)
from referee.rules.parts import put, replace
from support.marauders import (
    ONE,
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
    turn,
    values,
)


def merchant(state: State, zone: Zone, nation: Nation, *rolls: list[int]) -> State:
    to_sea(state, ONE, zone)
    state.merchants = put(state.merchants, zone - 1, nation)
    return happen(state, FindMerchant(ONE), chance=scripted(*rolls))


def test_a_merchant_may_be_engaged_as_its_own_or_the_zones_nation() -> None:
    """5 `merchant`; the token goes to the track even if it is let go."""
    state = merchant(calm(), Zone.HAVANA, Nation.NL)
    assert options(state, "merchant", ONE) == [LetGo(), Engage(Nation.NL), Engage(Nation.ES)]
    assert (state.merchant_track, state.merchants[Zone.HAVANA - 1]) == ((Nation.NL,), None)
    same = merchant(calm(), Zone.HAVANA, Nation.ES)
    assert options(same, "merchant", ONE) == [LetGo(), Engage(Nation.ES)]
    sea = merchant(calm(), Zone.CARIBBEAN_SEA, Nation.NL)
    assert options(sea, "merchant", ONE) == [LetGo(), Engage(Nation.NL)]


def test_cartagena_finds_the_merchant_without_a_roll_as_spanish() -> None:
    """`scout.auto_merchant: ES`."""
    state = calm()
    to_sea(state, ONE, Zone.CARTAGENA)
    state.merchants = put(state.merchants, Zone.CARTAGENA - 1, Nation.NL)
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
    change_player(state, ONE, ship=ship(ShipType.FRIGATE))
    lay_on_deck(state, state.cargo, "coffee_3", "sugar_1", "coffee_2")
    state = choose(merchant(state, Zone.TRINIDAD, Nation.ES, dice(1, 1)), (ONE, Engage(Nation.ES)))
    assert events_of(state, RaidEnded) == [RaidEnded(ONE, RaidEnd.SUCCESS, 12)]
    assert events_of(state, GloryPoint) == [GloryPoint(ONE, Feat.RAID, 1)]


def test_weapons_turn_failed_dice_and_gaspar_has_a_free_success() -> None:
    """6.8 step 4, `raid.free: +1`."""
    state = calm("gaspar_ortuno")
    change_player(state, ONE, weapons=(Weapon.GRAPPLE,))
    state = choose(merchant(state, Zone.TRINIDAD, Nation.NL, dice(1, 1, 1)), (ONE, Engage(Nation.NL)))
    entries = options(state, "raid", ONE)
    assert len(entries) == 9  # stop, draw, discard and exchange of three cards, the weapon
    assert entries[-1] == UseWeapon(Weapon.GRAPPLE)


def raid(captain: str, zone: Zone, cards: list[str], *rolls: list[int]) -> State:
    """A raid in that zone, these cards coming from the cargo deck, at the seat's first choice."""
    state = table(captain, "isabel_carranza")
    to_sea(state, ONE, zone)
    rest = [card for card in CARGO if card not in cards]
    state.cargo = replace(state.cargo, deck=(*rest, *reversed(cards)))
    state.merchants = put(state.merchants, zone - 1, Nation.NL)
    state = happen(state, FindMerchant(ONE), chance=scripted(*rolls))
    return choose(state, (ONE, Engage(Nation.NL)))


def test_t2_the_raid_of_the_rulebook() -> None:
    """Vector T2."""
    cards = ["rum_1", "sugar_6", "tobacco_7", "rum_8"]
    state = raid("frederico_da_silva", Zone.TRINIDAD, cards, dice(5, 1, 2))
    state = choose(state, (ONE, ExchangeCard(3)))  # no success is left, so the raid stops by itself
    assert values(state, ONE) == "2/1/1/2/1"
    assert events_of(state, RaidEnded) == [RaidEnded(ONE, RaidEnd.SUCCESS, 10)]
    assert events_of(state, GloryPoint) == []
    heaps: list[Action] = [Jettison((Good.RUM, Good.RUM)), Jettison((Good.RUM, Good.SUGAR))]
    assert options(state, "jettison", ONE) == heaps
    state = choose(state, (ONE, heaps[1]))
    assert state.players[ONE].cargo == ("rum_8",)
    assert state.players[ONE].gold == 10


def test_t26_havana_keeps_a_fourth_card_only_if_it_hits() -> None:
    """Vector T26, first half."""
    cards = ["spice_1", "rum_1", "sugar_1", "cotton_1"]  # all escapes
    state = raid("frederico_da_silva", Zone.HAVANA, cards, dice(1, 1, 1))
    assert events_of(state, RaidEnded) == [RaidEnded(ONE, RaidEnd.SUCCESS, 3)]
    assert "cotton_1" in state.cargo.discard


def test_t26_old_providence_ignores_an_escape() -> None:
    """Vector T26, second half: 4 escapes - 1 = 3 < 4."""
    cards = ["spice_1", "rum_1", "sugar_1", "cotton_1"]
    state = raid("frederico_da_silva", Zone.OLD_PROVIDENCE, cards, dice(5, 1, 1))
    state = choose(state, (ONE, DrawCard()))
    assert events_of(state, RaidEnded) == [RaidEnded(ONE, RaidEnd.SUCCESS, 4)]


def test_t27_a_destroyed_section_spoils_the_raid() -> None:
    """Vector T27, ruling R27."""
    state = raid("frederico_da_silva", Zone.TRINIDAD, ["spice_4", "rum_6", "rum_8"], dice(1, 1, 1))
    assert values(state, ONE) == "2/1/0/2/1"
    assert events_of(state, RaidEnded) == [RaidEnded(ONE, RaidEnd.CRIPPLED, 0)]
    assert (state.players[ONE].gold, state.players[ONE].cargo) == (0, ())
    assert state.cargo.discard == ("spice_4", "rum_6", "rum_8")
