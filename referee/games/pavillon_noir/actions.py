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
from referee.parts import immutable


@immutable(frozen=True, slots=True)
class PlaceOfficers:
    """SETUP_OFFICERS: the decks of captain and mate."""

    captain: Zone
    mate: Zone


@immutable(frozen=True, slots=True)
class InstallCannons:
    """SETUP_CANNONS: the kinds of the two cannons."""

    bow: Cannon
    stern: Cannon


@immutable(frozen=True, slots=True)
class LoadGuns:
    """SETUP_LOAD and LOAD: all discs of the seat, spread over its cannons."""

    bow: Discs
    stern: Discs


@immutable(frozen=True, slots=True)
class LayGun:
    """LAY_GUN (*Braquer*): the gun that becomes active and the zone it is trained on."""

    gun: Gun
    zone: Zone


@immutable(frozen=True, slots=True)
class KeepReputation:
    """CHOOSE_REPUTATION: the card kept."""

    reputation: Reputation


@immutable(frozen=True, slots=True)
class KeepTrick:
    """CHOOSE_TRICK: the card kept."""

    trick: Trick


@immutable(frozen=True, slots=True)
class Aim:
    """ACTION and TRICK_AIM (*Viser*): lay a card beside a target card."""

    card: Card
    value: int
    target: int
    side: Side


@immutable(frozen=True, slots=True)
class Prepare:
    """ACTION (*Préparer*): draw."""


@immutable(frozen=True, slots=True)
class Broadside:
    """ACTION (*Tirer une bordée*): to be paid with a flush of the suit."""

    suit: Suit


@immutable(frozen=True, slots=True)
class SheerOff:
    """ACTION (*Faire une embardée*): to be paid with a run."""


@immutable(frozen=True, slots=True)
class ReloadOne:
    """ACTION (*Recharger un seul canon*)."""


@immutable(frozen=True, slots=True)
class ReloadBattery:
    """ACTION (*Recharger toute la batterie*): to be paid with a pair."""


@immutable(frozen=True, slots=True)
class Patch:
    """ACTION (*Rafistoler*): move figures and repair."""


@immutable(frozen=True, slots=True)
class PlayTrick:
    """ACTION, BOOST, EVADE and REACT: a dirty trick; `target` for the one that reads a target card anew."""

    trick: Trick
    target: int | None = None


@immutable(frozen=True, slots=True)
class ChangeTarget:
    """ACTION (*Changer de cible*): skip the actions and train a gun on another zone."""


@immutable(frozen=True, slots=True)
class Give:
    """PAY (but for a run), PATCH_CARDS, HASTY_DISCARD, DISCARD, QM_DISCARD: the cards to discard."""

    cards: Cards


@immutable(frozen=True, slots=True)
class GiveRun:
    """PAY of a sheer-off: the run's first value and its cards in the order of the run."""

    start: int
    cards: Cards


@immutable(frozen=True, slots=True)
class FireBroadside:
    """BROADSIDE_SHOT: the discs spent, each with the gun it lies in."""

    discs: tuple[tuple[Gun, Projectile], ...]


@immutable(frozen=True, slots=True)
class LoseAim:
    """LOSE_AIM: the places (target index, side) of the aim cards given up."""

    places: tuple[tuple[int, Side], ...]


@immutable(frozen=True, slots=True)
class RemovePlanks:
    """REMOVE_PLANKS: how many from each hull zone."""

    bow: int
    main: int
    stern: int


@immutable(frozen=True, slots=True)
class RemoveSails:
    """REMOVE_SAILS: how many from each sail zone."""

    bow: int
    stern: int


@immutable(frozen=True, slots=True)
class RemoveCrew:
    """REMOVE_CREW: how many sailors from each deck, and which officers."""

    bow: int
    main: int
    stern: int
    captain: bool
    mate: bool


@immutable(frozen=True, slots=True)
class ReturnDiscs:
    """RELOAD_RETURN: the loaded discs that go back to the bag."""

    discs: Discs


@immutable(frozen=True, slots=True)
class MoveFigure:
    """PATCH_MOVE: a figure goes to another deck; a sailor also to a sail or hull zone, which he repairs."""

    figure: Figure
    deck: Zone
    zone: Zone


@immutable(frozen=True, slots=True)
class Stop:
    """PATCH_MOVE: no more moves."""


@immutable(frozen=True, slots=True)
class Hold:
    """FIRE: do not."""


@immutable(frozen=True, slots=True)
class Fire:
    """FIRE (*Faire feu*) with a disc of the active cannon."""

    projectile: Projectile


@immutable(frozen=True, slots=True)
class Pass:
    """BOOST, EVADE, REACT: nothing, or nothing more."""


@immutable(frozen=True, slots=True)
class DoubleShot:
    """BOOST (*Double tir*): fire the carronade's second disc as well."""


@immutable(frozen=True, slots=True)
class Evade:
    """EVADE (*Esquiver*) with a run."""

    kind: RunKind
    start: int
    cards: Cards


@immutable(frozen=True, slots=True)
class Restore:
    """RESTORE: how many markers come back to each zone of their kind, from bow to stern."""

    counts: tuple[int, ...]


@immutable(frozen=True, slots=True)
class TakeCard:
    """SPYGLASS: the card the opponent has to discard."""

    card: Card


@immutable(frozen=True, slots=True)
class PickZone:
    """PICK_ZONE: a hull zone of the opponent."""

    zone: Zone


@immutable(frozen=True, slots=True)
class ShootFigure:
    """SHARPSHOOTER: a deck of the opponent and a figure there."""

    deck: Zone
    figure: Figure


@immutable(frozen=True, slots=True)
class PickTrack:
    """PICK_TRACK: a track of one's own."""

    track: Track


@immutable(frozen=True, slots=True)
class PickTarget:
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
