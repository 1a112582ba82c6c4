"""The position in words: its place in the game, a sentence about it, and who is ahead."""

from __future__ import annotations

from collections.abc import Sequence

from referee.draw.pavillon_noir.ships import is_manned
from referee.draw.pavillon_noir.shots import zone_name
from referee.draw.scene import one_line
from referee.games.pavillon_noir.data import PLANKS, PLANKS_TO_SINK, REPUTATIONS
from referee.games.pavillon_noir.terms import Gun, Reputation, Zone
from referee.text import plural
from tortuga.v1.pavillon_noir_pb2 import PavillonNoir as Pb

PHASES = {
    Pb.PHASE_ACTIONS: "actions",
    Pb.PHASE_FIRE: "fire",
    Pb.PHASE_DRAW: "cards are drawn",
}
REASONS = {
    Pb.END_REASON_SINK: "ten planks shot away",
    Pb.END_REASON_OFFICERS: "captain and mate lost",
    Pb.END_REASON_CAP_WIN: "the last round is over",
    Pb.END_REASON_CAP_DRAW: "the last round is over",
}


def ending_of(position: Pb.Position) -> Pb.Event.GameEnded | None:
    """Return how the game ended, if it just did."""
    if position.events and position.events[-1].WhichOneof("event") == "game_ended":
        return position.events[-1].game_ended
    return None


def heading(position: Pb.Position) -> str:
    """Return where in the game a position is."""
    observation = position.observation
    if (ended := ending_of(position)) is not None:
        return "The end, a draw" if not ended.HasField("winner") else f"The end, seat {ended.winner} wins"
    if observation.phase == Pb.PHASE_SETUP:
        return "Setup"
    return f"Round {observation.round}, turn {observation.turn}: {PHASES[observation.phase]}"


def headline(position: Pb.Position) -> str:
    """Return what stands above the picture: the place in the game, or why it ended."""
    observation, ended = position.observation, ending_of(position)
    if ended is not None:
        return REASONS[ended.reason].capitalize()
    if observation.phase == Pb.PHASE_ACTIONS:
        return f"Turn {observation.turn}: {plural(observation.actions_left, 'action')} left"
    return heading(position)


def notes(position: Pb.Position) -> tuple[str, str]:
    """Return what stands below each name: its reputation, or that it won."""
    ended = ending_of(position)
    if ended is not None and ended.HasField("winner"):
        return ("wins", "") if ended.winner == 0 else ("", "wins")
    left, right = (
        REPUTATIONS[Reputation(duelist.reputation)].title if duelist.reputation else ""
        for duelist in position.observation.duelists
    )
    return left, right


def caption(ship: Pb.Ship) -> str:
    """Return how near to sinking a ship is."""
    if ship.planks_missing >= PLANKS_TO_SINK:
        return f"Sunk: {ship.planks_missing} planks lost"
    return f"{ship.planks_missing} of {PLANKS_TO_SINK} planks lost"


def label(position: Pb.Position, names: Sequence[str]) -> str:
    """Describe the picture in one sentence."""
    observation = position.observation
    ended, start = ending_of(position), heading(position)
    if ended is not None:
        who = f"{one_line(names[ended.winner])} wins" if ended.HasField("winner") else "a draw"
        start = f"The end, {who}: {REASONS[ended.reason]}"
    elif observation.HasField("active_seat"):
        start = f"{start} of {one_line(names[observation.active_seat])}"
    ships = "; ".join(_ship_words(observation, seat, one_line(names[seat])) for seat in (0, 1))
    return f"{start}; {ships}."


def _ship_words(observation: Pb.Observation, seat: int, name: str) -> str:
    duelist = observation.duelists[seat]
    ship = duelist.ship
    officers = [word for word, deck in (("captain", ship.captain), ("mate", ship.mate)) if deck]
    crew = sum(ship.sailors) + len(officers)
    state = f"{plural(sum(ship.planks), 'plank')}, {plural(sum(ship.sails), 'sail')}"
    if is_manned(observation, seat):
        state += f", {crew} crew"
    if observation.phase != Pb.PHASE_SETUP and len(officers) < 2:
        state += f" with {officers[0] if officers else 'neither captain nor mate'}" + (" alone" if officers else "")
    aim = ""
    if duelist.active_gun and duelist.target_zone:
        gun, zone = Gun(duelist.active_gun - 1).name.lower(), zone_name(Zone(duelist.target_zone - 1))
        aim = f", its {gun} gun laid on {zone}"
    return f"{name} has {state}{aim}"


def scores(position: Pb.Position) -> tuple[float, ...]:
    """Planks left; 0 for a ship that is lost."""
    return tuple(_planks_left(position.observation, seat) for seat in (0, 1))


def _planks_left(observation: Pb.Observation, seat: int) -> float:
    ship = observation.duelists[seat].ship
    headless = observation.phase != Pb.PHASE_SETUP and not ship.captain and not ship.mate
    return 0.0 if headless else float(PLANKS - ship.planks_missing)
