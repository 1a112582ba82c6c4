// Reads the page again while it is looked at, and puts what changed in its place. Without this script nothing is lost but
// the newest numbers.
let seconds = Number(document.body.dataset.refresh);
let shown = null;

async function refresh() {
  if (document.hidden || document.activeElement?.closest("form") || document.getSelection()?.type === "Range") return;
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!answer.ok) return;
  const text = await answer.text();
  if (text === shown) return;
  shown = text;
  const page = new DOMParser().parseFromString(text, "text/html");
  seconds = Number(page.body.dataset.refresh ?? 0);  // a page without its table reads itself again sooner
  const fresh = page.querySelector("main");
  const old = document.querySelector("main");
  const open = [...old.querySelectorAll("details")].map((one) => one.open);
  [...fresh.querySelectorAll("details")].forEach((one, at) => { one.open = open[at] ?? one.open; });
  const focused = document.activeElement?.getAttribute("href");
  old.replaceChildren(...fresh.childNodes);
  document.title = page.title;
  if (focused) old.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

function wait() {
  if (seconds > 0) setTimeout(() => refresh().catch(() => {}).finally(wait), seconds * 1000);
}

wait();
