"""Setup: ships on their starting points, then captain and extra crew placed in secret. Spec section 4, ruling R24."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import ClassVar

from referee.games.broadsides.actions import PlaceCaptain, PlaceCrew
from referee.games.broadsides.data import (
    CANNONS,
    CHARTS,
    CREW_PER_CANNON,
    EXTRA_CREW,
    FIGURES_PER_STATION,
    MAST_HITS,
    Chart,
)
from referee.games.broadsides.events import figure_placed, setup_revealed
from referee.games.broadsides.rules.sailing import StartRound
from referee.games.broadsides.state import Crew, Settings, Ship, State
from referee.games.broadsides.terms import Figure, HullSection, Place, Station
from referee.rules.agenda import AgendaQuestion, Task, push
from referee.rules.chance import Chance
from referee.rules.engine import DUEL, Decision, Seat, Variant
from referee.rules.parts import Row, immutable, put, replace

CAPTAIN_OPTIONS = Row(map(PlaceCaptain, Station))
CREW_OPTIONS = tuple(PlaceCrew(station) for station in Station)

DEFAULT_CAPTAIN = Station.H4
DEFAULT_CREW = (Station.A4, Station.H3)


def new_ship(chart: Chart, seat: Seat) -> Ship:
    """Return an undamaged ship at its start."""
    return Ship(
        point=chart.starts[seat],
        facing=chart.facings[seat],
        cannons=CANNONS,
        masts=MAST_HITS,
        hull=(0,) * len(HullSection),
    )


@cache
def new_crew(seat: Seat) -> Crew:
    """Return the twenty crew members at the cannons; captain and extra crew are not placed yet."""
    nobody = (0,) * len(Station)
    gunners = tuple(CREW_PER_CANNON if station in CANNONS else 0 for station in Station)
    return Crew(hands=put((nobody, nobody), seat, gunners))


@immutable(frozen=True, slots=True)
class PlaceCaptains(AgendaQuestion[State, PlaceCaptain]):
    """`SETUP_CAPTAIN`, both seats at once and in secret."""

    TAG: ClassVar[str] = "PlaceCaptains"
    kind = "SETUP_CAPTAIN"

    def decision(self, state: State) -> Decision[PlaceCaptain]:
        """Any station."""
        return Decision(
            kind=self.kind,
            options=dict.fromkeys(DUEL, CAPTAIN_OPTIONS),
            defaults=dict.fromkeys(DUEL, DEFAULT_CAPTAIN),
        )

    def answer(self, draft: State, choices: Mapping[Seat, PlaceCaptain]) -> None:
        """Both captains stand."""
        for seat in DUEL:
            place(draft, seat, Figure.CAPTAIN, choices[seat].station)


@immutable(frozen=True, slots=True)
class PlaceExtraCrew(AgendaQuestion[State, PlaceCrew]):
    """`SETUP_CREW`: one crew member, both seats at once and in secret."""

    TAG: ClassVar[str] = "PlaceExtraCrew"
    kind = "SETUP_CREW"

    def decision(self, state: State) -> Decision[PlaceCrew]:
        """Any station with fewer than three own figures."""
        default = DEFAULT_CREW[len(state.placements[0]) - 1]
        free = {seat: free_stations(state.crews[seat], seat) for seat in DUEL}
        return Decision(
            kind=self.kind,
            options={seat: tuple(CREW_OPTIONS[station] for station in free[seat]) for seat in DUEL},
            defaults={seat: free[seat].index(default) for seat in DUEL if default in free[seat]},
        )

    def answer(self, draft: State, choices: Mapping[Seat, PlaceCrew]) -> None:
        """Both crew members stand."""
        for seat in DUEL:
            place(draft, seat, Figure.CREW, choices[seat].station)


@immutable(frozen=True, slots=True)
class RevealSetup(Task[State]):
    """The end of setup."""

    TAG: ClassVar[str] = "RevealSetup"

    def run(self, draft: State) -> None:
        """After the captain and the extra crew everything is shown."""
        for seat in DUEL:
            captain, *crew = draft.placements[seat]
            draft.events.append(setup_revealed(seat, captain, tuple(crew)))
        draft.placements = ((), ())


def free_stations(crew: Crew, seat: Seat) -> list[Station]:
    """Return where one more figure of that seat can stand on its ship."""
    figures = crew.figures_by_station()[seat]
    return [station for station, count in zip(Station, figures, strict=True) if count < FIGURES_PER_STATION]


def place(draft: State, seat: Seat, figure: Figure, station: Station) -> None:
    """Put down a seat's next figure, in secret."""
    put_down(draft, seat, station)
    draft.events.append(figure_placed(seat, figure, station))


def put_down(draft: State, seat: Seat, station: Station) -> None:
    """Put down a seat's next figure: first the captain, then extra crew."""
    crew, placed = draft.crews[seat], draft.placements[seat]
    if placed:
        draft.set_crew(seat, crew.with_more(seat, station, 1))
    else:
        draft.set_crew(seat, replace(crew, captain=Place(seat, station)))
    draft.placements = put(draft.placements, seat, (*placed, station))


def new(seats: int, variant: Variant, chance: Chance) -> State:
    """Return the table before the first decision. No dice are used in setup."""
    settings = Settings(**variant)  # type: ignore[arg-type]  # GameInfo has checked names and types
    chart = CHARTS[settings.map]
    state = State(
        settings=settings,
        chance=chance,
        pending=(),
        ships=tuple(new_ship(chart, seat) for seat in DUEL),
        crews=tuple(new_crew(seat) for seat in DUEL),
        placements=((), ()),
    )
    push(state, PlaceCaptains(), *[PlaceExtraCrew()] * EXTRA_CREW, RevealSetup(), StartRound())
    return state
