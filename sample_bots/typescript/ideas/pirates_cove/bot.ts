/**
 * @NAME@: a bot is one function from a question to the index of an option.
 *
 * A first idea for Pirate's Cove: keep away from the black ships, take what lies on the other islands, and go to Treasure
 * Island to bury it as soon as three chests are aboard. It beats random nine times out of ten. Next: look at what each island
 * offers, and at how strong the others are. docs/games/pirates_cove.md has the rules.
 */
import type { PiratesCove_Observation, PiratesCove_Option } from "./gen/tortuga/v1/pirates_cove.js";
import { piratesCove, type PiratesCoveQuestion, play } from "./sdk/index.js";

const TREASURE_ISLAND = 6;
const LAST_MONTH = 12;

/**
 * Takes the option that is worth most, any of them if there are several. Every whole number below `optionCount` is a legal
 * answer; "resign" gives up. A bot that searches asks `timeLeft()` how many milliseconds are left.
 */
function choose({ observation, options, optionCount, note }: PiratesCoveQuestion): number {
  const worths = options.map((option) => worth(observation, option));
  const most = Math.max(...worths);
  const best = [...worths.keys()].filter((index) => worths[index] === most);
  if (most > 0) note("this is what we like best"); // for people who read the match afterwards
  return best[Math.floor(Math.random() * best.length)] ?? Math.floor(Math.random() * optionCount);
}

/** How much we like an option: 0 is neither liked nor avoided. The kinds are those of PiratesCove.Option in proto/. */
function worth(seen: PiratesCove_Observation, { action }: PiratesCove_Option): number {
  switch (action?.$case) {
    case "sail":
      return isGoodHarbour(seen, action.value.island) ? 1 : 0;
    case "buryChests":
      return 300 + action.value.count;
    case "buryGold":
      return 200 + action.value.fame;
    case "fire":
      return 100;
    default:
      return 0;
  }
}

/** Treasure Island with the loot, and otherwise any outer island without a black ship. */
function isGoodHarbour(seen: PiratesCove_Observation, island: number): boolean {
  const chests = seen.ships[seen.seat]?.chests ?? 0;
  if (chests >= 3 || seen.month === LAST_MONTH) return island === TREASURE_ISLAND;
  return island !== TREASURE_ISLAND && !seen.blackShips.some(({ place }) => place === island);
}

play(piratesCove(choose), { name: "@NAME@", games: ["@GAMES@"] });
