"""Tables of broadsides laid by hand, and short words for its actions, for the vectors of the specification.

"std" is the setup of the vectors: captain H4, extra crew A4 and H3. Dice are written as they show, 1 to 6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from referee.games.broadsides import GAME
from referee.games.broadsides.actions import Action, BoardMove, Cease, Fire, Program, ReplaceCaptain
from referee.games.broadsides.data import CARDS_PER_ROUND
from referee.games.broadsides.events import Event
from referee.games.broadsides.rules.boarding import FightMelees, MoveFigure
from referee.games.broadsides.rules.round_end import EndRound
from referee.games.broadsides.rules.sailing import LayPrograms, PlayStep, StartRound
from referee.games.broadsides.rules.setup import put_down
from referee.games.broadsides.state import Boarding, State
from referee.games.broadsides.terms import (
    Card,
    Direction,
    Figure,
    HullSection,
    Mast,
    Place,
    Point,
    Section,
    Side,
    Station,
)
from referee.rules.agenda import push
from referee.rules.chance import ScriptedChance
from referee.rules.engine import DUEL, Decision, Outcome, Seat, Step
from referee.rules.parts import put, replace

E = TypeVar("E")

WHITE, BLACK = DUEL
STD = ("H4", "A4", "H3")
ABEAM = (((4, 5), 0), ((5, 5), 0))
"""Firing picture 2 (S2b): side by side, bows north; starboard of seat 0 against port of seat 1."""
NOBODY = (0,) * len(Station)
"""The crew members on an empty ship, by station."""


def dice(*shown: int) -> ScriptedChance:
    """Luck by hand, as the dice show."""
    return ScriptedChance([die - 1 for die in shown])


def station(name: str) -> Station:
    """A station by its name."""
    return Station[name]


def program(names: str) -> Program:
    """Three cards, e.g. "AH ST RE"."""
    one, two, three = (Card[name] for name in names.split())
    return Program((one, two, three))


def shot(section: str) -> Action:
    """A shot at a section; "-" is CEASE."""
    return Cease() if section == "-" else Fire(Section[section])


def place(name: str) -> Place:
    """A station on a ship, e.g. "1D5"."""
    return Place(int(name[0]), Station[name[1:]])


def crew_move(origin: str, target: str) -> BoardMove:
    """A crew member's move, e.g. ("0D3", "1D5")."""
    return BoardMove(Figure.CREW, place(origin), place(target))


def captain_move(origin: str, target: str) -> BoardMove:
    """A captain's move."""
    return BoardMove(Figure.CAPTAIN, place(origin), place(target))


def new_state(chance: ScriptedChance | None = None, **options: str | int) -> State:
    """A game before its first decision, on `open` unless said."""
    given = {"map": "open"} | {name: str(value) for name, value in options.items()}
    return GAME.new(2, GAME.info.read_variant(given), chance or dice())


def at_sea(
    ships: Sequence[tuple[Point, int]] = ABEAM,
    chance: ScriptedChance | None = None,
    setups: Sequence[Sequence[str]] = (STD, STD),
    quiet: int = 0,
    **options: str | int,
) -> State:
    """Both ships set up, on those points and facings, about to be programmed for round 1."""
    state = new_state(chance, **options)
    for seat in DUEL:
        for name in setups[seat]:
            put_down(state, seat, Station[name])
        point, facing = ships[seat]
        change_ship(state, seat, point=point, facing=Direction(facing))
    state.placements = ((), ())
    state.round, state.quiet_rounds = 1, quiet
    state.pending = ()
    push(state, LayPrograms(), *[PlayStep()] * CARDS_PER_ROUND, EndRound(), StartRound())
    return state


def alongside(
    crews: Sequence[Mapping[str, int]],
    captains: Sequence[str],
    chance: ScriptedChance | None = None,
    sides: tuple[Side, Side] = (Side.STARBOARD, Side.PORT),
    bows_opposite: bool = False,
    mover: Seat = WHITE,
    moves_left: int = 3,
    contested: Sequence[str] = (),
    **options: str | int,
) -> State:
    """A Boarding turn: per seat its crew members and its captain by place, e.g. {"0D3": 2} and "0H4"."""
    state = new_state(chance, **options)
    for seat in DUEL:
        change_crew(state, seat, hands=(NOBODY, NOBODY), captain=place(captains[seat]))
        for name, count in crews[seat].items():
            set_hands(state, seat, place(name), count)
    state.round = 1
    state.pending = ()
    push(state, MoveFigure(mover), FightMelees())
    state.boarding = Boarding(
        sides=sides,
        bows_opposite=bows_opposite,
        seat=mover,
        turn=1,
        moves_left=moves_left,
        contested=tuple(place(name) for name in contested),
    )
    return state


def change_ship(state: State, seat: Seat, **changes: Any) -> None:
    """Give some fields of a ship other contents."""
    state.set_ship(seat, replace(state.ships[seat], **changes))


def mark_hull(state: State, seat: Seat, section: HullSection, markers: int) -> None:
    """Put that many markers on a hull section."""
    change_ship(state, seat, hull=put(state.ships[seat].hull, section, markers))


def fell_mast(state: State, seat: Seat, mast: Mast) -> None:
    """Take all hits of a mast at once."""
    change_ship(state, seat, masts=put(state.ships[seat].masts, mast, 0))


def change_crew(state: State, seat: Seat, **changes: Any) -> None:
    """Give some fields of a crew other contents."""
    state.set_crew(seat, replace(state.crews[seat], **changes))


def set_hands(state: State, seat: Seat, place: Place, count: int) -> None:
    """Let that many crew members stand on a station."""
    hands = state.crews[seat].hands
    change_crew(state, seat, hands=put(hands, place.ship, put(hands[place.ship], place.station, count)))


def kind(state: State) -> str:
    """The name of the decision that is asked; empty when the game is over."""
    asked = GAME.ask(state)
    return asked.kind if isinstance(asked, Decision) else ""


def decision(state: State) -> Decision[Action]:
    """What is asked."""
    asked = GAME.ask(state)
    assert isinstance(asked, Decision)
    return asked


def options(state: State, seat: Seat) -> tuple[Action, ...]:
    """The legal list of a seat."""
    return decision(state).options[seat]


def outcome(state: State) -> tuple[tuple[int, ...], str]:
    """Ranks and reason of a game that is over."""
    ended = GAME.ask(state)
    assert isinstance(ended, Outcome)
    return ended.ranks, ended.reason


WHITE_WINS, BLACK_WINS, DRAW = (1, 2), (2, 1), (1, 1)


def sail(state: State, white: str, black: str) -> Step[State, Event]:
    """Both programs; "" for a seat that has no cards."""
    words = {WHITE: white, BLACK: black}
    return GAME.apply(state, {seat: program(words[seat]) for seat in DUEL if words[seat]})


def answer(state: State, action: Action) -> Step[State, Event]:
    """The answer of the only seat that is asked."""
    (seat,) = decision(state).options
    return GAME.apply(state, {seat: action})


def bombard(state: State, sections: str) -> State:
    """Shots one after the other, whoever fires, e.g. "CCDG-"."""
    for section in sections:
        state = answer(state, shot(section)).state
    return state


def hold_fire(state: State) -> State:
    """CEASE to every shot, until something else is asked or the game is over."""
    while kind(state) == "FIRE":
        state = answer(state, Cease()).state
    return state


def replace_captain(state: State, name: str) -> State:
    """The only seat without captain takes one from there."""
    return answer(state, ReplaceCaptain(Station[name])).state


def board(state: State, *moves: BoardMove) -> Step[State, Event]:
    """Boarding moves one after the other; the events of the last."""
    step: Step[State, Event] = Step(state=state, events=())
    for move in moves:
        step = answer(step.state, move)
    return step


def of_kind(step: Step[State, Event], kind: type[E]) -> list[E]:
    """The events of one kind, in order."""
    return [event for event in step.events if isinstance(event, kind)]


def crew_count(state: State, seat: Seat) -> int:
    """Crew members without the captain."""
    crew = state.crews[seat]
    return sum(map(sum, crew.hands))


def where(state: State, seat: Seat) -> tuple[Point, int]:
    """A ship's point and facing."""
    return state.ships[seat].point, state.ships[seat].facing


def dice_left(state: State) -> int:
    """How many scripted dice were not rolled."""
    assert isinstance(state.chance, ScriptedChance)
    return state.chance.left()
