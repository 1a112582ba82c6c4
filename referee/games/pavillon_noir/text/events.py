"""Every event as one line, also without its secret part (view.py)."""

from __future__ import annotations

from typing import assert_never

from referee.games.pavillon_noir import events as e
from referee.games.pavillon_noir.data import MATCHING, MOST_CANNON_PENALTY, REPUTATIONS, TRICKS, ZONES
from referee.games.pavillon_noir.terms import Figure, Projectile, Zone, ZoneKind
from referee.games.pavillon_noir.text.words import (
    BESIDE,
    gun_list,
    say_aim,
    say_all,
    say_cards,
    say_target,
    say_targets,
    seat_name,
    word,
    zone_counts,
)
from referee.rules.infos import end_words
from referee.text import plural


def tell_event(event: e.Event) -> str:
    """Tell one fact as one line."""
    if isinstance(event, e.ActionEvent):
        return _tell_action(event)
    if isinstance(event, e.CardEvent):
        return _tell_cards(event)
    if isinstance(event, e.FightEvent):
        return _tell_fight(event)
    return _tell_preparation(event)


def _tell_preparation(event: e.PreparationEvent) -> str:
    who = seat_name(event.seat)
    match event:
        case e.OfficersPlaced(_, captain, mate):
            return f"{who} sends the captain to the {word(captain)} and the mate to the {word(mate)}"
        case e.CannonsInstalled(_, bow, stern):
            return f"{who} installs {word(bow)} at the bow and {word(stern)} at the stern"
        case e.DiscsDrawn(_, discs):
            return f"{who} draws {say_all(discs)} from the bag"
        case e.DiscsReturned(_, discs):
            return f"{who} returns {say_all(discs)} to the bag"
        case e.GunsLoaded(_, bow_load, stern_load):
            return f"{who} loads the bow with {say_all(bow_load)} and the stern with {say_all(stern_load)}"
        case e.FirstSeatNamed():
            return f"{who} goes first"
        case e.GunLaid(_, gun, zone, targets):
            return f"{who} lays the {word(gun)} gun on the {word(zone)}: {say_targets(targets)}"
        case e.ReputationsDealt(_, reputations):
            titles = ", ".join(REPUTATIONS[card].title for card in reputations)
            return f"{who} chooses a reputation among {titles or 'those dealt'}"
        case e.ReputationChosen(_, reputation):
            return f"{who} is known as {REPUTATIONS[reputation].title}"
        case e.TricksDealt(_, tricks):
            titles = ", ".join(TRICKS[card].title for card in tricks)
            return f"{who} chooses a trick among {titles or 'those dealt'}"
        case e.TrickKept(_, trick):
            return f"{who} keeps {'a trick' if trick is None else TRICKS[trick].title}"
        case _:
            assert_never(event)


def _tell_cards(event: e.CardEvent) -> str:
    if isinstance(event, e.TargetsReshuffled):
        return "The target cards are reshuffled"
    who = seat_name(event.seat)
    match event:
        case e.TargetsDiscarded(_, targets):
            return f"{who} puts {say_targets(targets)} away"
        case e.TargetReplaced(_, index, target):
            return f"{who} lays out {say_target(target)} as target {index}"
        case e.AimTakenBack(_, cards):
            return f"{who} takes {say_cards(cards)} back into the hand"
        case e.CardsDrawn(_, count, cards):
            return f"{who} draws {say_cards(cards) if cards else plural(count, 'card')}"
        case e.DeckReshuffled():
            return f"{who} reshuffles the discard pile"
        case e.CardsLookedAt(_, count, cards):
            return f"{who} looks at {say_cards(cards) if cards else plural(count, 'card')}"
        case e.HandSpied(_, cards):
            return f"{who} sees the opposing hand" + (f": {say_cards(cards)}" if cards else "")
        case e.CardsDiscarded(_, cards, cause):
            return f"{who} loses {say_cards(cards)} ({word(cause)})"
        case e.TrackCleared(_, track):
            return f"{who} uncovers the {word(track)} track"
        case _:
            assert_never(event)


def _tell_action(event: e.ActionEvent) -> str:
    who = seat_name(event.seat)
    match event:
        case e.TurnBegan(_, turn):
            return f"Turn {turn}: {who}"
        case e.ReputationUsed(_, reputation):
            return f"{who} profits from {REPUTATIONS[reputation].title}"
        case e.TrickPlayed(_, trick, target):
            return f"{who} plays {TRICKS[trick].title}" + ("" if target is None else f" on target {target}")
        case e.Aimed(_, card, value, index, side):
            return f"{who} aims with {say_aim(card, value)} {BESIDE[side]} target {index}"
        case e.Done(_, deed, cards):
            return f"{who}: {word(deed)}" + (f" for {say_cards(cards)}" if cards else "")
        case e.BroadsideFired(_, suit, cards, discs):
            return f"{who} fires a broadside of {word(suit)}s with {say_cards(cards)}: {gun_list(discs)}"
        case e.SheeredOff(_, start, cards):
            return f"{who} sheers off with {say_cards(cards)} from {start}"
        case e.FigureMoved(_, figure, deck, zone):
            article = "a" if figure is Figure.SAILOR else "the"
            return f"{who} sends {article} {word(figure)} from the {word(deck)} to the {word(zone)}"
        case e.ZoneRepaired(_, deck, zone, spared):
            return f"{who} repairs the {word(zone)} from the {word(deck)}" + (
                " and spares the sailor" if spared else ""
            )
        case _:
            assert_never(event)


def _tell_fight(event: e.FightEvent) -> str:
    if isinstance(event, e.GameEnded):
        return f"The game ends ({end_words(event.reason)}): " + (
            "a draw" if event.winner is None else f"{seat_name(event.winner)} wins"
        )
    who = seat_name(event.seat)
    match event:
        case e.FireHeld():
            return f"{who} holds fire"
        case e.ShotFired(_, gun, zone, projectile, initial, reductions, damage):
            terms = ", ".join([str(initial), *_shot_terms(projectile, zone, initial, reductions, damage)])
            return f"{who} fires {word(projectile)} from the {word(gun)} at the {word(zone)}: {terms}: {damage}"
        case e.DoubleFired(_, projectile, damage):
            return f"{who} fires {word(projectile)} as well, which makes it {damage}"
        case e.ShotEvaded(_, kind, _, cards, reduction, damage):
            return f"{who} evades {reduction} with a {word(kind)} run {say_cards(cards)}, which leaves {damage}"
        case e.ShotLanded(_, zone, damage):
            return f"{who} does {damage or 'no'} damage to the {word(zone)}"
        case e.MarkersRemoved(_, marker, counts, captain, mate):
            officers = [name for name, lost in (("captain", captain), ("mate", mate)) if lost]
            return f"{who} loses {', '.join([*zone_counts(marker, counts), *officers])}"
        case e.MarkersRestored(_, marker, counts):
            return f"{who} gets back {', '.join(zone_counts(marker, counts))}"
        case e.DisasterFlipped(_, zone, disaster):
            return f"{who} meets with disaster in the {word(zone)}: {word(disaster)}"
        case _:
            assert_never(event)


def _shot_terms(
    projectile: Projectile, zone: Zone, initial: int, reductions: tuple[int, ...], damage: int
) -> list[str]:
    """Return everything that a shot lost, each with its reason.

    Master of Shot forgives a wrong projectile against sails and decks. The event does not say so: where the rest could
    be either, both reasons are named.
    """
    rest = initial - sum(reductions) - damage
    mismatched = projectile is not MATCHING[ZONES[zone].kind]
    terms: list[str] = []
    if mismatched and (ZONES[zone].kind is ZoneKind.HULL or rest > MOST_CANNON_PENALTY):
        terms.append("wrong projectile -1")
        rest -= 1
    elif mismatched and rest:
        return [f"wrong projectile or bare gun deck -{rest}", *_card_terms(reductions)]
    if rest:
        terms.append(f"bare gun deck -{rest}")
    return [*terms, *_card_terms(reductions)]


def _card_terms(reductions: tuple[int, ...]) -> list[str]:
    return [f"target card -{reduction}" for reduction in reductions if reduction]
