"""The end of a round: lost captains are replaced, caps are checked, and the current acts on ships that never meet.

Spec sections 6.6 and 6.8; rulings R22, R28, R41 and R42. A captain lost before boarding starts is replaced here too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import cache

from referee.engine import Decision, Seat
from referee.games.broadsides.actions import Action, Place, ReplaceCaptain
from referee.games.broadsides.data import CHARTS, DIRECTIONS, DRIFT_ORDER, Point, Station
from referee.games.broadsides.events import CaptainReplaced, Event, Reason, RollPurpose, ShipDrifted
from referee.games.broadsides.rules.condition import end_by_condition, every_captain_stands
from referee.games.broadsides.rules.dice import roll_opposed
from referee.games.broadsides.state import SEATS, Phase, State, other

REPLACE_OPTIONS = tuple(ReplaceCaptain(station) for station in Station)


def end_round(draft: State, told: list[Event]) -> Phase:
    """Cards that were never turned over go back to the hand unseen; then lost captains are replaced."""
    for ship in draft.ships:
        ship.cards = ship.cards[: ship.turned]
    return Phase.CAPS if every_captain_stands(draft) else Phase.REPLACE_CAPTAIN


def ask_replacement(state: State) -> Decision[Action]:
    """REPLACE_CAPTAIN: any station with own crew, for each seat without a captain."""
    return Decision(
        kind="REPLACE_CAPTAIN",
        options={
            seat: tuple(option for option in REPLACE_OPTIONS if state.crews[seat].hands[seat][option.station])
            for seat in SEATS
            if state.crews[seat].captain is None
        },
    )


def replace_captains(draft: State, choices: Mapping[Seat, Action], told: list[Event]) -> Phase:
    """A crew member becomes captain; outside a collision (R28) that costs the cards of the next round (R22)."""
    for seat, choice in choices.items():
        assert isinstance(choice, ReplaceCaptain)
        crew = draft.crews[seat]
        crew.hands[seat][choice.station] -= 1
        crew.captain = Place(seat, choice.station)
        draft.ships[seat].no_cards = draft.boarding is None
        told.append(CaptainReplaced(seat, choice.station))
    return Phase.CAPS if draft.boarding is None else Phase.BOARD_START


def check_caps(draft: State, told: list[Event]) -> Phase:
    """Count quiet rounds, end a game that has lasted long enough, and let the current act."""
    settings = draft.settings
    draft.quiet_rounds = 0 if draft.shot_fired else draft.quiet_rounds + 1
    if draft.round == settings.round_cap:
        return end_by_condition(draft, Reason.ROUND_CAP, told)
    if draft.quiet_rounds == settings.quiet_cap:
        return end_by_condition(draft, Reason.QUIET_CAP, told)
    if 0 < settings.drift_after <= draft.quiet_rounds:
        drift(draft, told)
    return Phase.ROUND_START


def drift(draft: State, told: list[Event]) -> None:
    """The current: the ship with the lower die is carried towards the other, never onto it (R41)."""
    if _distance(draft, SEATS[0], draft.ships[0].point) < 2:
        return
    seat = other(roll_opposed(draft, RollPurpose.CURRENT, told))
    ship = draft.ships[seat]
    for _ in range(draft.settings.drift_points):
        distance = _distance(draft, seat, ship.point)
        if distance < 2:
            return
        steps = (DIRECTIONS[(ship.facing + turn) % 8] for turn in DRIFT_ORDER)
        around = ((ship.point[0] + dx, ship.point[1] + dy) for dx, dy in steps)
        ship.point = next(point for point in around if _distance(draft, seat, point) == distance - 1)
        told.append(ShipDrifted(seat, ship.point))


def _distance(state: State, seat: Seat, point: Point) -> int:
    """From that point to the enemy of that seat, over water; -1 if it is no water."""
    return water_distances(state.settings.map, state.ships[other(seat)].point).get(point, -1)


@cache
def water_distances(map_id: str, start: Point) -> Mapping[Point, int]:
    """From a water point to all others, in steps to neighbouring water points. Ships are no obstacle."""
    chart = CHARTS[map_id]
    distances, frontier = {start: 0}, deque([start])
    while frontier:
        x, y = frontier.popleft()
        for dx, dy in DIRECTIONS:
            point = (x + dx, y + dy)
            if point not in distances and chart.is_water(point):
                distances[point] = distances[x, y] + 1
                frontier.append(point)
    return distances
