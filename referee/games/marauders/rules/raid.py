"""Merchant raids (6.8, R27)."""

from __future__ import annotations

from functools import cache
from typing import ClassVar, assert_never

from referee.games.marauders.actions import each
from referee.games.marauders.actions.cards import PlayGlory
from referee.games.marauders.actions.raid import (
    DRAW_CARD,
    LET_GO,
    STOP,
    DiscardCard,
    DrawCard,
    Engage,
    ExchangeCard,
    LetGo,
    RaidAction,
    Stop,
    UseWeapon,
)
from referee.games.marauders.cards.modifiers import RAID_GOLD
from referee.games.marauders.data.board import GLORY_RAID, RAID_CARDS, ZONES
from referee.games.marauders.data.cargo import CARGO
from referee.games.marauders.events.combat import Damaged
from referee.games.marauders.events.raid import (
    MerchantEngaged,
    MerchantFound,
    RaidCardDiscarded,
    RaidCardDrawn,
    RaidEnded,
)
from referee.games.marauders.rules.death import Die
from referee.games.marauders.rules.dice import reroll, roll, skulls
from referee.games.marauders.rules.fighting.volley import use_weapon
from referee.games.marauders.rules.glory import ScorePoint, play, playable
from referee.games.marauders.rules.hold import TrimCargo
from referee.games.marauders.rules.modifiers import is_excused, mod, pool
from referee.games.marauders.rules.piles import discard_cargo, draw_card, lay_on_discard, lose_excess, take_cargo
from referee.games.marauders.rules.purse import change_bounty, gain
from referee.games.marauders.rules.quests import raided
from referee.games.marauders.rules.rewards import ship_of
from referee.games.marauders.rules.ships import set_ship, strike
from referee.games.marauders.rules.skill_tests import SkillTest
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import Raid, State
from referee.games.marauders.terms import Feat, Nation, RaidEnd, Roll, Section, Side, Skill, Timing
from referee.rules.agenda import SeatQuestion, Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, put, replace


def raid_of(state: State) -> Raid:
    """Return the raid under way."""
    assert state.raid is not None
    return state.raid


@immutable(frozen=True, slots=True)
class FindMerchant(Task[State]):
    """The token of the zone goes to the track and is shown; found without a roll, only one flag can be engaged."""

    TAG: ClassVar[str] = "FindMerchant"
    seat: Seat
    flag: Nation | None = None

    def run(self, draft: State) -> None:
        """Ask what to do with it."""
        zone = draft.players[self.seat].zone
        nation = draft.merchants[zone - 1]
        assert nation is not None
        draft.merchants = put(draft.merchants, zone - 1, None)
        draft.merchant_track += (nation,)
        draft.found = nation
        tell(draft, MerchantFound, self.seat, zone, nation)
        flags = (nation, ZONES[zone].nation) if self.flag is None else (self.flag,)
        push(draft, AskMerchant(self.seat, tuple(dict.fromkeys(flag for flag in flags if flag is not None))))


@immutable(frozen=True, slots=True)
class AskMerchant(SeatQuestion[State, LetGo | Engage]):
    """`merchant`: let it go, or engage it under one of its flags."""

    TAG: ClassVar[str] = "AskMerchant"
    kind: ClassVar[str] = "merchant"
    flags: tuple[Nation, ...]

    def options(self, state: State) -> list[LetGo | Engage]:
        """Return the token's nation, then the zone's."""
        return [LET_GO, *each(Engage, self.flags)]

    def choose(self, draft: State, action: LetGo | Engage) -> None:
        """Put a bounty on the captain, unless a letter of marque or a smooth tongue excuses it; then begin the raid."""
        draft.found = None
        if isinstance(action, LetGo):
            return
        nation = action.nation
        tell(draft, MerchantEngaged, self.seat, nation)
        draft.raid = Raid(nation)
        push(draft, BeginRaid(self.seat))
        if is_excused(draft, draft.players[self.seat], nation):
            return
        bounty = RaidBounty(self.seat, nation)
        if mod(draft, self.seat, "raid.talk_out"):
            dice = pool(draft, self.seat, Skill.INFLUENCE)
            push(draft, SkillTest(seat=self.seat, skill=Skill.INFLUENCE, pool=dice, failure=(bounty,)))
        else:
            push(draft, bounty)


@immutable(frozen=True, slots=True)
class RaidBounty(Task[State]):
    """The price of engaging a merchant."""

    TAG: ClassVar[str] = "RaidBounty"
    seat: Seat
    nation: Nation

    def run(self, draft: State) -> None:
        """Raise the bounty by one."""
        change_bounty(draft, self.seat, self.nation, 1)


@immutable(frozen=True, slots=True)
class BeginRaid(Task[State]):
    """Three cards on the table, a Seamanship roll, then the choices."""

    TAG: ClassVar[str] = "BeginRaid"
    seat: Seat

    def run(self, draft: State) -> None:
        """Havana: a 4th card stays only if it shows a hit."""
        for _ in range(RAID_CARDS):
            draw_to_table(draft, self.seat)
        if mod(draft, self.seat, "raid.extra_hit"):
            draw_to_table(draft, self.seat)
            table = raid_of(draft).table
            if len(table) > RAID_CARDS and CARGO[table[-1]].hit is None:
                remove_from_table(draft, self.seat, len(table))
        dice = roll(draft, Side(self.seat), Roll.RAID, pool(draft, self.seat, Skill.SEAMANSHIP, "dice.raid"))
        draft.raid = replace(raid_of(draft), dice=dice, free=mod(draft, self.seat, "raid.free"))
        push(draft, AskRaid(self.seat))


def draw_to_table(draft: State, seat: Seat) -> None:
    """Draw one more card to the table."""
    card = draw_card(draft, draft.cargo)
    if card is not None:
        raid = raid_of(draft)
        draft.raid = replace(raid, table=(*raid.table, card))
        tell(draft, RaidCardDrawn, seat, card)


def remove_from_table(draft: State, seat: Seat, place: int) -> None:
    """Remove one card from the table; places count from 1."""
    raid = raid_of(draft)
    card = raid.table[place - 1]
    draft.raid = replace(raid, table=raid.table[: place - 1] + raid.table[place:])
    lay_on_discard(draft, draft.cargo, (card,))
    tell(draft, RaidCardDiscarded, seat, card)


def spend_success(draft: State) -> None:
    """Use up one success."""
    raid = raid_of(draft)
    draft.raid = replace(raid, spent=raid.spent + 1)


def successes_left(raid: Raid) -> int:
    """Successes not yet spent."""
    return skulls(raid.dice) + raid.free - raid.spent


def failures_left(raid: Raid) -> int:
    """Failed dice that no weapon turned."""
    return len(raid.dice) - skulls(raid.dice) - raid.turned


@cache
def changes_of(place: int) -> tuple[DiscardCard, ExchangeCard]:
    """Return what can be done to a card on the table."""
    return DiscardCard(place), ExchangeCard(place)


@immutable(frozen=True, slots=True)
class AskRaid(SeatQuestion[State, RaidAction | PlayGlory]):
    """`raid`: spend successes on the table, turn failures with weapons, re-roll, or stop."""

    TAG: ClassVar[str] = "AskRaid"
    kind: ClassVar[str] = "raid"

    def options(self, state: State) -> list[RaidAction | PlayGlory]:
        """Stop, spend successes, turn failures with weapons, re-roll."""
        raid, player = raid_of(state), state.players[self.seat]
        options: list[RaidAction | PlayGlory] = [STOP]
        if successes_left(raid):
            options.append(DRAW_CARD)
            for place in range(1, len(raid.table) + 1):
                options += changes_of(place)
        if failures_left(raid):
            options += each(UseWeapon, player.weapons)
            if not raid.spent:
                options += each(PlayGlory, playable(player, Timing.ROLL))
        return options

    def choose(self, draft: State, action: RaidAction | PlayGlory) -> None:
        """Carry it out, and ask again unless it was the last."""
        match action:
            case Stop():
                push(draft, SettleRaid(self.seat))
                return
            case DrawCard():
                spend_success(draft)
                draw_to_table(draft, self.seat)
            case DiscardCard(place):
                spend_success(draft)
                remove_from_table(draft, self.seat, place)
            case ExchangeCard(place):
                spend_success(draft)
                remove_from_table(draft, self.seat, place)
                draw_to_table(draft, self.seat)
            case UseWeapon(weapon):
                use_weapon(draft, self.seat, weapon)
                raid = raid_of(draft)
                draft.raid = replace(raid, turned=raid.turned + 1, free=raid.free + 1)
            case PlayGlory():
                play(draft, self.seat, action)
                self._reroll(draft)
            case _:
                assert_never(action)
        push(draft, AskRaid(self.seat))

    def _reroll(self, draft: State) -> None:
        """Failed dice anew; those that a weapon turned are no failures any more and stay."""
        raid = raid_of(draft)
        staying = [place for place, die in enumerate(raid.dice) if not skulls([die])][: raid.turned]
        turned = tuple(raid.dice[place] for place in staying)
        others = [die for place, die in enumerate(raid.dice) if place not in staying]
        dice = turned + reroll(draft, Side(self.seat), Roll.RAID, others, skulls=False)
        draft.raid = replace(raid, dice=dice)


@immutable(frozen=True, slots=True)
class SettleRaid(Task[State]):
    """Hits, escape, and if all went well the loot."""

    TAG: ClassVar[str] = "SettleRaid"
    seat: Seat

    def run(self, draft: State) -> None:
        """Hits in table order; a destroyed section passes them to the hull."""
        ship = ship_of(draft.players[self.seat])
        struck = strike(ship, [hit for card in raid_of(draft).table if (hit := CARGO[card].hit) is not None])
        if struck != ship:
            set_ship(draft, self.seat, struck)
            tell(draft, Damaged, Side(self.seat), struck.sections)
        if struck.value(Section.HULL):
            lose_excess(draft, self.seat)
        self._end(draft, self._result(draft))

    def _result(self, draft: State) -> RaidEnd:
        raid = raid_of(draft)
        ship = ship_of(draft.players[self.seat])
        if not ship.value(Section.HULL):
            return RaidEnd.SUNK
        escapes = sum(CARGO[card].hit is None for card in raid.table) - mod(draft, self.seat, "raid.escape")
        if escapes >= ship.manoeuvrability:
            return RaidEnd.ESCAPED
        return RaidEnd.SUCCESS if all(ship.sections) else RaidEnd.CRIPPLED

    def _end(self, draft: State, end: RaidEnd) -> None:
        raid = raid_of(draft)
        draft.raid = None
        if end != RaidEnd.SUCCESS:
            tell(draft, RaidEnded, self.seat, end, 0)
            discard_cargo(draft, self.seat, raid.table)
            if end == RaidEnd.SUNK:
                push(draft, Die(self.seat))
            return
        gold = sum(CARGO[card].loot for card in raid.table)
        gold += mod(draft, self.seat, "raid.gold") + mod(draft, self.seat, RAID_GOLD[raid.nation])
        tell(draft, RaidEnded, self.seat, end, gold)
        gain(draft, self.seat, gold)
        take_cargo(draft, self.seat, raid.table, hidden=False)
        tasks: list[Task[State]] = [TrimCargo(self.seat), raided(self.seat, raid.nation)]
        if gold >= GLORY_RAID:
            tasks.insert(1, ScorePoint(self.seat, Feat.RAID))
        push(draft, *tasks)
