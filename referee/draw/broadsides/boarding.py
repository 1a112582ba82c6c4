"""Two ships alongside: gangplanks where crews can cross, figures on the move, contested stations, and the dice."""

from __future__ import annotations

from collections.abc import Iterator

from referee.draw.broadsides.decks import Deck, draw_deck, draw_figures
from referee.draw.broadsides.pieces import SWORDS, die, draw_mark
from referee.draw.broadsides.voyage import last_shots
from referee.draw.broadsides.words import count_across, place_name
from referee.draw.scene import BOARD_WIDTH, Shape, circle, polyline, rectangle
from referee.games.broadsides.data import SHIP_NAMES
from referee.games.broadsides.terms import Section, Station
from tortuga.v1.broadsides_pb2 import Broadsides as Pb

LONG, WIDE = 78.0, 66.0
UPPER, LOWER = 228.0, 514.0
"""Middles of the decks: seat 1 above, seat 0 below."""
ROWS_TOP, ROW_HEIGHT, MOST_ROWS = 738.0, 44.0, 3
MOVES_PER_TURN = 3
HITS = (Pb.SHOT_EFFECT_HULL, Pb.SHOT_EFFECT_STATION)


def decks_alongside(boarding: Pb.Boarding) -> tuple[Deck, Deck]:
    """Return the decks with the sides in contact towards each other: turned, never mirrored."""
    below, above = (side == Pb.SIDE_STARBOARD for side in boarding.sides)
    return (
        Deck(seat=0, x=BOARD_WIDTH / 2, y=LOWER, long=LONG, wide=WIDE, bow=1 if below else -1),
        Deck(seat=1, x=BOARD_WIDTH / 2, y=UPPER, long=LONG, wide=WIDE, bow=-1 if above else 1),
    )


def draw_boarding(position: Pb.Position) -> Iterator[Shape]:
    """Draw both decks and everything on them."""
    observation = position.observation
    boarding = observation.boarding
    decks = decks_alongside(boarding)
    yield _sea(decks)
    yield from _gangplanks(boarding, decks)
    for deck in decks:
        yield from draw_deck(deck, observation.ships[deck.seat])
    yield from draw_figures(decks, (observation.crews[0], observation.crews[1]))
    yield from _contested(boarding, decks)
    yield from _moves(position, decks)
    yield from _salvo(position, decks)
    yield from _turn(position)
    yield from _rolls(position)


def _sea(decks: tuple[Deck, Deck]) -> Shape:
    top, bottom = 76.0, LOWER + decks[0].half + 56
    return Shape(
        id="sea",
        x=BOARD_WIDTH / 2,
        y=(top + bottom) / 2,
        path=rectangle(BOARD_WIDTH, bottom - top, round_by=12),
        classes="sea",
        layer=0,
    )


def _gangplanks(boarding: Pb.Boarding, decks: tuple[Deck, Deck]) -> Iterator[Shape]:
    for crossing in boarding.crossings:
        below, above = Station(crossing.ship_0 - 1), Station(crossing.ship_1 - 1)
        x, _ = decks[0].station(below)
        start = LOWER - (0.4 * WIDE if below is Station.A4 else decks[0].half)
        end = UPPER + (0.4 * WIDE if above is Station.A4 else decks[1].half)
        yield Shape(
            id=f"gangplank-{below.name}",
            x=x,
            y=(start + end) / 2,
            path=rectangle(14, start - end - 4, round_by=2),
            classes="land",
            layer=1,
            title=f"Crossing between {below.name} of {SHIP_NAMES[0]} and {above.name} of {SHIP_NAMES[1]}",
        )


def _contested(boarding: Pb.Boarding, decks: tuple[Deck, Deck]) -> Iterator[Shape]:
    for place in boarding.contested:
        station = Station(place.station - 1)
        x, y = decks[place.ship].station(station)
        key = f"contested-{place.ship}{station.name}"
        frame = rectangle(LONG - 4, WIDE - 2, round_by=8)
        yield Shape(id=key, x=x, y=y, path=frame, classes="warn stroke", layer=4, title=f"Fight on {place_name(place)}")
        yield Shape(id=f"{key}-swords", x=x + 0.36 * LONG, y=y, path=SWORDS, classes="warn stroke", layer=7)


def _moves(position: Pb.Position, decks: tuple[Deck, Deck]) -> Iterator[Shape]:
    """Draw arrows from where figures came since the last decision."""
    moves = [event.figure_moved for event in position.events if event.WhichOneof("event") == "figure_moved"]
    for place, move in enumerate(moves[-MOVES_PER_TURN:]):
        start, end = (decks[at.ship].station(Station(at.station - 1)) for at in (move.origin, move.target))
        dx, dy = end[0] - start[0], end[1] - start[1]
        length = (dx * dx + dy * dy) ** 0.5
        far = length - 0.2 * LONG
        ux, uy = dx / length, dy / length
        tip = (ux * far, uy * far)
        barbs = [(tip[0] - 12 * ux + side * 8 * uy, tip[1] - 12 * uy - side * 8 * ux) for side in (1, -1)]
        arrow = polyline([(0, 0), tip]) + polyline([barbs[0], tip, barbs[1]])
        yield Shape(
            id=f"move{place}",
            x=start[0],
            y=start[1],
            path=arrow,
            classes=f"stroke thick seat{move.seat}",
            layer=7,
            title=f"{'Captain' if move.figure == Pb.FIGURE_CAPTAIN else 'Crew'} to {place_name(move.target)}",
        )


def _salvo(position: Pb.Position, decks: tuple[Deck, Deck]) -> Iterator[Shape]:
    for place, fired in enumerate(last_shots(position)):
        seat = fired.shot.seat
        own, (end_x, end_y) = decks[seat], decks[1 - seat].struck(fired)
        x, y = own.x + 0.3 * (end_x - own.x), own.y + (own.half if seat == 1 else -own.half)
        flight = polyline([(0, 0), (end_x - x, end_y - y)])
        yield Shape(id=f"shot{place}", x=x, y=y, path=flight, classes=f"stroke thick seat{seat}", layer=7)
        yield draw_mark(f"shot{place}-end", fired, end_x, end_y)


def _turn(position: Pb.Position) -> Iterator[Shape]:
    """Draw each seat's figures, and the moves left of the turn under way as pips."""
    observation = position.observation
    boarding = observation.boarding
    y = LOWER + 1.5 * WIDE + 90
    for seat, (x, align) in enumerate(((4.0, ""), (BOARD_WIDTH - 4.0, "end"))):
        crew = observation.crews[seat]
        across = count_across(crew, seat)
        text = f"{SHIP_NAMES[seat]}: {crew.figures}" + (f", {across} across" if across else "")
        yield Shape(id=f"caption{seat}", x=x, y=y, text=text, classes=f"{align} muted".strip(), layer=3)
    if boarding.turn and boarding.moves_left:
        for pip in range(MOVES_PER_TURN):
            yield Shape(
                id=f"moves-{pip}",
                x=BOARD_WIDTH / 2 + 26 * (pip - 1),
                y=y - 7,
                path=circle(9),
                classes=f"{'fill' if pip < boarding.moves_left else 'lost'} seat{boarding.seat}",
                layer=3,
                title=f"{boarding.moves_left} moves left",
            )


def _rolls(position: Pb.Position) -> Iterator[Shape]:
    """Draw the last dice, a row for each roll: the seats' dice at the sides, what they were for between."""
    rows: list[tuple[dict[int, int], dict[int, int], str]] = []
    for event in position.events:
        match event.WhichOneof("event"):
            case "dice_opposed":
                rows.append((dict(enumerate(event.dice_opposed.dice)), {}, PURPOSES[event.dice_opposed.purpose]))
            case "shot_fired":
                shot = event.shot_fired
                effect = "a hit" if shot.effect in HITS else "no effect"
                rows.append(({shot.seat: shot.die}, {}, f"Shot at section {Section(shot.section - 1).name}: {effect}"))
            case "melee_fought":
                melee = event.melee_fought
                fallen = [f"{SHIP_NAMES[loss.seat]} loses one" for loss in melee.losses]
                result = "nobody falls" if not fallen else fallen[0] if len(fallen) == 1 else "both lose one"
                text = f"{Station(melee.place.station - 1).name}: {result}"
                rows.append((dict(enumerate(melee.dice)), dict(enumerate(melee.totals)), text))
    for place, (dice, totals, text) in enumerate(rows[-MOST_ROWS:]):
        y = ROWS_TOP + ROW_HEIGHT * place
        yield Shape(id=f"roll{place}", x=BOARD_WIDTH / 2, y=y + 7, text=text, classes="middle", layer=3)
        for seat, value in dice.items():
            x, inwards = (26.0, 1) if seat == 0 else (BOARD_WIDTH - 26.0, -1)
            yield die(f"roll{place}-die{seat}", seat, value, x, y, f"{SHIP_NAMES[seat]} rolls {value}")
            if seat in totals:
                yield Shape(
                    id=f"roll{place}-total{seat}",
                    x=x + 30 * inwards,
                    y=y + 7,
                    text=f"= {totals[seat]}" if totals[seat] == value else f"+{totals[seat] - value} = {totals[seat]}",
                    classes="" if seat == 0 else "end",
                    layer=3,
                )


PURPOSES = {
    Pb.ROLL_PURPOSE_FIRST_FIRE: "Who fires first",
    Pb.ROLL_PURPOSE_CURRENT: "Who holds against the current",
    Pb.ROLL_PURPOSE_FIRST_TURN: "Who takes the first turn",
}
