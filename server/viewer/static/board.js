// Scenes as SVG. A scene is a list of keyed shapes; what has the same id glides from one scene to the next. That is all this file
// knows: there is no game here. Texts are only ever set as text.

const SVG = "http://www.w3.org/2000/svg";
const LAYERS = 10;

// An HTML element with properties and children; strings among the children are text.
export function make(name, properties, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (key.includes("-") || key === "role") element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children);
  return element;
}

// An SVG element with attributes and children.
export function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes ?? {})) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// A document's table of shapes, with their paths.
export function shapesOf(data) {
  return (data.shapes ?? []).map((shape) => ("d" in shape ? { ...shape, d: String(data.paths?.[shape.d] ?? "M0 0") } : shape));
}

// Frames as a document has them hold only what changed, and shapes by their number; these are whole. Shapes are shared, so that
// costs little. Live frames are whole already.
export function unfold(frames, table) {
  const whole = [];
  let before = { heading: "", scores: null, table: "", scene: null };
  for (const frame of frames) {
    const scene = frame.scene ? unfoldScene(before.scene, frame.scene, table) : before.scene;
    before = { lines: [], marks: [], ...frame, heading: frame.heading ?? before.heading, scene };
    before.scores = frame.scores ?? whole.at(-1)?.scores ?? null;
    before.table = frame.table ?? whole.at(-1)?.table ?? "";
    whole.push(before);
  }
  return whole;
}

function unfoldScene(before, changes, table) {
  const shapes = new Map((changes.shapes ? [] : before?.shapes ?? []).map((shape) => [shape.i, shape]));
  for (const id of changes.drop ?? []) shapes.delete(id);
  const oldCount = shapes.size;
  for (const one of changes.shapes ?? changes.set ?? []) {
    const shape = typeof one === "number" ? table[one] : one;
    shapes.set(shape.i, shape);
  }
  const ordered = changes.order ? changes.order.map((id) => shapes.get(id)) : [...shapes.values()];
  if (changes.places) {
    const added = ordered.splice(oldCount);
    changes.places.forEach((place, index) => ordered.splice(place, 0, added[index]));
  }
  const { w = before?.w, h = before?.h, label = before?.label } = changes;
  return { w, h, label, shapes: ordered };
}

// A board on a page: shows one scene, then the next.
export class Board {
  constructor() {
    this.svg = draw("svg", { class: "board", role: "img" });
    this.layers = Array.from({ length: LAYERS }, () => this.svg.appendChild(draw("g")));
    this.text = make("pre", { className: "text-table", hidden: true });
    this.element = make("div", { className: "v-board" }, this.svg, this.text);
    this.shown = new Map();
  }

  // Show a frame; glide for so many milliseconds, 0: jump.
  show(frame, glide) {
    const scene = frame?.scene;
    this.svg.toggleAttribute("hidden", !scene);
    this.text.hidden = Boolean(scene);
    if (!scene) {
      this.text.textContent = frame?.table || "There is nothing to see from here.";
      return;
    }
    this.svg.classList.toggle("glide", glide > 0);
    this.svg.style.setProperty("--glide", `${glide}ms`);
    this.svg.setAttribute("viewBox", `0 0 ${Number(scene.w)} ${Number(scene.h)}`);
    this.svg.setAttribute("aria-label", String(scene.label));
    this.#drop(new Set(scene.shapes.map((shape) => shape.i)));
    const last = this.layers.map(() => null); // what was put there last: it stays, whatever else is moved or replaced
    for (const shape of scene.shapes) {
      const layer = Math.min(Math.max(shape.l ?? 3, 0), LAYERS - 1);
      const element = this.#set(shape);
      const next = last[layer] ? last[layer].nextSibling : this.layers[layer].firstChild;
      if (element !== next) this.layers[layer].insertBefore(element, next);
      last[layer] = element;
    }
  }

  #drop(kept) {
    for (const [id, one] of this.shown) {
      if (kept.has(id)) continue;
      one.element.remove();
      this.shown.delete(id);
    }
  }

  #set(shape) {
    const kind = shape.d ? "path" : "text";
    let one = this.shown.get(shape.i);
    if (one && one.kind !== kind) {
      one.element.remove();
      one = undefined;
    }
    if (one?.shape === shape) return one.element;
    const element = one?.element ?? draw(kind);
    const old = one?.shape ?? {};
    if (old.c !== shape.c) element.setAttribute("class", shape.c ?? "");
    if (kind === "path" && old.d !== shape.d) element.setAttribute("d", shape.d);
    if (!one || old.s !== shape.s || old.h !== shape.h) {
      element.textContent = kind === "text" ? String(shape.s ?? "") : "";
      if (shape.h) element.append(draw("title", {}, String(shape.h)));
    }
    const turn = Number(shape.t ?? 0);
    element.style.transform = `translate(${Number(shape.x)}px, ${Number(shape.y)}px)${turn ? ` rotate(${turn}deg)` : ""}`;
    this.shown.set(shape.i, { element, kind, shape });
    return element;
  }
}

// The sign of a seat, the same as on boards: circle, triangle, square, diamond, star.
const SIGNS = [
  "M-8.3 0a8.3 8.3 0 1 1 16.6 0a8.3 8.3 0 1 1 -16.6 0z",
  "M0 -9.5L9.2 7.5L-9.2 7.5z",
  "M-7.6 -7.6h15.2v15.2h-15.2z",
  "M0 -10L9.2 0L0 10L-9.2 0z",
  "M0 -10L2.5 -3.4L9.5 -3.1L4 1.3L5.9 8.1L0 4.2L-5.9 8.1L-4 1.3L-9.5 -3.1L-2.5 -3.4z",
];

export function sign(seat) {
  return draw("svg", { class: `sign seat${seat}`, viewBox: "-10 -10 20 20", "aria-hidden": "true" }, draw("path", { d: SIGNS[seat] ?? SIGNS[0] }));
}

export function signPath(seat) {
  return SIGNS[seat] ?? SIGNS[0];
}
