/**
 * Boarding: how good the decks look after a move. Melees are worked out exactly; otherwise nearness decides: our crew to his
 * captain, who is the game, and his crew to ours.
 *
 * Both ships are laid out on one plane, rail to rail, where a step leads to a neighbouring square. That leaves out the
 * ladders between the decks, which seldom matter for who is near.
 */
import {
  type Broadsides_Crew as Crew,
  Broadsides_Figure as Figure,
  type Broadsides_Observation as Observation,
  type Broadsides_Option as Option,
  type Broadsides_Place as Place,
  Broadsides_Side as Side,
  Broadsides_Station as Station,
} from "../gen/tortuga/v1/broadsides.js";

/** Losing a captain hand to hand is losing the game; counted in crew members. */
const CAPTAIN_WORTH = 25;

/** The figures of one seat that stand together. */
interface Group {
  place: Place;
  crew: number;
  captain: number;
}

export function scoreMove(seen: Observation, { action }: Option): number {
  if (action?.$case !== "boardMove" || !action.value.origin || !action.value.target) return -Infinity;
  const { figure, origin, target } = action.value;
  const moved = figure === Figure.CAPTAIN ? { crew: 0, captain: 1 } : { crew: 1, captain: 0 };
  const own = groupsOf(seen.crews[seen.seat]);
  join(own, { place: target, ...moved });
  join(own, { place: origin, crew: -moved.crew, captain: -moved.captain });
  const foes = groupsOf(seen.crews[1 - seen.seat]);
  const captain = own.find((group) => group.captain > 0);
  const foeCaptain = foes.find((group) => group.captain > 0);

  let score = 0;
  for (const group of own) {
    const foe = foes.find(({ place }) => isSame(place, group.place));
    if (foe) score += melee(group, foe);
    else if (foeCaptain) score -= 0.05 * group.crew * distance(seen, group.place, foeCaptain.place);
  }
  for (const { place, crew } of foes) {
    if (captain) score -= 0.2 * crew * Math.max(0, 4 - distance(seen, place, captain.place));
  }
  return score;
}

type Strength = Pick<Group, "crew" | "captain">;

/** The expected end of a melee: what he loses less what we lose. */
export function melee(own: Strength, foe: Strength): number {
  const [size, foeSize] = [own.crew + own.captain, foe.crew + foe.captain];
  if (size <= 0 || foeSize <= 0) return 0;
  const lead = size - foeSize + own.captain - foe.captain;
  const won = throwsAbove(-lead);
  const lost = throwsAbove(lead);
  const gain = foe.crew > 0 ? 1 : CAPTAIN_WORTH;
  const loss = own.crew > 0 ? 1 : CAPTAIN_WORTH;
  const afterWin = gain + melee(own, weakened(foe));
  const afterLoss = -loss + melee(weakened(own), foe);
  if (own.crew === 0 && foe.crew === 0) return (won * afterWin + lost * afterLoss) / (won + lost); // captains roll again
  const afterTie = gain - loss + melee(weakened(own), weakened(foe));
  return (won * afterWin + lost * afterLoss + (36 - won - lost) * afterTie) / 36;
}

/** Crew fall before the captain. */
function weakened({ crew, captain }: Strength): Strength {
  return crew > 0 ? { crew: crew - 1, captain } : { crew, captain: 0 };
}

/** In how many of 36 throws the first die is higher than the second by more than `margin`. */
function throwsAbove(margin: number): number {
  const dice = [1, 2, 3, 4, 5, 6];
  return dice.flatMap((one) => dice.filter((two) => one - two > margin)).length;
}

function groupsOf(crew: Crew | undefined): Group[] {
  const groups = (crew?.stacks ?? []).flatMap(({ place, crew }) => (place ? [{ place, crew, captain: 0 }] : []));
  if (crew?.captain) join(groups, { place: crew.captain, crew: 0, captain: 1 });
  return groups;
}

function join(groups: Group[], newcomers: Group): void {
  const group = groups.find(({ place }) => isSame(place, newcomers.place));
  if (!group) groups.push(newcomers);
  else {
    group.crew += newcomers.crew;
    group.captain += newcomers.captain;
  }
}

function isSame(one: Place, two: Place): boolean {
  return one.ship === two.ship && one.station === two.station;
}

function distance(seen: Observation, one: Place, two: Place): number {
  const [x, y] = square(seen, one);
  const [otherX, otherY] = square(seen, two);
  return Math.max(Math.abs(x - otherX), Math.abs(y - otherY));
}

/** Where a place lies on the plane: along the rail, and away from it; ship 1 has the negative rows. */
function square({ boarding }: Observation, { ship, station }: Place): [number, number] {
  const name = Station[station] as string | undefined;
  if (!name) return [0, 0]; // a station from a later day
  const section = "ABCDEFGH".indexOf(name.charAt(0));
  const contact = boarding?.sides[ship] === Side.STARBOARD ? 3 : 5;
  const row = station === Station.A4 ? 0 : Math.abs(Number(name.charAt(1)) - contact); // the bow is rail on both sides
  return [ship === 1 && boarding?.bowsOpposite ? 7 - section : section, ship === 1 ? -1 - row : row];
}
