"""Boards, cannons and cards: literals only. Marks: S the seed's rulebook, F public material, H a house component.

Spec 2.2 (ship), 2.4 to 2.8 (decks, discs, cannons, targets, tokens), 2.10 (reputations), 2.11 (dirty tricks).
"""

from __future__ import annotations

from referee.games.pavillon_noir.cards import (
    AimFromHand,
    ClearTrack,
    DrawCards,
    ForbidEvasion,
    GainActions,
    Hurt,
    LookAndAim,
    Overcharge,
    Perks,
    PutBack,
    ReloadBattery,
    Sabotage,
    ShrugOffBroadside,
    ShrugOffSheer,
    Snipe,
    Soften,
    SpyOut,
    Straighten,
    StripTarget,
    SwapTarget,
    TrickEffect,
)
from referee.games.pavillon_noir.terms import (
    JOKER,
    Cannon,
    Card,
    Disaster,
    Gun,
    Marker,
    Pattern,
    Projectile,
    Reputation,
    TargetCard,
    Timing,
    Trick,
    Zone,
    ZoneKind,
)
from referee.rules.parts import immutable

# --- The ship (spec 2.2; totals S, distribution H) ---------------------------------------------------


@immutable(frozen=True, kw_only=True, slots=True)
class ZoneRow:
    """A zone of the ship board."""

    kind: ZoneKind
    marker: Marker
    slots: int
    plain: int
    """Slots that cost nothing when they are laid bare."""
    targets: int
    """Target cards asked of whoever aims here."""


ZONES: dict[Zone, ZoneRow] = {
    Zone.SAIL_BOW: ZoneRow(kind=ZoneKind.SAIL, marker=Marker.SAIL, slots=3, plain=1, targets=1),
    Zone.SAIL_STERN: ZoneRow(kind=ZoneKind.SAIL, marker=Marker.SAIL, slots=3, plain=1, targets=1),
    Zone.DECK_BOW: ZoneRow(kind=ZoneKind.DECK, marker=Marker.CREW, slots=4, plain=1, targets=2),
    Zone.DECK_MAIN: ZoneRow(kind=ZoneKind.DECK, marker=Marker.CREW, slots=6, plain=3, targets=3),
    Zone.DECK_STERN: ZoneRow(kind=ZoneKind.DECK, marker=Marker.CREW, slots=4, plain=1, targets=2),
    Zone.HULL_BOW: ZoneRow(kind=ZoneKind.HULL, marker=Marker.PLANK, slots=5, plain=5, targets=2),  # targets S
    Zone.HULL_MAIN: ZoneRow(kind=ZoneKind.HULL, marker=Marker.PLANK, slots=4, plain=4, targets=2),  # targets S
    Zone.HULL_STERN: ZoneRow(kind=ZoneKind.HULL, marker=Marker.PLANK, slots=5, plain=5, targets=2),  # targets S
}

SAIL_ZONES = (Zone.SAIL_BOW, Zone.SAIL_STERN)
DECKS = (Zone.DECK_BOW, Zone.DECK_MAIN, Zone.DECK_STERN)
HULLS = (Zone.HULL_BOW, Zone.HULL_MAIN, Zone.HULL_STERN)
ZONES_OF: dict[Marker, tuple[Zone, ...]] = {Marker.PLANK: HULLS, Marker.SAIL: SAIL_ZONES, Marker.CREW: DECKS}

DECK_OF: dict[Gun, Zone] = {Gun.BOW: Zone.DECK_BOW, Gun.STERN: Zone.DECK_STERN}

ROPES: dict[Zone, tuple[Zone, ...]] = {  # from a deck to the sail zones, decks and hull zones it reaches
    Zone.DECK_BOW: (Zone.SAIL_BOW, Zone.DECK_MAIN, Zone.HULL_BOW),
    Zone.DECK_MAIN: (Zone.SAIL_BOW, Zone.SAIL_STERN, Zone.DECK_BOW, Zone.DECK_STERN, Zone.HULL_MAIN),
    Zone.DECK_STERN: (Zone.SAIL_STERN, Zone.DECK_MAIN, Zone.HULL_STERN),
}

SAILORS = 12
PLANKS = 14
PLANKS_TO_SINK = 10
HAND_LIMIT = 6
MOST_CANNON_PENALTY = 2  # the third slot laid bare on a gun deck is no-fire, not a third -1

# --- Decks, discs and tokens (spec 2.4, 2.5, 2.8; S) ---------------------------------------------------

AIM_DECK: tuple[Card, ...] = (*(Card(number) for number in range(1, 41)), JOKER, JOKER)
DISCS_OF_EACH = 5
STARTING_HAND = 4
CARDS_PER_TURN = 2
ACTIONS_PER_TURN = 2
LONGEST_DISCARD_LIST = 200  # H, decision D22

MATCHING: dict[ZoneKind, Projectile] = {
    ZoneKind.HULL: Projectile.BALL,
    ZoneKind.SAIL: Projectile.CHAIN,
    ZoneKind.DECK: Projectile.GRAPE,
}

DISASTERS: dict[Disaster, tuple[Marker, int]] = {
    Disaster.LOSE_SAILS: (Marker.SAIL, 3),
    Disaster.LOSE_CREW: (Marker.CREW, 3),
    Disaster.LOSE_PLANKS: (Marker.PLANK, 2),
}

# --- Cannons (spec 2.6) --------------------------------------------------------------------------------

HASTY = 4
"""The reduction of a target card without aim cards (*tir hâtif*)."""
MISS = 3
"""The reduction of a target card with one aim card, or with a symbol that the cannon does not hit by."""
WEAK = 2


@immutable(frozen=True, kw_only=True, slots=True)
class CannonRow:
    """A kind of cannon."""

    capacity: int
    reductions: dict[str, int]
    """By the symbol two aim cards make; any other symbol, and none, is a miss."""
    best: int
    """The smallest reduction it can reach."""
    double_shot: bool = False


CANNONS: dict[Cannon, CannonRow] = {  # capacities and characters S, symbols H
    Cannon.POUNDER18: CannonRow(capacity=2, reductions={"A": 0, "B": 1, "C": 1, "D": 1, "E": 2}, best=0),
    Cannon.LONG_NINE: CannonRow(capacity=1, reductions={"A": 0, "B": 0, "C": 2}, best=0),
    Cannon.CARRONADE: CannonRow(
        capacity=2, reductions={"A": 1, "B": 1, "C": 1, "D": 1, "E": 1, "F": 2}, best=1, double_shot=True
    ),
}

# --- Target cards (spec 2.7; H) ------------------------------------------------------------------------

PATTERNS: dict[Pattern, tuple[str, ...]] = {  # row: left offset -2…+2, column: below offset -2…+2
    Pattern.ROUND: ("EDCDE", "DCBCD", "CBABC", "DCBCD", "EDCDE"),
    Pattern.BROAD: ("FEDEF", "DCBCD", "CAAAC", "DCBCD", "FEDEF"),
    Pattern.TALL: ("FDCDF", "ECACE", "DBABD", "ECACE", "FDCDF"),
    Pattern.SALTIRE: ("CEFEC", "EADBE", "FDADF", "EBDAE", "CEFEC"),
    Pattern.CROSS: ("FECEF", "EDBDE", "CBABC", "EDBDE", "FECEF"),
}

TARGETS: dict[TargetCard, tuple[int, int, Pattern]] = {  # left centre, below centre, pattern
    TargetCard(1): (1, 2, Pattern.ROUND),
    TargetCard(2): (1, 5, Pattern.TALL),
    TargetCard(3): (1, 6, Pattern.SALTIRE),
    TargetCard(4): (2, 4, Pattern.ROUND),
    TargetCard(5): (2, 7, Pattern.BROAD),
    TargetCard(6): (2, 10, Pattern.TALL),
    TargetCard(7): (3, 1, Pattern.BROAD),
    TargetCard(8): (3, 3, Pattern.TALL),
    TargetCard(9): (3, 6, Pattern.CROSS),
    TargetCard(10): (4, 1, Pattern.CROSS),
    TargetCard(11): (4, 5, Pattern.SALTIRE),
    TargetCard(12): (4, 8, Pattern.ROUND),
    TargetCard(13): (5, 4, Pattern.BROAD),
    TargetCard(14): (5, 7, Pattern.TALL),
    TargetCard(15): (5, 10, Pattern.SALTIRE),
    TargetCard(16): (6, 2, Pattern.TALL),
    TargetCard(17): (6, 5, Pattern.ROUND),
    TargetCard(18): (6, 9, Pattern.SALTIRE),
    TargetCard(19): (7, 1, Pattern.TALL),
    TargetCard(20): (7, 4, Pattern.CROSS),
    TargetCard(21): (7, 8, Pattern.BROAD),
    TargetCard(22): (8, 3, Pattern.SALTIRE),
    TargetCard(23): (8, 9, Pattern.CROSS),
    TargetCard(24): (8, 10, Pattern.BROAD),
    TargetCard(25): (9, 2, Pattern.CROSS),
    TargetCard(26): (9, 6, Pattern.ROUND),
    TargetCard(27): (9, 8, Pattern.CROSS),
    TargetCard(28): (10, 3, Pattern.BROAD),
    TargetCard(29): (10, 7, Pattern.SALTIRE),
    TargetCard(30): (10, 9, Pattern.ROUND),
}

# --- Reputations (spec 2.10; existence and number S, contents H) ---------------------------------------


@immutable(frozen=True, kw_only=True, slots=True)
class ReputationRow:
    """A reputation card."""

    name: str
    title: str
    perks: Perks


REPUTATIONS: dict[Reputation, ReputationRow] = {
    Reputation.Q1: ReputationRow(
        name="master_of_shot",
        title="Master of Shot",
        perks=Perks(forgiven_zones=(ZoneKind.SAIL, ZoneKind.DECK), double_always_matches=True),
    ),
    Reputation.Q2: ReputationRow(name="navigator", title="Navigator", perks=Perks(sail_relief=1)),
    Reputation.Q3: ReputationRow(
        name="quartermaster", title="Quartermaster", perks=Perks(prepare_draws=2, prepare_discards=True)
    ),
    Reputation.Q4: ReputationRow(name="dread", title="Dread of the Seas", perks=Perks(dread=1)),
    Reputation.Q5: ReputationRow(name="elusive", title="Elusive", perks=Perks(mixed_evade_bonus=1)),
    Reputation.Q6: ReputationRow(name="shipwright", title="Shipwright", perks=Perks(spared_sailors=1)),
    Reputation.Q7: ReputationRow(
        name="powder_master", title="Powder Master", perks=Perks(reload_price=1, reload_discs=2)
    ),
    Reputation.Q8: ReputationRow(
        name="no_quarter", title="No Quarter", perks=Perks(steady_broadside=True, extra_aim_loss=1)
    ),
    Reputation.Q9: ReputationRow(name="eagle_eye", title="Eagle Eye", perks=Perks(sharper_reading=1)),
}
REPUTATIONS_DEALT = 3

# --- Dirty tricks (spec 2.11; names of K01 to K04 F, all else H) ---------------------------------------


@immutable(frozen=True, kw_only=True, slots=True)
class TrickRow:
    """A dirty-trick card."""

    name: str
    title: str
    when: Timing
    effect: TrickEffect


ALL_ZONES = tuple(Zone)
BOW_ZONES = (Zone.SAIL_BOW, Zone.DECK_BOW, Zone.HULL_BOW)

TRICKS: dict[Trick, TrickRow] = {
    Trick.K01: TrickRow(name="powder_boy", title="Powder Boy", when=Timing.FREE, effect=ReloadBattery()),
    Trick.K02: TrickRow(name="crows_nest", title="Crow's Nest", when=Timing.AIM, effect=LookAndAim(5)),
    Trick.K03: TrickRow(name="ship_surgeon", title="Ship's Surgeon", when=Timing.ACT, effect=PutBack(Marker.CREW, 2)),
    Trick.K04: TrickRow(
        name="sea_dragon_figurehead", title="Sea Dragon Figurehead", when=Timing.DEF, effect=Soften(3, BOW_ZONES)
    ),
    Trick.K05: TrickRow(name="spyglass", title="Spyglass", when=Timing.ACT, effect=SpyOut()),
    Trick.K06: TrickRow(
        name="swivel_guns", title="Swivel Guns", when=Timing.ACT, effect=Hurt(Marker.CREW, 2, needs_one=False)
    ),
    Trick.K07: TrickRow(
        name="fire_pots", title="Fire Pots", when=Timing.ACT, effect=Hurt(Marker.SAIL, 2, needs_one=True)
    ),
    Trick.K08: TrickRow(name="saboteur", title="Saboteur", when=Timing.ACT, effect=Sabotage(1)),
    Trick.K09: TrickRow(name="sharpshooter", title="Sharpshooter", when=Timing.ACT, effect=Snipe(2)),
    Trick.K10: TrickRow(name="rum_ration", title="Rum Ration", when=Timing.FREE, effect=DrawCards(3)),
    Trick.K11: TrickRow(name="fair_wind", title="Fair Wind", when=Timing.FREE, effect=GainActions(1)),
    Trick.K12: TrickRow(name="master_gunner", title="Master Gunner", when=Timing.BOOST, effect=Straighten()),
    Trick.K13: TrickRow(name="double_charge", title="Double Charge", when=Timing.BOOST, effect=Overcharge(2)),
    Trick.K14: TrickRow(name="point_blank", title="Point Blank", when=Timing.BOOST, effect=ForbidEvasion()),
    Trick.K15: TrickRow(name="smoke_screen", title="Smoke Screen", when=Timing.DEF, effect=Soften(2, ALL_ZONES)),
    Trick.K16: TrickRow(name="brace", title="Brace!", when=Timing.DEF, effect=Soften(3, DECKS)),
    Trick.K17: TrickRow(name="new_helmsman", title="New Helmsman", when=Timing.FREE, effect=ClearTrack()),
    Trick.K18: TrickRow(name="spare_canvas", title="Spare Canvas", when=Timing.FREE, effect=PutBack(Marker.SAIL, 2)),
    Trick.K19: TrickRow(name="carpenters", title="Carpenters", when=Timing.ACT, effect=PutBack(Marker.PLANK, 2)),
    Trick.K20: TrickRow(name="ranging_shot", title="Ranging Shot", when=Timing.AIM, effect=SwapTarget()),
    Trick.K21: TrickRow(name="grapnels", title="Grapnels", when=Timing.ACT, effect=StripTarget()),
    Trick.K22: TrickRow(name="chatty_parrot", title="Chatty Parrot", when=Timing.REACT, effect=ShrugOffSheer()),
    Trick.K23: TrickRow(name="bulwark_nets", title="Bulwark Nets", when=Timing.REACT, effect=ShrugOffBroadside()),
    Trick.K24: TrickRow(name="gun_drill", title="Gun Drill", when=Timing.AIM, effect=AimFromHand(2)),
}
TRICKS_DEALT = 3
TRICK_ROUNDS = 3
