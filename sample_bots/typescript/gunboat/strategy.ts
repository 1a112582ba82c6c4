/**
 * How the gunboat thinks: every option gets a score, and the best one is taken. It answers from the question alone and
 * remembers nothing.
 */
import {
  Broadsides_Decision as Decision,
  type Broadsides_Observation as Observation,
  type Broadsides_Option as Option,
  Broadsides_Station as Station,
} from "../gen/tortuga/v1/broadsides.js";
import type { Question } from "../sdk/index.js";
import { scoreMove } from "./boarding.js";
import { scoreShot } from "./gunnery.js";
import { scorePrograms } from "./sailing.js";

/** Amidships without cannon or mast: a die thrown for something better never falls here. */
const QUIET_STATIONS: readonly Station[] = [Station.D4, Station.E4, Station.F4, Station.B4];

export function choose({ position }: Question): number {
  if (position?.$case !== "broadsides") return 0;
  const { decision, observation: seen, options } = position.value;
  if (!seen) return 0;
  switch (decision) {
    case Decision.SETUP_CAPTAIN:
    case Decision.SETUP_CREW:
      return best(options.map((option) => scoreBerth(seen, option)));
    case Decision.PROGRAM:
      return best(scorePrograms(seen, options));
    case Decision.FIRE:
      return best(options.map((option) => scoreShot(seen, option)));
    case Decision.REPLACE_CAPTAIN:
      return best(options.map((option) => scoreSuccessor(seen, option)));
    case Decision.BOARD_MOVE:
      return best(options.map((option) => scoreMove(seen, option)));
    default:
      return 0; // a kind of decision from a later day: any option is legal
  }
}

/** The index of the highest score, the first of equals. */
export function best(scores: readonly number[]): number {
  return Math.max(0, scores.indexOf(Math.max(...scores)));
}

/** Setup: everybody on a quiet station of his own, so that one shot never costs two. */
function scoreBerth(seen: Observation, { action }: Option): number {
  if (action?.$case !== "placeCaptain" && action?.$case !== "placeCrew") return 0;
  const own = seen.crews[seen.seat];
  const isTaken =
    own?.captain?.station === action.value || own?.stacks.some(({ place }) => place?.station === action.value);
  return QUIET_STATIONS.includes(action.value) && !isTaken ? 1 : 0;
}

/** A new captain comes from where nobody shoots, and rather from a station with a second man. */
function scoreSuccessor(seen: Observation, { action }: Option): number {
  if (action?.$case !== "replaceCaptain") return 0;
  const stack = seen.crews[seen.seat]?.stacks.find(({ place }) => place?.station === action.value);
  const isTarget = seen.ships[seen.seat]?.cannons.includes(action.value);
  return (isTarget ? 0 : 5) + (stack?.crew ?? 0);
}
