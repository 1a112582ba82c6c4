/**
 * Marks in a bot's output: which match and question a line was printed for. Questions of several matches come mixed, and all
 * of them print to one log. So before the first thing that a question prints, a line says which one it is;
 * `tortuga replay show --logs` finds it there.
 */

/** The part of process.stdout that is needed here. */
export interface Output {
  write: (text: string) => unknown;
}

/** A stream that writes a mark before the first output of each question. */
class MarkedStream {
  readonly #write: (text: string) => unknown;
  #pending = "";
  /** The last mark written is that of a question. */
  isOpen = false;

  constructor(stream: Output) {
    this.#write = stream.write.bind(stream);
    const write = stream.write.bind(stream) as (...words: unknown[]) => unknown;
    stream.write = (...words: unknown[]) => {
      this.mark();
      return write(...words);
    };
  }

  /** From now on, output belongs to this mark; empty: what is written needs none. */
  begin(mark: string): void {
    this.#pending = mark;
  }

  /** Write the mark, if it is still to come. */
  mark(): void {
    if (!this.#pending) return;
    this.#write(`${this.#pending}\n`);
    this.isOpen = !this.#pending.endsWith(" aside]");
    this.#pending = "";
  }
}

/** The marks on some streams; on none until they are taken over. */
export class LogMarks {
  readonly #streams: MarkedStream[] = [];

  /** Mark what is written to these streams. */
  takeOver(...streams: Output[]): void {
    this.#streams.push(...streams.map((stream) => new MarkedStream(stream)));
  }

  /** Whatever is printed inside belongs to this question, also the stack of an exception. */
  question<T>(matchId: string, seat: number, questionId: number, answer: () => T): T {
    const who = `tortuga ${matchId} seat ${String(seat)}`;
    for (const stream of this.#streams) stream.begin(`[${who} question ${String(questionId)}]`);
    try {
      const answered = answer();
      // What follows belongs to nobody, on whichever stream: they share one log.
      const isOpen = this.#streams.some((stream) => stream.isOpen);
      for (const stream of this.#streams) stream.begin(isOpen ? `[${who} aside]` : "");
      return answered;
    } catch (error) {
      this.#streams.at(-1)?.mark(); // node itself may print it, past our streams
      throw error;
    }
  }
}

/** Those of this process: `play` takes over stdout and stderr. */
export const logMarks = new LogMarks();
