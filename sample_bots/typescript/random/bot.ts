/**
 * Plays any game by picking any option, all alike. Its picks follow from match, seat and question, so that `--seed` repeats a
 * whole match and not only its luck.
 *
 * With `--fixed` the pick follows from the number of the question alone, by a formula that the random bots of all languages
 * share: their matches have to be the same, byte for byte.
 */
import { createHash } from "node:crypto";
import { play, type Question } from "../sdk/index.js";

function chooseAny({ match, questionId, optionCount }: Question): number {
  const name = `${match.matchId}/${String(match.seat)}/${String(questionId)}`;
  return createHash("sha256").update(name).digest().readUInt32BE() % optionCount;
}

/** Knuth's multiplicative hash; `imul` is the product modulo 2^32. */
function chooseFixed({ questionId, optionCount }: Question): number {
  return (Math.imul(questionId, 2654435761) >>> 16) % optionCount;
}

const choose = process.argv.includes("--fixed") ? chooseFixed : chooseAny;
play(choose, { name: "random-typescript", omitOptions: true, omitEvents: true });
