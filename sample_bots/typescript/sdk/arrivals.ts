/**
 * When a question came, though nobody looked: `choose` keeps the stream from being read, and its clock was running.
 *
 * A question comes after our last answer at its table. Those that came before it and were not yet answered are of other
 * tables, one each; so it came after `choose` was called for the first of that many latest questions.
 */

/** A batch that we waited for this long had not been there before. */
const IDLE_MILLIS = 5;
const MOST_TABLES = 64;

/** The earliest time at which each question can have come: exact whenever the bot was idle before. */
export class Arrivals {
  readonly #now: () => number;
  /** When we last said something at each table. */
  readonly #lastWords = new Map<number, number>();
  /** When `choose` was called for the latest questions. */
  #starts: number[] = [];
  #idleSince = 0;
  #batch = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A batch is there, and the bot sits at that many tables. */
  read(tables: number): void {
    this.#batch = this.#now();
    const others = Math.min(tables - 1, this.#starts.length);
    if (others > 0 && this.#batch - this.#idleSince < IDLE_MILLIS) this.#batch = this.#starts.at(-others) ?? 0;
  }

  /** `choose` is called for a question of that table in this batch. Gives the earliest time at which it can have come. */
  ask(table: number): number {
    this.#starts.push(this.#now());
    this.#starts = this.#starts.slice(-MOST_TABLES);
    return Math.max(this.#batch, this.#lastWords.get(table) ?? 0);
  }

  /** The answer of that table is ready. */
  say(table: number): void {
    this.#lastWords.set(table, this.#now());
  }

  /** All of the batch is answered: from now on we wait. */
  done(): void {
    this.#idleSince = this.#now();
  }
}
