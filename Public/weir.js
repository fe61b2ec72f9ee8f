// Weir in a browser. Without this a page is whole, and refreshes itself; with it the page is live.
// What pages promise to this module is told in Documentation/page-contract.md.

import { goLive } from "./feed/live.js";
import { Page } from "./feed/page.js";
import { say } from "./feed/status.js";
import { advance, Effects, read } from "./page/effects.js";
import { Forms } from "./page/forms.js";
import { listenToKeys } from "./page/keys.js";
import { growLanes } from "./page/lanes.js";
import { listenToScrubber } from "./page/scrubber.js";
import { Tail } from "./page/tail.js";
import { Times } from "./page/times.js";
import { Toasts } from "./page/toasts.js";

const element = document.getElementById("page");
const page = element && new Page(element);

/** How far the server's clock is ahead of ours, where the page tells it and it matters. */
const rendered = Date.parse(element?.dataset.clock ?? "");
const ahead = Math.abs(rendered - Date.now()) > 2_000 ? rendered - Date.now() : 0;
/** The page's time: it passes, but on a page of the past it stands still. */
const now = () => (element?.dataset.paused ? Date.parse(element.dataset.clock ?? "") : Date.now() + ahead);
const times = new Times(now);

document.documentElement.dataset.live = "";
refresh();
document.addEventListener("visibilitychange", refresh);
setInterval(() => growLanes(now()), 1_000);
listenToKeys();
const unreachable = document.getElementById("live")?.dataset.textUnreachable;
new Forms(page, unreachable ?? "The server could not be reached. Try again.").listen();

const region = document.getElementById("toasts");
const toasts = region && new Toasts(region);
const effects = toasts && new Effects({
  advance, now: () => Date.now() + ahead, visible: () => document.visibilityState === "visible", origin: location.origin,
  perform: (deed, effect) => perform(toasts, deed, effect),
});
toasts?.recall();
document.addEventListener("visibilitychange", lookForEffects);

if (page) {
  mirrorTitle();
  checkIds(page.element);
  lookForEffects();
  goLive(page, painted, document.getElementById("live"));
  listenToScrubber(page, () => {
    times.forget();
    tellPaused();
    painted();
  });
}

// What follows a feed of its own inside the page: the lines that a run prints.
for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-feed]"))) {
  const tail = new Tail(part);
  goLive(new Page(part), () => tail.grown(), null);
}

/** What a change of the page asks for around it. */
function painted() {
  mirrorTitle();
  refresh();
  if (page) checkIds(page.element);
  lookForEffects();
}

function refresh() {
  times.refresh();
  growLanes(now());
}

/** The header's line and the links to other languages follow the moment that the page shows. */
function tellPaused() {
  const line = document.getElementById("live");
  if (line && element?.dataset.paused) say(line, "paused", { n: Number(element.dataset.paused) });
  for (const link of document.querySelectorAll("a[data-language]")) {
    const url = new URL(location.href);
    url.searchParams.set("lang", link.getAttribute("data-language") ?? "");
    link.setAttribute("href", url.pathname + url.search);
  }
}

/** Looks whether the page lists effects that this browser has not seen. */
function lookForEffects() {
  const list = document.getElementById("effects");
  const { epoch } = page?.element.dataset ?? {};
  if (!list || !epoch) return;
  void effects?.look(`${epoch} ${list.dataset.store}`, region?.dataset.name ?? "", () => read(list));
}

/** @param {Toasts} toasts @param {import("./page/effects.js").Deed} deed @param {import("./page/effects.js").Effect} effect */
function perform(toasts, deed, { text, path, name }) {
  if (deed === "go") {
    toasts.keep();
    location.assign(path);
  } else if (deed === "save") {
    const link = Object.assign(document.createElement("a"), { href: path, download: name });
    link.click();
  } else {
    toasts.show(deed === "link" ? { text, path, name } : { text });
  }
}

/** Mirrors `#page-title` to `document.title` and to `link#favicon`, whose `data-icon-…` attributes name the icons. */
function mirrorTitle() {
  const said = document.getElementById("page-title")?.dataset;
  if (!said) return;
  if (said.title && document.title !== said.title) document.title = said.title;
  const link = /** @type {HTMLLinkElement|null} */ (document.getElementById("favicon"));
  const icon = link?.getAttribute(`data-icon-${said.icon ?? "idle"}`);
  if (link && icon && link.getAttribute("href") !== icon) link.setAttribute("href", icon);
}

/** In development, complains about ids that occur twice: patches find elements by them. @param {HTMLElement} page */
function checkIds(page) {
  if (!page.hasAttribute("data-development") || !/^(localhost|127\.|\[::1\])/.test(location.hostname)) return;
  const seen = new Set();
  for (const { id } of document.querySelectorAll("[id]")) {
    if (seen.has(id)) console.error(`The id ${id} is used twice; patches will miss one of them`);
    seen.add(id);
  }
}
