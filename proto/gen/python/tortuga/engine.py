"""Everything that the author of a game imports: `from tortuga.engine import Game, GameInfo, …`.

This is the one import that we promise to keep: names are added here, and none is taken away or changes its meaning.
`server` and `referee` may change with every release. It needs the server's package (tortuga-arena); bots do not need
it. docs/adding-a-game.md shows how to use it.

Written by proto/generate.py, a copy of proto/engine.py.
"""

from referee.draw import pieces
from referee.draw.scene import BOARD_WIDTH, Drawing, Scene, Shape, ViewedTable
from referee.errors import ConfigError, GameFault, RulesError, TortugaError
from referee.rules.agenda import AgendaQuestion, AgendaState, Pending, SeatQuestion, Task, apply, ask, push, settle
from referee.rules.chance import TABLE, Chance, FillerChance, ScriptedChance, SeededChance, derive_secret
from referee.rules.course import Course
from referee.rules.engine import (
    DUEL,
    SPECTATOR,
    Decision,
    Game,
    GameInfo,
    NumberSetting,
    Outcome,
    Seat,
    Step,
    Text,
    Variant,
    WordSetting,
    duel,
    other_seat,
    rank_by,
)
from referee.rules.parts import Part, Row, immutable, interned, kept, put, replace, shallow_copy
from referee.rules.plugins import GamePlugin
from referee.text import brief, harmless, listed, plural, spaced

__all__ = [
    "BOARD_WIDTH",
    "DUEL",
    "SPECTATOR",
    "TABLE",
    "AgendaQuestion",
    "AgendaState",
    "Chance",
    "ConfigError",
    "Course",
    "Decision",
    "Drawing",
    "FillerChance",
    "Game",
    "GameFault",
    "GameInfo",
    "GamePlugin",
    "NumberSetting",
    "Outcome",
    "Part",
    "Pending",
    "Row",
    "RulesError",
    "Scene",
    "ScriptedChance",
    "Seat",
    "SeatQuestion",
    "SeededChance",
    "Shape",
    "Step",
    "Task",
    "Text",
    "TortugaError",
    "Variant",
    "ViewedTable",
    "WordSetting",
    "apply",
    "ask",
    "brief",
    "derive_secret",
    "duel",
    "harmless",
    "immutable",
    "interned",
    "kept",
    "listed",
    "other_seat",
    "pieces",
    "plural",
    "push",
    "put",
    "rank_by",
    "replace",
    "settle",
    "shallow_copy",
    "spaced",
]
