// What stands beside a board: players, the story, what a seat was asked, graphs, and how to prove it all.

import { draw, make, sign, signPath } from "./board.js";

const BEFORE = 5;
const AFTER = 3;
const MOST_OPTIONS = 12;
const GRAPH = { width: 340, height: 96, left: 4, right: 18, top: 8, bottom: 8 };

export function seconds(milliseconds) {
  const value = milliseconds / 1000;
  return value >= 100 ? `${Math.round(value)} s` : value >= 10 ? `${value.toFixed(1)} s` : `${value.toFixed(2)} s`;
}

function figure(value) {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

const BRIEF = 24;

// A name for a line that has more to say; its players stand beside it in full.
function brief(name) {
  return name.length <= BRIEF ? name : `${name.slice(0, BRIEF - 9)}…${name.slice(-8)}`;
}

// A line of a game with its seats by sign and name: games know seats only as "seat 2".
function told(text, seats) {
  return text.split(/\bseat (\d)\b/).flatMap((part, place) => {
    if (place % 2 === 0) return part ? [part] : [];
    return seats[part] ? [sign(Number(part)), " ", brief(seats[part].name)] : [`seat ${part}`];
  });
}

function spoken(text, seats) {
  return text.replace(/\bseat (\d)\b/g, (words, seat) => seats[seat]?.name ?? words);
}

// Who plays: sign, name, version and language; the score and the time used at the moment shown.
export class Players {
  constructor(match) {
    const { seats, score_title: title, times } = match.data;
    this.hasTimes = Boolean(times);
    this.rows = seats.map((seat, number) => this.#row(seat, number));
    const heads = [make("th", { scope: "col" }, make("span", { className: "visually-hidden" }, "Bot"))];
    if (title) heads.push(make("th", { scope: "col", className: "num" }, title));
    if (times) heads.push(make("th", { scope: "col", className: "num" }, "Time"));
    this.hasScores = Boolean(title);
    for (const row of this.rows) row.element.append(...(title ? [row.score] : []), ...(times ? [row.time] : []));
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...this.rows.map((row) => row.element)));
    this.element = make("section", { className: "panel v-players" }, table);
    this.used = times ? cumulated(times, seats.length) : null;
  }

  #row(seat, number) {
    const words = [seat.version && (/^\d/.test(seat.version) ? `v${seat.version}` : seat.version), seat.language].filter(Boolean).join(" · ");
    const name = make("th", { scope: "row" }, make("div", {}, sign(number), make("span", {}, make("span", { className: "v-name" }, seat.name), " ", make("small", {}, words))));
    const score = make("td", { className: "num" });
    const time = make("td", { className: "num" });
    return { element: make("tr", {}, name), score, time };
  }

  show(frame, step) {
    this.rows.forEach((row, seat) => {
      if (this.hasScores) row.score.textContent = frame?.scores ? figure(frame.scores[seat] ?? 0) : "";
      if (this.used) row.time.textContent = seconds(valueAt(this.used[seat], step));
    });
  }
}

// Time used so far, per seat: [[step, value]].
function cumulated(times, seats) {
  const series = Array.from({ length: seats }, () => [[0, 0]]);
  times.at.forEach((step, index) => {
    const mine = series[times.seat[index]];
    if (mine) mine.push([step, mine.at(-1)[1] + (times.ms[index] ?? 0)]);
  });
  return series;
}

function valueAt(series, step) {
  let low = 0;
  let high = series.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (series[middle][0] <= step) low = middle;
    else high = middle - 1;
  }
  return series[low][1];
}

// What happened, in words: the lines around the moment shown; its own are marked.
export class Story {
  constructor(match, seek) {
    this.match = match;
    this.seek = seek;
    this.heading = make("h2");
    this.list = make("ol", { className: "v-story" });
    this.spoken = make("p", { className: "visually-hidden", role: "status", "aria-live": "polite" });
    this.element = make("section", { className: "panel v-words" }, this.heading, this.list, this.spoken);
    this.list.addEventListener("click", (event) => {
      const line = event.target.closest("button");
      if (line) this.seek(Number(line.dataset.step));
    });
  }

  // All lines for these eyes, each with the number of the frame it belongs to.
  lines(eyes) {
    const frames = this.match.frames(eyes);
    if (this.eyes === eyes && this.frameCount === frames.length) return this.all;
    const found = [];
    frames.forEach((frame, number) => {
      for (const choice of frame.choices ?? []) found.push({ number, order: 0, seat: choice.seat, text: chosen(choice), kind: "choice" });
      for (const text of frame.lines) found.push({ number, order: 1, text });
    });
    const frameOf = (step) => {
      const number = this.match.frameAt(eyes, step);
      return number + (frames[number]?.at < step && number + 1 < frames.length ? 1 : 0);
    };
    const { faults = [], notes = [], seats } = this.match.data;
    for (const fault of faults) {
      const fate = fault.out ? " and is out" : "";
      const said = fault.message ? `: ${fault.message}` : "";
      found.push({ number: frameOf(fault.at), order: 2, seat: fault.seat, kind: "fault", text: `${brief(seats[fault.seat]?.name ?? "a bot")} fails (${fault.kind})${fate}${said}` });
    }
    for (const note of notes) {
      if (eyes !== "0" && eyes !== "a" && Number(eyes) !== note.seat + 1) continue;
      found.push({ number: this.match.frameAt(eyes, note.at), order: 3, seat: note.seat, kind: "note", text: note.text });
    }
    this.all = found.sort((one, other) => one.number - other.number || one.order - other.order);
    this.eyes = eyes;
    this.frameCount = frames.length;
    return this.all;
  }

  show(eyes, number, isQuiet) {
    const frame = this.match.frames(eyes)[number];
    const lines = this.lines(eyes);
    const from = lines.findIndex((line) => line.number >= number);
    const first = from < 0 ? lines.length : from;
    const next = lines.findIndex((line) => line.number > number);
    const last = next < 0 ? lines.length : next;
    const shown = lines.slice(Math.max(0, first - BEFORE), Math.min(lines.length, last + AFTER));
    this.heading.textContent = frame?.heading || "The story";
    this.list.replaceChildren(...shown.map((line) => this.#line(eyes, line, line.number === number)));
    if (!isQuiet) this.spoken.textContent = [frame?.heading, ...lines.slice(first, last).map((line) => spoken(line.text, this.match.data.seats))].filter(Boolean).join(". ");
  }

  #line(eyes, line, isNow) {
    const step = this.match.frames(eyes)[line.number]?.at ?? 0;
    const parts = line.seat === undefined ? [] : [sign(line.seat), " "];
    const prefix = line.kind === "note" ? [make("span", { className: "visually-hidden" }, "note: ")] : [];
    const words = line.kind === "note" || line.kind === "fault" ? [line.text] : told(line.text, this.match.data.seats);
    const button = make("button", { type: "button" }, ...parts, ...prefix, make("span", {}, ...words));
    button.dataset.step = step;
    const item = make("li", { className: [line.kind, isNow ? "now" : ""].filter(Boolean).join(" ") }, button);
    if (isNow) item.setAttribute("aria-current", "true");
    return item;
  }
}

function chosen(choice) {
  const by = { default: " (default: the bot failed)", out: " (default: the seat is out)" }[choice.by] ?? "";
  return `${choice.option}${by}`;
}

// What a seat was asked: its legal options, and the one that was played.
export class Options {
  constructor(match) {
    this.match = match;
    this.title = make("h2");
    this.list = make("ol", { className: "v-options" });
    this.more = make("button", { type: "button", hidden: true });
    this.by = make("p", { className: "sub" });
    this.more.addEventListener("click", () => this.#fill(this.question, true));
    this.element = make("section", { className: "panel v-asked", hidden: true }, this.title, this.by, this.list, this.more);
  }

  show(frame) {
    const question = frame?.question;
    this.element.hidden = !question;
    if (!question || question === this.question) return;
    this.question = question;
    this.title.textContent = `Asked: ${question.kind}`;
    const by = { bot: "chosen by the bot", default: "played by the referee: the bot failed", out: "played by the referee: the seat is out" };
    this.by.textContent = `Decision ${question.decision}, ${question.options.length} options, ${by[question.by] ?? ""}`;
    this.#fill(question, false);
  }

  #fill(question, isAll) {
    const texts = this.match.data.texts ?? [];
    const from = isAll ? 0 : Math.max(0, Math.min(question.chosen - MOST_OPTIONS / 2, question.options.length - MOST_OPTIONS));
    const to = isAll ? question.options.length : from + MOST_OPTIONS;
    this.list.start = from;
    this.list.replaceChildren(
      ...question.options.slice(from, to).map((text, place) => {
        const isChosen = from + place === question.chosen;
        const words = [make("span", {}, ...told(String(texts[text] ?? ""), this.match.data.seats))];
        if (isChosen) words.push(make("strong", {}, " chosen"));
        return make("li", { className: isChosen ? "now" : "" }, ...words);
      }),
    );
    this.more.hidden = isAll || question.options.length <= MOST_OPTIONS;
    this.more.textContent = `Show all ${question.options.length}`;
  }
}

// A line per seat over the timeline. A click seeks.
export class Graph {
  constructor(title, series, length, format, seek) {
    const { width, height, left, right, top, bottom } = GRAPH;
    const values = series.flat().map((point) => point[1]);
    const low = Math.min(0, ...values);
    const high = Math.max(...values, low + 1e-9);
    this.x = (place) => left + ((width - left - right) * place) / Math.max(1, length - 1);
    const y = (value) => top + (height - top - bottom) * (1 - (value - low) / (high - low || 1));
    this.now = draw("line", { class: "now", y1: 0, y2: height });
    const most = format(high);
    const svg = draw("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}, up to ${most}` });
    svg.append(draw("line", { x1: left, x2: width - right, y1: y(0), y2: y(0) }));
    series.forEach((points, seat) => {
      const path = points.map(([place, value], index) => `${index ? `H${round(this.x(place))}V` : `M${round(this.x(place))} `}${round(y(value))}`).join("");
      const last = points.at(-1)?.[1] ?? 0;
      svg.append(draw("path", { class: `line seat${seat}`, d: `${path}H${round(this.x(length - 1))}` }));
      svg.append(draw("path", { class: `end seat${seat}`, d: signPath(seat), transform: `translate(${width - right + 9} ${round(y(last))}) scale(.6)` }));
    });
    svg.append(this.now);
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const across = ((event.clientX - box.left) / box.width) * width - left;
      seek(Math.round((across / (width - left - right)) * Math.max(1, length - 1)));
    });
    const head = make("h2", {}, title, " ", make("small", { className: "muted num" }, `0 to ${most}`));
    this.element = make("section", { className: "panel v-graph" }, head, svg);
  }

  show(place) {
    const x = this.x(place);
    this.now.setAttribute("x1", x);
    this.now.setAttribute("x2", x);
  }
}

function round(value) {
  return Math.round(value * 10) / 10;
}

// The graphs of a match: who leads, and who used how much time.
export function graphs(match, timeline, index, seek) {
  const { score_title: title, seats, times } = match.data;
  const found = [];
  const frames = match.frames("0").filter((frame) => frame.scores);
  if (title && frames.length > 1) {
    const series = seats.map((_, seat) => frames.map((frame) => [timeline.place(index, frame.at), frame.scores[seat] ?? 0]));
    found.push(new Graph(title, series, timeline.length, figure, seek));
  }
  if (times?.at.length) {
    const series = cumulated(times, seats.length).map((points) => points.map(([step, value]) => [timeline.place(index, step), value]));
    found.push(new Graph("Time used", series, timeline.length, seconds, seek));
  }
  return found;
}

// How to get hold of the record, and how to prove it.
export function proof(match, download, open) {
  const { record, match: id } = match.data;
  const facts = make("dl", { className: "v-facts" });
  const add = (term, ...description) => facts.append(make("dt", {}, term), make("dd", {}, ...description));
  add("Match", make("code", {}, id));
  if (record?.sha256) add("SHA-256 of the record", make("code", {}, record.sha256));
  if (record?.verify) add("Verify it", make("code", {}, record.verify));
  const row = make("div", { className: "row" });
  if (download) row.append(make("a", { className: "button", href: download, download: "" }, "Download the record"));
  else if (record?.bytes) row.append(saveButton("Download the record", record.file || "match.tortuga", () => fromBase64(record.bytes)));
  if (match.isShown && !match.isLive) row.append(saveButton("Save as JSON", `${id}.json`, () => JSON.stringify(match.data)));
  const file = make("input", { type: "file", hidden: true, accept: ".html,.json,.gz", "aria-label": "Another replay" });
  const another = make("button", { type: "button", title: "An exported replay; dropping it onto the page does the same" }, "Open another…");
  another.addEventListener("click", () => file.click());
  file.addEventListener("change", () => open(file.files[0]));
  row.append(another, file);
  return make("section", { className: "panel v-record" }, make("h2", {}, "Proof"), facts, row);
}

function saveButton(words, name, content) {
  const button = make("button", { type: "button" }, words);
  button.addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([content()]));
    make("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  });
  return button;
}

export function fromBase64(text) {
  return Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
}
