// The viewer: one match, or two beside each other, from a document, from this file or live. It mounts every <div class="viewer">.
// docs/viewer.md lists the attributes it reads.

import { Board, make } from "./board.js";
import { Controls, helpDialog, SPEEDS } from "./controls.js";
import { graphs, Options, Players, proof, Story } from "./panels.js";
import { fetchDocument, fileDocuments, inlineDocument, Live } from "./source.js";
import { Match, Timeline } from "./timeline.js";

const SCENE_MILLISECONDS = 900;
const GLIDE_MILLISECONDS = 350;
const SWIPE_PIXELS = 40;

// What the page around us says of the match.
function setText(selector, text) {
  for (const one of document.querySelectorAll(selector)) one.textContent = text;
}

// One match on the page: its board and what stands beside it.
class Side {
  constructor(viewer, match, index, { showHead, download }) {
    this.viewer = viewer;
    this.match = match;
    this.index = index;
    const { result, about, notices } = match.data;
    this.title = make(index || viewer.isPair ? "h2" : "h1", { className: "v-result" }, result);
    this.about = make("p", { className: "sub" }, about);
    this.notices = make("div", {}, ...notices.map((words) => make("p", { className: "notice" }, words)));
    this.board = new Board();
    this.players = new Players(match);
    this.story = new Story(match, (step) => viewer.seek(viewer.timeline.place(index, step)));
    this.options = new Options(match);
    this.graphs = make("div", { className: "v-graphs" });
    const head = make("header", { className: "v-head" }, ...(showHead ? [this.title, this.about] : []), this.notices);
    const boardPanel = make("div", { className: "panel v-main", hidden: !match.isShown }, this.board.element);
    this.story.element.hidden = !match.isShown;
    const beside = make("div", { className: "v-side" }, this.players.element, this.options.element, this.story.element, this.graphs, proof(match, download, (file) => viewer.open(file)));
    this.element = make("section", { className: "v-match", "aria-label": `${viewer.isPair ? ["First match", "Second match"][index] : "Match"}: ${result}` }, head, boardPanel, beside);
  }

  setTimeline(timeline) {
    const seek = (place) => this.viewer.seek(place);
    this.drawnGraphs = graphs(this.match, timeline, this.index, seek);
    this.graphs.replaceChildren(...this.drawnGraphs.map((graph) => graph.element));
  }

  // What is to be seen at a place. Returns the number of the frame.
  show(place, glide, isQuiet) {
    const { timeline, eyes } = this.viewer;
    const step = timeline.step(this.index, place);
    const number = this.match.frameAt(eyes, step);
    const frame = this.match.frames(eyes)[number];
    const isNew = frame !== this.frame;
    this.frame = frame;
    if (isNew) {
      this.board.show(frame, glide);
      this.options.show(frame);
      this.story.show(eyes, number, isQuiet);
    }
    this.players.show(this.match.frames("0")[this.match.frameAt("0", step)], step);
    for (const graph of this.drawnGraphs) graph.show(place);
    return number;
  }
}

class Viewer {
  constructor(root) {
    this.root = root;
    this.place = 0;
    this.eyes = "0";
    this.speed = 1;
    this.isPlaying = false;
    this.ends = new AbortController();
  }

  // Show matches instead of what was there.
  show(documents, { isLive = false } = {}) {
    this.pause();
    this.matches = documents.map((data) => new Match(data));
    this.isPair = documents.length > 1;
    this.isLive = isLive;
    for (const match of this.matches) match.isLive = isLive;
    const page = this.root.ownerDocument;
    const heads = [...page.querySelectorAll("h1")].filter((one) => !this.root.contains(one));
    const showHead = !heads.length || this.isPair;
    this.sides = this.matches.map((match, index) => new Side(this, match, index, { showHead, download: index ? "" : this.root.dataset.download }));
    this.controls = new Controls(this);
    this.dialog = helpDialog();
    this.toast = make("p", { className: "v-toast", role: "status" });
    const { luck } = documents[0];
    const pairWords = luck && documents.every((one) => one.luck === luck) ? "The same luck, other choices" : "Two matches beside each other";
    const pairTitle = this.isPair && !heads.length ? [make("h1", {}, pairWords)] : [];
    this.controls.element.hidden = !this.matches.some((match) => match.isShown);
    this.root.classList.toggle("pair", this.isPair);
    this.root.replaceChildren(...pairTitle, make("div", { className: "v-matches" }, ...this.sides.map((side) => side.element)), this.controls.element, this.toast, this.dialog);
    this.#swipe();
    this.relay();
  }

  // The matches have grown or others' eyes are asked for: lay the timeline anew.
  relay() {
    this.timeline = new Timeline(this.matches);
    this.marks = this.timeline.marks();
    this.controls.setMarks(this.marks, this.timeline.length);
    const known = this.matches[0].eyes.filter((eyes) => this.matches.every((match) => match.eyes.includes(eyes)));
    this.controls.setEyes(known.map((eyes) => this.#wordsFor(eyes)));
    if (!known.includes(this.eyes)) this.eyes = "0";
    this.stops = this.timeline.stops(this.eyes);
    for (const side of this.sides) side.setTimeline(this.timeline);
    this.render(0);
  }

  #wordsFor(eyes) {
    if (eyes === "0") return [eyes, "Spectator"];
    if (eyes === "a") return [eyes, "All-seeing"];
    const seat = Number(eyes) - 1;
    return [eyes, this.isPair ? `Seat ${eyes}` : this.matches[0].data.seats[seat].name, seat];
  }

  render(glide) {
    const numbers = this.sides.map((side) => side.show(this.place, glide, this.isPlaying && this.speed > 1));
    const scenes = this.matches[0].frames(this.eyes).length;
    if (this.isPair) this.controls.setPlace(this.stopBefore(this.place) + 1, this.stops.length, this.sides[0].frame?.heading);
    else this.controls.setPlace(scenes ? numbers[0] + 1 : 0, scenes, this.sides[0].frame?.heading);
    this.controls.show();
    this.controls.live.hidden = !this.isLive;
    this.controls.live.classList.toggle("on", this.isLive && this.isFollowing);
  }

  // The number of the stop at or before a place.
  stopBefore(place) {
    let found = 0;
    while (found + 1 < this.stops.length && this.stops[found + 1] <= place) found++;
    return found;
  }

  seek(place, { glide = 0, keepsPlaying = false } = {}) {
    if (!keepsPlaying) this.pause();
    const last = this.timeline.length - 1;
    const wanted = Number.isNaN(place) ? 0 : Math.min(Math.max(0, place), last);
    this.place = wanted;
    this.isFollowing = this.isLive && wanted === last;
    this.render(glide);
    this.#remember();
  }

  // One scene on or back.
  turn(by, options = {}) {
    const now = this.stopBefore(this.place);
    const next = by < 0 && this.stops[now] < this.place ? now : now + by;
    if (next < 0 || next >= this.stops.length) return false;
    const glide = Math.min(GLIDE_MILLISECONDS, (0.7 * SCENE_MILLISECONDS) / (options.keepsPlaying ? this.speed : 1));
    this.seek(this.stops[next], { ...options, glide });
    return true;
  }

  // To the next or the previous mark of these kinds.
  leap(by, kinds) {
    const places = this.marks.filter((mark) => kinds.includes(mark.kind)).map((mark) => mark.place);
    const found = by > 0 ? places.find((place) => place > this.place) : places.findLast((place) => place < this.place);
    this.seek(found ?? (by > 0 ? Infinity : 0));
  }

  toggle() {
    if (this.isPlaying) {
      this.pause();
      this.render(0);
      return;
    }
    if (this.place >= this.stops.at(-1)) this.seek(0);
    this.isPlaying = true;
    this.controls.show();
    this.#tick();
  }

  #tick() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (!this.isPlaying) return;
      if (this.turn(1, { keepsPlaying: true })) this.#tick();
      else this.toggle();
    }, SCENE_MILLISECONDS / this.speed);
  }

  pause() {
    clearTimeout(this.timer);
    this.isPlaying = false;
  }

  setSpeed(speed) {
    this.speed = SPEEDS.includes(speed) ? speed : 1;
    this.controls.show();
    if (this.isPlaying) this.#tick();
  }

  setEyes(eyes) {
    if (eyes === this.eyes || !this.matches.every((match) => match.eyes.includes(eyes))) return;
    this.eyes = eyes;
    this.stops = this.timeline.stops(eyes);
    this.render(0);
    this.#remember();
  }

  help() {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }

  say(words) {
    this.toast.textContent = words;
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => (this.toast.textContent = ""), 4000);
  }

  // Links to a moment: #s=120&v=2.
  get link() {
    return `#s=${this.place}&v=${this.eyes}`;
  }

  async copyLink() {
    const address = location.href.split("#")[0] + this.link;
    try {
      await navigator.clipboard.writeText(address);
      this.say("The link to this moment is copied.");
    } catch {
      this.say(`The link to this moment: ${address}`);
    }
  }

  followLink() {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (!asked.has("s") && !asked.has("v")) return false;
    if (asked.has("v")) this.setEyes(asked.get("v"));
    if (asked.has("s")) this.seek(Math.trunc(Number(asked.get("s"))));
    return true;
  }

  // The address follows, a moment later: browsers limit how often it may change.
  #remember() {
    clearTimeout(this.linkTimer);
    if (this.isPlaying || this.isLive) return;
    this.linkTimer = setTimeout(() => {
      try {
        history.replaceState(null, "", this.link);
      } catch {
        // some browsers refuse it for files; the link button works all the same
      }
    }, 400);
  }

  #swipe() {
    let from = null;
    for (const { board } of this.sides) {
      board.element.addEventListener("touchstart", (event) => (from = event.touches.length === 1 ? event.touches[0] : null), { passive: true });
      board.element.addEventListener("touchend", (event) => {
        if (!from) return;
        const to = event.changedTouches[0];
        const [x, y] = [to.clientX - from.clientX, to.clientY - from.clientY];
        from = null;
        if (Math.abs(x) > SWIPE_PIXELS && Math.abs(x) > 2 * Math.abs(y)) this.turn(x < 0 ? 1 : -1);
      });
    }
  }

  async open(file) {
    if (!file) return;
    try {
      const documents = await fileDocuments(file);
      this.live?.stop();
      const { notices } = documents[0];
      this.place = 0;
      this.show(documents);
      setText("[data-result]", documents[0].result);
      setText("[data-about]", documents[0].about);
      for (const one of document.querySelectorAll("[data-of-match], [data-live-mark]")) one.remove(); // of the match that was here
      document.title = documents[0].result;
      this.say(notices.length ? notices[0] : `Now showing ${file.name}.`);
    } catch (error) {
      this.say(error.message);
    }
  }

  // The keys. Returns whether this was one of them.
  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.sides) return false;
    const target = event.target;
    if (target.matches?.("input:not([type=range]), textarea, select, [contenteditable]")) return false;
    if (this.dialog.open) return event.key === "?" && (this.help(), true);
    if (event.key === "?") return this.help(), true;
    if (!this.timeline || this.controls.element.hidden) return false;
    if (event.key === " " && target.matches?.("button, a, summary")) return false;
    const turns = ["turn"];
    const marks = ["hit", "fault", "end"];
    const acts = {
      " ": () => this.toggle(),
      ArrowLeft: () => (event.shiftKey ? this.leap(-1, turns) : (this.pause(), this.turn(-1))),
      ArrowRight: () => (event.shiftKey ? this.leap(1, turns) : (this.pause(), this.turn(1))),
      Home: () => this.seek(0),
      End: () => this.seek(Infinity),
      n: () => this.leap(1, marks),
      p: () => this.leap(-1, marks),
      "+": () => this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, SPEEDS.indexOf(this.speed) + 1)]),
      "=": () => this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, SPEEDS.indexOf(this.speed) + 1)]),
      "-": () => this.setSpeed(SPEEDS[Math.max(0, SPEEDS.indexOf(this.speed) - 1)]),
      l: () => this.copyLink(),
      a: () => this.setEyes("a"),
    };
    if (/^[0-5]$/.test(event.key)) this.setEyes(event.key);
    else if (Object.hasOwn(acts, event.key)) acts[event.key]();
    else return false;
    return true;
  }

  // A live match, then its replay.
  watch(address) {
    this.isFollowing = true;
    this.live = new Live(address, (kind, data) => this.#hear(kind, data), this.ends.signal);
  }

  goLive() {
    this.seek(Infinity);
  }

  #hear(kind, data) {
    if (kind === "start") {
      if (this.matches?.[0].data.match === data.match) return; // the stream came back
      this.number = 0;
      this.show([{ ...data, steps: 0, views: [{ eyes: "spectator", frames: [] }], faults: [], notes: [] }], { isLive: true });
      this.isFollowing = true;
    } else if (kind === "frame" && data.number > this.number) {
      this.number = data.number;
      this.matches[0].add({ ...data, at: this.matches[0].data.views[0].frames.length });
      if (this.isFollowing) this.place = this.matches[0].steps - 1;
      this.relay();
    } else if (kind === "end") {
      this.#end(data);
    } else if (kind === "lost") {
      this.tell("The connection is lost. It comes back by itself.");
    } else if (kind === "gone" && !this.isOver) {
      this.#replay("The live stream is not there any more.");
    }
  }

  #end(data) {
    this.isOver = true;
    const match = this.matches[0];
    match.add({ ...match.frames("0").at(-1), number: data.number, heading: "The end", lines: [`${data.result}: ${data.reason}.`], marks: ["end"], at: match.data.views[0].frames.length });
    match.data.result = data.result;
    match.data.faults = data.faults.map((fault) => ({ ...fault, at: match.steps - 1 }));
    this.sides[0].title.textContent = data.result;
    setText("[data-result]", data.result);
    for (const one of document.querySelectorAll("[data-live-mark]")) one.remove();
    this.isLive = false;
    if (this.isFollowing) this.place = match.steps - 1;
    this.relay();
    this.#replay("");
  }

  // After a live match: its document, as soon as it is there and has more to show.
  async #replay(otherwise, triesLeft = 5) {
    const address = this.root.dataset.document;
    if (!address) return otherwise && this.tell(otherwise);
    try {
      const found = await fetchDocument(address);
      if (!found.views.length && this.matches) return undefined;
      const wasAtEnd = !this.matches || this.isFollowing;
      this.show([found]);
      if (!this.followLink() && wasAtEnd && this.isOver) this.seek(Infinity);
    } catch (error) {
      if (triesLeft > 0 && !this.ends.signal.aborted) setTimeout(() => this.#replay(otherwise, triesLeft - 1), 2000);
      else if (otherwise) this.tell(otherwise);
    }
    return undefined;
  }

  // Something went wrong: say it where the match would be.
  tell(words) {
    if (this.sides) this.say(words);
    else this.root.replaceChildren(make("p", { className: "notice" }, words));
  }

  async start() {
    const { document: address, live, beside, inline, inlineBeside } = this.root.dataset;
    try {
      this.root.replaceChildren(make("p", { className: "sub" }, "The match is being loaded…"));
      if (live) return this.watch(live);
      const first = inline ? inlineDocument(document.getElementById(inline).textContent) : fetchDocument(address);
      const second = inlineBeside ? inlineDocument(document.getElementById(inlineBeside).textContent) : beside ? fetchDocument(beside) : null;
      this.show(await Promise.all(second ? [first, second] : [first]));
      this.followLink();
    } catch (error) {
      this.tell(error.message);
    }
    return undefined;
  }
}

const viewers = [...document.querySelectorAll("div.viewer")].map((root) => new Viewer(root));
let active = viewers[0];

if (new URLSearchParams(location.search).get("embed") === "1") document.documentElement.classList.add("embed");

for (const viewer of viewers) {
  viewer.root.addEventListener("pointerdown", () => (active = viewer));
  // a click leaves no focus on a button, so that Space plays; whoever uses the keyboard keeps it
  viewer.root.addEventListener("click", (event) => event.detail > 0 && event.target.closest("button")?.blur());
  viewer.start();
}
if (viewers.length) {
  document.addEventListener("keydown", (event) => active.press(event) && event.preventDefault());
  addEventListener("hashchange", () => active.sides && active.followLink());
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    active.open(event.dataTransfer?.files[0]);
  });
}
