"""The rules, for bots that ask. Written by `make docs` from the marked parts of docs/games/pavillon_noir.md."""
# ruff: noqa: E501

from __future__ import annotations

RULES = """\
Two equal ships, two seats. You build coordinates by laying aim cards beside *target cards*. The closer they come to the bull of every target card,
the less damage your shot loses. The same aim cards also pay for other actions: flushes, runs and pairs pay for broadsides, sheer-offs, evasions and
reloads, and single cards pay for repairs.

You win at once when 10 of the enemy's 14 planks are missing (`sink`) or when the enemy's captain and mate are both gone (`officers`). After the last
round the ships are compared: planks, then officers, then crew figures, then sails (`cap_win`, `cap_draw`).

## The ship

| zone | markers | what losing them uncovers, in order | target cards needed |
| --- | --- | --- | --- |
| `SAIL_BOW`, `SAIL_STERN` | 3 sails each | plain, -1 sail, -1 sail | 1 |
| `DECK_BOW`, `DECK_STERN` | 4 crew each | plain, -1 cannon, -1 cannon, no fire | 2 |
| `DECK_MAIN` | 6 crew | 3 plain, then -1 hand three times | 3 |
| `HULL_BOW`, `HULL_MAIN`, `HULL_STERN` | 5, 4, 5 planks | nothing | 2 |

The crew is 12 sailors, a captain and a mate; officers count like sailors. Markers move freely inside their zone, so only their number matters:

- **-1 sail** (0 to 4 over all zones): each one makes your runs for sheering off and evading count one card less.
- **-1 hand**: the hand limit of 6 becomes 5, 4, 3. It is checked only at the end of your own turn.
- **-1 cannon**: each one takes 1 off a shot of that deck's gun. A broadside counts one card less for each, on both gun decks.
- **no fire**: applies only when the gun deck is empty. In a broadside you may also choose to uncover this slot instead of a -1: that gun is then
  silent, but you save one card. BROADSIDE_SHOT lists what either choice allows.

`Ship` in the observation contains these sums. Under each hull zone lies one of three disaster tokens: *lose 3 sails*, *lose 3 crew figures*,
*lose 2 planks*. Nobody knows which until the zone loses its last plank; then it strikes the owner at once, once per zone and game. The win check
comes before any disaster; if two zones are emptied at once, they are resolved from bow to stern.

The owner of a ship chooses what is removed from it, except against *Saboteur* and *Sharpshooter*. Giving up an officer is allowed.

## Cards, discs, cannons

Each seat has its own 42 aim cards: 1 to 10 in four suits and two jokers. When a deck is empty, its discard pile is shuffled into a new one. All
discards are face up.

- **Flush**: cards of one suit. **Run**: consecutive values, 10 is followed by 1, each value once. **Flush run**: both. **Pair**: two of a value.
- A joker stands for any card when played; beside a target card it keeps the value you declared. You are not offered a joker where a natural card of
  your hand would do the same: not as an aim card with a value that a natural card has, not in a flush or run in the place of a natural card, and not
  in a pair with a natural card where two natural cards make the pair.

There are 15 discs: 5 balls (for hulls), 5 chains (for sails), 5 grape (for decks). They are drawn from one bag and go back when used; the contents of
the bag are public.

| cannon | holds | 0 | 1 | 2 | otherwise | |
| --- | --- | --- | --- | --- | --- | --- |
| `POUNDER18` | 2 | A | B C D | E | 3 | |
| `LONG_NINE` | 1 | A B | | C | 3 | |
| `CARRONADE` | 2 | | A B C D E | F | 3 | can double |

The column says how much a target card with two aim cards takes off the shot, by the symbol they hit. With one aim card it takes off 3. With none it
takes off 4, and the defender loses a card (a *hasty* shot).

A target card has a centre (left L, below B) and a pattern. With aim values l on the left and b below, both offsets are measured the short way round
the circle 1…10. If both are within two steps, the symbol is at row `l - L + 2`, column `b - B + 2`; otherwise there is none.

```
round      broad      tall       saltire    cross
E D C D E  F E D E F  F D C D F  C E F E C  F E C E F
D C B C D  D C B C D  E C A C E  E A D B E  E D B D E
C B A B C  C A A A C  D B A B D  F D A D F  C B A B C
D C B C D  D C B C D  E C A C E  E B D A E  E D B D E
E D C D E  F E D E F  F D C D F  C E F E C  F E C E F
```

The thirty cards and their centres are in the comments of the enum `TargetCard`, and as data in the gunner's `strategy.py`.

## A turn

1. **Two actions, at least one of them Aim.** An action that would leave you no card for the Aim you still owe is not offered. If you have not aimed
   before your last action, only Aim is offered (or, with an empty hand, Prepare, and the duty lapses). Instead of any actions, as your first choice,
   you may **change target**: lay a gun on another zone and continue with step 2.
2. **Fire or hold.** You can fire if the active gun has a disc and its deck is not empty. After a shot you lay a gun again, on any zone.
3. Draw two cards, then discard down to the hand limit.

| action | price | effect |
| --- | --- | --- |
| Aim | a card | to the left of or below one of your target cards; a card lying there is discarded |
| Prepare | nothing | draw a card |
| Broadside | 2 to 4 cards of one suit, no more than discs in guns that may fire | spend one disc per effective card. The enemy loses that many placed aim cards, then a plank per ball, a sail per chain, a figure per grape. The suit is used up |
| Sheer off | a run of n | the enemy loses n + 1 cards at random (n counted after the sail penalty, at least 1). The values are used up for sheering off |
| Reload one | any 2 cards | return any discs, draw one, spread all your discs over your guns |
| Reload battery | a pair | the same, but draw until every place is full |
| Patch | 1 to 3 cards | one move per card: a figure to the next deck; or a sailor to a sail or hull zone roped to his deck, where he puts a marker back and is lost. The last figure cannot leave a deck |

Ropes connect the bow deck to sail bow and hull bow, the main deck to both sails and hull main, and the stern deck to sail stern and hull stern. The
main deck is adjacent to the other two.

**Laying a gun** discards your target cards and their aim cards, makes a gun active, names an enemy zone that has a marker left, and deals as many
target cards as the zone needs.

## A shot

1. Damage starts at the number of markers in the zone; it can never be more. It may drop below 0 along the way.
2. Subtract 1 if the disc does not match the zone, the cannon penalty of the gun's deck, and what each target card takes off.
3. For each target card without aim cards, the defender discards a card of their choice.
4. BOOST: a carronade with a second disc may fire it too, for +2 if it matches, otherwise +1. The attacker may play tricks.
5. EVADE, if damage is left: the defender may play one run whose values are not used up for evading. A run in one suit takes off one per effective
   card, any other half of that, rounded down. The defender may play any number of tricks.
6. The defender removes that many markers from the zone.

BOOST and EVADE are asked again until you pass. EVADE and REACT are asked only if the seat has a choice; the other seat never learns whether it was
asked.
"""
