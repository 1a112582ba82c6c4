// The bar under a board: the slider with its marks, play and pause, speed, and whose eyes. And the list of keys.

import { draw, make, sign } from "./board.js";

export const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32];

const ICONS = {
  back: "M13 4L6 10l7 6z",
  play: "M6 4l10 6-10 6z",
  pause: "M6 4v12M14 4v12",
  next: "M7 4l7 6-7 6z",
  link: "M8 12l4-4M9 6l2-2a3.5 3.5 0 0 1 5 5l-2 2M11 14l-2 2a3.5 3.5 0 0 1-5-5l2-2",
};

export const KEYS = [
  ["Space", "play or pause"],
  ["← →", "one scene back or on"],
  ["Shift ← →", "one turn back or on"],
  ["Home End", "the beginning, the end"],
  ["n p", "the next or the previous hit, fault or end"],
  ["+ −", "faster, slower"],
  ["0", "the spectators' eyes"],
  ["1 to 5", "a seat's eyes"],
  ["a", "everybody's eyes at once"],
  ["l", "copy a link to this moment"],
  ["?", "this list"],
];

function icon(name) {
  return draw("svg", { class: "icon", viewBox: "0 0 20 20", "aria-hidden": "true" }, draw("path", { d: ICONS[name] }));
}

function button(name, label, act) {
  const found = make("button", { type: "button", "aria-label": label, title: label }, icon(name));
  found.addEventListener("click", act);
  return found;
}

export class Controls {
  constructor(viewer) {
    this.viewer = viewer;
    this.marks = draw("svg", { class: "v-marks", "aria-hidden": "true" });
    this.slider = make("input", { type: "range", min: 0, step: 1, value: 0, "aria-label": "Moment of the match" });
    this.slider.addEventListener("input", () => viewer.seek(Number(this.slider.value)));
    this.play = make("button", { type: "button", className: "v-play", "aria-label": "Play" });
    this.play.addEventListener("click", () => viewer.toggle());
    this.speed = make("select", { "aria-label": "Speed" }, ...SPEEDS.map((speed) => make("option", { value: speed }, `${speed}×`)));
    this.speed.addEventListener("change", () => viewer.setSpeed(Number(this.speed.value)));
    this.eyes = make("div", { className: "v-eyes row", role: "group", "aria-label": "Whose eyes" });
    this.eyesList = make("select", { className: "v-eyes-list", "aria-label": "Whose eyes" });
    this.eyesList.addEventListener("change", () => viewer.setEyes(this.eyesList.value));
    this.live = make("button", { type: "button", className: "v-live", hidden: true }, "Live");
    this.live.addEventListener("click", () => viewer.goLive());
    this.place = make("span", { className: "v-place num" });
    this.element = make("section", { className: "panel v-time", "aria-label": "Timeline" }, make("div", { className: "v-bar" }, this.marks, this.slider), this.#row());
    this.show();
  }

  #row() {
    const { viewer } = this;
    const help = make("button", { type: "button", className: "v-help-button", "aria-label": "Keys", title: "Keys" }, "?");
    help.addEventListener("click", () => viewer.help());
    return make(
      "div",
      { className: "row" },
      button("back", "One scene back", () => viewer.turn(-1)),
      this.play,
      button("next", "One scene on", () => viewer.turn(1)),
      this.speed,
      this.live,
      this.eyes,
      this.eyesList,
      make("span", { className: "v-right row" }, this.place, button("link", "Copy a link to this moment", () => viewer.copyLink()), help),
    );
  }

  // Whose eyes there are: [[eyes, words, seat]].
  setEyes(list) {
    const key = JSON.stringify(list);
    if (key === this.eyesKey) return;
    this.eyesKey = key;
    this.eyes.replaceChildren(
      ...list.map(([eyes, words, seat]) => {
        const label = seat === undefined ? words : `${words}’s eyes`;
        const found = make("button", { type: "button", title: label, "aria-label": label }, ...(seat === undefined ? [] : [sign(seat)]), make("span", {}, words));
        found.dataset.eyes = eyes;
        found.addEventListener("click", () => this.viewer.setEyes(eyes));
        return found;
      }),
    );
    this.eyesList.replaceChildren(...list.map(([eyes, words, seat]) => make("option", { value: eyes }, seat === undefined || this.viewer.isPair ? words : `${eyes} ${words}`)));
    this.eyes.hidden = this.eyesList.hidden = list.length < 2;
  }

  // Marks as [{place, kind}]; drawn in three sizes, so that they differ by more than colour.
  setMarks(marks, length) {
    const across = (place) => `${(100 * place) / Math.max(1, length - 1)}%`;
    const sizes = { turn: [10, 16], hit: [5, 18], fault: [2, 18], end: [2, 18] };
    this.slider.max = Math.max(0, length - 1);
    this.marks.replaceChildren(
      ...marks.map(({ place, kind }) => {
        const [from, to] = sizes[kind] ?? sizes.turn;
        return draw("line", { class: kind, x1: across(place), x2: across(place), y1: from, y2: to });
      }),
    );
  }

  show() {
    const { viewer } = this;
    if (this.isPlaying !== viewer.isPlaying) {
      this.isPlaying = viewer.isPlaying;
      const words = viewer.isPlaying ? "Pause" : "Play";
      this.play.replaceChildren(icon(words.toLowerCase()), make("span", {}, words));
      this.play.setAttribute("aria-label", words);
    }
    this.speed.value = String(viewer.speed);
    this.slider.value = String(viewer.place);
    for (const one of this.eyes.children) one.setAttribute("aria-pressed", String(one.dataset.eyes === viewer.eyes));
    this.eyesList.value = viewer.eyes;
  }

  setPlace(number, count, heading) {
    this.place.textContent = `scene ${number} of ${count}`;
    this.slider.setAttribute("aria-valuetext", `scene ${number} of ${count}${heading ? `: ${heading}` : ""}`);
  }
}

export function helpDialog() {
  const rows = KEYS.map(([keys, words]) => make("tr", {}, make("th", { scope: "row" }, ...keys.split(" ").flatMap((key) => (key === "to" ? [" to "] : [make("kbd", {}, key), " "]))), make("td", {}, words)));
  const close = make("button", { type: "button" }, "Close");
  const dialog = make("dialog", { className: "v-help panel", "aria-label": "Keys" }, make("h2", {}, "Keys"), make("table", {}, make("tbody", {}, ...rows)), make("p", { className: "sub" }, "On a phone, swipe over the board. Drop another exported replay onto the page to see it."), close);
  close.addEventListener("click", () => dialog.close());
  return dialog;
}
