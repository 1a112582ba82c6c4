"""The sixteen captains (2.4) and what the eight specialists do (cards file D). Literals only."""

from __future__ import annotations

from referee.games.marauders.cards.modifiers import Modifiers
from referee.games.marauders.terms import Nation, Skill, Specialist, Zone
from referee.rules.parts import immutable


@immutable(frozen=True, kw_only=True)
class Captain:
    """A captain card. `skills` in the order seamanship, scouting, leadership, influence."""

    id: str
    name: str
    home: Zone
    nation: Nation
    skills: tuple[int, int, int, int]
    modifiers: Modifiers
    mark: str

    def skill(self, skill: Skill) -> int:
        """Return the value of one skill."""
        return self.skills[skill - 1]


CAPTAIN_ROWS = (
    Captain(
        id="frances_wright",
        name="Frances Wright",
        home=Zone.NASSAU,
        nation=Nation.EN,
        skills=(2, 3, 3, 2),
        modifiers={"dice.scout.merchant": 1},
        mark="S name, S, L; H rest",
    ),
    Captain(
        id="henry_thorne",
        name="Henry Thorne",
        home=Zone.PORT_ROYAL,
        nation=Nation.EN,
        skills=(3, 3, 2, 2),
        modifiers={"raid.talk_out": 1},
        mark="H",
    ),
    Captain(
        id="mary_hollis",
        name="Mary Hollis",
        home=Zone.OLD_PROVIDENCE,
        nation=Nation.EN,
        skills=(2, 4, 2, 2),
        modifiers={"raid.gold": 2},
        mark="H",
    ),
    Captain(
        id="edward_marsh",
        name="Edward Marsh",
        home=Zone.ST_JOHN,
        nation=Nation.EN,
        skills=(3, 2, 2, 3),
        modifiers={"turn.self_repair": 1},
        mark="H",
    ),
    Captain(
        id="thomas_keene",
        name="Thomas Keene",
        home=Zone.BRIDGETOWN,
        nation=Nation.EN,
        skills=(2, 2, 2, 4),
        modifiers={"price.demand": 1},
        mark="H",
    ),
    Captain(
        id="alexandre_villon",
        name="Alexandre Villon",
        home=Zone.TORTUGA,
        nation=Nation.FR,
        skills=(2, 2, 3, 3),
        modifiers={"port.enter_any": 1},
        mark="F FAQ name, ability; H rest",
    ),
    Captain(
        id="dominique_de_richery",
        name="Dominique de Richery",
        home=Zone.PETIT_GOAVE,
        nation=Nation.FR,
        skills=(2, 3, 2, 3),
        modifiers={"quest.gold": 3},
        mark="F blog name, French, good C and I; H rest",
    ),
    Captain(
        id="blanche_moreau",
        name="Blanche Moreau",
        home=Zone.BASSE_TERRE,
        nation=Nation.FR,
        skills=(3, 2, 3, 2),
        modifiers={"dice.contest.board": 1},
        mark="H",
    ),
    Captain(
        id="felipe_montoya",
        name="Felipe Montoya",
        home=Zone.HAVANA,
        nation=Nation.ES,
        skills=(3, 3, 2, 2),
        modifiers={"combat.redirect": 1},
        mark="S first name, S, L, ability; H rest",
    ),
    Captain(
        id="frederico_da_silva",
        name="Frederico da Silva",
        home=Zone.SANTO_DOMINGO,
        nation=Nation.ES,
        skills=(3, 3, 2, 2),
        modifiers={"dice.scout.ship": 1},
        mark="S name; H rest",
    ),
    Captain(
        id="isabel_carranza",
        name="Isabel Carranza",
        home=Zone.SAN_JUAN,
        nation=Nation.ES,
        skills=(2, 2, 3, 3),
        modifiers={"recruit.auto": 1},
        mark="H",
    ),
    Captain(
        id="rodrigo_salcedo",
        name="Rodrigo Salcedo",
        home=Zone.CARTAGENA,
        nation=Nation.ES,
        skills=(4, 2, 2, 2),
        modifiers={"combat.tie_win": 1},
        mark="H",
    ),
    Captain(
        id="ines_villareal",
        name="Inés Villareal",
        home=Zone.CARACAS,
        nation=Nation.ES,
        skills=(2, 2, 2, 4),
        modifiers={"cards.buy": 2},
        mark="H",
    ),
    Captain(
        id="gaspar_ortuno",
        name="Gaspar Ortuño",
        home=Zone.TRINIDAD,
        nation=Nation.ES,
        skills=(3, 3, 3, 1),
        modifiers={"raid.free": 1},
        mark="H",
    ),
    Captain(
        id="pepijn_van_avezaath",
        name="Pepijn van Avezaath",
        home=Zone.CURACAO,
        nation=Nation.NL,
        skills=(2, 2, 3, 3),
        modifiers={"cargo.extra": 1},
        mark="F FAQ name, ability; H rest",
    ),
    Captain(
        id="anneke_de_wit",
        name="Anneke de Wit",
        home=Zone.ST_MAARTEN,
        nation=Nation.NL,
        skills=(2, 2, 2, 2),
        modifiers={"cost.rumor": -2, "dice.influence.rumor": 1, "cost.bigship": -5},
        mark="H",
    ),
)

CAPTAINS = {row.id: row for row in CAPTAIN_ROWS}

SPECIALISTS: dict[Specialist, Modifiers] = {  # names S, modifiers H
    Specialist.CARPENTER: {"turn.self_repair": 1},
    Specialist.GUN_CAPTAIN: {"combat.loser_hit": 1},
    Specialist.MASTER_GUNNER: {"combat.aim_skull": 1},
    Specialist.SURGEON: {"combat.surgeon": 1},
    Specialist.LOOKOUT: {"dice.scout": 1},
    Specialist.MASTER_AT_ARMS: {"dice.crew": 1},
    Specialist.PURSER: {"cards.buy": 2},
    Specialist.SAILING_MASTER: {"dice.contest": 1, "dice.raid": 1},
}
