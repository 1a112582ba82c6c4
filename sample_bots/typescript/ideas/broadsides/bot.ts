/**
 * @NAME@: a bot is one function from a question to the index of an option.
 *
 * A first idea for Broadsides: never give up, and never cease fire while a shot is left. It beats random two times out of
 * three. Next: sail so that your guns bear and the enemy's do not. docs/games/broadsides.md has the rules.
 */
import type { Broadsides_Option } from "./gen/tortuga/v1/broadsides.js";
import { broadsides, type BroadsidesQuestion, play } from "./sdk/index.js";

/**
 * Takes the option that is worth most, any of them if there are several. Every whole number below `optionCount` is a legal
 * answer; "resign" gives up. A bot that searches asks `timeLeft()` how many milliseconds are left.
 */
function choose({ options, optionCount, note }: BroadsidesQuestion): number {
  const worths = options.map((option) => worth(option));
  const most = Math.max(...worths);
  const best = [...worths.keys()].filter((index) => worths[index] === most);
  if (most > 0) note("no surrender, and no shot left unfired"); // for people who read the match afterwards
  return best[Math.floor(Math.random() * best.length)] ?? Math.floor(Math.random() * optionCount);
}

/** How much we like an option: 0 is neither liked nor avoided. The kinds are those of Broadsides.Option in proto/. */
function worth({ action }: Broadsides_Option): number {
  switch (action?.$case) {
    case "surrender":
      return -2;
    case "cease":
      return -1;
    case "fire":
      return 1;
    default:
      return 0;
  }
}

play(broadsides(choose), { name: "@NAME@", games: ["@GAMES@"] });
