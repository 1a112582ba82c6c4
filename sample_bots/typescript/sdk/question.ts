/** What a bot is asked, as its author sees it: the messages of the wire, and the match they belong to. */
import type { MatchStart, Question as AskedQuestion } from "../gen/tortuga/v1/referee.js";

/** A match under way: all that MatchStart told, and a place for what the bot wants to remember. */
export interface Match<Memory = unknown> extends Readonly<MatchStart> {
  /** The bot's own, undefined at first: `match.memory ??= …`. It lasts for this match and survives a broken stream. */
  memory: Memory | undefined;
}

/** One question: the message as it came, and its match. Any whole number below `optionCount` is a legal answer. */
export interface Question<Memory = unknown> extends Readonly<AskedQuestion> {
  readonly match: Match<Memory>;
  /**
   * Milliseconds left to answer, from now on: what the question waited while others were answered is gone. Infinity in a
   * match without a clock. It allows nothing for the way there and back: leave some.
   */
  readonly timeLeft: () => number;
  /**
   * Say something on this question, for people who look at the match afterwards: at most 200 bytes, the rest is cut. It
   * leaves together with the answer and costs no time; no other bot ever sees it.
   */
  readonly note: (text: string) => void;
}

/** A bot: the index of the option it takes, or "resign" to give the match up. */
export type Choose<Memory = unknown> = (question: Question<Memory>) => number | "resign";
