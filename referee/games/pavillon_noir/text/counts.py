"""The names under which `simulate` counts events: cards and rules of the specification."""

from __future__ import annotations

from typing import assert_never

from referee.games.pavillon_noir import events as e
from referee.games.pavillon_noir.data import REPUTATIONS, TRICKS


def fired(event: e.Event) -> str:
    """Return the name under which `simulate` counts an event."""
    if isinstance(event, e.ActionEvent):
        return _fired_action(event)
    if isinstance(event, e.CardEvent):
        return _fired_cards(event)
    if isinstance(event, e.FightEvent):
        return _fired_fight(event)
    return _fired_preparation(event)


def _fired_action(event: e.ActionEvent) -> str:
    match event:
        case e.Aimed():
            return "aim"
        case e.TurnBegan():
            return "turn"
        case e.Done(_, deed):
            return deed.name.lower()
        case e.FigureMoved():
            return "patch move"
        case e.ReputationUsed(_, reputation):
            return f"reputation {REPUTATIONS[reputation].name}"
        case e.TrickPlayed(_, trick):
            return f"trick {TRICKS[trick].name}"
        case e.SheeredOff():
            return "sheer_off"
        case e.BroadsideFired():
            return "broadside"
        case e.ZoneRepaired():
            return "patch repair"
        case _:
            assert_never(event)


def _fired_cards(event: e.CardEvent) -> str:
    match event:
        case e.CardsDiscarded(_, _, cause):
            return f"discard {cause.name.lower()}"
        case e.CardsDrawn():
            return "draw"
        case e.TargetsDiscarded():
            return "targets discarded"
        case e.DeckReshuffled():
            return "deck reshuffle"
        case e.TargetReplaced():
            return "target replaced"
        case e.AimTakenBack():
            return "aim taken back"
        case e.TargetsReshuffled():
            return "target reshuffle"
        case e.CardsLookedAt():
            return "cards looked at"
        case e.HandSpied():
            return "hand spied"
        case e.TrackCleared():
            return "track cleared"
        case _:
            assert_never(event)


def _fired_fight(event: e.FightEvent) -> str:
    match event:
        case e.FireHeld():
            return "hold"
        case e.ShotFired():
            return "fire"
        case e.ShotLanded():
            return "shot landed"
        case e.MarkersRemoved(_, marker):
            return f"remove {marker.name.lower()}"
        case e.DoubleFired():
            return "double_shot"
        case e.ShotEvaded(_, kind):
            return f"evade {kind.name.lower()}"
        case e.MarkersRestored(_, marker):
            return f"restore {marker.name.lower()}"
        case e.DisasterFlipped(_, _, disaster):
            return f"disaster {disaster.name.lower()}"
        case e.GameEnded(_, reason):
            return f"end {reason}"
        case _:
            assert_never(event)


def _fired_preparation(event: e.PreparationEvent) -> str:
    match event:
        case e.GunLaid():
            return "lay_gun"
        case e.DiscsDrawn():
            return "discs drawn"
        case e.GunsLoaded():
            return "load"
        case e.TricksDealt():
            return "tricks dealt"
        case e.TrickKept():
            return "choose_trick"
        case e.DiscsReturned():
            return "reload_return"
        case e.OfficersPlaced():
            return "setup_officers"
        case e.CannonsInstalled():
            return "setup_cannons"
        case e.FirstSeatNamed():
            return "first_seat"
        case e.ReputationsDealt():
            return "reputations dealt"
        case e.ReputationChosen():
            return "choose_reputation"
        case _:
            assert_never(event)
