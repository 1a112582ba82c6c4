/**
 * The TypeScript SDK: a bot is one function from a question to an index.
 *
 *     import { play, type Question } from "./sdk/index.js";
 *
 *     function choose(question: Question): number {
 *       return 0;
 *     }
 *
 *     play(choose, { name: "first", games: ["pavillon_noir"] });
 *
 * `play` connects, says hello, sits down at as many tables as the bot has slots, hands each question to `choose` and returns
 * to nobody: the process ends when the referee says goodbye. The SDK knows the protocol and nothing else of the server.
 */
export {
  broadsides,
  type BroadsidesQuestion,
  type GameQuestion,
  marauders,
  type MaraudersQuestion,
  pavillonNoir,
  type PavillonNoirQuestion,
  piratesCove,
  type PiratesCoveQuestion,
} from "./games.js";
export { type Options, play, SDK_VERSION, talk } from "./play.js";
export type { Choose, Match, Question } from "./question.js";
export { RefereeError } from "./stream.js";
