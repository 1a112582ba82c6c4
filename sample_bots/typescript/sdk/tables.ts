/**
 * The tables a bot sits at. Takes in what the referee says about one and gives what has to be said to it; knows nothing
 * of streams. What it does not understand it passes over: the protocol grows, and an old bot plays on.
 */
import type { Fault, FromBot, MatchEnd, MatchStart, Question, ToBot } from "../gen/tortuga/v1/referee.js";
import type { Choose, Match } from "./question.js";

/** Called when something happens that needs no answer. */
export interface Hooks<Memory> {
  /** A match begins. The bot has until `match.clock.startMillis` to get ready. */
  onStart?: (match: Match<Memory>) => void;
  /** The bot did something wrong; it has been printed on stderr already. */
  onFault?: (match: Match<Memory>, fault: Fault) => void;
  /** A match is over. */
  onEnd?: (match: Match<Memory>, end: MatchEnd) => void;
}

export class Tables<Memory> {
  readonly #choose: Choose<Memory>;
  readonly #hooks: Hooks<Memory>;
  readonly #matches = new Map<number, Match<Memory>>();
  /** Matches of a stream that broke, by id and seat: they may come back, at any table. */
  readonly #interrupted = new Map<string, Match<Memory>>();

  constructor(choose: Choose<Memory>, hooks: Hooks<Memory>) {
    this.#choose = choose;
    this.#hooks = hooks;
  }

  /** Take in one message and give the answer, if it needs one. */
  hear({ table, message }: ToBot): FromBot | undefined {
    switch (message?.$case) {
      case "question":
        return this.#answer(table, message.value);
      case "matchStart":
        this.#sitDown(table, message.value);
        return { table, message: { $case: "ready", value: {} } };
      case "fault":
        this.#fault(table, message.value);
        return undefined;
      case "matchEnd":
        this.#getUp(table, message.value);
        return undefined;
      default:
        return undefined;
    }
  }

  /** The stream broke: all tables are gone, what is known of their matches stays. */
  interrupt(): void {
    for (const match of this.#matches.values()) this.#interrupted.set(chair(match), match);
    this.#matches.clear();
  }

  #answer(table: number, question: Question): FromBot | undefined {
    const match = this.#matches.get(table);
    if (!match) return undefined; // no such table: there is nothing to answer about
    const answer = this.#choose({ ...question, match });
    if (answer === "resign") return { table, message: { $case: "resign", value: {} } };
    return { table, message: { $case: "choice", value: { questionId: question.questionId, optionIndex: answer } } };
  }

  #sitDown(table: number, start: MatchStart): void {
    const known = start.resumed ? this.#interrupted.get(chair(start)) : undefined;
    this.#interrupted.delete(chair(start));
    const match = known ?? { ...start, memory: undefined };
    this.#matches.set(table, match);
    if (!known) this.#hooks.onStart?.(match);
  }

  #fault(table: number, fault: Fault): void {
    console.error(`table ${String(table)}: fault: ${fault.message}`);
    const match = this.#matches.get(table);
    if (match) this.#hooks.onFault?.(match, fault);
  }

  #getUp(table: number, end: MatchEnd): void {
    const match = this.#matches.get(table);
    this.#matches.delete(table);
    if (match) this.#hooks.onEnd?.(match, end);
  }
}

/** A place in a match: what a match that comes back is known by. */
function chair({ matchId, seat }: MatchStart): string {
  return `${matchId}/${String(seat)}`;
}
