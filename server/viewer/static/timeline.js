// One timeline for one match or for two beside each other. A place on it is a number; each match says which of its steps that is.
// Two matches are laid beside each other turn by turn: the longer turn gives the room, the shorter one waits at its end.

import { shapesOf, unfold } from "./board.js";

// A match as a viewer reads it: its document, with whole frames where they are asked for.
export class Match {
  #views = new Map();
  constructor(data) {
    this.data = data;
    this.steps = Math.max(1, data.steps || 0);
    this.shapes = shapesOf(data);
  }

  get isShown() {
    return this.data.views.length > 0;
  }

  // The names of whose eyes there are, as in links: "0" spectators, "1" to "5" the seats, "a" everybody's.
  get eyes() {
    return this.data.views.map((view) => (view.eyes === "seat" ? String(view.seat + 1) : view.eyes === "all" ? "a" : "0"));
  }

  frames(eyes) {
    const found = Math.max(0, this.eyes.indexOf(eyes));
    if (!this.#views.has(found)) this.#views.set(found, unfold(this.data.views[found]?.frames ?? [], this.shapes));
    return this.#views.get(found);
  }

  // Live: another whole frame.
  add(frame) {
    this.data.views[0].frames.push(frame);
    this.steps = this.data.steps = frame.at + 1;
    this.#views.get(0)?.push({ lines: [], marks: [], ...frame });
  }

  // The number of the frame that is seen at a step: the latest that is not after it.
  frameAt(eyes, step) {
    const frames = this.frames(eyes);
    let low = 0;
    let high = frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (frames[middle].at <= step) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // What lies on the timeline: [{step, kind}], in order.
  get marks() {
    const found = [];
    for (const frame of this.frames("0")) for (const kind of frame.marks) found.push({ step: frame.at, kind });
    for (const fault of this.data.faults ?? []) found.push({ step: fault.at, kind: "fault", seat: fault.seat });
    return found.sort((one, other) => one.step - other.step);
  }
}

export class Timeline {
  constructor(matches) {
    this.matches = matches;
    const turns = matches.map((match) => (matches.length > 1 ? turnsOf(match) : [[0, match.steps]]));
    const most = Math.max(...turns.map((list) => list.length));
    this.sections = [];
    this.length = 0;
    for (let turn = 0; turn < most; turn++) {
      const parts = turns.map((list) => list[turn] ?? null);
      const room = Math.max(...parts.map((part) => (part ? part[1] : 0)));
      this.sections.push({ start: this.length, room, parts });
      this.length += room;
    }
  }

  // The step of a match at a place.
  step(index, place) {
    let found = 0;
    for (const { start, parts } of this.sections) {
      if (start > place) break;
      const part = parts[index];
      found = part ? part[0] + Math.min(place - start, part[1] - 1) : this.matches[index].steps - 1;
    }
    return found;
  }

  // The place of a step of a match.
  place(index, step) {
    let found = 0;
    for (const { start, parts } of this.sections) {
      const part = parts[index];
      if (part && part[0] <= step) found = start + Math.min(step - part[0], part[1] - 1);
    }
    return found;
  }

  // The places at which something changes for these eyes: where → and ← stop.
  stops(eyes) {
    const places = new Set([0]);
    this.matches.forEach((match, index) => {
      for (const frame of match.frames(eyes)) places.add(this.place(index, frame.at));
    });
    return [...places].sort((one, other) => one - other);
  }

  // Everything on the timeline: [{place, kind}], in order, one of a kind at a place.
  marks() {
    const found = new Map();
    this.matches.forEach((match, index) => {
      for (const { step, kind } of match.marks) {
        const place = this.place(index, step);
        found.set(`${place} ${kind}`, { place, kind });
      }
    });
    return [...found.values()].sort((one, other) => one.place - other.place);
  }
}

// The turns of a match: [[first step, number of steps]].
function turnsOf(match) {
  const starts = [...new Set([0, ...match.marks.filter((mark) => mark.kind === "turn").map((mark) => mark.step)])];
  return starts.map((start, turn) => [start, (starts[turn + 1] ?? match.steps) - start]);
}
