"""Boarding (*l'abordage*): turns of three moves, and melees (*corps-à-corps*) on contested stations.

Spec sections 6.9 (step 6), 6.10 and 6.11; rulings R29, R30 and R33 to R39.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import ClassVar, TypeAlias

from referee.games.broadsides.actions import BoardMove
from referee.games.broadsides.data import FIGURES_PER_STATION, NEIGHBOURS
from referee.games.broadsides.events import boarding_turn_started, figure_moved, melee_fought, moves_lost
from referee.games.broadsides.rules.condition import end, end_by_figures
from referee.games.broadsides.rules.contact import crossing_partners
from referee.games.broadsides.rules.dice import roll, roll_opposed
from referee.games.broadsides.state import Boarding, State
from referee.games.broadsides.terms import Figure, Place, Reason, RollPurpose, Side, Station
from referee.rules.agenda import SeatQuestion, Task, push
from referee.rules.engine import DUEL, Seat, other_seat
from referee.rules.parts import immutable, replace

MOVES_PER_TURN = 3

Path: TypeAlias = tuple[int, Station, BoardMove]
"""Where a move leads, and the move: the target stands apart because the legal list is built at every move."""


@immutable(frozen=True, slots=True)
class StartBoarding(Task[State]):
    """The first Boarding turn, once all captains stand."""

    TAG: ClassVar[str] = "StartBoarding"

    def run(self, draft: State) -> None:
        """Dice decide who takes it."""
        first = roll_opposed(draft, RollPurpose.FIRST_TURN)
        draft.boarding = replace(_boarding(draft), seat=first)
        push(draft, StartTurn())


@immutable(frozen=True, slots=True)
class StartTurn(Task[State]):
    """A Boarding turn: three moves, then melees."""

    TAG: ClassVar[str] = "StartTurn"

    def run(self, draft: State) -> None:
        """Three moves for the seat whose turn it is."""
        before = _boarding(draft)
        boarding = draft.boarding = replace(before, turn=before.turn + 1, moves_left=MOVES_PER_TURN)
        draft.events.append(boarding_turn_started(boarding.seat, boarding.turn))
        push(draft, FightMelees())
        ask_move(draft, MoveFigure(boarding.seat))


def ask_move(draft: State, question: MoveFigure) -> None:
    """Moves are obligatory while a legal one exists (R30); otherwise the rest of the three is lost."""
    boarding = _boarding(draft)
    if not boarding.moves_left:
        return
    if next(legal_moves(draft), None) is None:
        draft.events.append(moves_lost(boarding.seat, boarding.moves_left))
        draft.boarding = replace(boarding, moves_left=0)
    else:
        push(draft, question)


@immutable(frozen=True, slots=True)
class MoveFigure(SeatQuestion[State, BoardMove]):
    """`BOARD_MOVE`: one figure, one station."""

    TAG: ClassVar[str] = "MoveFigure"
    kind = "BOARD_MOVE"

    def options(self, state: State) -> Iterator[BoardMove]:
        """Yield all legal moves."""
        return legal_moves(state)

    def choose(self, draft: State, action: BoardMove) -> None:
        """Move one figure one station; meeting an enemy there makes the station contested."""
        boarding, crew = _boarding(draft), draft.crews[self.seat]
        origin, target = action.origin, action.target
        if action.figure is Figure.CAPTAIN:
            draft.set_crew(self.seat, replace(crew, captain=target))
        else:
            crew = crew.with_more(origin.ship, origin.station, -1)
            draft.set_crew(self.seat, crew.with_more(target.ship, target.station, 1))
        meets = draft.crews[other_seat(self.seat)].figures_on(target.ship, target.station) > 0
        draft.events.append(figure_moved(self.seat, action.figure, origin, target, meets))
        contested = boarding.contested
        if meets and target not in contested:
            contested += (target,)
        draft.boarding = replace(boarding, moves_left=boarding.moves_left - 1, contested=contested)
        ask_move(draft, self)


def legal_moves(state: State) -> Iterator[BoardMove]:
    """Crew moves, then captain moves; by origin, then by target: the same ship, then across (5.2, 6.10).

    Nobody leaves a contested station (R34). The limit of a station counts own figures only (R33).
    """
    boarding = _boarding(state)
    crew, enemy = state.crews[boarding.seat], state.crews[other_seat(boarding.seat)]
    own, foes = crew.figures_by_station(), enemy.figures_by_station()
    paths = moves_over(boarding.sides, boarding.bows_opposite)
    crew_paths = paths[Figure.CREW]
    for ship in DUEL:
        for station, count in enumerate(crew.hands[ship]):
            if count and not foes[ship][station]:
                for to_ship, to_station, move in crew_paths[ship][station]:
                    if own[to_ship][to_station] < FIGURES_PER_STATION:
                        yield move
    captain = crew.captain
    if captain is not None and not foes[captain.ship][captain.station]:
        for to_ship, to_station, move in paths[Figure.CAPTAIN][captain.ship][captain.station]:
            if own[to_ship][to_station] < FIGURES_PER_STATION:
                yield move


@cache
def moves_over(sides: tuple[Side, Side], bows_opposite: bool) -> dict[Figure, list[list[list[Path]]]]:
    """Return all moves on empty decks, by figure, ship and station of origin, each in the order of the legal list."""
    return {
        figure: [[_paths(sides, bows_opposite, figure, Place(ship, station)) for station in Station] for ship in DUEL]
        for figure in Figure
    }


def _paths(sides: tuple[Side, Side], bows_opposite: bool, figure: Figure, origin: Place) -> list[Path]:
    targets = [Place(origin.ship, neighbour) for neighbour in NEIGHBOURS[origin.station]]
    across = crossing_partners(sides, bows_opposite)[origin.ship].get(origin.station)
    if across is not None:
        targets.append(Place(1 - origin.ship, across))
    return [(target.ship, target.station, BoardMove(figure, origin, target)) for target in targets]


@immutable(frozen=True, slots=True)
class FightMelees(Task[State]):
    """The melees at the end of a turn."""

    TAG: ClassVar[str] = "FightMelees"

    def run(self, draft: State) -> None:
        """Fight over every contested station in order (R35); then caps, then the other seat's turn."""
        before = _boarding(draft)
        boarding = draft.boarding = replace(before, quiet_turns=0 if before.contested else before.quiet_turns + 1)
        for place in before.contested:
            boarding = draft.boarding = replace(boarding, contested=boarding.contested[1:])
            fight(draft, place)
            for seat in DUEL:
                if draft.crews[seat].captain is None:
                    end(draft, other_seat(seat), Reason.CAPTAIN_SLAIN)
                    return
        if boarding.turn == draft.settings.board_turn_cap:
            end_by_figures(draft, Reason.BOARD_CAP)
        elif boarding.quiet_turns == draft.settings.board_quiet_cap:
            end_by_figures(draft, Reason.BOARD_QUIET)
        else:
            draft.boarding = replace(boarding, seat=other_seat(boarding.seat))
            push(draft, StartTurn())


def fight(draft: State, place: Place) -> None:
    """Fight a melee to the end: dice plus bonuses, the lower total loses a figure, equal totals one each (6.11)."""
    mover = _boarding(draft).seat
    ties = 0
    while all(crew.figures_on(place.ship, place.station) for crew in draft.crews):
        rolled = {seat: roll(draft, "melee", seat) for seat in (mover, other_seat(mover))}
        dice = (rolled[DUEL[0]], rolled[DUEL[1]])
        totals = (dice[0] + bonus(draft, DUEL[0], place), dice[1] + bonus(draft, DUEL[1], place))
        losers = [seat for seat in DUEL if totals[seat] <= totals[other_seat(seat)]]
        if len(losers) == len(DUEL) and _is_duel(draft, place):
            ties += 1
            losers = [other_seat(mover)] if ties == draft.settings.reroll_cap else []
        losses = tuple([(seat, lose_figure(draft, seat, place)) for seat in losers])
        draft.events.append(melee_fought(place, dice, totals, losses))


def bonus(state: State, seat: Seat, place: Place) -> int:
    """Count one for each figure more than the enemy has, the captain counted as one (R36), and one for the captain."""
    own, enemy = state.crews[seat], state.crews[other_seat(seat)]
    surplus = own.figures_on(place.ship, place.station) - enemy.figures_on(place.ship, place.station)
    return max(0, surplus) + own.has_captain_on(place.ship, place.station)


def _is_duel(state: State, place: Place) -> bool:
    """Captain alone against captain alone: a tie kills nobody (R38)."""
    return all(
        crew.has_captain_on(place.ship, place.station) and not crew.hands[place.ship][place.station]
        for crew in state.crews
    )


def lose_figure(draft: State, seat: Seat, place: Place) -> Figure:
    """Remove a figure of a side: crew first; the captain falls only when he is alone there (R37)."""
    crew = draft.crews[seat]
    if crew.hands[place.ship][place.station]:
        draft.set_crew(seat, crew.with_more(place.ship, place.station, -1))
        return Figure.CREW
    draft.set_crew(seat, replace(crew, captain=None))
    return Figure.CAPTAIN


def _boarding(state: State) -> Boarding:
    assert state.boarding is not None
    return state.boarding
