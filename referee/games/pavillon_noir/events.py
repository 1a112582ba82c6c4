"""Every fact that can happen, with nothing hidden. view.py decides who learns what."""

from __future__ import annotations

from typing import TypeAlias

from referee.games.pavillon_noir.terms import (
    Cannon,
    Card,
    Cards,
    Cause,
    Deed,
    Disaster,
    Discs,
    EndReason,
    Figure,
    Gun,
    Marker,
    Projectile,
    Reputation,
    RunKind,
    Side,
    Suit,
    TargetCard,
    Track,
    Trick,
    Zone,
)
from referee.rules.engine import Seat
from referee.rules.parts import Part, immutable, interned


@immutable(frozen=True, slots=True)
class OfficersPlaced(Part):
    """The officers took their decks."""

    seat: Seat
    captain: Zone
    mate: Zone


@immutable(frozen=True, slots=True)
class CannonsInstalled(Part):
    """The cannons were shown."""

    seat: Seat
    bow: Cannon
    stern: Cannon


@immutable(frozen=True, slots=True)
class DiscsDrawn(Part):
    """Discs came out of the bag."""

    seat: Seat
    discs: Discs


@immutable(frozen=True, slots=True)
class DiscsReturned(Part):
    """Discs went back into the bag before a reload."""

    seat: Seat
    discs: Discs


@immutable(frozen=True, slots=True)
class GunsLoaded(Part):
    """What the cannons hold now."""

    seat: Seat
    bow: Discs
    stern: Discs


@immutable(frozen=True, slots=True)
class FirstSeatNamed(Part):
    """Who takes the first turn."""

    seat: Seat


@immutable(frozen=True, slots=True)
class GunLaid(Part):
    """A gun was trained on a zone and target cards were laid out."""

    seat: Seat
    gun: Gun
    zone: Zone
    targets: tuple[TargetCard, ...]


@immutable(frozen=True, slots=True)
class TargetsDiscarded(Part):
    """Target cards left the table."""

    seat: Seat
    targets: tuple[TargetCard, ...]


@immutable(frozen=True, slots=True)
class TargetReplaced(Part):
    """A new target card took the place of another one."""

    seat: Seat
    index: int
    target: TargetCard


@immutable(frozen=True, slots=True)
class AimTakenBack(Part):
    """Placed aim cards returned to their owner's hand."""

    seat: Seat
    cards: Cards


@immutable(frozen=True, slots=True)
class TargetsReshuffled(Part):
    """The discarded target cards became the new deck."""


@immutable(frozen=True, slots=True)
class ReputationsDealt(Part):
    """Reputation cards to choose from; the other seat does not see which."""

    seat: Seat
    reputations: tuple[Reputation, ...]


@immutable(frozen=True, slots=True)
class ReputationChosen(Part):
    """The reputation a seat keeps, face up."""

    seat: Seat
    reputation: Reputation


@immutable(frozen=True, slots=True)
class ReputationUsed(Part):
    """A reputation made a difference."""

    seat: Seat
    reputation: Reputation


@immutable(frozen=True, slots=True)
class TricksDealt(Part):
    """Dirty tricks to choose from; the other seat does not see which."""

    seat: Seat
    tricks: tuple[Trick, ...]


@immutable(frozen=True, slots=True)
class TrickKept(Part):
    """A dirty trick was kept; the other seat does not see which."""

    seat: Seat
    trick: Trick | None


@immutable(frozen=True, slots=True)
class TrickPlayed(Part):
    """A dirty trick was shown, used and put out of the game."""

    seat: Seat
    trick: Trick
    target: int | None = None


@immutable(frozen=True, slots=True)
class TurnBegan(Part):
    """A seat's turn."""

    seat: Seat
    turn: int


@immutable(frozen=True, slots=True)
class CardsDrawn(Part):
    """Aim cards were drawn; the other seat sees only how many."""

    seat: Seat
    count: int
    cards: Cards


@immutable(frozen=True, slots=True)
class DeckReshuffled(Part):
    """The discarded aim cards became the new deck."""

    seat: Seat


@immutable(frozen=True, slots=True)
class CardsLookedAt(Part):
    """A seat looked at the top of its deck; the other seat sees only how many cards."""

    seat: Seat
    count: int
    cards: Cards


@immutable(frozen=True, slots=True)
class HandSpied(Part):
    """A seat looked at the hand of the other; both of them know which cards those are."""

    seat: Seat
    cards: Cards


@immutable(frozen=True, slots=True)
class CardsDiscarded(Part):
    """Aim cards went to their owner's discard pile, face up."""

    seat: Seat
    cards: Cards
    cause: Cause


@immutable(frozen=True, slots=True)
class Aimed(Part):
    """A card was laid beside a target card."""

    seat: Seat
    card: Card
    value: int
    index: int
    side: Side


@immutable(frozen=True, slots=True)
class Done(Part):
    """An action that needs no telling but its name and the cards paid."""

    seat: Seat
    deed: Deed
    cards: Cards = ()


@immutable(frozen=True, slots=True)
class BroadsideFired(Part):
    """A broadside: the flush paid and the discs spent, each with its gun."""

    seat: Seat
    suit: Suit
    cards: Cards
    discs: tuple[tuple[Gun, Projectile], ...]


@immutable(frozen=True, slots=True)
class SheeredOff(Part):
    """A sheer-off: the run paid, from its first value on."""

    seat: Seat
    start: int
    cards: Cards


@immutable(frozen=True, slots=True)
class FigureMoved(Part):
    """A figure went to another deck."""

    seat: Seat
    figure: Figure
    deck: Zone
    zone: Zone


@immutable(frozen=True, slots=True)
class ZoneRepaired(Part):
    """A sailor put a sail or plank back; unless spared, he is lost."""

    seat: Seat
    deck: Zone
    zone: Zone
    spared: bool


@immutable(frozen=True, slots=True)
class FireHeld(Part):
    """A seat did not fire this turn."""

    seat: Seat


@immutable(frozen=True, slots=True)
class ShotFired(Part):
    """A shot, its target cards read."""

    seat: Seat
    gun: Gun
    zone: Zone
    projectile: Projectile
    initial: int
    reductions: tuple[int, ...]
    damage: int


@immutable(frozen=True, slots=True)
class DoubleFired(Part):
    """The carronade's second disc, and the damage it led to."""

    seat: Seat
    projectile: Projectile
    damage: int


@immutable(frozen=True, slots=True)
class ShotEvaded(Part):
    """A run was played against a shot, and the damage it left."""

    seat: Seat
    kind: RunKind
    start: int
    cards: Cards
    reduction: int
    damage: int


@immutable(frozen=True, slots=True)
class ShotLanded(Part):
    """What a shot came to in the end: markers to remove."""

    seat: Seat
    zone: Zone
    damage: int


@immutable(frozen=True, slots=True)
class MarkersRemoved(Part):
    """Markers were lost: counts per zone of the kind (for the crew: sailors), and officers."""

    seat: Seat
    marker: Marker
    counts: tuple[int, ...]
    captain: bool = False
    mate: bool = False


@immutable(frozen=True, slots=True)
class MarkersRestored(Part):
    """Markers came back: counts per zone of the kind."""

    seat: Seat
    marker: Marker
    counts: tuple[int, ...]


@immutable(frozen=True, slots=True)
class DisasterFlipped(Part):
    """The last plank of a hull zone laid its token bare."""

    seat: Seat
    zone: Zone
    disaster: Disaster


@immutable(frozen=True, slots=True)
class TrackCleared(Part):
    """A track was uncovered."""

    seat: Seat
    track: Track


@immutable(frozen=True, slots=True)
class GameEnded(Part):
    """The game is over; no winner means a draw."""

    winner: Seat | None
    reason: EndReason


PreparationEvent: TypeAlias = (
    GunLaid
    | DiscsDrawn
    | GunsLoaded
    | TricksDealt
    | TrickKept
    | DiscsReturned
    | OfficersPlaced
    | CannonsInstalled
    | FirstSeatNamed
    | ReputationsDealt
    | ReputationChosen
)
"""Setup, loading and laying."""

CardEvent: TypeAlias = (
    CardsDiscarded
    | CardsDrawn
    | TargetsDiscarded
    | DeckReshuffled
    | TargetReplaced
    | AimTakenBack
    | TargetsReshuffled
    | CardsLookedAt
    | HandSpied
    | TrackCleared
)
"""Cards on the move, and what is covered on the tracks."""

ActionEvent: TypeAlias = (
    Aimed | TurnBegan | Done | FigureMoved | ReputationUsed | TrickPlayed | SheeredOff | BroadsideFired | ZoneRepaired
)
"""What a seat does in its turn."""

FightEvent: TypeAlias = (
    FireHeld
    | ShotFired
    | ShotLanded
    | MarkersRemoved
    | DoubleFired
    | ShotEvaded
    | MarkersRestored
    | DisasterFlipped
    | GameEnded
)
"""Shots, losses and the end."""

Event: TypeAlias = ActionEvent | CardEvent | FightEvent | PreparationEvent


# Those that recur all the time, each made once: their bytes on the wire are kept with them.
aimed = interned(Aimed)
cards_discarded = interned(CardsDiscarded)
cards_drawn = interned(CardsDrawn)
deck_reshuffled = interned(DeckReshuffled)
discs_drawn = interned(DiscsDrawn)
discs_returned = interned(DiscsReturned)
done = interned(Done)
figure_moved = interned(FigureMoved)
fire_held = interned(FireHeld)
gun_laid = interned(GunLaid)
guns_loaded = interned(GunsLoaded)
markers_removed = interned(MarkersRemoved)
shot_fired = interned(ShotFired)
shot_landed = interned(ShotLanded)
targets_discarded = interned(TargetsDiscarded)
turn_began = interned(TurnBegan)
