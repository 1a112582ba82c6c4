/**
 * @NAME@: a bot is one function from a question to the index of an option.
 *
 * A first idea for Pavillon Noir: a broadside hits without any aiming, so fire one whenever the cards pay for it. It beats
 * random nine times out of ten. Next: aim before you fire. docs/games/pavillon_noir.md has the rules.
 */
import type { PavillonNoir_Option } from "./gen/tortuga/v1/pavillon_noir.js";
import { pavillonNoir, type PavillonNoirQuestion, play } from "./sdk/index.js";

/**
 * Takes the option that is worth most, any of them if there are several. Every whole number below `optionCount` is a legal
 * answer; "resign" gives up. A bot that searches asks `timeLeft()` how many milliseconds are left.
 */
function choose({ options, optionCount, note }: PavillonNoirQuestion): number {
  const worths = options.map((option) => worth(option));
  const most = Math.max(...worths);
  const best = [...worths.keys()].filter((index) => worths[index] === most);
  if (most > 0) note("whenever the guns may speak, they speak"); // for people who read the match afterwards
  return best[Math.floor(Math.random() * best.length)] ?? Math.floor(Math.random() * optionCount);
}

/** How much we like an option: 0 is neither liked nor avoided. The kinds are those of PavillonNoir.Option in proto/. */
function worth({ action }: PavillonNoir_Option): number {
  switch (action?.$case) {
    case "broadside":
      return 4;
    case "fireBroadside":
      return 3;
    case "reloadBattery":
      return 2;
    case "fire":
      return 1;
    default:
      return 0;
  }
}

play(pavillonNoir(choose), { name: "@NAME@", games: ["@GAMES@"] });
