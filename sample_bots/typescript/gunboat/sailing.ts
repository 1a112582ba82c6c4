/** Sailing: each program of ours against every program the enemy may have laid. His cards are secret, so the average counts. */
import {
  Broadsides_Card as Card,
  type Broadsides_Chart as Chart,
  type Broadsides_Observation as Observation,
  type Broadsides_Option as Option,
  type Broadsides_Ship as Ship,
  Broadsides_Station as Station,
} from "../gen/tortuga/v1/broadsides.js";

/** One point ahead, by facing: N is 0, then clockwise; y grows to the south. */
// prettier-ignore
const STEPS = [[0, -1], [1, -1], [1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1]] as const;

/** The cannons that bear on an enemy, by his bearing in eighths clockwise from the bow. */
const BEARING = ["", "B3 C3", "B3 C3 D3 E3 F3", "E3 F3", "", "E5 F5", "B5 C5 D5 E5 F5", "B5 C5"];

const CARDS = [Card.AH, Card.ST, Card.PO, Card.RE, Card.DA];
const PROGRAMS = CARDS.flatMap((one) => CARDS.flatMap((two) => CARDS.map((three) => [one, two, three])));

/** A cannon that bears on us weighs a little less than one of ours that bears on him: the gunboat likes a fight. */
const CAUTION = 0.9;
const DISTANCE_COST = 0.8;

/** Where a ship lies and points. */
interface Pose {
  x: number;
  y: number;
  facing: number;
}

/** Per option how well the round goes on average. The ship is never given up. */
export function scorePrograms(seen: Observation, options: readonly Option[]): number[] {
  const [own, enemy] = [seen.ships[seen.seat], seen.ships[1 - seen.seat]];
  if (!own || !enemy) return [];
  const [ours, his] = [bearingCounts(own), bearingCounts(enemy)];
  const lead = (seen.crews[seen.seat]?.figures ?? 0) - (seen.crews[1 - seen.seat]?.figures ?? 0);
  const boarding = 0.5 * lead - 1; // hand to hand the bigger crew wins, but the guns are surer

  /** The cannons that bear on him less those that bear on us, step by step; then how far away he still is. */
  function meet(track: readonly Pose[], reply: readonly Pose[]): number {
    let score = 0;
    let distance = 0;
    for (const [step, here] of track.entries()) {
      const there = reply[step] ?? here;
      distance = Math.max(Math.abs(there.x - here.x), Math.abs(there.y - here.y));
      if (distance === 0) return score + boarding;
      if (distance > 1) continue;
      const direction = directionOf(there.x - here.x, there.y - here.y);
      score += ours[(direction - here.facing + 8) % 8] ?? 0;
      score -= CAUTION * (his[(direction + 4 - there.facing + 8) % 8] ?? 0);
    }
    return score - DISTANCE_COST * (distance - 1);
  }

  const damage = enemy.noCards ? 3 : enemy.damageCards; // without cards he lies as still as with three DA
  const replies = PROGRAMS.filter((cards) => cards.filter((card) => card === Card.DA).length === damage).map((cards) =>
    sail(seen.chart, enemy, cards),
  );
  return options.map(({ action }) => {
    if (action?.$case !== "program") return -Infinity;
    const track = sail(seen.chart, own, action.value.cards);
    return replies.reduce((sum, reply) => sum + meet(track, reply), 0);
  });
}

/** The direction of a neighbouring point. */
export function directionOf(dx: number, dy: number): number {
  return STEPS.findIndex(([x, y]) => x === dx && y === dy);
}

/** How many cannons bear, by the bearing of the enemy. */
function bearingCounts(ship: Ship): number[] {
  const names = ship.cannons.map((cannon) => Station[cannon]);
  return BEARING.map((bearing) => names.filter((name) => bearing.includes(name)).length);
}

/** The three poses a program leads through. The other ship is never in the way. */
function sail(chart: Chart | undefined, ship: Ship, cards: readonly Card[]): Pose[] {
  let pose: Pose = { x: ship.point?.x ?? 0, y: ship.point?.y ?? 0, facing: ship.facing - 1 };
  let isAground = false;
  return [0, 1, 2].map((step) => {
    const card = isAground ? Card.RE : cards[step];
    if (card === Card.ST) pose = { ...pose, facing: (pose.facing + 1) % 8 };
    if (card === Card.PO) pose = { ...pose, facing: (pose.facing + 7) % 8 };
    if (card === Card.AH) {
      const [dx, dy] = STEPS[pose.facing] ?? [0, 0];
      const ahead = { ...pose, x: pose.x + dx, y: pose.y + dy };
      isAground = !isWater(chart, ahead);
      if (!isAground) pose = ahead;
    }
    return pose;
  });
}

/** The edge of the chart is like land. */
function isWater(chart: Chart | undefined, { x, y }: Pose): boolean {
  if (!chart || x < 0 || y < 0 || x >= chart.width || y >= chart.height) return false;
  return !chart.land.some((point) => point.x === x && point.y === y);
}
