"""The end of a round: lost captains are replaced, caps are checked, and the current acts on ships that never meet.

Spec sections 6.6 and 6.8; rulings R22, R28, R41 and R42. A captain lost before boarding starts is replaced here too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import cache
from typing import ClassVar

from referee.games.broadsides.actions import ReplaceCaptain
from referee.games.broadsides.data import AHEAD, CHARTS, DRIFT_ORDER
from referee.games.broadsides.events import captain_replaced, ship_drifted
from referee.games.broadsides.rules.condition import end_by_condition
from referee.games.broadsides.rules.dice import roll_opposed
from referee.games.broadsides.state import State
from referee.games.broadsides.terms import Place, Point, Reason, RollPurpose, Station
from referee.rules.agenda import AgendaQuestion, Task, push
from referee.rules.engine import DUEL, Decision, Seat, other_seat
from referee.rules.parts import immutable, replace

REPLACE_OPTIONS = tuple(ReplaceCaptain(station) for station in Station)


@immutable(frozen=True, slots=True)
class EndRound(Task[State]):
    """The end of a round."""

    TAG: ClassVar[str] = "EndRound"

    def run(self, draft: State) -> None:
        """Take back the cards; then come captains and caps."""
        take_back_cards(draft)
        push(draft, ReplaceCaptains(), CheckCaps())


def take_back_cards(draft: State) -> None:
    """Cards that were never turned over go back to the hand unseen."""
    for seat in DUEL:
        ship = draft.ships[seat]
        if ship.turned < len(ship.cards):
            draft.set_ship(seat, replace(ship, cards=ship.cards[: ship.turned]))


@immutable(frozen=True, slots=True)
class ReplaceCaptains(AgendaQuestion[State, ReplaceCaptain]):
    """`REPLACE_CAPTAIN`, both seats at once if both lost theirs."""

    TAG: ClassVar[str] = "ReplaceCaptains"
    kind = "REPLACE_CAPTAIN"

    def is_moot(self, state: State) -> bool:
        """Check whether no captain has to be replaced."""
        first, second = state.crews
        return first.captain is not None and second.captain is not None

    def decision(self, state: State) -> Decision[ReplaceCaptain]:
        """Any station with own crew, for each seat without a captain."""
        return Decision(
            kind=self.kind,
            options={
                seat: tuple(option for option in REPLACE_OPTIONS if state.crews[seat].hands[seat][option.station])
                for seat in DUEL
                if state.crews[seat].captain is None
            },
        )

    def answer(self, draft: State, choices: Mapping[Seat, ReplaceCaptain]) -> None:
        """Make a crew member captain; outside a collision (R28) that costs the cards of the next round (R22)."""
        for seat, choice in choices.items():
            crew = draft.crews[seat].with_more(seat, choice.station, -1)
            draft.set_crew(seat, replace(crew, captain=Place(seat, choice.station)))
            draft.set_ship(seat, replace(draft.ships[seat], no_cards=draft.boarding is None))
            draft.events.append(captain_replaced(seat, choice.station))


@immutable(frozen=True, slots=True)
class CheckCaps(Task[State]):
    """What ends a game that lasts too long."""

    TAG: ClassVar[str] = "CheckCaps"

    def run(self, draft: State) -> None:
        """Count quiet rounds, end a game that has lasted long enough, and let the current act."""
        settings = draft.settings
        draft.quiet_rounds = 0 if draft.shot_fired else draft.quiet_rounds + 1
        if draft.round == settings.round_cap:
            end_by_condition(draft, Reason.ROUND_CAP)
        elif draft.quiet_rounds == settings.quiet_cap:
            end_by_condition(draft, Reason.QUIET_CAP)
        elif 0 < settings.drift_after <= draft.quiet_rounds:
            drift(draft)


def drift(draft: State) -> None:
    """Let the current carry the ship with the lower die towards the other, never onto it (R41)."""
    first, second = draft.ships
    if water_distances(draft.settings.map, first.point)[second.point] < 2:
        return
    seat = other_seat(roll_opposed(draft, RollPurpose.CURRENT))
    ship, enemy = draft.ships[seat], draft.ships[other_seat(seat)]
    distances, point = water_distances(draft.settings.map, enemy.point), ship.point
    for _ in range(draft.settings.drift_points):
        nearer = distances[point] - 1
        if not nearer:
            break
        steps = [AHEAD[(ship.facing + turn) % 8] for turn in DRIFT_ORDER]
        around = [(point[0] + dx, point[1] + dy) for dx, dy in steps]
        point = next(target for target in around if distances.get(target) == nearer)
        draft.events.append(ship_drifted(seat, point))
    draft.set_ship(seat, replace(ship, point=point))


@cache
def water_distances(map_id: str, start: Point) -> Mapping[Point, int]:
    """Return the steps from a water point to all others, over neighbouring water points. Ships are no obstacle."""
    chart = CHARTS[map_id]
    distances, frontier = {start: 0}, deque([start])
    while frontier:
        x, y = frontier.popleft()
        for dx, dy in AHEAD:
            point = (x + dx, y + dy)
            if point not in distances and chart.is_water(point):
                distances[point] = distances[x, y] + 1
                frontier.append(point)
    return distances
