"""Every option, short enough for a list."""

from __future__ import annotations

from dataclasses import fields
from typing import assert_never

from referee.games.pavillon_noir import actions as a
from referee.games.pavillon_noir.data import REPUTATIONS, TRICKS
from referee.games.pavillon_noir.terms import Term, card_name
from referee.games.pavillon_noir.text.words import aim_card, card_list, disc_list, gun_list, word, words
from referee.words import spaced


def tell_action(action: a.Action) -> str:
    """One option, short enough for a list."""
    match action:
        case a.PlaceOfficers(captain, mate):
            return f"captain on the {word(captain)}, mate on the {word(mate)}"
        case a.InstallCannons(bow_cannon, stern_cannon):
            return f"{word(bow_cannon)} at the bow, {word(stern_cannon)} at the stern"
        case a.LayGun(gun, zone):
            return f"lay the {word(gun)} gun on the {word(zone)}"
        case a.MoveFigure(figure, deck, zone):
            return f"send a {word(figure)} from the {word(deck)} to the {word(zone)}"
        case a.ShootFigure(deck, figure):
            return f"shoot a {word(figure)} on the {word(deck)}"
        case a.Aim(card, value, target, side):
            return f"aim {aim_card(card, value)} {word(side)} target {target}"
        case a.PlayTrick(trick, index):
            return f"play {TRICKS[trick].title}" + ("" if index is None else f" on target {index}")
        case a.Broadside(suit):
            return f"broadside {word(suit)}"
        case a.Give(cards):
            return card_list(cards)
        case a.GiveRun(start, cards):
            return f"{card_list(cards)} from {start}"
        case a.Evade(kind, start, cards):
            return f"evade {word(kind)} {card_list(cards)} from {start}"
        case a.FireBroadside(discs):
            return gun_list(discs)
        case a.LoseAim(places):
            return ", ".join(f"{word(side)} target {index}" for index, side in places)
        case a.ReturnDiscs(discs):
            return f"return {words(discs)}"
        case a.LoadGuns(bow, stern):
            return f"bow {disc_list(bow)} stern {disc_list(stern)}"
        case a.KeepReputation(reputation):
            return f"be known as {REPUTATIONS[reputation].title}"
        case a.KeepTrick(trick):
            return f"keep {TRICKS[trick].title}"
        case a.TakeCard(card):
            return card_name(card)
        case a.RemovePlanks() | a.RemoveSails() | a.RemoveCrew() | a.Restore():
            return _tell_counts(action)
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
    """The name of the action and its parameters, all of them terms or numbers."""
    values = (getattr(action, field.name) for field in fields(action))
    return " ".join([spaced(type(action).__name__), *(word(v) if isinstance(v, Term) else str(v) for v in values)])
