"""The rules, for bots that ask. Written by `make docs` from the marked parts of docs/games/marauders.md."""
# ruff: noqa: E501

from __future__ import annotations

RULES = """\
Pirates and traders in the Caribbean, 2 to 4 seats. Each seat is a captain with one ship on a map of 17 sea zones, 16 of them with a port.
Trade, raid merchants, prove rumors, do missions, fight: each deed is worth a glory point, and every 10 gold in your chest is worth one more. The
first round in which somebody has 10 points is the last one.

Dice show 1 to 6; **5 and 6 are skulls**, the successes. `dice` holds every die of the last step. A *test* rolls as many dice as the skill plus
modifiers (at least 1) and succeeds with at least one skull.

## A round

1. If 8 or more merchants are on the track, all of them return to empty zones. An event card is drawn; if none is left, the game ends (after at most
   34 rounds).
2. The NPC icons of the card move NPCs, then its text takes effect. `ROUND` modifiers and closed ports last for this round.
3. Every seat takes its turn, in the order drawn at the start.
4. Beaten NPCs that have cards beneath come back, the NPC of this round's card enters, and after a declaration of war its admirals enter. If a seat
   has declared, the game ends.

**Ships.** Sections `cargo, masts, crew, cannons, hull` (always in this order in lists and in `Ship.sections`), each from 0 (destroyed) to a maximum
of at most 5, and Manoeuvrability. A hit on a destroyed section goes to the hull. At hull 0 the ship sinks and its captain dies. A ship without masts
rolls 1 contest die, and can neither board nor flee. The cargo section is also the number of cards you may carry at sea (in port: any number).

**Captains.** A captain has four skills (S seamanship, C scouting, L leadership, I influence), an ability, and a home port, which sets the captain's
nation. When your captain dies or retires, you lose everything but your track and chest. On your next turn you draw another (and redraw if a pirate
NPC lies off its home port) and start with 10 gold, or with none if your chest holds 10 or more. When fewer captains are left than seats without one,
the game ends.

**Bounties.** You have 0 to 5 per nation. Any bounty makes you a pirate: navies hunt you, pirate NPCs do not. A nation that has a bounty on you closes
its ports to you, except your home port and Port Royal (3 gold or an Influence roll). Plague closes ports too, and war closes them to everybody of the
enemy's nation.

## Your turn

You have 3 actions (and free moves, which your moves use up first). Before the first action, others may play cards against you; then come self-repair
and storms; and at sea, hostile NPCs look for you. They look again whenever you move or leave a port: all of them roll Scouting (naval ships with at
least as many dice as their bounty on you), and those that find you attack one after the other. A pirate NPC beside a naval ship and men-o'-war beside
each other do not look for you.

| Action | Cost | |
| --- | --- | --- |
| `leave`, `move`, `enter_port` | 1 (`high_seas`: 2 from sea to sea) | leaving: jettison first |
| `visit_port` | 1 | once per turn |
| `scout_player`, `scout_npc`, `scout_merchant`, `scout_rumor`, `scout_mission` | 1 | a Scouting test at sea; each target once per turn |
| `play_glory`, `end`, `retire` | 0 | retire: in port, as the first action, at most twice per game |

**Port action** (`port`, asked until `done`). There are seven activities, each available once: you may choose several options of one activity in a
row, and choosing one of another activity closes it. Selling comes before everything else; `try_rumor` and `do_mission` close it too.

| Activity | |
| --- | --- |
| Sell | 6 gold per card in demand, otherwise 3. **Three or more cards in demand at once: 1 glory.** A demand that was served changes when selling closes |
| Buy | draw 6 cards (3 if you drew in this port last round), never of the good in demand; a good costs 3, 2 or 1 gold if one, two or more cards of it were drawn |
| Shipyard | 2 gold per point of repair; 3 for a modification, a special weapon or restoring a flipped hull; sloop or flute 10, frigate or galleon 35, less your old ship's value (5 or 10, +1 per modification, -1 per damage). **First frigate or galleon a captain buys: 1 glory** |
| Recruit | a Leadership test for a full crew, otherwise 2 gold per man |
| Rumor | 2 gold and an Influence test for a rumor; you hold at most one |
| Mission | claim one of the two open missions at its port; you hold at most one |
| Stash | at your home port, move gold into the chest or out of it, one direction per Port action. At home you can also pay from the chest |

**Rumors** are tested in their port (Influence) or at sea in their zone (Scouting): on success you get the reward and 1 glory, otherwise the card is
lost. **Missions** give their reward and 1 glory.

**Raids.** A merchant you find goes to the track. You engage it as a ship of its own nation or of the zone's (1 bounty). Three cargo cards are laid
out. Every skull of a Seamanship roll buys one more card, a discard or an exchange; a special weapon turns a failed die. Then the cards' hit icons
strike you. If their escape icons reach your Manoeuvrability, the merchant escapes; if one of your sections is destroyed, you get nothing; otherwise
you get the loot in gold and the cards. **12 gold or more: 1 glory.**

## Combat

Long guns fire first, then there are naval rounds. Each side declares `shoot`, `board` or `flee`, attacker first (in round 1 both shoot). Both roll
dice for a contest: Seamanship, +1 with Manoeuvrability at least 2 above the enemy's. More skulls win. A tie with skulls goes to the greater sum of
the other dice; 0 to 0 goes to nobody. Then those who declared `shoot` fire: the winner with all Cannons, the other with at most as many as it has
skulls. Location dice hit 1 cargo, 2 masts, 3 crew, 4 cannons; the owner of the target chooses where skulls hit. Damage is simultaneous. A winner who
boarded and still has Crew starts a crew combat; a winner who fled escapes if the enemy had no skull.

In crew combat both roll Leadership, and each loses as many men as the other rolled skulls (at most as many as the other has men). A side without Crew
has lost; if both lose their Crew at once, skulls decide, then sums.

A victory is worth 1 glory. Beating a naval ship also brings a bounty. Beating a pirate NPC brings 5 or 15 gold if you are not a pirate. Beating a
captain brings 5 gold per bounty of one nation that neither has a bounty on you nor is at war with yours. If you win by crew combat, you may take the
ship, and from a captain everything useful. Losers die. After 20 rounds the combat ends without a winner.

NPCs start every combat undamaged. Their policy is the default of `npc_declare` and `npc_assign_hit`. They board with more than 1.4 times the enemy's
Crew x Leadership, or when they have no Cannons and are not weaker; they flee with hull 1 from 2 or more Cannons; otherwise they shoot. They place
skulls on cargo first; then on the greatest of masts, crew and cannons if that is 2 or more; then on the hull if it is 3 or more; then on cannons,
masts, crew, hull.

## Ranks

If the game ends by a declaration, seats with 10 points come first, ranked by track and then by gold in the chest. The other seats, and all seats
after any other ending, are ranked by points, then track, then chest. Equal seats share the rank. The reasons are `ten`, `events`, `captains` and
`cap` (5000 choices; this has never happened).
"""
