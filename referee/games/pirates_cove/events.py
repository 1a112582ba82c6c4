"""Every fact that can happen, as somebody who sees everything would tell it. Who perceives what: view.py."""

from __future__ import annotations

from typing import TypeAlias

from referee.games.pirates_cove.terms import (
    Captain,
    Card,
    Damage,
    Departure,
    FameReason,
    Fighter,
    Place,
    Section,
    Treasure,
    Window,
)
from referee.rules.engine import Seat
from referee.rules.parts import Part, immutable, interned


@immutable(frozen=True, slots=True)
class Outfitted(Part):
    """A ship was fitted out before the first month."""

    seat: Seat
    levels: tuple[int, ...]
    price: int


@immutable(frozen=True, slots=True)
class MonthBegan(Part):
    """A month began: one Treasure card was turned up on each of islands 1 to 5."""

    month: int
    start_seat: Seat
    face_up: tuple[Treasure, ...]


@immutable(frozen=True, slots=True)
class Passed(Part):
    """A seat passed in a card window, whether it held a card to play or not."""

    seat: Seat
    window: Window


@immutable(frozen=True, slots=True)
class CardPlayed(Part):
    """A seat played a Tavern card; the fields are those of the action."""

    seat: Seat
    card: Card
    target: Seat | None
    place: Place | None
    section: Section | None
    chests: int


@immutable(frozen=True, slots=True)
class FreebooterEnded(Part):
    """A victim slipped out of the Freebooter's reach."""

    seat: Seat
    victim: Seat


@immutable(frozen=True, slots=True)
class MapRolled(Part):
    """The dice of a Treasure Map: the last one names the island, sixes before it were thrown again."""

    seat: Seat
    dice: tuple[int, ...]


@immutable(frozen=True, slots=True)
class Sailed(Part):
    """A ship went to its chosen island."""

    seat: Seat
    island: Place


@immutable(frozen=True, slots=True)
class CombatBegan(Part):
    """A combat began; `order` is the order of boarding. Place 0: the final duel."""

    place: Place
    order: tuple[Seat, ...]
    captains: tuple[Captain, ...]


@immutable(frozen=True, slots=True)
class ExchangeBegan(Part):
    """An exchange of volleys began, in this order."""

    number: int
    order: tuple[Fighter, ...]


@immutable(frozen=True, slots=True)
class VolleyFired(Part):
    """A ship fired at another; `hits` is how many dice were high enough, each of them for all these sections."""

    shooter: Fighter
    target: Fighter
    sections: tuple[Section, ...]
    dice: tuple[int, ...]
    hits: int


@immutable(frozen=True, slots=True)
class ShipHit(Part):
    """One hit on a player ship; `level` is the section's level afterwards."""

    seat: Seat
    section: Section
    damage: Damage
    level: int


@immutable(frozen=True, slots=True)
class LegendHit(Part):
    """A ship that is nobody's lost hull points; `left` may be below 0."""

    captain: Captain
    points: int
    left: int


@immutable(frozen=True, slots=True)
class LegendMended(Part):
    """The Dutchman regained hull points at the end of an exchange."""

    captain: Captain
    points: int
    left: int


@immutable(frozen=True, slots=True)
class Waited(Part):
    """A ship reloaded after a Cannonade."""

    seat: Seat


@immutable(frozen=True, slots=True)
class ShipLeft(Part):
    """A ship left a combat, for the Cove or out of the final duel."""

    seat: Seat
    how: Departure
    touched: bool


@immutable(frozen=True, slots=True)
class MutinyRolled(Part):
    """The die after a flight; 1 is a mutiny, which cost this much gold and this many chests."""

    seat: Seat
    die: int
    gold: int
    chests: int


@immutable(frozen=True, slots=True)
class FameChanged(Part):
    """A seat gained or lost fame."""

    seat: Seat
    change: int
    reason: FameReason


@immutable(frozen=True, slots=True)
class LegendSunk(Part):
    """A legend or the Navy was sunk; each player ship still there gains `share` fame."""

    captain: Captain
    share: int


@immutable(frozen=True, slots=True)
class PrizeTaken(Part):
    """The Cacafuego was captured; each player ship there gains `share` fame."""

    captain: Captain
    die: int
    share: int


@immutable(frozen=True, slots=True)
class CombatEnded(Part):
    """A combat is over; these player ships are still there."""

    place: Place
    seats: tuple[Seat, ...]


@immutable(frozen=True, slots=True)
class Plundered(Part):
    """A seat got its part of an island's treasure: as the ship there, or as its Freebooter."""

    seat: Seat
    island: Place
    fame: int
    gold: int
    chests: int
    cards: int
    freebooter: bool


@immutable(frozen=True, slots=True)
class CardDrawn(Part):
    """A seat drew a Tavern card into its hand; the others see no more than that (card None)."""

    seat: Seat
    card: Card | None


@immutable(frozen=True, slots=True)
class ParrotDrawn(Part):
    """A seat drew a parrot, which everybody sees; `placed` if it had none aboard."""

    seat: Seat
    parrot: Card
    placed: bool


@immutable(frozen=True, slots=True)
class ParrotSettled(Part):
    """A seat with two parrots kept the one named; the other went back into the draw pile, which was shuffled."""

    seat: Seat
    parrot: Card
    swapped: bool


@immutable(frozen=True, slots=True)
class TavernReshuffled(Part):
    """The Tavern discard pile became the draw pile."""

    count: int


@immutable(frozen=True, slots=True)
class ParrotHealed(Part):
    """A wounded parrot recovered in port."""

    seat: Seat


@immutable(frozen=True, slots=True)
class Repaired(Part):
    """The Cove raised destroyed sections to level 1; unpaid, it costs the visit's draw (R27)."""

    seat: Seat
    sections: tuple[Section, ...]
    price: int
    paid: bool


@immutable(frozen=True, slots=True)
class Bought(Part):
    """A seat paid for Tavern cards."""

    seat: Seat
    count: int
    price: int


@immutable(frozen=True, slots=True)
class Upgraded(Part):
    """A seat paid for levels of a section."""

    seat: Seat
    section: Section
    level: int
    price: int


@immutable(frozen=True, slots=True)
class Buried(Part):
    """A seat buried chests or gold at Treasure Island."""

    seat: Seat
    chests: int
    gold: int


@immutable(frozen=True, slots=True)
class CoveChosen(Part):
    """A seat's reward at the Cove: cards to draw and gold taken."""

    seat: Seat
    cards: int
    gold: int


@immutable(frozen=True, slots=True)
class ArtisanRepaired(Part):
    """A damaged Artisan is intact again."""

    seat: Seat


@immutable(frozen=True, slots=True)
class VisitEnded(Part):
    """A ship is done with its place this month."""

    seat: Seat


@immutable(frozen=True, slots=True)
class BlackShipMoved(Part):
    """A black ship moved one place on; its captain may be new."""

    place: Place
    captain: Captain
    new_captain: bool


@immutable(frozen=True, slots=True)
class LegendsReshuffled(Part):
    """The legend discard pile became the legend deck."""

    count: int


@immutable(frozen=True, slots=True)
class CargoLost(Part):
    """Chests above the hull's value went back to the supply."""

    seat: Seat
    chests: int


@immutable(frozen=True, slots=True)
class Scored(Part):
    """Final scoring of a seat: its fame, and what its Fame cards add."""

    seat: Seat
    fame: int
    bonus: int


# Those that recur, as rules make them: the same fact is the same object, which has its bytes already.
sailed = interned(Sailed)
combat_began = interned(CombatBegan)
exchange_began = interned(ExchangeBegan)
ship_hit = interned(ShipHit)
legend_hit = interned(LegendHit)
ship_left = interned(ShipLeft)
mutiny_rolled = interned(MutinyRolled)
fame_changed = interned(FameChanged)
combat_ended = interned(CombatEnded)
plundered = interned(Plundered)
card_drawn = interned(CardDrawn)
card_played = interned(CardPlayed)
bought = interned(Bought)
upgraded = interned(Upgraded)
buried = interned(Buried)
cove_chosen = interned(CoveChosen)
repaired = interned(Repaired)
visit_ended = interned(VisitEnded)
black_ship_moved = interned(BlackShipMoved)
cargo_lost = interned(CargoLost)

CombatEvent: TypeAlias = (
    CombatBegan
    | ExchangeBegan
    | VolleyFired
    | ShipHit
    | LegendHit
    | LegendMended
    | Waited
    | ShipLeft
    | MutinyRolled
    | LegendSunk
    | PrizeTaken
    | CombatEnded
)
PortEvent: TypeAlias = (
    ParrotHealed | Repaired | Bought | Upgraded | Buried | CoveChosen | ArtisanRepaired | VisitEnded | CargoLost
)
TavernEvent: TypeAlias = (
    Passed | CardPlayed | FreebooterEnded | MapRolled | CardDrawn | ParrotDrawn | ParrotSettled | TavernReshuffled
)
MonthEvent: TypeAlias = (
    Outfitted | MonthBegan | Sailed | Plundered | FameChanged | BlackShipMoved | LegendsReshuffled | Scored
)
Event: TypeAlias = MonthEvent | TavernEvent | CombatEvent | PortEvent
