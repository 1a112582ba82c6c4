/** What a bot notes on its questions: cut to what the referee keeps, and held until the next answer takes it along. */
import type { Limits, Note } from "../gen/tortuga/v1/referee.js";

/** What a note counts for at least. */
const LEAST_NOTE_BYTES = 16;

/** The notes of one match that are not sent yet. A referee without limits for them is too old to take any. */
export class Notes {
  readonly #matchId: string;
  readonly #limits: Limits | undefined;
  #waiting: Note[] = [];
  #bytes = 0;
  #isFull = false;

  constructor(matchId: string, limits: Limits | undefined) {
    this.#matchId = matchId;
    this.#limits = limits;
  }

  /** Keep a note until the next answer. What the referee would drop is dropped here, and said once. */
  add(questionId: number, text: string): void {
    const { maxNoteBytes = 0, maxNotesBytes = 0 } = this.#limits ?? {};
    const bytes = cut(Buffer.from(text, "utf8"), maxNoteBytes);
    if (bytes.length === 0) return;
    const cost = Math.max(LEAST_NOTE_BYTES, bytes.length);
    if (this.#bytes + cost > maxNotesBytes) {
      if (!this.#isFull) {
        console.error(`match ${this.#matchId}: more than ${String(maxNotesBytes)} bytes of notes, the rest is dropped`);
      }
      this.#isFull = true;
      return;
    }
    this.#bytes += cost;
    this.#waiting.push({ questionId, text: bytes });
  }

  /** The notes to be sent now. */
  take(): Note[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }
}

/** So many bytes at most, cut between two characters. */
function cut(bytes: Buffer, most: number): Buffer {
  if (bytes.length <= most) return bytes;
  let end = most;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}
