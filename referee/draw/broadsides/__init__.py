"""Broadsides as a picture: the chart with two ships, their cards, dice and decks; after a collision the decks alone."""

from __future__ import annotations

from collections.abc import Iterator

from referee.draw.broadsides.boarding import PURPOSES, draw_boarding
from referee.draw.broadsides.chart import draw_chart
from referee.draw.broadsides.decks import Deck, draw_deck, draw_figures
from referee.draw.broadsides.pieces import CARD_HEIGHT, cannonballs, card, die, draw_mark
from referee.draw.broadsides.voyage import last_shots
from referee.draw.broadsides.words import caption, heading, headline, label, notes, scores
from referee.draw.scene import BOARD_WIDTH, Drawing, Scene, Shape, ViewedTable, draw_nameplate
from referee.games.broadsides.data import CARDS_PER_ROUND
from referee.games.broadsides.terms import Card, Section
from referee.text import plural
from tortuga.v1.broadsides_pb2 import Broadsides as Pb

HEIGHT = 856
COLUMNS = (32.0, BOARD_WIDTH - 32.0)
"""Left and right of the sea: the cards and dice of seat 0 and of seat 1."""
CARDS_TOP = 122.0
SHOTS_Y = 390.0
DICE_TOP, DICE_PITCH, MOST_DICE = 434.0, 42.0, 6
DECKS = (
    Deck(seat=0, x=180, y=768, long=38, wide=28, bow=1),
    Deck(seat=1, x=544, y=768, long=38, wide=28, bow=1),
)


def draw(table: ViewedTable) -> Scene:
    """Draw the table as a viewer may see it."""
    position: Pb.Position = table.position
    shapes: list[Shape] = []
    shapes += draw_nameplate(table.names, notes(position), headline(position))
    if position.observation.HasField("boarding"):
        shapes += draw_boarding(position)
    else:
        shapes += draw_chart(position, (table.names[0], table.names[1]))
        for seat in (0, 1):
            shapes += _cards(table, seat)
            shapes += _shots_left(position.observation, seat)
            shapes += _dice(position, seat)
        shapes += _decks(table)
    return Scene(width=BOARD_WIDTH, height=HEIGHT, label=label(position, table.names), shapes=tuple(shapes))


def _cards(table: ViewedTable, seat: int) -> Iterator[Shape]:
    """Draw the cards of the round in the order in which they are turned over; those face down show a face to their
    owner."""
    ship: Pb.Ship = table.position.observation.ships[seat]
    faces: list[Card | None] = [Card(face - 1) for face in ship.cards_turned]
    own = table.hands[seat].observation.own_cards if seat in table.hands else ()
    hidden: list[Card | None] = [Card(face - 1) for face in own] or [None] * ship.cards_face_down
    turned = len(faces)
    for place, face in enumerate([*faces, *hidden][:CARDS_PER_ROUND]):
        y = CARDS_TOP + place * (CARD_HEIGHT + 10)
        yield from card(f"card{seat}-{place}", COLUMNS[seat], y, face, is_down=place >= turned)
    if turned and not hidden and not table.position.observation.step:
        for line, word in enumerate(("last", "round")):
            y = CARDS_TOP + 3 * (CARD_HEIGHT + 10) - 18 + 22 * line
            yield Shape(id=f"last{seat}-{line}", x=COLUMNS[seat], y=y, text=word, classes="middle muted", layer=3)


def _shots_left(observation: Pb.Observation, seat: int) -> Iterator[Shape]:
    """Draw the cannons still to be fired in the exchange under way."""
    gunfire = observation.gunfire
    left = gunfire.shots_left if gunfire.seat == seat else gunfire.reply_shots
    if observation.HasField("gunfire") and left:
        yield Shape(
            id=f"shots{seat}",
            x=COLUMNS[seat],
            y=SHOTS_Y,
            path=cannonballs(left),
            classes="ink",
            layer=3,
            title=f"{plural(left, 'shot')} left",
        )


def _dice(position: Pb.Position, seat: int) -> Iterator[Shape]:
    """Draw what the seat rolled since the last decision."""
    rolled: list[tuple[int, str]] = []
    for event in position.events:
        match event.WhichOneof("event"):
            case "dice_opposed":
                rolled.append((event.dice_opposed.dice[seat], PURPOSES[event.dice_opposed.purpose]))
            case "shot_fired":
                if event.shot_fired.seat == seat:
                    section = Section(event.shot_fired.section - 1).name
                    rolled.append((event.shot_fired.die, f"A shot at section {section}"))
    for place, (value, title) in enumerate(rolled[-MOST_DICE:]):
        yield die(f"die{seat}-{place}", seat, value, COLUMNS[seat], DICE_TOP + DICE_PITCH * place, title)


def _decks(table: ViewedTable) -> Iterator[Shape]:
    position: Pb.Position = table.position
    observation = position.observation
    for deck in DECKS:
        yield from draw_deck(deck, observation.ships[deck.seat])
        yield Shape(
            id=f"caption{deck.seat}",
            x=deck.x,
            y=HEIGHT - 8,
            text=caption(observation, deck.seat),
            classes="middle muted",
            layer=3,
        )
    yield from draw_figures(DECKS, (_crew(table, 0), _crew(table, 1)))
    for place, fired in enumerate(last_shots(position)):
        yield draw_mark(f"mark{place}", fired, *DECKS[1 - fired.shot.seat].struck(fired))


def _crew(table: ViewedTable, seat: int) -> Pb.Crew | None:
    """Return the figures of a seat. During setup only their owner knows where it has placed them."""
    observation: Pb.Observation = table.position.observation
    if observation.phase != Pb.PHASE_SETUP:
        return observation.crews[seat]
    if seat not in table.hands:
        return None
    crew: Pb.Crew = table.hands[seat].observation.crews[seat]
    return crew


DRAWING = Drawing(
    draw=draw,
    heading=heading,
    turn_events=frozenset({"round_started", "boarding_turn_started"}),
    hit_events=frozenset(
        {"hull_marked", "mast_hit", "cannon_lost", "captain_hit", "ships_collided", "melee_fought", "surrendered"}
    ),
    score_title="Strength left (%)",
    scores=scores,
)
