/** @NAME@: a bot for Tortuga. `choose` is yours; the rest is done for you. */
import { play, type Question } from "./sdk/index.js";

/** What the bot remembers of a match for as long as it lasts: anything you like. Every match has its own. */
interface Memory {
  questions: number;
}

/**
 * The index of the option to take; any whole number below `optionCount` is legal. Or "resign" to give the match up. A bot that
 * searches asks `timeLeft()` how many milliseconds are left; `note` is for people who read the match afterwards.
 */
function choose({ match, position, optionCount, note }: Question<Memory>): number | "resign" {
  match.memory ??= { questions: 0 };
  match.memory.questions += 1;
  if (match.memory.questions === 1) note("good luck");

  // Every game has a Position of its own, always with the same four fields: decision, observation, events, options.
  switch (position?.$case) {
    case "pavillonNoir":
      return take(position.value.options, "fire"); // whenever the guns may speak, they speak
    case "broadsides":
      return take(position.value.options, "fire");
    case "piratesCove":
      return take(position.value.options, "buryChests"); // fame is what counts
    case "marauders":
    default:
      return anyOf(optionCount);
  }
}

/** The first option of that kind; if there is none, any. */
function take<Kind extends string>(options: readonly { action: { $case: Kind } | undefined }[], kind: Kind): number {
  const index = options.findIndex(({ action }) => action?.$case === kind);
  return index >= 0 ? index : anyOf(options.length);
}

function anyOf(count: number): number {
  return Math.floor(Math.random() * count);
}

play(choose, { name: "@NAME@", games: ["@GAMES@"] });
