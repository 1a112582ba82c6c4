/** Gunnery: what a shot at a section is worth, summed over the faces of the die. 1 and 6 always miss. */
import {
  Broadsides_FireMode as FireMode,
  Broadsides_HullSection as HullSection,
  type Broadsides_Observation as Observation,
  type Broadsides_Option as Option,
  Broadsides_Section as Section,
  Broadsides_Station as Station,
} from "../gen/tortuga/v1/broadsides.js";
import { directionOf } from "./sailing.js";

/** Where the masts stand, in the order of the enum Mast. */
const MASTS: readonly Station[] = [Station.A4, Station.C4, Station.G4, Station.H4];

export function scoreShot(seen: Observation, { action }: Option): number {
  if (action?.$case !== "fire") return -1; // powder costs nothing: never cease
  const letter = Section[action.value];
  const stations = ["3", "4", "5"].map((digit) => Station[`${letter}${digit}` as keyof typeof Station]);
  const isSalvo = seen.gunfire?.mode === FireMode.LAST_SALVO; // it spares hull and masts, and the cannons have had their day
  const score = isSalvo ? scoreMen : scoreStation;
  return stations.reduce((sum, station) => sum + score(seen, station), isSalvo ? 0 : scoreHull(seen, letter));
}

/** Die 2, a marker on the side he shows: the second costs him a card of every program, the third lost section sinks him. */
function scoreHull(seen: Observation, letter: string): number {
  const [own, enemy] = [seen.ships[seen.seat], seen.ships[1 - seen.seat]];
  if (!own?.point || !enemy?.point) return 0;
  const bearing = (directionOf(own.point.x - enemy.point.x, own.point.y - enemy.point.y) - enemy.facing + 9) % 8;
  if (bearing % 4 === 0) return 0; // he shows bow or stern
  const side = HullSection[`${letter}${bearing < 4 ? "3" : "5"}` as keyof typeof HullSection];
  const destroyed = enemy.hullMarkers.filter((markers) => markers === 2).length;
  switch (enemy.hullMarkers[side - 1]) {
    case 0:
      return 1.5 + destroyed;
    case 1:
      return destroyed === 2 ? 40 : 4 + 2 * destroyed;
    default:
      return 0;
  }
}

/** Dice 3, 4, 5 in an exchange: a lost captain costs him a round, a lost mast a card, a lost cannon shots. */
function scoreStation(seen: Observation, station: Station): number {
  const [enemy, crew] = [seen.ships[1 - seen.seat], seen.crews[1 - seen.seat]];
  const mastHitsLeft = enemy?.mastHitsLeft[MASTS.indexOf(station)] ?? 0;
  const mast = mastHitsLeft > 0 && (enemy?.damage ?? 0) < 3 ? 3 / mastHitsLeft ** 1.3 : 0;
  const cannon = enemy?.cannons.includes(station) ? 1.2 : 0;
  const captain = crew?.captain?.station === station ? 3 : 0;
  return mast + cannon + captain + 0.3 * scoreMen(seen, station);
}

/** Dice 3, 4, 5 in the last salvo: the fewer he has left, the better the boarding. */
function scoreMen(seen: Observation, station: Station): number {
  const crew = seen.crews[1 - seen.seat];
  const hands = crew?.stacks.find(({ place }) => place?.station === station)?.crew ?? 0;
  return hands + (crew?.captain?.station === station ? 1.2 : 0);
}
