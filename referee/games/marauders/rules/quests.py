"""Rumors and missions: taking, keeping, proving them (6.7, cards files E and F, R28)."""

from __future__ import annotations

from typing import ClassVar

from referee.games.marauders.actions import each
from referee.games.marauders.actions.cards import KeepMission, KeepRumor
from referee.games.marauders.cards.missions import Deed, RaidNation
from referee.games.marauders.data.quests import MISSIONS, RUMORS
from referee.games.marauders.events.quests import (
    MissionDiscarded,
    MissionDone,
    MissionOpened,
    MissionTaken,
    RumorDiscarded,
    RumorProved,
    RumorTaken,
)
from referee.games.marauders.rules.glory import ScorePoint
from referee.games.marauders.rules.modifiers import mod, pool
from referee.games.marauders.rules.piles import discard, draw_card, draw_cards
from referee.games.marauders.rules.purse import gain
from referee.games.marauders.rules.rewards import GiveReward, lay_down, rewards_of
from referee.games.marauders.rules.skill_tests import SkillTest
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import State
from referee.games.marauders.terms import Feat, Nation, Skill
from referee.rules.agenda import SeatQuestion, Task, push
from referee.rules.chance import TABLE
from referee.rules.engine import Seat
from referee.rules.parts import immutable, replace


@immutable(frozen=True, slots=True)
class DrawRumors(Task[State]):
    """New rumors from the deck, of which one may be kept."""

    TAG: ClassVar[str] = "DrawRumors"
    seat: Seat
    count: int

    def run(self, draft: State) -> None:
        """Draw and choose."""
        offer_rumors(draft, self.seat, tuple(draw_cards(draft, draft.rumors, self.count)))


def offer_rumors(draft: State, seat: Seat, fresh: tuple[str, ...]) -> None:
    """Keep one of the held rumor and the new ones; a single one is simply taken."""
    held = draft.players[seat].rumor
    cards = fresh if held is None else (held, *fresh)
    if len(cards) > 1:
        push(draft, AskKeepRumor(seat, cards))
    elif fresh:
        _hold_rumor(draft, seat, fresh[0])


def _hold_rumor(draft: State, seat: Seat, rumor: str) -> None:
    # Told even if it is the one held before: whether a rumor was exchanged is nobody else's business.
    draft.set_player(seat, replace(draft.players[seat], rumor=rumor))
    tell(draft, RumorTaken, seat, rumor)


@immutable(frozen=True, slots=True)
class AskKeepRumor(SeatQuestion[State, KeepRumor]):
    """`keep_rumor`: the held card first, then the new ones; the others are shuffled into the deck."""

    TAG: ClassVar[str] = "AskKeepRumor"
    kind: ClassVar[str] = "keep_rumor"
    cards: tuple[str, ...]

    def options(self, state: State) -> tuple[KeepRumor, ...]:
        """Return one of the cards."""
        return each(KeepRumor, self.cards)

    def choose(self, draft: State, action: KeepRumor) -> None:
        """Keep it, shuffle the others in."""
        others = [card for card in self.cards if card != action.rumor]
        deck = draft.chance.shuffle(draft.rumors.name, TABLE, [*draft.rumors.deck, *others])
        draft.rumors = replace(draft.rumors, deck=tuple(deck))
        _hold_rumor(draft, self.seat, action.rumor)


@immutable(frozen=True, slots=True)
class TakeMission(Task[State]):
    """A claimed mission: with another in hand one of the two goes; then a new one is opened."""

    TAG: ClassVar[str] = "TakeMission"
    seat: Seat
    mission: str

    def run(self, draft: State) -> None:
        """Take it from the board."""
        draft.open_missions = tuple([mission for mission in draft.open_missions if mission != self.mission])
        held = draft.players[self.seat].mission
        push(draft, OpenMission())
        if held is None:
            _hold_mission(draft, self.seat, self.mission)
        else:
            push(draft, AskKeepMission(self.seat, (held, self.mission)))


def _hold_mission(draft: State, seat: Seat, mission: str) -> None:
    player = draft.players[seat]
    if player.mission != mission:
        draft.set_player(seat, replace(player, mission=mission))
        tell(draft, MissionTaken, seat, mission)


@immutable(frozen=True, slots=True)
class AskKeepMission(SeatQuestion[State, KeepMission]):
    """`keep_mission`: the held card first; the other is discarded."""

    TAG: ClassVar[str] = "AskKeepMission"
    kind: ClassVar[str] = "keep_mission"
    cards: tuple[str, str]

    def options(self, state: State) -> tuple[KeepMission, ...]:
        """Return one of the cards."""
        return each(KeepMission, self.cards)

    def choose(self, draft: State, action: KeepMission) -> None:
        """Keep it, discard the other."""
        other = next(card for card in self.cards if card != action.mission)
        discard(draft, other)
        tell(draft, MissionDiscarded, self.seat, other)
        _hold_mission(draft, self.seat, action.mission)


@immutable(frozen=True, slots=True)
class OpenMission(Task[State]):
    """A new mission is laid open at its port."""

    TAG: ClassVar[str] = "OpenMission"

    def run(self, draft: State) -> None:
        """Draw it, if any is left."""
        mission = draw_card(draft, draft.missions)
        if mission is not None:
            draft.open_missions += (mission,)
            tell(draft, MissionOpened, mission)


def test_rumor(draft: State, seat: Seat) -> None:
    """Prove the rumor in hand: Influence in port, Scouting at sea."""
    rumor = draft.players[seat].rumor
    assert rumor is not None
    if RUMORS[rumor].in_port:
        skill, dice = Skill.INFLUENCE, pool(draft, seat, Skill.INFLUENCE, "dice.test")
    else:
        skill, dice = Skill.SCOUTING, pool(draft, seat, Skill.SCOUTING, "dice.scout", "dice.test")
    test = SkillTest(seat=seat, skill=skill, pool=dice, success=(ProveRumor(seat),), failure=(LoseRumor(seat),))
    push(draft, test)


@immutable(frozen=True, slots=True)
class ProveRumor(Task[State]):
    """The rumor was true."""

    TAG: ClassVar[str] = "ProveRumor"
    seat: Seat

    def run(self, draft: State) -> None:
        """Rewards, then the glory point."""
        player = draft.players[self.seat]
        rumor = player.rumor
        assert rumor is not None
        draft.set_player(self.seat, replace(player, rumor=None))
        tell(draft, RumorProved, self.seat, rumor)
        _reward(draft, self.seat, rumor, Feat.RUMOR)


@immutable(frozen=True, slots=True)
class LoseRumor(Task[State]):
    """The rumor was false."""

    TAG: ClassVar[str] = "LoseRumor"
    seat: Seat

    def run(self, draft: State) -> None:
        """Discard it."""
        player = draft.players[self.seat]
        rumor = player.rumor
        assert rumor is not None
        draft.set_player(self.seat, replace(player, rumor=None))
        discard(draft, rumor)
        tell(draft, RumorDiscarded, self.seat, rumor)


@immutable(frozen=True, slots=True)
class CompleteMission(Task[State]):
    """The task of the mission in hand is done."""

    TAG: ClassVar[str] = "CompleteMission"
    seat: Seat

    def run(self, draft: State) -> None:
        """Rewards, then the glory point."""
        player = draft.players[self.seat]
        mission = player.mission
        assert mission is not None
        draft.set_player(self.seat, replace(player, mission=None))
        tell(draft, MissionDone, self.seat, mission)
        _reward(draft, self.seat, mission, Feat.MISSION)


def _reward(draft: State, seat: Seat, card: str, feat: Feat) -> None:
    gain(draft, seat, mod(draft, seat, "quest.gold"))
    lay_down(draft, seat, card)
    rewards = [GiveReward(seat, card, reward) for reward in rewards_of(card)]
    push(draft, *rewards, ScorePoint(seat, feat))


@immutable(frozen=True, slots=True)
class CheckTask(Task[State]):
    """A mission whose task is a victory or a raid completes at once, if it is held."""

    TAG: ClassVar[str] = "CheckTask"
    seat: Seat
    deed: Deed

    def run(self, draft: State) -> None:
        """Complete it."""
        mission = draft.players[self.seat].mission
        if mission is not None and MISSIONS[mission].task == self.deed:
            push(draft, CompleteMission(self.seat))


def raided(seat: Seat, nation: Nation) -> CheckTask:
    """After a successful raid under that flag."""
    return CheckTask(seat, RaidNation(nation))
