"""Broadsides and Boarding Parties (*Bordées et Abordages*): two ships, secret cards, gunfire, crews hand to hand.

docs/games/broadsides.md tells the rules.

    terms       directions, cards, stations, figures, reasons: every closed set
    data        charts, decks, gun and collision tables
    state       what lies on the table
    actions     every option a bot can choose
    events      every fact that can happen
    rules/      how the game goes: its docstring lists the phases
    view        who knows what
    text        the game told in words
    luck        what the guns' dice gave each seat
"""

from __future__ import annotations

from referee.engine import Game, GameInfo, NumberSetting, WordSetting
from referee.games.broadsides.actions import Action
from referee.games.broadsides.data import CHARTS
from referee.games.broadsides.events import Event
from referee.games.broadsides.luck import luck
from referee.games.broadsides.rules import apply, ask, new
from referee.games.broadsides.state import State
from referee.games.broadsides.terms import Card
from referee.games.broadsides.text import TEXT, fired
from referee.games.broadsides.view import View, hide, seen, view

# Spec 2.8. The caps can be lowered but not raised above their rated values: the bound of 8.4 holds for every variant.
SETTINGS = (
    WordSetting(name="map", values=tuple(CHARTS), default="cays", meaning="the chart the ships sail on"),
    NumberSetting(
        name="drift_after", low=0, high=60, default=4, meaning="quiet rounds in a row until the current acts; 0: never"
    ),
    NumberSetting(name="drift_points", low=1, high=12, default=2, meaning="points a ship drifts"),
    NumberSetting(name="round_cap", low=1, high=60, default=60, meaning="the last round of Broadsides"),
    NumberSetting(
        name="quiet_cap", low=1, high=60, default=20, meaning="rounds in a row without a shot that end the game"
    ),
    NumberSetting(
        name="board_turn_cap", low=1, high=120, default=120, meaning="the last Boarding turn, both seats counted"
    ),
    NumberSetting(
        name="board_quiet_cap", low=1, high=120, default=20, meaning="turns in a row without a melee that end the game"
    ),
    NumberSetting(
        name="reroll_cap", low=1, high=100, default=20, meaning="ties in a row after which a rule decides, not the dice"
    ),
)

GAME: Game[State, Action, Event, View] = Game(
    info=GameInfo(
        id="broadsides",
        title="Broadsides and Boarding Parties",
        min_seats=2,
        max_seats=2,
        rules_version=1,
        settings=SETTINGS,
        max_decisions=2418,
        max_options=134,
    ),
    new=new,
    ask=ask,
    apply=apply,
    view=view,
    seen=seen,
    fired=fired,
    cards=tuple(f"card {card.name}" for card in Card),
    text=TEXT,
    hide=hide,
    luck=luck,
)
