"""Pavillon Noir as a picture: two ships in profile, bow to bow, and below each its target cards, aim cards and hand."""

from __future__ import annotations

from collections.abc import Iterator

from referee.draw.pavillon_noir.cards import draw_cards, draw_foot
from referee.draw.pavillon_noir.ships import PROFILES, draw_sea, draw_ship
from referee.draw.pavillon_noir.shots import draw_losses, draw_reticles, draw_shots
from referee.draw.pavillon_noir.words import caption, ending_of, heading, headline, label, notes, scores
from referee.draw.scene import BOARD_WIDTH, Drawing, Scene, Shape, ViewedTable, draw_nameplate, text_width
from tortuga.v1.pavillon_noir_pb2 import PavillonNoir as Pb

HEIGHT = 904


def draw(table: ViewedTable) -> Scene:
    """Draw the table as a viewer may see it."""
    position: Pb.Position = table.position
    observation = position.observation
    shapes = [*draw_nameplate(table.names, notes(position), headline(position)), *_turn(position), *draw_sea()]
    for profile in PROFILES:
        shapes += draw_ship(profile, observation)
        shapes.append(
            Shape(
                id=f"caption{profile.seat}",
                x=profile.x(0),
                y=463,
                text=caption(observation.duelists[profile.seat].ship),
                classes="middle",
                layer=6,
            )
        )
    shapes += draw_reticles(observation)
    shapes += draw_shots(position)
    shapes += draw_losses(position)
    for seat in (0, 1):
        shapes += draw_cards(table, seat)
    shapes += draw_foot(observation)
    return Scene(width=BOARD_WIDTH, height=HEIGHT, label=label(position, table.names), shapes=tuple(shapes))


def _turn(position: Pb.Position) -> Iterator[Shape]:
    """Draw an arrow beside the headline: whose turn it is."""
    observation = position.observation
    if observation.HasField("active_seat") and ending_of(position) is None:
        seat = observation.active_seat
        side = -1 if seat == 0 else 1
        x = BOARD_WIDTH / 2 + side * (text_width(headline(position)) / 2 + 14)
        yield Shape(id="turn", x=x, y=53, path=f"M{6 * side} 0L{-6 * side} 9V-9z", classes=f"fill seat{seat}", layer=1)


DRAWING = Drawing(
    draw=draw,
    heading=heading,
    turn_events=frozenset({"turn_began"}),
    hit_events=frozenset({"markers_removed", "disaster_flipped", "broadside_fired"}),
    score_title="Planks left",
    scores=scores,
)
