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
}

/** A bot: the index of the option it takes, or "resign" to give the match up. */
export type Choose<Memory = unknown> = (question: Question<Memory>) => number | "resign";
