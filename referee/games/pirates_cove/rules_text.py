"""The rules, for bots that ask. Written by `make docs` from the marked parts of docs/games/pirates_cove.md."""
# ruff: noqa: E501

from __future__ import annotations

RULES = """\
Two to five seats, one ship each, twelve months. Every month each seat secretly picks an island. Ships that meet on an outer island fight with dice
until one is left, and that one plunders the island. Legendary pirates cruise from island to island. Chests and gold become fame only when they are
buried at Treasure Island. The most fame after month 12 wins. (*La Crique des Pirates*, by Paul Randles and Daniel Stahl.)

## Places

| place | name | in port (phase 5) |
| --- | --- | --- |
| 1 | Tavern Island | buy up to 3 Tavern cards, 2 gold each |
| 2, 3, 4, 5 | Hull, Sail, Cannon, Crew Island | raise that section by any number of levels |
| 6 | Treasure Island | bury chests (1 fame each), bury gold (3 for 1 fame), raise one section by one level at double price; each of these once |
| 7 | Pirate's Cove | repair, then draw 2 cards, or draw 1 card and take 2 gold. Reached only by leaving a combat |

Islands 1 to 5 are the outer islands. "By place" always means this order. Place 0 is the open sea before month 1.

## Ships

| level | -1 | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| hull (chests carried), sails (speed) | 0 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 12 |
| cannons, crew | 0 | 2 | 2 | 3 | 3 | 4 | 4 | 5 | 5 |
| gold to reach this level from the one below | | | 1 | 1 | 2 | 2 | 3 | 3 | 4 |

Level -1 is a destroyed section. A ship throws as many dice as the lower of its cannons and crew values. It starts with all sections at level 1, 9
gold and one Tavern card. `OUTFIT` raises sections by 0 to 4 levels (0, 1, 3, 5 or 8 gold each) for at most 9 gold; the ship keeps what is not spent:
(1, 1, 2, 2) costs 8 and leaves 1 gold. The box holds 124 gold and 50 chests; if the supply runs short, you get what is left (R31).

## A month

1. **Treasure.** One Treasure card is turned up on each outer island: fame, gold, chests, Tavern cards. Window `TREASURE_EVENT`.
2. **Navigation.** Window `LOOKOUT`, then `NAVIGATE` (all seats at once), then window `NAV_EVENT`.
3. **Combat** at places 1 to 6.
4. **Plunder.** The ship left on an outer island takes what its card shows.
5. **Port** at places 1 to 7, fastest ship first: a wounded parrot recovers, the Cove repairs, then `PORT` is asked until `done`. Fame for burying is
   added when the visit ends.
6. **End.** Each black ship moves to the next place (from 6 to 1), a new captain boards one that has none, the Navy leaves, and chests above the hull
   value are lost.

In these three windows, seats take turns starting with `start_seat`, which is (month - 1) modulo the number of seats. In `TREASURE_EVENT` a seat acts
until it passes; `LOOKOUT` ends when the card is played; `NAV_EVENT` and `BOARDING` go in rounds until all seats pass in one round. **A pass reveals
nothing:** a seat that cannot play passes automatically, and everybody gets the same `Passed` either way.

## Combat

There is a combat where a player ship meets a legend (other than the Cacafuego) or the Navy, and where two player ships meet on an outer island. It is
a single combat: while non-player ships are afloat, only they can be fired at; then the players fight each other. At Treasure Island, players never
fight each other (R7, R45).

- **Boarding.** In order of speed, the ships play Battle cards in rounds. This order stays fixed, whatever the cards do (R6).
- **Exchanges.** In order of speed (ties are broken at random, anew in each exchange), each ship fires, flees or, after a Cannonade, reloads. A hit on
  sails changes the order from the next exchange on (R5).
- **A volley** names a ship and a section. Each 5 or 6 is a hit; against Smoke only a 6 hits; with Grapeshot 3 to 6 hit.
- **A hit** on a section is taken by the Artisan there (damaged, then lost), otherwise by the parrot there (wounded, then dead: its owner loses 2
  fame), otherwise by the section, which loses one level; below level 0 it is destroyed. Any hit makes the ship *touched*. A legend loses hull points
  instead.
- **Destroyed section:** after the whole volley, the ship must leave for the Cove. **Flight** also leads there, and costs a die roll: on a 1 there is
  a mutiny, and all gold, all chests and 2 fame are lost. For each touched ship that leaves, every player ship that stays gains 1 fame.
- **Sunk** legends pay their fame divided by the number of player ships still there, rounded down. The **Cacafuego** does not fight: whoever holds its
  place after the combat gets a die roll of fame (shared, rounded down, at Treasure Island).
- After 50 exchanges night falls: if non-player ships remain, all player ships leave; otherwise all but the fastest (R34).

| captain | dice | hits | fires at | hull | speed | fame |
| --- | --- | --- | --- | --- | --- | --- |
| Blackbeard | 6 | hull | highest cannons | 8 | 24 | 6 |
| Dutchman | 4 | crew | highest crew | 5 | 16 | 6; at the end of an exchange, regains up to 2 of the points lost in it |
| Hook | 3 | hull | highest hull | 5 | 18 | 3; a missed die showing 1-4 strikes the hull of the ship with that number, counting the other ships clockwise from the target, unless that ship is in Smoke |
| Bonny & Read | 3 | all four | fastest | 5 | 22 | 6 |
| Royal Navy | 4 | its controller chooses | its controller chooses | 4 | 20 | 4; appears only by card, never at places 6 and 7 |

With 2 or 3 seats there are two black ships (starting at 1 and 4), with 4 or 5 seats there is one (starting at 1). Everybody knows where they go next
month.

## Tavern cards (42)

| card | copies | played in | effect |
| --- | --- | --- | --- |
| `FLINT` `SILVER` `BONES` `TRELAWNEY` | 1 each | at once | parrots on hull, cannons, crew, sails: unlimited hold; always 6 dice; dice by cannons alone; speed +20. Only one is aboard; you may swap it for the next one for 1 fame |
| `ARTISAN` | 7 | `PORT` | takes the first two hits on one section; only one aboard; its repair costs 1 gold |
| `SHIPWRIGHT` | 1 | `PORT` | one level, free |
| `FREEBOOTER` | 1 | `TREASURE_EVENT` | you get half (rounded up) of a victim's plunder and burying fame this month |
| `MAP` | 1 | `TREASURE_EVENT` | a die marks an outer island (6: roll again); if you plunder it, you get twice its chests |
| `LOOKOUT` | 1 | `LOOKOUT` | navigation is open and in turn, from a seat you name |
| `NAVY` | 2 | `NAV_EVENT` | deploys the Royal Navy to an outer island under your command; once a month, whoever plays it |
| `LETTER` | 1 | `NAV_EVENT` | sends the deployed Navy elsewhere, under your command |
| `SLIP` | 1 | `NAV_EVENT` | move to an outer island without ships or to Treasure Island; ends a Freebooter on you |
| `BECALMED` | 1 | `BOARDING` | no more cards in this combat |
| `GRAPPLE` | 2 | `BOARDING` | all player ships throw dice by crew alone (Silver and Bones excepted) |
| `OVERBOARD` | 1 | `BOARDING` | throw chests overboard: speed +2 each |
| `SMOKE` | 2 | `BOARDING` | only a 6 hits your ship |
| `WIND` | 2 | `BOARDING` | speed +6; two add up |
| `GRAPESHOT` | 2 | `VOLLEY` | 3 and higher hit, even through Smoke; then two hits on your own cannons |
| `MAGAZINE` | 2 | `VOLLEY` | each hit also strikes the hull of every ship present, yours included |
| `CANNONADE` | 2 | `VOLLEY` | each hit strikes all four sections; you reload at your next turn |
| `FAME1` `FAME2` `FAME3` | 5, 3, 1 | never | that much fame in the final scoring |

Battle cards stay until the end of the combat; all other cards are discarded when played (an Artisan when it is lost). When the draw pile is empty,
the discards are shuffled to make a new one.

## The end

Score = fame + Fame cards in hand. Rank = 1 + seats with a higher score. A tie for first place is fought out in a final duel: one combat of the tied
ships as they are, with hand cards, without flight and without any change of fame. The last ship left is first, and the others rank by how long they
lasted. Ships that leave together share the better rank, and so do all ships left after 50 exchanges. The reasons are `most_fame` and `final_duel`.
Hand cards other than Fame cards stay hidden in the duel.
"""
