"""The game told to people: events, actions, the whole table; and the names `simulate` counts events by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import assert_never

from referee.games.pirates_cove.actions import (
    Action,
    BuryChests,
    BuryGold,
    Buy,
    CoveCards,
    CoveGold,
    Done,
    Fire,
    Flee,
    Keep,
    Outfit,
    Pass,
    PlayCard,
    RepairArtisan,
    Sail,
    SwapParrot,
    Upgrade,
    Wait,
)
from referee.games.pirates_cove.data import CARDS, GOLD_PER_FAME, LEGENDS, MUTINY_DIE, PLACE_NAMES, TREASURES
from referee.games.pirates_cove.events import (
    ArtisanRepaired,
    BlackShipMoved,
    Bought,
    Buried,
    CardDrawn,
    CardPlayed,
    CargoLost,
    CombatBegan,
    CombatEnded,
    CombatEvent,
    CoveChosen,
    Event,
    ExchangeBegan,
    FameChanged,
    FreebooterEnded,
    LegendHit,
    LegendMended,
    LegendsReshuffled,
    LegendSunk,
    MapRolled,
    MonthBegan,
    MonthEvent,
    MutinyRolled,
    Outfitted,
    ParrotDrawn,
    ParrotHealed,
    ParrotSettled,
    Passed,
    Plundered,
    PortEvent,
    PrizeTaken,
    Repaired,
    Sailed,
    Scored,
    ShipHit,
    ShipLeft,
    TavernEvent,
    TavernReshuffled,
    Upgraded,
    VisitEnded,
    VolleyFired,
    Waited,
)
from referee.games.pirates_cove.rules_text import RULES
from referee.games.pirates_cove.state import Combat, Ship, State
from referee.games.pirates_cove.terms import (
    AT_SEA,
    Captain,
    Card,
    Damage,
    Departure,
    Fighter,
    Place,
    Section,
    Treasure,
    Window,
)
from referee.rules.engine import Seat, Text
from referee.text import listed, plural, spaced

WINDOWS = {
    Window.TREASURE_EVENT: "when the treasures are laid out",
    Window.LOOKOUT: "before the islands are chosen",
    Window.NAV_EVENT: "after the ships have sailed",
    Window.BOARDING: "before the first exchange",
}
"""When every seat in turn may play a card."""
DEPARTURES = {
    Departure.FORCED: "is forced to leave the combat",
    Departure.FLIGHT: "flees from the combat",
    Departure.NIGHTFALL: "leaves the combat at nightfall",
}
"""How ships leave a combat."""

# --- Words ------------------------------------------------------------------------------------------------------


def name(fighter: Fighter) -> str:
    """Name a ship by its seat or its captain."""
    return LEGENDS[fighter].name if isinstance(fighter, Captain) else f"seat {fighter}"


def names(fighters: Iterable[Fighter]) -> str:
    """Several ships."""
    return listed(map(name, fighters), "nobody")


def numbers(values: Iterable[int]) -> str:
    """Dice or scores."""
    return " ".join(str(value) for value in values)


def sections(struck: Iterable[Section]) -> str:
    """Sections by name."""
    return listed(section.name.lower() for section in struck)


def sections_at(levels: Iterable[int]) -> str:
    """Return the level of every section."""
    return ", ".join(
        f"{section.name.lower()} {at_level(level)}" for section, level in zip(Section, levels, strict=True)
    )


def at_level(level: int) -> str:
    """Return a level; below 0 there is none, the section is destroyed."""
    return "destroyed" if level < 0 else str(level)


def loot(fame: int, gold: int, chests: int, cards: int) -> str:
    """Return what there is of an island's treasure."""
    parts = [f"{fame} fame", f"{gold} gold", plural(chests, "chest"), plural(cards, "card")]
    return listed(part for part in parts if not part.startswith("0 "))


def treasure(card: Treasure) -> str:
    """Describe a Treasure card with what it gives."""
    row = TREASURES[card - 1]
    return loot(row.fame, row.gold, row.chests, row.cards)


def aimed(card: Card, seat: Seat | None, place: Place | None, section: Section | None, chests: int) -> str:
    """Describe a card with whom or what it is played on."""
    parts = [CARDS[card].name]
    if seat is not None:
        parts.append(f"on seat {seat}")
    if place is not None:
        parts.append(f"to {PLACE_NAMES[place]}")
    if section is not None:
        parts.append(f"on {sections([section])}")
    if chests:
        parts.append(f"with {plural(chests, 'chest')}")
    return " ".join(parts)


# --- Actions ----------------------------------------------------------------------------------------------------


def tell_action(action: Action) -> str:
    """Tell one option, short enough for a list."""
    match action:
        case Outfit(hull=hull, sails=sails, cannons=cannons, crew=crew):
            return f"outfit hull +{hull}, sails +{sails}, cannons +{cannons}, crew +{crew}"
        case PlayCard(card=card, seat=seat, place=place, section=section, chests=chests):
            return "play " + aimed(card, seat, place, section, chests)
        case Sail(island=island):
            return f"sail to {PLACE_NAMES[island]}"
        case Fire(target=target, section=section):
            return f"fire at {name(target)}, {sections([section])}"
        case Buy(count=count):
            return f"buy {plural(count, 'card')}"
        case Upgrade(section=section, levels=levels, price=price):
            return f"raise {sections([section])} by {levels} for {price} gold"
        case BuryChests(count=count):
            return f"bury {plural(count, 'chest')}"
        case BuryGold(fame=fame):
            return f"bury {GOLD_PER_FAME * fame} gold for {fame} fame"
        case CoveCards():
            return "draw two cards"
        case CoveGold():
            return "draw a card and take 2 gold"
        case RepairArtisan():
            return "repair the Artisan"
        case Keep() | SwapParrot() | Pass() | Flee() | Wait() | Done():
            return spaced(type(action).__name__)
        case _:
            assert_never(action)


# --- Events -----------------------------------------------------------------------------------------------------


def tell_event(event: Event) -> str:
    """Tell one fact as one line."""
    if isinstance(event, MonthEvent):
        return tell_month(event)
    if isinstance(event, TavernEvent):
        return tell_tavern(event)
    if isinstance(event, CombatEvent):
        return tell_combat(event)
    return tell_port(event)


def tell_month(event: MonthEvent) -> str:
    """Tell the phases of a month, plunder and fame."""
    match event:
        case Outfitted(seat=seat, levels=levels, price=price):
            return f"seat {seat} fits out for {price} gold: {sections_at(levels)}"
        case MonthBegan(month=month, start_seat=start, face_up=cards):
            laid = (f"{PLACE_NAMES[island]} {treasure(card)}" for island, card in enumerate(cards, start=1))
            return f"month {month}, seat {start} first: {'; '.join(laid)}"
        case Sailed(seat=seat, island=island):
            return f"seat {seat} sails to {PLACE_NAMES[island]}"
        case Plundered(seat=seat, island=island, fame=fame, gold=gold, chests=chests, cards=cards, freebooter=free):
            how = "takes a Freebooter's half of" if free else "plunders"
            return f"seat {seat} {how} {PLACE_NAMES[island]}: {loot(fame, gold, chests, cards)}"
        case FameChanged(seat=seat, change=change, reason=reason):
            return f"seat {seat} {'gains' if change > 0 else 'loses'} {abs(change)} fame ({reason})"
        case BlackShipMoved(place=place, captain=captain, new_captain=new):
            return f"{name(captain)} {'appears' if new else 'arrives'} at {PLACE_NAMES[place]}"
        case LegendsReshuffled(count=count):
            return f"{plural(count, 'sunk legend is', 'sunk legends are')} shuffled into a new deck"
        case Scored(seat=seat, fame=fame, bonus=bonus):
            return f"seat {seat} scores {fame} fame and {bonus} from cards: {fame + bonus}"
        case _:
            assert_never(event)


def tell_tavern(event: TavernEvent) -> str:
    """Tavern cards."""
    match event:
        case Passed(seat=seat, window=window):
            return tell_passes([seat], window)
        case CardPlayed(seat=seat, card=card, target=target, place=place, section=section, chests=chests):
            return f"seat {seat} plays {aimed(card, target, place, section, chests)}"
        case FreebooterEnded(seat=seat, victim=victim):
            return f"seat {victim} shakes off the Freebooter of seat {seat}"
        case MapRolled(seat=seat, dice=dice):
            return f"seat {seat} throws {numbers(dice)}: the Map shows {PLACE_NAMES[dice[-1]]}"
        case CardDrawn(seat=seat, card=card):
            return f"seat {seat} draws {'a card' if card is None else CARDS[card].name}"
        case ParrotDrawn(seat=seat, parrot=parrot, placed=placed):
            return f"seat {seat} draws {CARDS[parrot].name}" + ("" if placed else ", a second parrot")
        case ParrotSettled(seat=seat, parrot=parrot, swapped=swapped):
            return f"seat {seat} {'swaps for' if swapped else 'keeps'} {CARDS[parrot].name}"
        case TavernReshuffled(count=count):
            return f"{plural(count, 'Tavern card is', 'Tavern cards are')} shuffled into a new draw pile"
        case _:
            assert_never(event)


def tell_damage(damage: Damage, level: int) -> str:
    """Tell what a hit did, and what is left of the section where that has changed."""
    match damage:
        case Damage.LEVEL_LOST:
            return f"down to level {level}"
        case Damage.DESTROYED:
            return "destroyed"
        case Damage.NONE:
            return "it was destroyed already"
        case Damage.ARTISAN_DAMAGED | Damage.ARTISAN_LOST | Damage.PARROT_WOUNDED | Damage.PARROT_DEAD:
            return f"{damage}, still {'destroyed' if level < 0 else f'level {level}'}"
        case _:
            assert_never(damage)


def tell_passes(seats: Sequence[Seat], window: Window) -> str:
    """Tell who passed in a card window."""
    return f"{names(seats)} {'passes' if len(seats) == 1 else 'pass'} {WINDOWS[window]}"


def tell_story(events: Sequence[Event]) -> list[str]:
    """Tell events in their order; seats that pass one after the other share a line."""
    lines: list[str] = []
    for window, group in groupby(events, key=lambda event: event.window if isinstance(event, Passed) else None):
        if window is None:
            lines += map(tell_event, group)
        else:
            lines.append(tell_passes([event.seat for event in group if isinstance(event, Passed)], window))
    return lines


def tell_combat(event: CombatEvent) -> str:
    """Volleys, hits, departures."""
    match event:
        case CombatBegan(place=place, order=order, captains=captains):
            against = f" against {names(captains)}" if captains else ""
            return f"{arena(place)}: combat of {names(order)}{against}"
        case ExchangeBegan(number=number, order=order):
            return f"exchange {number}: {names(order)}"
        case VolleyFired(shooter=shooter, target=target, sections=struck, dice=dice, hits=hits):
            return (
                f"{name(shooter)} fires at {name(target)}, {sections(struck)}: {numbers(dice)}, {plural(hits, 'hit')}"
            )
        case ShipHit(seat=seat, section=section, damage=damage, level=level):
            return f"seat {seat} is hit in the {sections([section])}: {tell_damage(damage, level)}"
        case LegendHit(captain=captain, points=points, left=left):
            return f"{name(captain)} loses {plural(points, 'hull point')}, {left} left"
        case LegendMended(captain=captain, points=points, left=left):
            return f"{name(captain)} regains {plural(points, 'hull point')}, {left} left"
        case Waited(seat=seat):
            return f"seat {seat} reloads"
        case ShipLeft(seat=seat, how=how, touched=touched):
            return f"seat {seat} {DEPARTURES[how]}{', hit before' if touched else ', never hit'}"
        case MutinyRolled(seat=seat, die=die, gold=gold, chests=chests):
            lost = f": mutiny, {loot(0, gold, chests, 0)} lost" if die == MUTINY_DIE else ": no mutiny"
            return f"seat {seat} throws {die}{lost}"
        case LegendSunk(captain=captain, share=share):
            return f"{name(captain)} sinks: {share} fame each"
        case PrizeTaken(captain=captain, die=die, share=share):
            return f"{name(captain)} is captured, die {die}: {share} fame each"
        case CombatEnded(place=place, seats=seats):
            return f"{arena(place)}: the combat is over, {names(seats)} left"
        case _:
            assert_never(event)


def tell_port(event: PortEvent) -> str:
    """Tell what ships do in port."""
    match event:
        case ParrotHealed(seat=seat):
            return f"seat {seat}: the parrot recovers"
        case Repaired(seat=seat, sections=broken, price=price, paid=paid):
            terms = f"for {price} gold" if paid else "free, without a draw"
            return f"seat {seat} has {sections(broken)} repaired {terms}"
        case Bought(seat=seat, count=count, price=price):
            return f"seat {seat} buys {plural(count, 'card')} for {price} gold"
        case Upgraded(seat=seat, section=section, level=level, price=price):
            return f"seat {seat} raises {sections([section])} to level {level} for {price} gold"
        case Buried(seat=seat, chests=chests, gold=gold):
            return f"seat {seat} buries " + (plural(chests, "chest") if chests else f"{gold} gold")
        case CoveChosen(seat=seat, cards=cards, gold=gold):
            return f"seat {seat} gets {loot(0, gold, 0, cards)} at the Cove"
        case ArtisanRepaired(seat=seat):
            return f"seat {seat} repairs its Artisan"
        case VisitEnded(seat=seat):
            return f"seat {seat} is done"
        case CargoLost(seat=seat, chests=chests):
            return f"seat {seat} loses {plural(chests, 'chest')} for want of room"
        case _:
            assert_never(event)


def arena(place: Place) -> str:
    """Return where a combat takes place."""
    return "final duel" if place == AT_SEA else PLACE_NAMES[place]


# --- Counting ---------------------------------------------------------------------------------------------------


def fired(event: Event) -> str:
    """Return a card or a rule of the specification, as `simulate` counts them."""
    match event:
        case CardPlayed(card=card):
            return f"card {card}"
        case ShipLeft(how=Departure.FORCED):
            return "forced retreat"
        case ShipLeft(how=how):
            return str(how)
        case MutinyRolled(die=die):
            return "mutiny" if die == MUTINY_DIE else "no mutiny"
        case LegendSunk(captain=captain):
            return f"legend {captain} sunk"
        case PrizeTaken(captain=captain):
            return f"legend {captain} captured"
        case TavernReshuffled():
            return "tavern reshuffle"
        case LegendsReshuffled():
            return "legend reshuffle"
        case FreebooterEnded():
            return "freebooter cancelled"
        case CombatBegan(place=place, captains=captains):
            return "final duel" if place == AT_SEA else "combat with legends" if captains else "combat of players"
        case FameChanged(reason=reason):
            return f"fame {reason}"
        case ShipHit(damage=damage):
            return "surplus hit" if damage is Damage.NONE else str(damage)
        case (
            Outfitted()
            | MonthBegan()
            | Sailed()
            | Plundered()
            | BlackShipMoved()
            | Scored()
            | Passed()
            | MapRolled()
            | CardDrawn()
            | ParrotDrawn()
            | ParrotSettled()
            | ExchangeBegan()
            | VolleyFired()
            | LegendHit()
            | LegendMended()
            | Waited()
            | CombatEnded()
            | ParrotHealed()
            | Repaired()
            | Bought()
            | Upgraded()
            | Buried()
            | CoveChosen()
            | ArtisanRepaired()
            | VisitEnded()
            | CargoLost()
        ):
            return spaced(type(event).__name__)
        case _:
            assert_never(event)


# --- The table --------------------------------------------------------------------------------------------------


def tell_table(state: State) -> str:
    """Describe the whole table, all hands open."""
    lines = [
        f"Pirate's Cove, month {state.month}, {state.phase}; "
        f"supply: {state.gold} gold, {plural(state.chests, 'chest')}; "
        f"Tavern: {len(state.tavern)} to draw, {len(state.tavern_discard)} discarded"
    ]
    lines += [f"  {PLACE_NAMES[island]:14} {treasure(card)}" for island, card in enumerate(state.face_up, start=1)]
    for black in state.black_ships:
        captain = "no captain" if black.captain is None else name(black.captain)
        lines.append(f"  black ship at {PLACE_NAMES[black.place]}: {captain}")
    if state.navy is not None:
        lines.append(f"  the Royal Navy at {PLACE_NAMES[state.navy.place]} under seat {state.navy.controller}")
    if state.freebooter is not None:
        lines.append(f"  seat {state.freebooter.seat} freeboots on seat {state.freebooter.victim}")
    if state.treasure_map is not None:
        lines.append(f"  seat {state.treasure_map.seat} has a Map of {PLACE_NAMES[state.treasure_map.island]}")
    if state.lookout is not None:
        lines.append(f"  a Lookout: seat {state.lookout} navigates first")
    lines += [f"seat {seat}: {ship_line(ship)}" for seat, ship in enumerate(state.ships)]
    if state.combat is not None:
        lines += combat_lines(state.combat)
    if state.scores:
        lines.append(f"scores: {numbers(state.scores)}")
    return "\n".join(lines)


def ship_line(ship: Ship) -> str:
    """Describe one ship."""
    parts = [
        f"{PLACE_NAMES[ship.place]}, {ship.fame} fame, {ship.gold} gold, {plural(ship.chests, 'chest')}",
        sections_at(ship.levels),
    ]
    if ship.parrot is not None:
        parts.append(CARDS[ship.parrot].name + (" (wounded)" if ship.parrot_wounded else ""))
    if ship.artisan is not None:
        parts.append(f"Artisan on {sections([ship.artisan])}" + (" (damaged)" if ship.artisan_damaged else ""))
    parts.append("hand: " + (", ".join(CARDS[card].name for card in ship.hand) or "empty"))
    return "; ".join(parts)


def combat_lines(combat: Combat) -> list[str]:
    """Describe the combat under way."""
    lines = [f"{arena(combat.place)}, exchange {combat.exchange}: {names(combat.order)}"]
    lines += [f"  {name(captain)}: {plural(left, 'hull point')}" for captain, left in combat.hulls]
    speed, shrouds = dict(combat.speed), dict(combat.shrouds)
    for seat in combat.seats:
        marks = [f"speed +{speed[seat]}"] if speed.get(seat) else []
        for word, group in (("smoke", shrouds), ("touched", combat.touched), ("reloading", combat.reloading)):
            marks += [word] if seat in group else []
        lines.append(f"  seat {seat}: " + (", ".join(marks) or "unharmed"))
    if combat.laid:
        lines.append("  in force: " + ", ".join(CARDS[card].name for card in combat.laid))
    return lines


TEXT: Text[State, Action, Event] = Text(
    event=tell_event,
    action=tell_action,
    table=tell_table,
    scenes=frozenset({MonthBegan}),
    rules=RULES,
    story=tell_story,
)
