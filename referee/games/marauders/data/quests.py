"""The 25 rumors and the 25 missions (cards files E and F). Literals only."""

from __future__ import annotations

from referee.games.marauders.cards.effects import (
    BecomeSpecialist,
    Cargo,
    CrewFull,
    GloryCards,
    Gold,
    Keep,
    PardonFree,
    RepairAll,
    Reward,
    Weapons,
)
from referee.games.marauders.cards.missions import (
    Assault,
    Condition,
    DefeatNavy,
    DefeatPirate,
    Deliver,
    DeliverGoods,
    InfluenceRoll,
    MissionTask,
    NoCondition,
    NonPirate,
    NotWanted,
    Pay,
    Persuade,
    Pirate,
    RaidNation,
    Search,
)
from referee.games.marauders.terms import Good, Nation, Specialist, Zone
from referee.rules.parts import immutable


@immutable(frozen=True, kw_only=True, slots=True)
class Rumor:
    """A rumor: proved in a port with Influence, or at sea with Scouting."""

    id: str
    in_port: bool
    zone: Zone
    rewards: tuple[Reward, ...]
    mark: str


@immutable(frozen=True, kw_only=True, slots=True)
class Mission:
    """A mission: where it is claimed, by whom, what is to be done, what it gives."""

    id: str
    port: Zone
    condition: Condition
    task: MissionTask
    rewards: tuple[Reward, ...]
    mark: str


RUMOR_ROWS = (
    Rumor(id="sunken_galleon", in_port=False, zone=Zone.OLD_PROVIDENCE, rewards=(Gold(10),), mark="H"),
    Rumor(id="buried_chest", in_port=False, zone=Zone.CARIBBEAN_SEA, rewards=(Gold(12),), mark="H"),
    Rumor(id="drifting_wreck", in_port=False, zone=Zone.HAVANA, rewards=(Gold(4), Cargo(3)), mark="H"),
    Rumor(
        id="marooned_gunner",
        in_port=False,
        zone=Zone.TRINIDAD,
        rewards=(Gold(3), BecomeSpecialist(Specialist.MASTER_GUNNER)),
        mark="H",
    ),
    Rumor(id="hidden_cove", in_port=False, zone=Zone.NASSAU, rewards=(Gold(6), Weapons()), mark="H"),
    Rumor(
        id="castaway_surgeon",
        in_port=False,
        zone=Zone.BRIDGETOWN,
        rewards=(Gold(3), BecomeSpecialist(Specialist.SURGEON)),
        mark="H",
    ),
    Rumor(id="treasure_map", in_port=False, zone=Zone.TORTUGA, rewards=(Gold(10),), mark="H"),
    Rumor(id="ghost_ship", in_port=False, zone=Zone.SAN_JUAN, rewards=(GloryCards(2),), mark="H"),
    Rumor(id="pearl_beds", in_port=False, zone=Zone.CURACAO, rewards=(Gold(9),), mark="H"),
    Rumor(id="smugglers_cache", in_port=False, zone=Zone.PETIT_GOAVE, rewards=(Cargo(4),), mark="H"),
    Rumor(id="powder_wreck", in_port=False, zone=Zone.CARTAGENA, rewards=(RepairAll(), Weapons()), mark="H"),
    Rumor(
        id="lost_pilot",
        in_port=False,
        zone=Zone.ST_JOHN,
        rewards=(Gold(3), BecomeSpecialist(Specialist.SAILING_MASTER)),
        mark="H",
    ),
    Rumor(id="wreckers_light", in_port=False, zone=Zone.BASSE_TERRE, rewards=(Gold(9),), mark="H"),
    Rumor(id="forged_papers", in_port=True, zone=Zone.PORT_ROYAL, rewards=(Keep("port.enter_any"),), mark="S"),
    Rumor(id="myriad_of_goods", in_port=True, zone=Zone.ST_MAARTEN, rewards=(Cargo(6),), mark="F SoG"),
    Rumor(id="governors_secret", in_port=True, zone=Zone.SAN_JUAN, rewards=(Gold(6), PardonFree(2)), mark="H"),
    Rumor(id="corrupt_official", in_port=True, zone=Zone.HAVANA, rewards=(Gold(2), PardonFree(3)), mark="H"),
    Rumor(id="crown_patron", in_port=True, zone=Zone.SANTO_DOMINGO, rewards=(Gold(10),), mark="H"),
    Rumor(id="dutch_banker", in_port=True, zone=Zone.CURACAO, rewards=(Gold(10),), mark="H"),
    Rumor(id="mutinous_crew", in_port=True, zone=Zone.TORTUGA, rewards=(CrewFull(), GloryCards(1)), mark="H"),
    Rumor(
        id="gunsmith",
        in_port=True,
        zone=Zone.BRIDGETOWN,
        rewards=(Weapons(), BecomeSpecialist(Specialist.GUN_CAPTAIN)),
        mark="H",
    ),
    Rumor(id="shipwrights_debt", in_port=True, zone=Zone.ST_JOHN, rewards=(Gold(6), RepairAll()), mark="H"),
    Rumor(id="plantation_heir", in_port=True, zone=Zone.BASSE_TERRE, rewards=(Gold(6), Cargo(2)), mark="H"),
    Rumor(
        id="retired_captain",
        in_port=True,
        zone=Zone.CARACAS,
        rewards=(Gold(2), BecomeSpecialist(Specialist.MASTER_AT_ARMS)),
        mark="H",
    ),
    Rumor(
        id="old_lookout",
        in_port=True,
        zone=Zone.CARTAGENA,
        rewards=(Gold(2), BecomeSpecialist(Specialist.LOOKOUT)),
        mark="H",
    ),
)

MISSION_ROWS = (
    Mission(
        id="royal_dispatch",
        port=Zone.HAVANA,
        condition=NotWanted(Nation.ES),
        task=Deliver(Zone.SANTO_DOMINGO),
        rewards=(Gold(8),),
        mark="H",
    ),
    Mission(
        id="governors_escort",
        port=Zone.PORT_ROYAL,
        condition=InfluenceRoll(),
        task=Deliver(Zone.OLD_PROVIDENCE),
        rewards=(Gold(10),),
        mark="H",
    ),
    Mission(
        id="sugar_contract",
        port=Zone.BRIDGETOWN,
        condition=NoCondition(),
        task=DeliverGoods(Good.SUGAR, 2, Zone.CURACAO),
        rewards=(Gold(15),),
        mark="H",
    ),
    Mission(
        id="rum_for_the_fleet",
        port=Zone.NASSAU,
        condition=NoCondition(),
        task=DeliverGoods(Good.RUM, 2, Zone.ST_JOHN),
        rewards=(Gold(16),),
        mark="H",
    ),
    Mission(
        id="tobacco_run",
        port=Zone.CARACAS,
        condition=NoCondition(),
        task=DeliverGoods(Good.TOBACCO, 2, Zone.PORT_ROYAL),
        rewards=(Gold(16),),
        mark="H",
    ),
    Mission(
        id="spice_order",
        port=Zone.ST_MAARTEN,
        condition=InfluenceRoll(),
        task=DeliverGoods(Good.SPICE, 2, Zone.HAVANA),
        rewards=(Gold(18),),
        mark="H",
    ),
    Mission(
        id="pirate_hunter",
        port=Zone.SANTO_DOMINGO,
        condition=NonPirate(),
        task=DefeatPirate(),
        rewards=(Gold(12),),
        mark="H",
    ),
    Mission(
        id="clear_the_coast",
        port=Zone.CURACAO,
        condition=NonPirate(),
        task=DefeatPirate(),
        rewards=(Gold(12),),
        mark="H",
    ),
    Mission(
        id="reprisal_on_spain",
        port=Zone.TORTUGA,
        condition=NoCondition(),
        task=RaidNation(Nation.ES),
        rewards=(Gold(8),),
        mark="H",
    ),
    Mission(
        id="reprisal_on_england",
        port=Zone.SAN_JUAN,
        condition=InfluenceRoll(),
        task=RaidNation(Nation.EN),
        rewards=(Gold(8), PardonFree(1)),
        mark="H",
    ),
    Mission(
        id="reprisal_on_france",
        port=Zone.ST_JOHN,
        condition=NoCondition(),
        task=RaidNation(Nation.FR),
        rewards=(Gold(8),),
        mark="H",
    ),
    Mission(
        id="reprisal_on_holland",
        port=Zone.CARTAGENA,
        condition=NoCondition(),
        task=RaidNation(Nation.NL),
        rewards=(Gold(8),),
        mark="H",
    ),
    Mission(
        id="missing_ship",
        port=Zone.BASSE_TERRE,
        condition=NoCondition(),
        task=Search(Zone.TRINIDAD),
        rewards=(Gold(8),),
        mark="H",
    ),
    Mission(
        id="lost_envoy",
        port=Zone.PETIT_GOAVE,
        condition=InfluenceRoll(),
        task=Search(Zone.CARIBBEAN_SEA),
        rewards=(Gold(12),),
        mark="H",
    ),
    Mission(
        id="chart_the_cays",
        port=Zone.NASSAU,
        condition=NoCondition(),
        task=Search(Zone.TORTUGA),
        rewards=(Gold(8),),
        mark="H",
    ),
    Mission(
        id="spy_mission",
        port=Zone.PORT_ROYAL,
        condition=InfluenceRoll(),
        task=Persuade(Zone.CARTAGENA),
        rewards=(Gold(14),),
        mark="H",
    ),
    Mission(
        id="secret_letters",
        port=Zone.PETIT_GOAVE,
        condition=NotWanted(Nation.FR),
        task=Persuade(Zone.CARACAS),
        rewards=(Gold(12),),
        mark="H",
    ),
    Mission(
        id="medicine_for_trinidad",
        port=Zone.CARACAS,
        condition=Pay(2),
        task=Deliver(Zone.TRINIDAD),
        rewards=(Gold(8),),
        mark="H",
    ),
    Mission(
        id="silver_transport",
        port=Zone.CARTAGENA,
        condition=Pay(5),
        task=Deliver(Zone.HAVANA),
        rewards=(Gold(18),),
        mark="H",
    ),
    Mission(
        id="raid_the_fort",
        port=Zone.TORTUGA,
        condition=NoCondition(),
        task=Assault(Zone.TRINIDAD, 2, 2),
        rewards=(Gold(18),),
        mark="H",
    ),
    Mission(
        id="sack_the_town",
        port=Zone.OLD_PROVIDENCE,
        condition=Pirate(),
        task=Assault(Zone.SAN_JUAN, 3, 2),
        rewards=(Gold(25),),
        mark="H",
    ),
    Mission(
        id="free_the_prisoners",
        port=Zone.BRIDGETOWN,
        condition=InfluenceRoll(),
        task=Assault(Zone.OLD_PROVIDENCE, 2, 2),
        rewards=(Gold(10), CrewFull()),
        mark="H",
    ),
    Mission(
        id="sink_the_admiral",
        port=Zone.TRINIDAD,
        condition=NoCondition(),
        task=DefeatNavy(),
        rewards=(Gold(20),),
        mark="H",
    ),
    Mission(
        id="hire_the_purser",
        port=Zone.CURACAO,
        condition=Pay(3),
        task=Deliver(Zone.ST_MAARTEN),
        rewards=(Gold(4), BecomeSpecialist(Specialist.PURSER)),
        mark="H",
    ),
    Mission(
        id="buy_back_honour",
        port=Zone.HAVANA,
        condition=Pirate(),
        task=Search(Zone.OLD_PROVIDENCE),
        rewards=(Gold(5), PardonFree(3)),
        mark="H",
    ),
)

RUMORS = {row.id: row for row in RUMOR_ROWS}
MISSIONS = {row.id: row for row in MISSION_ROWS}
