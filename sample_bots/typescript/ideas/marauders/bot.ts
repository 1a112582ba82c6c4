/**
 * @NAME@: a bot is one function from a question to the index of an option.
 *
 * A first idea for Marauders: sell what you have, bring gold into the chest, raid merchants, follow rumors and missions;
 * leave armed ships alone, and never end a turn while something can still be done. It beats random two times out of three.
 * Next: buy what the next port wants. docs/games/marauders.md has the rules.
 */
import type { Marauders_Option } from "./gen/tortuga/v1/marauders.js";
import { marauders, type MaraudersQuestion, play } from "./sdk/index.js";

/**
 * Takes the option that is worth most, any of them if there are several. Every whole number below `optionCount` is a legal
 * answer; "resign" gives up. A bot that searches asks `timeLeft()` how many milliseconds are left.
 */
function choose({ options, optionCount, note }: MaraudersQuestion): number {
  const worths = options.map((option) => worth(option));
  const most = Math.max(...worths);
  const best = [...worths.keys()].filter((index) => worths[index] === most);
  if (most > 0) note("this is what we like best"); // for people who read the match afterwards
  return best[Math.floor(Math.random() * best.length)] ?? Math.floor(Math.random() * optionCount);
}

/** How much we like an option: 0 is neither liked nor avoided. The kinds are those of Marauders.Option in proto/. */
function worth({ action }: Marauders_Option): number {
  switch (action?.$case) {
    case "sell":
      return 800 + action.value.gold;
    case "repairEverything":
      return 700;
    case "stash":
      return 600 + action.value.gold;
    case "tryRumor":
      return 500;
    case "doMission":
      return 400;
    case "scoutRumor":
      return 300;
    case "scoutMerchant":
      return 200;
    case "engage":
      return 100;
    case "retire":
    case "letGo":
    case "end":
    case "scoutNpc":
    case "scoutPlayer":
      return -1;
    default:
      return 0;
  }
}

play(marauders(choose), { name: "@NAME@", games: ["@GAMES@"] });
