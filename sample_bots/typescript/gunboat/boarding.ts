/**
 * Boarding: how good the decks look after a move. Melees are worked out exactly; for the rest nearness decides: our crew to
 * his captain, who is the game, and his crew to ours.
 *
 * Both ships are laid out on one plane, rail to rail, where a step leads to a neighbouring square. That leaves out the
 * ladders between the decks, which seldom matter for who is near.
 */
import {
  Broadsides_Figure as Figure,
  type Broadsides_Observation as Observation,
  type Broadsides_Option as Option,
  type Broadsides_Place as Place,
  Broadsides_Side as Side,
  Broadsides_Station as Station,
} from "../gen/tortuga/v1/broadsides.js";

/** Losing a captain hand to hand is losing the game; counted in crew members. */
const CAPTAIN_WORTH = 25;
const FULL_STATION = 3;

/** The figures of one seat that stand together. */
interface Group {
  place: Place;
  crew: number;
  hasCaptain: boolean;
}

export function scoreMove(seen: Observation, { action }: Option): number {
  if (action?.$case !== "boardMove") return -Infinity;
  const { figure, origin, target } = action.value;
  const foes = groupsOf(seen, 1 - seen.seat);
  const own = groupsOf(seen, seen.seat);
  if (origin && target) move(own, figure, origin, target);

  const steps = (one: Place, two: Place): number => distance(seen, one, two);
  const captain = own.find((group) => group.hasCaptain)?.place;
  const foeCaptain = foes.find((group) => group.hasCaptain)?.place;
  let score = 0;
  for (const group of own) {
    const foe = foes.find(({ place }) => isSame(place, group.place));
    if (foe) {
      const moves = (seen.boarding?.movesLeft ?? 1) - 1;
      score += melee(reinforced(group, own, foes, moves, steps), foe);
    } else {
      // Crew go for his captain, but not one by one to where more of his wait; some stay with ours.
      const near = foes.filter(({ place }) => steps(place, group.place) === 1).reduce((sum, { crew }) => sum + crew, 0);
      score -= 0.15 * Math.max(0, near - group.crew);
      if (foeCaptain) score -= 0.05 * group.crew * steps(group.place, foeCaptain);
    }
    if (group.hasCaptain) score += 0.3 * group.crew;
  }
  for (const foe of foes) if (captain) score -= 0.2 * foe.crew * Math.max(0, 4 - steps(foe.place, captain));
  return score;
}

/** The expected end of a melee, in figures won less figures lost. */
export function melee(own: Readonly<Strength>, foe: Readonly<Strength>): number {
  const [size, foeSize] = [sizeOf(own), sizeOf(foe)];
  if (size === 0 || foeSize === 0) return 0;
  const lead = size - foeSize + Number(own.hasCaptain) - Number(foe.hasCaptain);
  const [gain, loss] = [foe.crew > 0 ? 1 : CAPTAIN_WORTH, own.crew > 0 ? 1 : CAPTAIN_WORTH];
  const afterWin = gain + melee(own, weakened(foe));
  const afterLoss = melee(weakened(own), foe) - loss;
  // 36 throws of two dice: so many have the first die higher by more than `-lead`.
  const won = throwsAbove(-lead);
  const lost = throwsAbove(lead);
  if (own.crew === 0 && foe.crew === 0) return (won * afterWin + lost * afterLoss) / (won + lost); // captains roll again
  const afterTie = gain - loss + melee(weakened(own), weakened(foe));
  return (won * afterWin + lost * afterLoss + (36 - won - lost) * afterTie) / 36;
}

type Strength = Pick<Group, "crew" | "hasCaptain">;

function sizeOf({ crew, hasCaptain }: Strength): number {
  return crew + Number(hasCaptain);
}

/** Crew fall before the captain. */
function weakened({ crew, hasCaptain }: Strength): Strength {
  return crew > 0 ? { crew: crew - 1, hasCaptain } : { crew: 0, hasCaptain: false };
}

/** How many of 36 throws have the first die higher than the second by more than `margin`. */
function throwsAbove(margin: number): number {
  const dice = [1, 2, 3, 4, 5, 6];
  return dice.flatMap((one) => dice.filter((two) => one - two > margin)).length;
}

/** The group with those who can still join it in this turn. */
function reinforced(
  group: Group,
  own: readonly Group[],
  foes: readonly Group[],
  moves: number,
  steps: (one: Place, two: Place) => number,
): Strength {
  const free = own.filter(
    ({ place }) => steps(place, group.place) === 1 && !foes.some((foe) => isSame(foe.place, place)),
  );
  const joining = free.reduce((sum, { crew }) => sum + crew, 0);
  return { ...group, crew: group.crew + Math.max(0, Math.min(FULL_STATION - sizeOf(group), joining, moves)) };
}

function groupsOf(seen: Observation, seat: number): Group[] {
  const crew = seen.crews[seat];
  const groups = (crew?.stacks ?? []).flatMap(({ place, crew }) => (place ? [{ place, crew, hasCaptain: false }] : []));
  if (crew?.captain) groupAt(groups, crew.captain).hasCaptain = true;
  return groups;
}

/** The group that stands there; a new one if none does. */
function groupAt(groups: Group[], place: Place): Group {
  const found = groups.find((group) => isSame(group.place, place));
  if (found) return found;
  const group = { place, crew: 0, hasCaptain: false };
  groups.push(group);
  return group;
}

function move(groups: Group[], figure: Figure, origin: Place, target: Place): void {
  const [from, to] = [groupAt(groups, origin), groupAt(groups, target)];
  if (figure === Figure.CAPTAIN) {
    from.hasCaptain = false;
    to.hasCaptain = true;
  } else {
    from.crew -= 1;
    to.crew += 1;
  }
  if (sizeOf(from) === 0) groups.splice(groups.indexOf(from), 1);
}

function isSame(one: Place, two: Place): boolean {
  return one.ship === two.ship && one.station === two.station;
}

function distance(seen: Observation, one: Place, two: Place): number {
  const [x, y] = square(seen, one);
  const [otherX, otherY] = square(seen, two);
  return Math.max(Math.abs(x - otherX), Math.abs(y - otherY));
}

/** Where a place lies on the plane: along the rail, and away from it; the enemy's ship has the negative rows. */
function square(seen: Observation, { ship, station }: Place): [number, number] {
  const name = Station[station] as string | undefined;
  if (!name) return [0, 0];
  const section = name.charCodeAt(0) - "A".charCodeAt(0);
  const isTurned = ship === 1 && seen.boarding?.bowsOpposite;
  const lane = Number(name[1]); // 3 starboard, 4 amidships, 5 port
  const contact = seen.boarding?.sides[ship] === Side.STARBOARD ? 3 : 5;
  const fromRail = station === Station.A4 ? 0 : Math.abs(lane - contact); // the bow touches whatever the side
  return [isTurned ? 7 - section : section, ship === 0 ? fromRail : -1 - fromRail];
}
