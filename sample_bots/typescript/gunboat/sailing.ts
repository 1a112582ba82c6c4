/** Sailing: every program of ours against every program the enemy may have laid. The cards are secret, so the average counts. */
import {
  type Broadsides_Chart as Chart,
  Broadsides_Card as Card,
  type Broadsides_Observation as Observation,
  type Broadsides_Option as Option,
  type Broadsides_Ship as Ship,
  Broadsides_Station as Station,
} from "../gen/tortuga/v1/broadsides.js";

/** One point ahead, by facing: N is 0, then clockwise; y grows to the south. */
export const STEPS = [
  [0, -1], [1, -1], [1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1],
] as const; // prettier-ignore

/** The cannons that bear on an enemy, by his bearing in eighths clockwise from the bow. */
const BEARING: readonly (readonly Station[])[] = [
  [],
  [Station.B3, Station.C3],
  [Station.B3, Station.C3, Station.D3, Station.E3, Station.F3],
  [Station.E3, Station.F3],
  [],
  [Station.E5, Station.F5],
  [Station.B5, Station.C5, Station.D5, Station.E5, Station.F5],
  [Station.B5, Station.C5],
];

const CARDS = [Card.AH, Card.ST, Card.PO, Card.RE, Card.DA];
const PROGRAMS = CARDS.flatMap((one) => CARDS.flatMap((two) => CARDS.map((three) => [one, two, three])));

/** A cannon that bears on us weighs a little less than one of ours that bears on him: the gunboat likes a fight. */
const CAUTION = 0.9;
const DISTANCE_COST = 0.8;

/** Where a ship lies and points after a step. */
interface Pose {
  x: number;
  y: number;
  facing: number;
}

/** The chart, and how far it is from anywhere to anywhere over water. */
export class Sea {
  readonly #width: number;
  readonly #height: number;
  readonly #land: ReadonlySet<number>;
  readonly #distances = new Map<number, ReadonlyMap<number, number>>();

  constructor(chart: Chart | undefined) {
    this.#width = chart?.width ?? 0;
    this.#height = chart?.height ?? 0;
    this.#land = new Set(chart?.land.map(({ x, y }) => this.#index(x, y)));
  }

  /** The three poses a program leads through. The other ship is never in the way. */
  sail(ship: Ship, cards: readonly Card[]): Pose[] {
    let pose = { x: ship.point?.x ?? 0, y: ship.point?.y ?? 0, facing: ship.facing - 1 };
    let aground = false;
    return [0, 1, 2].map((step) => {
      const card = aground ? Card.RE : cards[step];
      if (card === Card.ST) pose = { ...pose, facing: (pose.facing + 1) % 8 };
      if (card === Card.PO) pose = { ...pose, facing: (pose.facing + 7) % 8 };
      if (card === Card.AH) {
        const [dx, dy] = STEPS[pose.facing] ?? [0, 0];
        const ahead = { ...pose, x: pose.x + dx, y: pose.y + dy };
        aground = !this.#isWater(ahead.x, ahead.y);
        if (!aground) pose = ahead;
      }
      return pose;
    });
  }

  /** Steps over water. */
  distance(from: Pose, to: Pose): number {
    const target = this.#index(to.x, to.y);
    let known = this.#distances.get(target);
    if (!known) this.#distances.set(target, (known = this.#flood(to.x, to.y)));
    return known.get(this.#index(from.x, from.y)) ?? 0;
  }

  #flood(x: number, y: number): ReadonlyMap<number, number> {
    const reached = new Map([[this.#index(x, y), 0]]);
    const frontier = [{ x, y, steps: 0 }];
    for (const { x, y, steps } of frontier) {
      for (const [dx, dy] of STEPS) {
        const near = { x: x + dx, y: y + dy, steps: steps + 1 };
        const index = this.#index(near.x, near.y);
        if (reached.has(index) || !this.#isWater(near.x, near.y)) continue;
        reached.set(index, near.steps);
        frontier.push(near);
      }
    }
    return reached;
  }

  #index(x: number, y: number): number {
    return y * this.#width + x;
  }

  #isWater(x: number, y: number): boolean {
    return x >= 0 && y >= 0 && x < this.#width && y < this.#height && !this.#land.has(this.#index(x, y));
  }
}

/** Per option how well the round goes on average. The ship is never given up. */
export function scorePrograms(sea: Sea, seen: Observation, options: readonly Option[]): number[] {
  const [own, enemy] = [seen.ships[seen.seat], seen.ships[1 - seen.seat]];
  if (!own || !enemy) return [];
  const ours = bearingCounts(own);
  const his = bearingCounts(enemy);
  const lead = (seen.crews[seen.seat]?.figures ?? 0) - (seen.crews[1 - seen.seat]?.figures ?? 0);
  const boarding = 0.5 * lead - 1;

  /** Cannons that bear on him less those that bear on us, until the ships collide; then the distance left. */
  const meet = (track: readonly Pose[], reply: readonly Pose[]): number => {
    let score = 0;
    for (const [step, here] of track.entries()) {
      const there = reply[step] ?? here;
      if (there.x === here.x && there.y === here.y) return score + boarding;
      const direction = directionOf(there.x - here.x, there.y - here.y);
      if (direction < 0) continue;
      score += ours[(direction - here.facing + 8) % 8] ?? 0;
      score -= CAUTION * (his[(direction + 4 - there.facing + 8) % 8] ?? 0);
    }
    const [here, there] = [track.at(-1), reply.at(-1)];
    return here && there ? score - DISTANCE_COST * Math.max(0, sea.distance(here, there) - 1) : score;
  };

  const damage = enemy.noCards ? 3 : enemy.damageCards; // without cards he lies as still as with three DA
  const replies = PROGRAMS.filter((cards) => cards.filter((card) => card === Card.DA).length === damage).map((cards) =>
    sea.sail(enemy, cards),
  );
  return options.map(({ action }) => {
    if (action?.$case !== "program") return -Infinity;
    const track = sea.sail(own, action.value.cards);
    return replies.reduce((sum, reply) => sum + meet(track, reply), 0);
  });
}

/** The direction of a neighbouring point; -1 if it is none. */
export function directionOf(dx: number, dy: number): number {
  return STEPS.findIndex(([x, y]) => x === dx && y === dy);
}

/** How many cannons bear, by the bearing of the enemy. */
function bearingCounts(ship: Ship): number[] {
  return BEARING.map((stations) => stations.filter((station) => ship.cannons.includes(station)).length);
}
