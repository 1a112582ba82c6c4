"""The rules, for bots that ask. Written by `make docs` from the marked parts of docs/games/broadsides.md."""
# ruff: noqa: E501

from __future__ import annotations

RULES = """\
Two ships, two seats. Each round both seats lay three cards in secret. The cards are turned over one by one and the ships sail; whenever
they are one point apart, their cannons fire. When both ships reach the same point they collide: they fire one last salvo, then the crews fight hand
to hand on the two decks. Seat 0 sails the *Seahawk* from the south, seat 1 the *Royal Isabella* from the north; the ships are equal.

You win by sinking the enemy (three hull sections destroyed), by leaving the enemy with neither captain nor crew, by the enemy's surrender, or by
killing the enemy captain hand to hand. Only two things are hidden: cards lying face down, and, during setup, where the other seat places its figures.

## The sea

Points form a square grid, x to the east, **y to the south**. A ship lies on a point and faces one of eight directions, N = 0 clockwise to
NW = 7 (on the wire plus one: `DIRECTION_N` is 1). A diagonal is one step, even between two land points. All charts look the same
when turned by 180 degrees, so no seat is favoured.

| card | effect |
| --- | --- |
| `AH` | one point ahead |
| `ST`, `PO` | turn one eighth to starboard (clockwise), to port |
| `RE` | nothing |
| `DA` | nothing; damage forces you to lay these |

In each of the three steps, both cards are turned over and executed at the same time. A ship never blocks another: swapping places, crossing paths
and entering a point that the other ship leaves are not collisions. A ship that sails onto land or over the edge stays where it is, **aground**:
its remaining cards of the round are not executed and never shown. It still fires, and can be hit or rammed.

**Damage** D = masts gone + hull sections with two markers. From the next program on, min(3, D) of your cards must be `DA`, in slots of your
choice. With D >= 3 the ship is immobilised: it cannot move or turn, it fires as before, and its player may surrender when programming.

**The current** acts at the end of each round after `drift_after` consecutive quiet rounds. Unless the ships are adjacent, both seats roll, and the
ship with the lower die is carried up to `drift_points` steps along a shortest path over water towards the other, never onto it, keeping its facing.
If several steps are possible, it takes the first in this order: ahead, then starboard and port alternately (0, +1, -1, +2, -2, +3, -3, 4 eighths from
its bow).

## The ship

A ship has sections A (bow) to H (stern). A station is a letter and a digit: 3 starboard, 4 amidships, 5 port; section A has A4 only. There are 22
stations; all lists follow their order in the enum. At most three figures of one player stand on a station.

- Ten cannons: B to F on both sides, each with two crew. Two more crew and the captain stand where you put them.
- Masts on A4, G4, H4 (one hit) and C4 (two hits).
- Sixteen hull sections A3, A5, ... H3, H5. A section with two markers is destroyed.
- Decks: A | B C D | E F G | H. On a deck, figures move like a chess king. Decks are connected by ladders only: A4-B3, A4-B5, D3-E3, D5-E5, G3-H3,
  G5-H5.

## Gunfire

After each step, if the ships are adjacent, their cannons fire. Which cannons bear depends on the enemy's bearing, in eighths clockwise from your bow:

| bearing | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| cannons that bear | none | B3 C3 | B3-F3 | E3 F3 | none | E5 F5 | B5-F5 | B5 C5 |
| your side facing the enemy | none | starboard | starboard | starboard | none | port | port | port |

The number of shots of each side is fixed first. If both seats have shots, dice decide who starts. One seat makes all its shots, then the other makes
all of its own, even with cannons it has just lost. Losses are checked only then; if both seats have lost, the game is a draw. A shot names a section
L, then a die is rolled:

| die | effect |
| --- | --- |
| 1, 6 | miss |
| 2 | a marker on hull section L, on the side facing the shooter; nothing if the target is end-on or the section is destroyed |
| 3, 4, 5 | hits station L3, L4, L5: its cannon, all crew and the captain are lost; 4 also hits the mast of A, C, G or H. A3 and A5 do not exist |

Stations on the far side can be hit like those on the near side. A captain lost to gunfire is replaced by one of the crew at the end of the round; in
the next round the ship has no cards (it lies still, but fires).

## Collision and Boarding

When both ships are on one point, the remaining cards are discarded unseen. The ship that did not move is the reference (seat 0 if both moved; the
choice makes no difference). b is where the blow came from, in eighths clockwise from its bow: (facing of the mover + 4 - facing of the reference) mod
8, with the facings after the step.

| b | contact: reference / mover | bows |
| --- | --- | --- |
| 0 | port / port | opposite ways |
| 1, 2, 3, 4 | starboard / port | the same way |
| 5, 6, 7 | port / starboard | the same way |

**Last salvo:** all cannons on the contact sides fire as above, but they hit only stations, neither hull nor masts. Lost captains are replaced at
once, without losing cards. Dice decide who takes the first turn.

**Crossings** connect stations at the rail that lie opposite each other (A4 counts as the rail of both sides): A-A, B-B, ... if the bows point the
same way, A-H, B-G, ... if they point opposite ways. They are listed in `boarding.crossings`.

**A turn** is three moves of one station each, by any of your figures, on either ship. You must move as long as a legal move exists. A figure that
shares a station with an enemy is stuck. Other figures may join it; only your own figures count towards the limit of three. After the moves, every
contested station is fought over, in the order in which the stations became contested.

**A melee** lasts until one side is gone. Each side rolls a die, adds 1 for every figure it has in excess of the other side (the captain counts as a
figure), and adds 1 if its captain is there. The side with the lower total loses a figure; with equal totals, each side loses one. Crew fall before
the captain. Two lone captains who tie roll again. **A seat whose captain falls loses the game at once.**

## How a game ends

| reason | result |
| --- | --- |
| `SUNK`, `ELIMINATED`, `SURRENDER`, `CAPTAIN_SLAIN` | the other seat wins |
| `MUTUAL_LOSS`, `MUTUAL_SURRENDER` | a draw |
| `DEADLOCK` (both immobilised and no cannon bears), `ROUND_CAP`, `QUIET_CAP` | the ship in better condition wins: lower D, then more figures, more cannons, fewer hull markers; otherwise a draw |
| `BOARD_CAP`, `BOARD_QUIET` | more figures win, then more figures on the enemy's ship; otherwise a draw |
"""
