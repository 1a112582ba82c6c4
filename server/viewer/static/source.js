// Where a document comes from: an address, this very file, or a file dropped onto the page. All of it may be anybody's.

import { fromBase64 } from "./panels.js";

const KIND = "tortuga-replay";
const FORMAT = 1;
const INLINE = /<script type="application\/octet-stream" id="(?:replay|beside)">([A-Za-z0-9+/=]*)<\/script>/g;

async function unpack(bytes) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return new TextDecoder().decode(bytes);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new TextDecoder().decode(await new Response(stream).arrayBuffer());
}

// A document from the text of one; an Error says what is wrong in words for people.
export function readDocument(text) {
  let found;
  try {
    found = JSON.parse(text);
  } catch {
    throw new Error("This is no exported replay. Write one with: tortuga replay html FILE");
  }
  if (found?.kind !== KIND) throw new Error("This is no exported replay. Write one with: tortuga replay html FILE");
  if (found.format !== FORMAT) throw new Error(`This replay has format ${Number(found.format)}, this viewer reads format ${FORMAT}. Export it again.`);
  if (!Array.isArray(found.seats) || !Array.isArray(found.views)) throw new Error("This replay is damaged.");
  return { notices: [], faults: [], notes: [], ...found };
}

export async function fetchDocument(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The replay could not be loaded (${response.status}).`);
  return readDocument(await unpack(new Uint8Array(await response.arrayBuffer())));
}

export async function inlineDocument(text) {
  return readDocument(await unpack(fromBase64(text)));
}

// The documents in a dropped file: one, or two beside each other. HTML of strangers is never parsed, only searched.
export async function fileDocuments(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = await unpack(bytes).catch(() => "");
  if (!/^\s*</.test(text)) return [readDocument(text)];
  const parts = [...text.matchAll(INLINE)].map((found) => found[1]);
  if (!parts.length) throw new Error("There is no replay in this page.");
  return Promise.all(parts.slice(0, 2).map(inlineDocument));
}

// A live match: tells `start`, `frame` and `end`; closed while the page is hidden, and for good after the end.
export class Live {
  #source = null;
  #isOver = false;
  constructor(address, heard, signal) {
    this.address = address;
    this.heard = heard;
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#close() : this.#open()), { signal });
    addEventListener("pagehide", () => this.#close(), { signal });
    signal.addEventListener("abort", () => this.stop());
    if (!document.hidden) this.#open();
  }

  stop() {
    this.#isOver = true;
    this.#close();
  }

  #close() {
    this.#source?.close();
    this.#source = null;
  }

  #open() {
    if (this.#isOver || this.#source) return;
    const source = (this.#source = new EventSource(this.address));
    for (const kind of ["start", "frame", "end"]) {
      source.addEventListener(kind, (event) => {
        if (kind === "end") this.stop();
        this.heard(kind, JSON.parse(event.data));
      });
    }
    source.onopen = () => this.heard("open");
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return this.heard("lost");
      this.stop();
      return this.heard("gone");
    };
  }
}
