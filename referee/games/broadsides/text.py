"""The game told to people: an event as a line, an option as a few words, the table as a chart and two decks.

Speaks as a spectator who sees everything. `fired` gives the name under which a simulation counts an event.
"""

from __future__ import annotations

from typing import assert_never

from referee.games.broadsides.actions import (
    Action,
    BoardMove,
    Cease,
    Fire,
    PlaceCaptain,
    PlaceCrew,
    Program,
    ReplaceCaptain,
    Surrender,
)
from referee.games.broadsides.data import CHARTS, HULL_AT, MAST_IN, MAST_NAMES, SHIP_NAMES, STATION_AT
from referee.games.broadsides.events import (
    BoardingEvent,
    BoardingTurnStarted,
    CannonLost,
    CaptainHit,
    CaptainReplaced,
    CrewEvent,
    CrewLost,
    DiceOpposed,
    Event,
    FigureMoved,
    FigurePlaced,
    FireCeased,
    GameEnded,
    GunneryEvent,
    GunsBear,
    HullMarked,
    MastHit,
    MeleeFought,
    MovesLost,
    ProgramLaid,
    RoundStarted,
    SailingEvent,
    SetupRevealed,
    ShipDrifted,
    ShipSailed,
    ShipsCollided,
    ShotFired,
    Surrendered,
)
from referee.games.broadsides.rules_text import RULES
from referee.games.broadsides.state import Ship, State
from referee.games.broadsides.terms import Card, Figure, Place, Point, RollPurpose, Section, ShotEffect, Side, Station
from referee.rules.engine import DUEL, Seat, Text
from referee.rules.infos import end_words
from referee.text import plural, spaced

SHORT = ("s", "r")
"""How the figures of each seat are drawn."""

LEGEND = "= cannon, ! mast hit left, s/r crew of Seahawk/Royal Isabella, K captain, x hull marker"

EFFECTS = {
    ShotEffect.MISS: "misses",
    ShotEffect.HULL: "hits the hull",
    ShotEffect.END_ON: "finds no hull, the target is end-on",
    ShotEffect.THIRD_HIT: "hits a hull section already destroyed",
    ShotEffect.HULL_SPARED: "has no effect, the last salvo spares the hull",
    ShotEffect.NO_STATION: "has no effect, there is no such station",
    ShotEffect.EMPTY_STATION: "finds nothing left to hit",
    ShotEffect.STATION: "hits the deck",
}

ROLLS = {
    RollPurpose.FIRST_FIRE: "the first shot",
    RollPurpose.CURRENT: "a hold against the current",
    RollPurpose.FIRST_TURN: "the first boarding turn",
}

CARDS = {
    Card.AH: "ahead",
    Card.ST: "starboard",
    Card.PO: "port",
    Card.RE: "remain",
    Card.DA: "damage",
}
SAILED = {
    Card.AH: "sails ahead",
    Card.ST: "turns to starboard",
    Card.PO: "turns to port",
    Card.RE: "remains",
    Card.DA: "is too damaged to sail",
}
"""What a ship does when its card is turned over."""
FIGURES = {Figure.CREW: "a crew figure", Figure.CAPTAIN: "its captain"}
FACINGS = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")


def tell_event(event: Event) -> str:
    """Tell one fact as one line."""
    if isinstance(event, CrewEvent):
        return _tell_crew(event)
    if isinstance(event, SailingEvent):
        return _tell_sailing(event)
    if isinstance(event, GunneryEvent):
        return _tell_gunnery(event)
    if isinstance(event, BoardingEvent):
        return _tell_boarding(event)
    match event:
        case DiceOpposed(purpose, dice, winner):
            result = "equal, roll again" if winner is None else f"{_name(winner)} wins"
            return f"Dice for {ROLLS[purpose]}: {dice[0]} v {dice[1]}, {result}"
        case Surrendered(seat):
            return f"{_name(seat)} surrenders"
        case GameEnded(winner, reason):
            return f"The game ends ({end_words(reason)}): {'a draw' if winner is None else f'{_name(winner)} wins'}"
        case _:
            assert_never(event)


def _tell_crew(event: CrewEvent) -> str:
    match event:
        case FigurePlaced(seat, figure, station):
            return f"{_name(seat)} puts {FIGURES[figure]} on {station.name}"
        case SetupRevealed(seat, captain, crew):
            places = " and ".join(station.name for station in crew)
            return f"{_name(seat)} shows its captain on {captain.name}, extra crew on {places}"
        case CaptainReplaced(seat, station):
            return f"{_name(seat)} has a new captain on {station.name}"
        case _:
            assert_never(event)


def _tell_sailing(event: SailingEvent) -> str:
    match event:
        case RoundStarted(number):
            return f"Round {number}"
        case ProgramLaid(seat, cards):
            return f"{_name(seat)} lays {_cards(cards)}"
        case ShipSailed(seat, step, card, point, facing, aground):
            end = "" if aground is None else f", aground on the {aground.value}"
            return f"Card {step}: {_name(seat)} {SAILED[card]}, on {_point(point)} heading {FACINGS[facing]}{end}"
        case ShipDrifted(seat, point):
            return f"The current carries {_name(seat)} to {_point(point)}"
        case ShipsCollided(point, reference, both_moved, blow, sides, opposite):
            how = "both ships moving" if both_moved else f"{_name(reference)} is struck"
            bows = "opposite ways" if opposite else "the same way"
            contact = f"{sides[0].name.lower()} to {sides[1].name.lower()}"
            return f"Collision on {_point(point)}, {how}, blow from {blow}/8: {contact}, bows {bows}"
        case _:
            assert_never(event)


def _tell_gunnery(event: GunneryEvent) -> str:
    match event:
        case GunsBear(mode, shots):
            return f"Guns bear ({mode.value}): {shots[0]} v {shots[1]}"
        case ShotFired(seat, section, die, effect):
            return f"{_name(seat)} fires at section {section.name}: {die}, {EFFECTS[effect]}"
        case HullMarked(seat, section, markers):
            end = ", destroyed" if markers == 2 else ""
            return f"{_name(seat)}: hull {section.name} has {plural(markers, 'marker')}{end}"
        case MastHit(seat, mast, hits_left):
            return f"{_name(seat)}: the {MAST_NAMES[mast]} is {'hit' if hits_left else 'gone'}"
        case CannonLost(seat, station):
            return f"{_name(seat)}: cannon {station.name} is gone"
        case CrewLost(seat, station, count):
            return f"{_name(seat)}: {plural(count, 'crew figure')} lost on {station.name}"
        case CaptainHit(seat, station):
            return f"{_name(seat)}: the captain is lost on {station.name}"
        case FireCeased(seat, shots_left):
            return f"{_name(seat)} ceases fire with {plural(shots_left, 'shot')} left"
        case _:
            assert_never(event)


def _tell_boarding(event: BoardingEvent) -> str:
    match event:
        case BoardingTurnStarted(seat, turn):
            return f"Boarding turn {turn}: {_name(seat)}"
        case FigureMoved(seat, figure, origin, target, contested):
            end = ", onto the enemy" if contested else ""
            return f"{_name(seat)}: {figure.value} {_place(origin)} to {_place(target)}{end}"
        case MovesLost(seat, moves):
            return f"{_name(seat)} has no legal move and loses {plural(moves, 'move')}"
        case MeleeFought(place, dice, totals, losses):
            fallen = " and ".join(f"{_name(seat)} loses {FIGURES[figure]}" for seat, figure in losses)
            score = f"{totals[0]} v {totals[1]} (dice {dice[0]}, {dice[1]})"
            return f"Melee on {_place(place)}: {score}: {fallen or 'nobody falls, again'}"
        case _:
            assert_never(event)


def tell_action(action: Action) -> str:
    """Tell one option, in a few words."""
    match action:
        case PlaceCaptain(station):
            return f"captain on {station.name}"
        case PlaceCrew(station):
            return f"crew on {station.name}"
        case Program(cards):
            return _cards(cards)
        case Surrender():
            return "surrender"
        case Fire(section):
            return f"fire at {section.name}"
        case Cease():
            return "cease fire"
        case ReplaceCaptain(station):
            return f"new captain from {station.name}"
        case BoardMove(figure, origin, target):
            return f"{figure.value} {_place(origin)} to {_place(target)}"
        case _:
            assert_never(action)


def fired(event: Event) -> str:
    """Return the name under which an event is counted: a card, a rule, a loss."""
    match event:
        case ShipSailed(card=card, aground=aground):
            return f"card {card.name}" if aground is None else f"aground {aground.value}"
        case DiceOpposed(purpose=purpose, winner=winner):
            name = spaced(purpose.value)
            return name if winner is not None else f"{name} re-roll"
        case GunsBear(mode=mode, shots=shots):
            return f"{mode.value}, {'both sides' if all(shots) else 'one side'}"
        case ShotFired(effect=effect):
            return f"shot: {effect.value}"
        case HullMarked(markers=markers):
            return "hull section destroyed" if markers == 2 else "hull marker"
        case MastHit(mast=mast, hits_left=hits_left):
            return "mainmast top lost" if hits_left else f"mast {mast.name} lost"
        case ShipsCollided(blow=blow):
            return f"collision b={blow}"
        case FigurePlaced(figure=figure):
            return f"{figure.value} placed"
        case FigureMoved(figure=figure, origin=origin, target=target):
            return f"{figure.value} {'crossing' if origin.ship != target.ship else 'move'}"
        case MeleeFought(losses=losses):
            return "melee round" if losses else "captain duel re-roll"
        case GameEnded(reason=reason):
            return f"end {reason.value}"
        case SetupRevealed():
            return "setup revealed"
        case RoundStarted():
            return "round"
        case ProgramLaid():
            return "program"
        case CannonLost():
            return "cannon lost"
        case CrewLost():
            return "crew lost"
        case CaptainHit():
            return "captain hit"
        case FireCeased():
            return "cease fire"
        case CaptainReplaced():
            return "captain replaced"
        case ShipDrifted():
            return "drift"
        case BoardingTurnStarted():
            return "boarding turn"
        case MovesLost():
            return "no legal boarding move"
        case Surrendered():
            return "surrender"
        case _:
            assert_never(event)


def tell_table(state: State) -> str:
    """Describe the whole table: where the game stands, the chart, both decks."""
    lines = [_headline(state), ""]
    if state.boarding is None:
        lines += [*_chart_lines(state), ""]
    for seat in DUEL:
        lines += [_ship_line(state, seat), *_deck_lines(state, seat), ""]
    return "\n".join([*lines, LEGEND])


def _headline(state: State) -> str:
    boarding = state.boarding
    if boarding is not None:
        sides = " to ".join(side.name.lower() for side in boarding.sides)
        bows = "opposite ways" if boarding.bows_opposite else "the same way"
        turn = (
            f"turn {boarding.turn} ({_name(boarding.seat)}), {plural(boarding.moves_left, 'move')} left, "
            if boarding.turn
            else ""
        )
        return f"Boarding, {turn}{sides}, bows {bows}, {plural(boarding.quiet_turns, 'quiet turn')}"
    return (
        f"Map {state.settings.map}, round {state.round}, step {state.step}, {plural(state.quiet_rounds, 'quiet round')}"
    )


def _chart_lines(state: State) -> list[str]:
    chart = CHARTS[state.settings.map]
    ships = {ship.point: f"{seat}{ship.facing.name}" for seat, ship in enumerate(state.ships)}
    rows = [
        f"{y:2} " + "".join(f"{ships.get((x, y), sign):4}" for x, sign in enumerate(row)).rstrip()
        for y, row in enumerate(chart.rows)
    ]
    return ["   " + "".join(f"{x:<4}" for x in range(chart.width)).rstrip(), *rows]


def _ship_line(state: State, seat: Seat) -> str:
    ship, crew = state.ships[seat], state.crews[seat]
    facts = [
        f"{_point(ship.point)} {ship.facing.name}",
        f"damage {ship.damage}",
        plural(len(ship.cannons), "cannon"),
        plural(crew.figures, "figure") + ("" if crew.captain else ", no captain"),
    ]
    if ship.cards:
        facts.append("cards " + " ".join(_card_sign(ship, index) for index in range(len(ship.cards))))
    facts += [word for word, flag in (("aground", ship.aground), ("no cards", ship.no_cards)) if flag]
    return f"{_name(seat)} (seat {seat}): {', '.join(facts)}"


def _card_sign(ship: Ship, index: int) -> str:
    """Show a card, in brackets while it lies face down."""
    name = CARDS[ship.cards[index]]
    return name if index < ship.turned else f"({name})"


def _deck_lines(state: State, seat: Seat) -> list[str]:
    """Return the deck with the bow to the left, port side up, the hull markers along both rails."""
    rows = [("     ", [section.name for section in Section])]
    rows.append(("hull5", [_hull_cell(state, seat, section, Side.PORT) for section in Section]))
    for digit in (5, 4, 3):
        rows.append(
            (f"    {digit}", [_deck_cell(state, seat, STATION_AT.get((section, digit))) for section in Section])
        )
    rows.append(("hull3", [_hull_cell(state, seat, section, Side.STARBOARD) for section in Section]))
    return [f"  {head} " + "".join(f"{cell:9}" for cell in cells).rstrip() for head, cells in rows]


def _hull_cell(state: State, seat: Seat, section: Section, side: Side) -> str:
    return "x" * state.ships[seat].hull[HULL_AT[section, side]] or "-"


def _deck_cell(state: State, ship: Seat, station: Station | None) -> str:
    if station is None:
        return ""
    cell = "=" if station in state.ships[ship].cannons else ""
    section = Section[station.name[0]]
    if station.name.endswith("4") and section in MAST_IN:
        cell += "!" * state.ships[ship].masts[MAST_IN[section]]
    for seat, crew in zip(DUEL, state.crews, strict=True):
        if crew.figures_on(ship, station):
            cell += SHORT[seat] + str(crew.hands[ship][station] or "") + "K" * crew.has_captain_on(ship, station)
    return cell or "."


def _name(seat: int) -> str:
    return SHIP_NAMES[seat]


def _cards(cards: tuple[Card, ...]) -> str:
    return ", ".join(CARDS[card] for card in cards)


def _point(point: Point) -> str:
    return f"({point[0]},{point[1]})"


def _place(place: Place) -> str:
    return f"{place.station.name} of {_name(place.ship)}"


TEXT: Text[State, Action, Event] = Text(
    event=tell_event, action=tell_action, table=tell_table, scenes=frozenset({RoundStarted}), rules=RULES, pictures=True
)
