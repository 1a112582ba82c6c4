"""The 70 glory cards (cards file D). Literals only."""

from __future__ import annotations

from referee.games.marauders.cards.effects import (
    Actions,
    CancelHit,
    CopyReroll,
    CrewDice,
    CrewEffect,
    CrewFull,
    CrewHeal,
    DrawRumor,
    EndCombat,
    Evade,
    ExtraHit,
    FreeMod,
    GloryEffect,
    Gold,
    HireSpecialist,
    LoseAction,
    MenuEffect,
    MoveNpc,
    PardonPrice,
    PortMod,
    RepairAll,
    Reroll,
    ShiftDemand,
    StartEffect,
    StashHere,
    StealGold,
    Weapons,
)
from referee.games.marauders.terms import Skill, Specialist, Timing
from referee.rules.parts import immutable


@immutable(frozen=True, kw_only=True)
class GloryCard:
    """A glory card (*carte Gloire*), `count` times in the deck."""

    id: str
    count: int
    family: str
    timing: Timing
    effect: GloryEffect
    mark: str


GLORY_ROWS = (
    GloryCard(id="turn_the_tide", count=3, family="battle", timing=Timing.CREW, effect=Reroll(), mark="S"),
    GloryCard(id="weather_gage", count=3, family="battle", timing=Timing.CONTEST, effect=Reroll(), mark="H"),
    GloryCard(id="brace", count=3, family="battle", timing=Timing.HITS, effect=CancelHit(1), mark="H"),
    GloryCard(id="double_shot", count=2, family="battle", timing=Timing.VOLLEY, effect=ExtraHit(1), mark="H"),
    GloryCard(id="quick_wits", count=2, family="battle", timing=Timing.COPY, effect=CopyReroll(), mark="S"),
    GloryCard(id="boarding_fury", count=2, family="battle", timing=Timing.CREW_START, effect=CrewDice(2), mark="H"),
    GloryCard(id="slip_away", count=2, family="battle", timing=Timing.DECLARE, effect=EndCombat(), mark="H"),
    GloryCard(id="rally", count=1, family="battle", timing=Timing.CREW_START, effect=CrewHeal(1), mark="H"),
    GloryCard(id="secret_vault", count=2, family="mercantile", timing=Timing.PORT, effect=StashHere(), mark="F"),
    GloryCard(id="market_tip", count=2, family="mercantile", timing=Timing.PORT, effect=ShiftDemand(2), mark="H"),
    GloryCard(
        id="bulk_purchase",
        count=2,
        family="mercantile",
        timing=Timing.PORT,
        effect=PortMod({"cards.buy": 3, "price.buy": -1}),
        mark="H",
    ),
    GloryCard(
        id="grateful_buyer",
        count=2,
        family="mercantile",
        timing=Timing.PORT,
        effect=PortMod({"price.sell": 2, "price.demand": 1}),
        mark="H",
    ),
    GloryCard(id="inheritance", count=2, family="mercantile", timing=Timing.ACT, effect=Gold(5), mark="H"),
    GloryCard(id="dry_dock", count=2, family="mercantile", timing=Timing.PORT, effect=RepairAll(), mark="H"),
    GloryCard(id="fresh_hands", count=2, family="mercantile", timing=Timing.PORT, effect=CrewFull(), mark="H"),
    GloryCard(id="master_shipwright", count=2, family="mercantile", timing=Timing.PORT, effect=FreeMod(), mark="H"),
    GloryCard(id="arms_dealer", count=2, family="mercantile", timing=Timing.PORT, effect=Weapons(), mark="H"),
    GloryCard(id="lucky_star", count=4, family="adventure", timing=Timing.ROLL, effect=Reroll(), mark="H"),
    GloryCard(
        id="pardon", count=3, family="adventure", timing=Timing.ACT, effect=PardonPrice(3), mark="S kind, H price"
    ),
    GloryCard(id="fair_wind", count=2, family="adventure", timing=Timing.ACT, effect=Actions(1), mark="H"),
    GloryCard(id="sea_fog", count=2, family="adventure", timing=Timing.SCOUTED, effect=Evade(), mark="H"),
    GloryCard(id="sabotage", count=2, family="adventure", timing=Timing.TURN_START, effect=LoseAction(1), mark="H"),
    GloryCard(id="false_orders", count=2, family="adventure", timing=Timing.ACT, effect=MoveNpc(), mark="H"),
    GloryCard(id="tip_off", count=1, family="adventure", timing=Timing.PORT, effect=DrawRumor(2), mark="H"),
    GloryCard(id="pickpocket", count=2, family="adventure", timing=Timing.TURN_START, effect=StealGold(3), mark="H"),
    GloryCard(
        id="carpenter_a",
        count=1,
        family="specialist",
        timing=Timing.PORT,
        effect=HireSpecialist(Specialist.CARPENTER, price=4),
        mark="S kind, H effect",
    ),
    GloryCard(
        id="carpenter_b",
        count=1,
        family="specialist",
        timing=Timing.PORT,
        effect=HireSpecialist(Specialist.CARPENTER, skill=Skill.INFLUENCE),
        mark="S kind, H effect",
    ),
    GloryCard(
        id="gun_captain_a",
        count=1,
        family="specialist",
        timing=Timing.PORT,
        effect=HireSpecialist(Specialist.GUN_CAPTAIN, price=4),
        mark="S kind, H effect",
    ),
    GloryCard(
        id="gun_captain_b",
        count=1,
        family="specialist",
        timing=Timing.PORT,
        effect=HireSpecialist(Specialist.GUN_CAPTAIN, skill=Skill.LEADERSHIP),
        mark="S kind, H effect",
    ),
    GloryCard(
        id="master_gunner_a",
        count=1,
        family="specialist",
        timing=Timing.PORT,
        effect=HireSpecialist(Specialist.MASTER_GUNNER, price=4),
        mark="S kind, H effect",
    ),
    GloryCard(
        id="master_gunner_b",
        count=1,
        family="specialist",
        timing=Timing.PORT,
        effect=HireSpecialist(Specialist.MASTER_GUNNER, skill=Skill.LEADERSHIP),
        mark="S kind, H effect",
    ),
    GloryCard(
        id="surgeon_a",
        count=1,
        family="specialist",
        timing=Timing.PORT,
        effect=HireSpecialist(Specialist.SURGEON, price=4),
        mark="S kind, H effect",
    ),
    GloryCard(
        id="surgeon_b",
        count=1,
        family="specialist",
        timing=Timing.PORT,
        effect=HireSpecialist(Specialist.SURGEON, skill=Skill.INFLUENCE),
        mark="S kind, H effect",
    ),
    GloryCard(
        id="lookout_a",
        count=1,
        family="specialist",
        timing=Timing.PORT,
        effect=HireSpecialist(Specialist.LOOKOUT, price=4),
        mark="S kind, H effect",
    ),
    GloryCard(
        id="lookout_b",
        count=1,
        family="specialist",
        timing=Timing.PORT,
        effect=HireSpecialist(Specialist.LOOKOUT, skill=Skill.LEADERSHIP),
        mark="S kind, H effect",
    ),
    GloryCard(
        id="master_at_arms_a",
        count=1,
        family="specialist",
        timing=Timing.PORT,
        effect=HireSpecialist(Specialist.MASTER_AT_ARMS, price=4),
        mark="S kind, H effect",
    ),
    GloryCard(
        id="master_at_arms_b",
        count=1,
        family="specialist",
        timing=Timing.PORT,
        effect=HireSpecialist(Specialist.MASTER_AT_ARMS, skill=Skill.LEADERSHIP),
        mark="S kind, H effect",
    ),
    GloryCard(
        id="purser_a",
        count=1,
        family="specialist",
        timing=Timing.PORT,
        effect=HireSpecialist(Specialist.PURSER, price=4),
        mark="S kind, H effect",
    ),
    GloryCard(
        id="purser_b",
        count=1,
        family="specialist",
        timing=Timing.PORT,
        effect=HireSpecialist(Specialist.PURSER, skill=Skill.INFLUENCE),
        mark="S kind, H effect",
    ),
    GloryCard(
        id="sailing_master_a",
        count=1,
        family="specialist",
        timing=Timing.PORT,
        effect=HireSpecialist(Specialist.SAILING_MASTER, price=4),
        mark="S kind, H effect",
    ),
    GloryCard(
        id="sailing_master_b",
        count=1,
        family="specialist",
        timing=Timing.PORT,
        effect=HireSpecialist(Specialist.SAILING_MASTER, skill=Skill.INFLUENCE),
        mark="S kind, H effect",
    ),
)

GLORY = {row.id: row for row in GLORY_ROWS}
MENU_CARDS: dict[str, MenuEffect] = {row.id: row.effect for row in GLORY_ROWS if isinstance(row.effect, MenuEffect)}
"""The cards of the timings `act` and `port` with their effects."""
START_CARDS: dict[str, StartEffect] = {row.id: row.effect for row in GLORY_ROWS if isinstance(row.effect, StartEffect)}
"""Those of `turn_start`."""
CREW_CARDS: dict[str, CrewEffect] = {row.id: row.effect for row in GLORY_ROWS if isinstance(row.effect, CrewEffect)}
"""Those of `crew_start`."""
VOLLEY_CARDS = {row.id: row.effect for row in GLORY_ROWS if isinstance(row.effect, ExtraHit)}
"""Those of `volley`."""
DEFENCES = {row.id: row.effect for row in GLORY_ROWS if isinstance(row.effect, CancelHit)}
"""Those of `hits`."""
GLORY_DECK = tuple(row.id for row in GLORY_ROWS for _ in range(row.count))
GLORY_PLACE = {row.id: place for place, row in enumerate(GLORY_ROWS)}
"""Lists name cards in the order of this table."""
