"""Setup: ships on their starting points, then captain and extra crew placed in secret. Spec section 4, ruling R24."""

from __future__ import annotations

from collections.abc import Mapping

from referee.chance import Chance
from referee.engine import Decision, Seat, Variant
from referee.games.broadsides.actions import Action, Figure, Place, PlaceCaptain, PlaceCrew
from referee.games.broadsides.data import (
    CANNONS,
    CHARTS,
    CREW_PER_CANNON,
    EXTRA_CREW,
    FIGURES_PER_STATION,
    MAST_HITS,
    Chart,
    HullSection,
    Station,
)
from referee.games.broadsides.events import Event, FigurePlaced, SetupRevealed
from referee.games.broadsides.state import SEATS, Crew, Phase, Settings, Ship, State

CAPTAIN_OPTIONS: tuple[Action, ...] = tuple(PlaceCaptain(station) for station in Station)
CREW_OPTIONS = tuple(PlaceCrew(station) for station in Station)

DEFAULT_CAPTAIN = Station.H4
DEFAULT_CREW = (Station.A4, Station.H3)


def new(seats: int, variant: Variant, chance: Chance) -> State:
    """The table before the first decision. No dice are used in setup."""
    settings = Settings(**variant)  # type: ignore[arg-type]  # GameInfo has checked names and types
    chart = CHARTS[settings.map]
    return State(
        settings=settings,
        chance=chance,
        phase=Phase.SETUP_CAPTAIN,
        ships=[new_ship(chart, seat) for seat in SEATS],
        crews=[new_crew(seat) for seat in SEATS],
        placements=[() for _ in SEATS],
    )


def new_ship(chart: Chart, seat: Seat) -> Ship:
    """An undamaged ship at its start."""
    return Ship(
        point=chart.starts[seat],
        facing=chart.facings[seat],
        cannons=CANNONS,
        masts=list(MAST_HITS),
        hull=[0] * len(HullSection),
    )


def new_crew(seat: Seat) -> Crew:
    """The twenty crew members at the cannons; captain and extra crew are not placed yet."""
    hands = [[0] * len(Station) for _ in SEATS]
    for station in CANNONS:
        hands[seat][station] = CREW_PER_CANNON
    return Crew(hands=hands)


def ask_captain(state: State) -> Decision[Action]:
    """SETUP_CAPTAIN: any station."""
    return Decision(
        kind="SETUP_CAPTAIN",
        options=dict.fromkeys(SEATS, CAPTAIN_OPTIONS),
        defaults=dict.fromkeys(SEATS, DEFAULT_CAPTAIN),
    )


def ask_crew(state: State) -> Decision[Action]:
    """SETUP_CREW: any station with fewer than three own figures."""
    default = DEFAULT_CREW[len(state.placements[0]) - 1]
    free = {seat: free_stations(state.crews[seat], seat) for seat in SEATS}
    return Decision(
        kind="SETUP_CREW",
        options={seat: tuple(CREW_OPTIONS[station] for station in free[seat]) for seat in SEATS},
        defaults={seat: free[seat].index(default) for seat in SEATS if default in free[seat]},
    )


def free_stations(crew: Crew, seat: Seat) -> list[Station]:
    """Where one more figure of that seat can stand on its ship."""
    return [station for station in Station if crew.figures_on(seat, station) < FIGURES_PER_STATION]


def place(draft: State, choices: Mapping[Seat, Action], told: list[Event]) -> Phase:
    """Both seats put a figure down; after the captain and the extra crew everything is shown."""
    for seat in SEATS:
        choice = choices[seat]
        assert isinstance(choice, PlaceCaptain | PlaceCrew)
        put_down(draft, seat, choice.station)
        figure = Figure.CAPTAIN if isinstance(choice, PlaceCaptain) else Figure.CREW
        told.append(FigurePlaced(seat, figure, choice.station))
    if len(draft.placements[0]) <= EXTRA_CREW:
        return Phase.SETUP_CREW
    for seat in SEATS:
        captain, *crew = draft.placements[seat]
        told.append(SetupRevealed(seat, captain, tuple(crew)))
        draft.placements[seat] = ()
    return Phase.ROUND_START


def put_down(draft: State, seat: Seat, station: Station) -> None:
    """A seat's next figure: first the captain, then extra crew."""
    crew = draft.crews[seat]
    if draft.placements[seat]:
        crew.hands[seat][station] += 1
    else:
        crew.captain = Place(seat, station)
    draft.placements[seat] += (station,)
