"""The position in words: its place in the game, a sentence about it, how the two ships stand."""

from __future__ import annotations

from collections.abc import Sequence

from referee.draw.scene import one_line
from referee.games.broadsides.data import SECTIONS_TO_SINK, SHIP_NAMES
from referee.games.broadsides.terms import Station
from referee.text import plural
from tortuga.v1.broadsides_pb2 import Broadsides as Pb

DIRECTIONS = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")

REASONS = {
    Pb.REASON_SUNK: "the enemy is sunk",
    Pb.REASON_ELIMINATED: "nobody is left aboard the enemy",
    Pb.REASON_SURRENDER: "the enemy surrenders",
    Pb.REASON_CAPTAIN_SLAIN: "the enemy's captain is slain",
    Pb.REASON_MUTUAL_LOSS: "both ships are lost",
    Pb.REASON_MUTUAL_SURRENDER: "both surrender",
    Pb.REASON_DEADLOCK: "neither ship can do anything",
    Pb.REASON_ROUND_CAP: "the last round is over",
    Pb.REASON_QUIET_CAP: "too long without a shot",
    Pb.REASON_BOARD_CAP: "the last boarding turn is over",
    Pb.REASON_BOARD_QUIET: "too long without a melee",
}

HEADLINES = {
    Pb.REASON_SUNK: "Sunk",
    Pb.REASON_ELIMINATED: "All hands lost",
    Pb.REASON_SURRENDER: "Surrender",
    Pb.REASON_CAPTAIN_SLAIN: "Captain slain",
    Pb.REASON_MUTUAL_LOSS: "Both ships lost",
    Pb.REASON_MUTUAL_SURRENDER: "Both surrender",
    Pb.REASON_DEADLOCK: "Deadlock",
    Pb.REASON_ROUND_CAP: "Last round over",
    Pb.REASON_QUIET_CAP: "No more shots",
    Pb.REASON_BOARD_CAP: "Last turn over",
    Pb.REASON_BOARD_QUIET: "No more fights",
}

MOST_FIGURES, MOST_CANNONS, MOST_MAST_HITS, MOST_MARKERS = 23, 10, 5, 6


def heading(position: Pb.Position) -> str:
    """Say where in the game a position is."""
    observation = position.observation
    if (ended := ending_of(position)) is not None:
        return "The end, a draw" if not ended.HasField("winner") else f"The end, {SHIP_NAMES[ended.winner]} wins"
    if observation.phase == Pb.PHASE_SETUP:
        return "Setup: figures are placed"
    if observation.phase == Pb.PHASE_BOARDING:
        turn = observation.boarding.turn
        return f"Boarding, turn {turn}" if turn else "Collision: the last salvo"
    if not observation.step:
        return f"Round {observation.round}: cards are laid"
    return f"Round {observation.round}, card {observation.step}"


def ending_of(position: Pb.Position) -> Pb.GameEnded | None:
    """Return how the game ended, if it just did."""
    if position.events and position.events[-1].WhichOneof("event") == "game_ended":
        return position.events[-1].game_ended
    return None


def headline(position: Pb.Position) -> str:
    """Say above the picture where in the game it is, or why it ended."""
    ended = ending_of(position)
    return heading(position) if ended is None else HEADLINES[ended.reason]


def notes(position: Pb.Position) -> tuple[str, str]:
    """Say below each bot's name which ship it has, and whether it won."""
    ended = ending_of(position)
    winner = ended.winner if ended is not None and ended.HasField("winner") else None
    first, second = (f"{ship} wins" if seat == winner else ship for seat, ship in enumerate(SHIP_NAMES))
    return first, second


def label(position: Pb.Position, names: Sequence[str]) -> str:
    """Describe the picture in one sentence."""
    observation = position.observation
    ended = ending_of(position)
    start = heading(position)
    if ended is not None:
        who = f"{one_line(names[ended.winner])} wins" if ended.HasField("winner") else "a draw"
        start = f"The end, {who}: {REASONS[ended.reason]}"
    ships = "; ".join(_ship_words(observation, seat, one_line(names[seat])) for seat in (0, 1))
    separator = "; " if ended is not None else ": "
    return f"{start}{separator}{ships}."


def _ship_words(observation: Pb.Observation, seat: int, name: str) -> str:
    ship, crew = observation.ships[seat], observation.crews[seat]
    if observation.phase == Pb.PHASE_SETUP:
        return f"{name} ({SHIP_NAMES[seat]}) makes ready at ({ship.point.x},{ship.point.y})"
    aboard = f"{plural(crew.figures, 'figure')} left"
    if observation.phase == Pb.PHASE_BOARDING:
        across = count_across(crew, seat)
        there = f", {across} of them on the enemy's deck" if across else ""
        captain = "no captain" if not crew.HasField("captain") else f"its captain on {place_name(crew.captain)}"
        return f"{name} ({SHIP_NAMES[seat]}) has {aboard}{there}, {captain}"
    where = f"heads {DIRECTIONS[ship.facing - 1]} at ({ship.point.x},{ship.point.y})"
    lost = sum(not hits for hits in ship.mast_hits_left)
    masts = f", {plural(lost, 'mast')} down" if lost else ""
    aground = ", aground" if ship.aground else ""
    captain = "" if crew.HasField("captain") else ", no captain"
    guns = plural(len(ship.cannons), "cannon")
    return f"{name} ({SHIP_NAMES[seat]}) {where}{aground} with {guns}, {aboard}{captain}{masts}"


def count_across(crew: Pb.Crew, seat: int) -> int:
    """Count the figures of a seat that stand on the other ship."""
    across = sum(stack.crew for stack in crew.stacks if stack.place.ship != seat)
    return across + (crew.HasField("captain") and crew.captain.ship != seat)


def place_name(place: Pb.Place) -> str:
    """Name a station and its ship, e.g. `C4 of Seahawk`."""
    return f"{Station(place.station - 1).name} of {SHIP_NAMES[place.ship]}"


def caption(observation: Pb.Observation, seat: int) -> str:
    """Describe a ship's state in a few words: what is wrong with it first."""
    ship, crew = observation.ships[seat], observation.crews[seat]
    setting_up = observation.phase == Pb.PHASE_SETUP
    troubles = [
        word
        for word, is_so in (
            ("sunk", _worst_markers(ship) == MOST_MARKERS),
            ("aground", ship.aground),
            ("no captain", not setting_up and not crew.HasField("captain")),
            ("no cards", ship.no_cards),
            ("cannot move", ship.damage_cards >= 3),
        )
        if is_so
    ]
    aboard = "" if setting_up else f"{crew.figures} aboard"
    return ", ".join([word for word in (aboard, plural(len(ship.cannons), "gun"), *troubles[:1]) if word])


def scores(position: Pb.Position) -> tuple[float, ...]:
    """Return the strength left in per cent: the mean of hull, masts, cannons and figures. 0 for a ship that is lost."""
    return tuple(_strength(position.observation, seat) for seat in (0, 1))


def _worst_markers(ship: Pb.Ship) -> int:
    """Count the markers on the hull sections that are nearest to sinking the ship."""
    return sum(sorted(ship.hull_markers)[-SECTIONS_TO_SINK:])


def _strength(observation: Pb.Observation, seat: int) -> float:
    ship, crew = observation.ships[seat], observation.crews[seat]
    if observation.phase == Pb.PHASE_SETUP:
        return 100.0
    slain = observation.phase == Pb.PHASE_BOARDING and observation.boarding.turn and not crew.HasField("captain")
    worst = _worst_markers(ship)
    if slain or not crew.figures or worst == MOST_MARKERS:
        return 0.0
    shares = (
        1 - worst / MOST_MARKERS,
        sum(ship.mast_hits_left) / MOST_MAST_HITS,
        len(ship.cannons) / MOST_CANNONS,
        crew.figures / MOST_FIGURES,
    )
    return round(25 * sum(shares), 1)
