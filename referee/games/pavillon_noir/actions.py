"""Every option a bot can be given: frozen values, one class per shape. Parameters in the order that sorts them."""

from __future__ import annotations

from typing import TypeAlias

from referee.games.pavillon_noir.terms import (
    Cannon,
    Card,
    Cards,
    Discs,
    Figure,
    Gun,
    Projectile,
    Reputation,
    RunKind,
    Side,
    Suit,
    Track,
    Trick,
    Zone,
)
from referee.rules.parts import Part, immutable, interned


@immutable(frozen=True, slots=True)
class PlaceOfficers(Part):
    """SETUP_OFFICERS: the decks of captain and mate."""

    captain: Zone
    mate: Zone


@immutable(frozen=True, slots=True)
class InstallCannons(Part):
    """SETUP_CANNONS: the kinds of the two cannons."""

    bow: Cannon
    stern: Cannon


@immutable(frozen=True, slots=True)
class LoadGuns(Part):
    """SETUP_LOAD and LOAD: all discs of the seat, spread over its cannons."""

    bow: Discs
    stern: Discs


@immutable(frozen=True, slots=True)
class LayGun(Part):
    """LAY_GUN (*Braquer*): the gun that becomes active and the zone it is trained on."""

    gun: Gun
    zone: Zone


@immutable(frozen=True, slots=True)
class KeepReputation(Part):
    """CHOOSE_REPUTATION: the card kept."""

    reputation: Reputation


@immutable(frozen=True, slots=True)
class KeepTrick(Part):
    """CHOOSE_TRICK: the card kept."""

    trick: Trick


@immutable(frozen=True, slots=True)
class Aim(Part):
    """ACTION and TRICK_AIM (*Viser*): lay a card beside a target card."""

    card: Card
    value: int
    target: int
    side: Side


@immutable(frozen=True, slots=True)
class Prepare(Part):
    """ACTION (*Préparer*): draw."""


@immutable(frozen=True, slots=True)
class Broadside(Part):
    """ACTION (*Tirer une bordée*): to be paid with a flush of the suit."""

    suit: Suit


@immutable(frozen=True, slots=True)
class SheerOff(Part):
    """ACTION (*Faire une embardée*): to be paid with a run."""


@immutable(frozen=True, slots=True)
class ReloadOne(Part):
    """ACTION (*Recharger un seul canon*)."""


@immutable(frozen=True, slots=True)
class ReloadBattery(Part):
    """ACTION (*Recharger toute la batterie*): to be paid with a pair."""


@immutable(frozen=True, slots=True)
class Patch(Part):
    """ACTION (*Rafistoler*): move figures and repair."""


@immutable(frozen=True, slots=True)
class PlayTrick(Part):
    """ACTION, BOOST, EVADE and REACT: a dirty trick; `target` for the one that reads a target card anew."""

    trick: Trick
    target: int | None = None


@immutable(frozen=True, slots=True)
class ChangeTarget(Part):
    """ACTION (*Changer de cible*): skip the actions and train a gun on another zone."""


@immutable(frozen=True, slots=True)
class Give(Part):
    """PAY (but for a run), PATCH_CARDS, HASTY_DISCARD, DISCARD, QM_DISCARD: the cards to discard."""

    cards: Cards


@immutable(frozen=True, slots=True)
class GiveRun(Part):
    """PAY of a sheer-off: the run's first value and its cards in the order of the run."""

    start: int
    cards: Cards


@immutable(frozen=True, slots=True)
class FireBroadside(Part):
    """BROADSIDE_SHOT: the discs spent, each with the gun it lies in."""

    discs: tuple[tuple[Gun, Projectile], ...]


@immutable(frozen=True, slots=True)
class LoseAim(Part):
    """LOSE_AIM: the places (target index, side) of the aim cards given up."""

    places: tuple[tuple[int, Side], ...]


@immutable(frozen=True, slots=True)
class RemovePlanks(Part):
    """REMOVE_PLANKS: how many from each hull zone."""

    bow: int
    main: int
    stern: int


@immutable(frozen=True, slots=True)
class RemoveSails(Part):
    """REMOVE_SAILS: how many from each sail zone."""

    bow: int
    stern: int


@immutable(frozen=True, slots=True)
class RemoveCrew(Part):
    """REMOVE_CREW: how many sailors from each deck, and which officers."""

    bow: int
    main: int
    stern: int
    captain: bool
    mate: bool


@immutable(frozen=True, slots=True)
class ReturnDiscs(Part):
    """RELOAD_RETURN: the loaded discs that go back to the bag."""

    discs: Discs


@immutable(frozen=True, slots=True)
class MoveFigure(Part):
    """PATCH_MOVE: a figure goes to another deck; a sailor also to a sail or hull zone, which he repairs."""

    figure: Figure
    deck: Zone
    zone: Zone


@immutable(frozen=True, slots=True)
class Stop(Part):
    """PATCH_MOVE: no more moves."""


@immutable(frozen=True, slots=True)
class Hold(Part):
    """FIRE: do not."""


@immutable(frozen=True, slots=True)
class Fire(Part):
    """FIRE (*Faire feu*) with a disc of the active cannon."""

    projectile: Projectile


@immutable(frozen=True, slots=True)
class Pass(Part):
    """BOOST, EVADE, REACT: nothing, or nothing more."""


@immutable(frozen=True, slots=True)
class DoubleShot(Part):
    """BOOST (*Double tir*): fire the carronade's second disc as well."""


@immutable(frozen=True, slots=True)
class Evade(Part):
    """EVADE (*Esquiver*) with a run."""

    kind: RunKind
    start: int
    cards: Cards


@immutable(frozen=True, slots=True)
class Restore(Part):
    """RESTORE: how many markers come back to each zone of their kind, from bow to stern."""

    counts: tuple[int, ...]


@immutable(frozen=True, slots=True)
class TakeCard(Part):
    """SPYGLASS: the card the opponent has to discard."""

    card: Card


@immutable(frozen=True, slots=True)
class PickZone(Part):
    """PICK_ZONE: a hull zone of the opponent."""

    zone: Zone


@immutable(frozen=True, slots=True)
class ShootFigure(Part):
    """SHARPSHOOTER: a deck of the opponent and a figure there."""

    deck: Zone
    figure: Figure


@immutable(frozen=True, slots=True)
class PickTrack(Part):
    """PICK_TRACK: a track of one's own."""

    track: Track


@immutable(frozen=True, slots=True)
class PickTarget(Part):
    """PICK_TARGET: the index of a target card."""

    target: int


Action: TypeAlias = (
    PlaceOfficers
    | InstallCannons
    | LoadGuns
    | LayGun
    | KeepReputation
    | KeepTrick
    | Aim
    | Prepare
    | Broadside
    | SheerOff
    | ReloadOne
    | ReloadBattery
    | Patch
    | PlayTrick
    | ChangeTarget
    | Give
    | GiveRun
    | FireBroadside
    | LoseAim
    | RemovePlanks
    | RemoveSails
    | RemoveCrew
    | ReturnDiscs
    | MoveFigure
    | Stop
    | Hold
    | Fire
    | Pass
    | DoubleShot
    | Evade
    | Restore
    | TakeCard
    | PickZone
    | ShootFigure
    | PickTrack
    | PickTarget
)

# Those that recur all the time and stand in no table of the rules, each made once: their bytes are kept with them.
give = interned(Give)
move_figure = interned(MoveFigure)
