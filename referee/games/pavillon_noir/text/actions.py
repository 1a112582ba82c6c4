"""Every option, short enough for a list."""

from __future__ import annotations

from dataclasses import fields
from typing import assert_never

from referee.games.pavillon_noir import actions as a
from referee.games.pavillon_noir.data import REPUTATIONS, TRICKS
from referee.games.pavillon_noir.terms import Term
from referee.games.pavillon_noir.text.words import (
    BESIDE,
    disc_list,
    gun_list,
    say_aim,
    say_all,
    say_card,
    say_cards,
    word,
)
from referee.text import spaced


def tell_action(action: a.Action) -> str:
    """Tell one option, short enough for a list."""
    match action:
        case a.Aim(card, value, target, side):
            return f"aim {say_aim(card, value)} {BESIDE[side]} target {target}"
        case a.PlayTrick(trick, index):
            return f"play {TRICKS[trick].title}" + ("" if index is None else f" on target {index}")
        case a.Broadside(suit):
            return f"broadside {word(suit)}"
        case a.Give(cards):
            return say_cards(cards)
        case a.GiveRun(start, cards):
            return f"{say_cards(cards)} from {start}"
        case a.Evade(kind, start, cards):
            return f"evade {word(kind)} {say_cards(cards)} from {start}"
        case a.FireBroadside(discs):
            return gun_list(discs)
        case a.LoseAim(places):
            return ", ".join(f"{BESIDE[side]} target {index}" for index, side in places)
        case a.ReturnDiscs(discs):
            return f"return {say_all(discs)}"
        case a.LoadGuns(bow, stern):
            return f"bow {disc_list(bow)} stern {disc_list(stern)}"
        case a.PlaceOfficers(captain, mate):
            return f"captain {word(captain)}, mate {word(mate)}"
        case a.InstallCannons(bow_cannon, stern_cannon):
            return f"bow {word(bow_cannon)}, stern {word(stern_cannon)}"
        case a.KeepReputation(reputation):
            return REPUTATIONS[reputation].title
        case a.KeepTrick(trick):
            return TRICKS[trick].title
        case a.TakeCard(card):
            return say_card(card)
        case a.RemovePlanks() | a.RemoveSails() | a.RemoveCrew() | a.Restore():
            return _tell_counts(action)
        case a.LayGun(gun, zone):
            return f"lay the {word(gun)} gun on the {word(zone)}"
        case a.MoveFigure(figure, deck, zone):
            return f"{word(figure)} from the {word(deck)} to the {word(zone)}"
        case (
            a.Prepare()
            | a.SheerOff()
            | a.ReloadOne()
            | a.ReloadBattery()
            | a.Patch()
            | a.ChangeTarget()
            | a.Stop()
            | a.Hold()
            | a.Fire()
            | a.Pass()
            | a.DoubleShot()
            | a.PickZone()
            | a.ShootFigure()
            | a.PickTrack()
            | a.PickTarget()
        ):
            return _tell_plainly(action)
        case _:
            assert_never(action)


def _tell_counts(action: a.RemovePlanks | a.RemoveSails | a.RemoveCrew | a.Restore) -> str:
    match action:
        case a.RemovePlanks(bow, main, stern):
            return f"planks {bow}/{main}/{stern}"
        case a.RemoveSails(bow, stern):
            return f"sails {bow}/{stern}"
        case a.RemoveCrew(bow, main, stern, captain, mate):
            return f"sailors {bow}/{main}/{stern}" + " +captain" * captain + " +mate" * mate
        case a.Restore(counts):
            return "/".join(map(str, counts))
        case _:
            assert_never(action)


def _tell_plainly(action: a.Action) -> str:
    """Return the name of the action and its parameters, all of them terms or numbers."""
    values = (getattr(action, field.name) for field in fields(action))
    return " ".join([spaced(type(action).__name__), *(word(v) if isinstance(v, Term) else str(v) for v in values)])
