/**
 * When a question came, though nobody looked: `choose` keeps the stream from being read, and its clock was running.
 *
 * A question waits while we answer those that came before it, and these are of other tables, one each. So it waited no longer
 * than the answers to that many latest questions took; and it came after our last answer at its own table.
 */

/** A batch that we waited for this long had not been there before. */
const IDLE_MILLIS = 20;
const MOST_TABLES = 64;

/** The earliest time at which each question can have come: exact whenever the bot was idle before. */
export class Arrivals {
  /** When we last said something at each table. */
  readonly #lastWords = new Map<number, number>();
  /** How long the latest answers took, the last one first. */
  #busy: number[] = [];
  #idleSince = 0;
  #batch = 0;
  #asked = 0;

  /** A batch is there, and the bot sits at that many tables. */
  read(tables: number): void {
    this.#batch = performance.now();
    if (this.#batch - this.#idleSince < IDLE_MILLIS) {
      for (const took of this.#busy.slice(0, Math.max(0, tables - 1))) this.#batch -= took;
    }
  }

  /** A match begins at that table. */
  ready(table: number): void {
    this.#lastWords.set(table, performance.now());
  }

  /** `choose` is called for a question of that table in this batch. Gives the earliest time at which it can have come. */
  ask(table: number): number {
    this.#asked = performance.now();
    return Math.max(this.#batch, this.#lastWords.get(table) ?? 0);
  }

  /** `choose` has answered it. */
  answered(table: number): void {
    const now = performance.now();
    this.#lastWords.set(table, now);
    this.#busy = [now - this.#asked, ...this.#busy.slice(0, MOST_TABLES - 1)];
  }

  /** All of the batch is answered: from now on we wait. */
  done(): void {
    this.#idleSince = performance.now();
  }
}
