"""Merchants (6.8), and cargo to throw overboard."""

from __future__ import annotations

from typing import TypeAlias

from referee.games.marauders.terms import (
    Good,
    Nation,
    Weapon,
)
from referee.rules.parts import Part, immutable


@immutable(frozen=True, slots=True)
class LetGo(Part):
    """`let_go`: leave the merchant alone."""


@immutable(frozen=True, slots=True)
class Engage(Part):
    """A nation of `merchant`: raid the merchant under that flag."""

    nation: Nation


@immutable(frozen=True, slots=True)
class Stop(Part):
    """`stop`: the raid is settled with the cards on the table."""


@immutable(frozen=True, slots=True)
class DrawCard(Part):
    """`draw`: one more card on the table."""


@immutable(frozen=True, slots=True)
class DiscardCard(Part):
    """`discard i`: the i-th card of the table, from 1."""

    place: int


@immutable(frozen=True, slots=True)
class ExchangeCard(Part):
    """`exchange i`: the i-th card of the table against a new one."""

    place: int


@immutable(frozen=True, slots=True)
class UseWeapon(Part):
    """`weapon w` of a raid, `grapple` of `w_contest`, `chain` and `grape` of `ammo`."""

    weapon: Weapon


@immutable(frozen=True, slots=True)
class Jettison(Part):
    """Goods to throw overboard, in the order of the cargo table."""

    goods: tuple[Good, ...]


LET_GO = LetGo()
STOP = Stop()
DRAW_CARD = DrawCard()

RaidAction: TypeAlias = Stop | DrawCard | DiscardCard | ExchangeCard | UseWeapon
"""All entries of `raid` but the cards."""
