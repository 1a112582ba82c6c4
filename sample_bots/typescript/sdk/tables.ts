/**
 * The tables a bot sits at. Takes in what the referee says about one and gives what has to be said to it; knows nothing
 * of streams. What it does not understand it passes over: the protocol grows, and an old bot plays on.
 */
import type { Fault, FromBot, Limits, MatchEnd, MatchStart, Question, ToBot } from "../gen/tortuga/v1/referee.js";
import { Arrivals } from "./arrivals.js";
import { logMarks } from "./log_marks.js";
import { Notes } from "./notes.js";
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

/** A match, and what its bot has noted and not yet sent. */
interface Seat<Memory> {
  match: Match<Memory>;
  notes: Notes;
}

export class Tables<Memory> {
  readonly #choose: Choose<Memory>;
  readonly #hooks: Hooks<Memory>;
  readonly #seats = new Map<number, Seat<Memory>>();
  /** Those of a stream that broke, by id and seat: they may come back, at any table. */
  readonly #interrupted = new Map<string, Seat<Memory>>();
  readonly #arrivals = new Arrivals();
  #limits: Limits | undefined;

  constructor(choose: Choose<Memory>, hooks: Hooks<Memory>) {
    this.#choose = choose;
    this.#hooks = hooks;
  }

  /** A batch came: its messages are heard next. */
  read(): void {
    this.#arrivals.read(this.#seats.size);
  }

  /** All messages of a batch were heard, and their answers are on their way. */
  done(): void {
    this.#arrivals.done();
  }

  /** Take in one message and give what has to be said to it. */
  hear({ table, message }: ToBot): FromBot[] {
    switch (message?.$case) {
      case "question":
        return this.#answer(table, message.value);
      case "matchStart":
        this.#sitDown(table, message.value);
        this.#arrivals.ready(table);
        return [{ table, message: { $case: "ready", value: {} } }];
      case "fault":
        this.#fault(table, message.value);
        return [];
      case "matchEnd":
        this.#getUp(table, message.value);
        return [];
      case "welcome":
        this.#limits = message.value.limits;
        return [];
      default:
        return [];
    }
  }

  /** The stream broke: all tables are gone, what is known of their matches stays. */
  interrupt(): void {
    for (const seat of this.#seats.values()) this.#interrupted.set(chair(seat.match), seat);
    this.#seats.clear();
  }

  #answer(table: number, question: Question): FromBot[] {
    const seat = this.#seats.get(table);
    if (!seat) return []; // no such table: there is nothing to answer about
    const { match, notes } = seat;
    const { questionId } = question;
    const received = this.#arrivals.ask(table);
    const due = match.clock?.unlimited ? Infinity : received + question.timeLeftMillis;
    const asked = {
      ...question,
      match,
      timeLeft: () => Math.max(0, due - performance.now()),
      note: (text: string) => {
        notes.add(questionId, text);
      },
    };
    const answer = logMarks.question(match.matchId, match.seat, questionId, () => this.#choose(asked));
    this.#arrivals.answered(table);
    // The notes go first: the answer may end the match, and after that nobody hears them.
    const said: FromBot[] = notes.take().map((value) => ({ table, message: { $case: "note", value } }));
    if (answer === "resign") said.push({ table, message: { $case: "resign", value: {} } });
    else said.push({ table, message: { $case: "choice", value: { questionId, optionIndex: answer } } });
    return said;
  }

  #sitDown(table: number, start: MatchStart): void {
    const known = start.resumed ? this.#interrupted.get(chair(start)) : undefined;
    this.#interrupted.delete(chair(start));
    const seat = known ?? { match: { ...start, memory: undefined }, notes: new Notes(start.matchId, this.#limits) };
    this.#seats.set(table, seat);
    if (!known) this.#hooks.onStart?.(seat.match);
  }

  #fault(table: number, fault: Fault): void {
    console.error(`table ${String(table)}: fault: ${fault.message}`);
    const seat = this.#seats.get(table);
    if (seat) this.#hooks.onFault?.(seat.match, fault);
  }

  #getUp(table: number, end: MatchEnd): void {
    const seat = this.#seats.get(table);
    this.#seats.delete(table);
    if (seat) this.#hooks.onEnd?.(seat.match, end);
  }
}

/** A place in a match: what a match that comes back is known by. */
function chair({ matchId, seat }: MatchStart): string {
  return `${matchId}/${String(seat)}`;
}
