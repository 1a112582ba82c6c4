"""Facts about each game that can be read without importing it: name, seats, settings, bounds, and where the rest is.

Importing the rules of all four games of ours takes a third of a second. Commands that only list games or check settings
read this table instead; each of our games takes its own row from here. Games of others are in the same table
(plugins.py).
"""

from __future__ import annotations

import re
from pathlib import Path

from referee.errors import ConfigError
from referee.rules.engine import GameInfo, NumberSetting, WordSetting
from referee.rules.lazy_table import LazyTable
from referee.rules.plugins import VARIABLE, GamePlugin, PluginTable, RandomGame
from referee.text import did_you_mean

PAVILLON_NOIR_SETTINGS = (
    WordSetting(
        name="variant",
        values=("base", "reputation", "tricks", "full"),
        default="base",
        meaning="the expert decks in play: none, reputations, dirty tricks, or both (full)",
    ),
    WordSetting(
        name="first_seat",
        values=("random", "0", "1"),
        default="random",
        meaning="who takes the first turn",
    ),
    NumberSetting(name="max_rounds", low=1, high=500, default=60, meaning="rounds after which the ships are compared"),
)

# Spec 2.8. The caps can be lowered but not raised above their rated values: the bound of 8.4 holds for every variant.
BROADSIDES_SETTINGS = (
    WordSetting(
        name="map",
        values=("cays", "ring", "open", "archipelago"),
        default="cays",
        meaning="the chart the ships sail on",
    ),
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

MARAUDERS_SETTINGS = (
    NumberSetting(
        name="target_glory",
        low=2,
        high=20,
        default=10,
        meaning="points that win; chest points count up to half of them",
    ),
    WordSetting(
        name="npc_control",
        values=("left", "policy"),
        default="left",
        meaning="who plays NPC ships: the next seat after the engaged one, or a fixed policy",
    ),
)

RULES = Path(__file__).resolve().parents[2] / "docs" / "games"
"""The rules of our games for people: in the wheel they lie as in a checkout."""

RANDOM_GAMES: dict[str, tuple[RandomGame, ...]] = {
    "pavillon_noir": (
        RandomGame(80, 2, (("variant", "tricks"),)),
        RandomGame(27, 2, (("variant", "full"),)),
        RandomGame(10, 2, (("variant", "full"),)),
        RandomGame(6, 2, (("variant", "tricks"),)),
        RandomGame(58, 2, (("variant", "reputation"),)),
        RandomGame(100, 2, (("variant", "full"),)),
    ),
    "broadsides": (RandomGame(1, 2),),
    "pirates_cove": (RandomGame(7, 5),),
    "marauders": (
        RandomGame(289, 3),
        RandomGame(119, 4, (("npc_control", "policy"),)),
        RandomGame(4, 3, (("npc_control", "policy"),)),
        RandomGame(60, 2),
        RandomGame(3947, 4, (("target_glory", "20"),)),
    ),
}
"""Games that together meet every kind of decision: `python -m server.conformance.questions GAME` finds new ones."""

BUILTIN = tuple(
    GamePlugin(
        info=info,
        game=f"referee.games.{info.id}:GAME",
        wire=f"referee.wire.{info.id}:WIRE",
        drawing=f"referee.draw.{info.id}:DRAWING",
        rules=RULES / f"{info.id}.md",
        random_games=RANDOM_GAMES[info.id],
    )
    for info in (
        GameInfo(
            id="pavillon_noir",
            title="Pavillon Noir",
            min_seats=2,
            max_seats=2,
            rules_version=1,
            settings=PAVILLON_NOIR_SETTINGS,
            # 1000 turns at the longest. A turn has at most two paid actions of seven questions (a broadside), a shot of
            # eight and a discard; what tricks and disasters add happens a handful of times per game.
            max_decisions=30_000,
            max_options=1000,
            endings={
                "sink": "ship sunk",
                "officers": "no officers left",
                "cap_win": "out of rounds with a winner",
                "cap_draw": "out of rounds without a winner",
            },
        ),
        GameInfo(
            id="broadsides",
            title="Broadsides and Boarding Parties",
            min_seats=2,
            max_seats=2,
            rules_version=1,
            settings=BROADSIDES_SETTINGS,
            max_decisions=2418,
            max_options=134,
            endings={
                "ROUND_CAP": "out of rounds",
                "QUIET_CAP": "too long without a shot",
                "BOARD_CAP": "out of boarding turns",
                "BOARD_QUIET": "too long without a melee",
            },
        ),
        GameInfo(
            id="pirates_cove",
            title="Pirate's Cove",
            min_seats=2,
            max_seats=5,
            rules_version=1,
            max_decisions=5000,
            max_options=160,
        ),
        GameInfo(
            id="marauders",
            title="Marauders",
            min_seats=2,
            max_seats=4,
            rules_version=1,
            settings=MARAUDERS_SETTINGS,
            max_decisions=5000,
            max_options=250,
            endings={
                "ten": "enough glory",
                "events": "out of event cards",
                "captains": "out of captains",
                "cap": "out of decisions",
            },
        ),
    )
)
"""Our own games, in the order in which they are listed to people."""

PLUGINS = PluginTable(BUILTIN)
"""All games there are, as they were registered."""
INFOS = LazyTable(PLUGINS, lambda plugin: plugin.info)


def find_info(game_id: str) -> GameInfo:
    """Return what is known of the game of that id, or raise an error that names the games there are. `MODULE:NAME`
    registers the game of a file first."""
    if ":" in game_id:
        return PLUGINS.add_file(game_id).info
    if game_id not in INFOS:
        raise ConfigError(
            f"there is no game {game_id!r}{did_you_mean(game_id, INFOS)}; "
            f"the games are: {', '.join(INFOS)}. A game of another package has to be "
            f"installed here, and one of a file to be named in {VARIABLE}"
        )
    return INFOS[game_id]


def end_words(reason: str) -> str:
    """Say why a match ended, in one style for people: `ten` and `most_fame` are `enough glory` and `most fame`.
    Records and JSON keep the id. A sentence, as of a void match, stays as it is."""
    known = (plugin.info.endings[reason] for plugin in PLUGINS.values() if reason in plugin.info.endings)
    return next(known, reason.replace("_", " ").lower() if re.fullmatch(r"\w+", reason) else reason)
