// The entry module. Pages work and refresh without it; with it they are live. Documentation/page-contract.md describes the
// contract between pages and this module. Modules that are rarely used are loaded on demand.

import { goLive } from "./feed/live.js";
import { Page } from "./feed/page.js";
import { say } from "./feed/status.js";
import { Endings } from "./page/endings.js";
import { listenToKeys } from "./page/keys.js";
import { listenToRights } from "./page/rights.js";
import { switchZone, Times } from "./page/times.js";

const element = document.getElementById("page");
const page = element && new Page(element);

/**
 * The offset of the server's clock from the local one. A document from the browser's own cache, or of the past, contains an
 * outdated time: then the last known offset is used.
 */
const visit = /** @type {PerformanceNavigationTiming|undefined} */ (performance.getEntriesByType("navigation")[0]);
const isOld = element?.dataset.paused || (visit && visit.transferSize < visit.encodedBodySize);
const told = isOld ? Number(sessionStorage.getItem("weir ahead")) : Date.parse(element?.dataset.clock ?? "") - Date.now();
const ahead = Math.abs(told) > 2_000 ? told : 0;
sessionStorage.setItem("weir ahead", String(ahead));
/** The page's time, which does not advance on a page of the past. */
const now = () => (element?.dataset.paused ? Date.parse(element.dataset.clock ?? "") : Date.now() + ahead);
const times = new Times(now);
const endings = new Endings(document.getElementById("said"));

document.documentElement.dataset.live = "";
refresh();
document.addEventListener("visibilitychange", refresh);
setInterval(growLanes, 1_000);
listenToKeys(load);
const unreachable = document.getElementById("live")?.dataset.textUnreachable;
/** The forms, once the reader uses one. @type {Promise<import("./page/forms.js").Forms>|undefined} */ let forms;
const useForms = () => forms ??= import("./page/forms.js").then(({ Forms }) => {
  const made = new Forms(page, unreachable ?? "The server could not be reached. Try again.");
  made.listen();
  return made;
}).catch((error) => {
  forms = undefined;
  throw error;
});
if (document.querySelector("[data-remember], [data-own]")) void useForms().catch(() => {});
for (const kind of ["focusin", "pointerover"]) {
  document.addEventListener(kind, ({ target }) => {
    if (!forms && /** @type {Element} */ (target).closest?.("form[data-action]")) void useForms().catch(() => {});
  });
}
document.addEventListener("submit", (event) => {
  const [form, button] = [/** @type {HTMLFormElement} */ (event.target), event.submitter];
  if (event.defaultPrevented || !form.matches("[data-action]") || button?.dataset.leave) return;
  event.preventDefault();
  void useForms().then((made) => made.submit(form, button), () => {
    // As without JavaScript.
    form.removeAttribute("data-action");
    form.requestSubmit(button);
  });
});

const region = document.getElementById("toasts");
/** Checks for effects that this browser has not shown. */
let lookForEffects = () => {};
if (region && (document.getElementById("effects") || sessionStorage.getItem("weir toasts"))) {
  void load("effects-here").then(({ observe }) => {
    lookForEffects = observe(region, element, () => Date.now() + ahead);
    document.addEventListener("visibilitychange", lookForEffects);
  });
}

/** The scrubber, once the reader looks back. @type {Promise<(key: string) => void>|undefined} */ let past;

/** Stop following the page and its parts, before it shows the past. @type {(() => void)[]} */
const leave = [];
if (page) {
  mirrorTitle();
  checkIds(page.element);
  leave.push(goLive(page, painted, document.getElementById("live")));
  const isFolded = () => document.querySelector("#past:not([open])");
  if (document.querySelector("[data-scrub], [data-step]") && !isFolded()) void lookBack(page);
  document.addEventListener("toggle", ({ target }) => {
    if (/** @type {Element} */ (target).id === "past" && !isFolded()) void lookBack(page);
  }, true);
  document.addEventListener("keydown", (event) => {
    const isFree = event.target === document.body || event.target === page.element;
    if (past || !isFree || !/^Arrow(Left|Right)$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !isFolded() || document.querySelector("dialog:modal")) return;
    event.preventDefault();
    void lookBack(page).then((press) => press(event.key));
  });
}
const account = document.querySelector(".me[data-rights]");
if (page && account instanceof HTMLElement) {
  listenToRights(account, () => {
    for (const stop of leave) stop();
    page.blank(document.getElementById("live")?.dataset.textGone);
  });
}
document.getElementById(sessionStorage.getItem("weir focus") ?? "")?.focus();
sessionStorage.removeItem("weir focus");

// A part of the page with its own feed: the output of a run.
for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-feed]"))) {
  void load("output").then(({ showOutput }) => leave.push(goLive(new Page(part), showOutput(part), null)));
}
improve();

document.addEventListener("click", (event) => {
  const button = /** @type {Element} */ (event.target).closest("[data-copy], [data-zone], [data-ask], [data-tell], .pin");
  if (!(button instanceof HTMLElement)) return;
  if (button.matches(".pin")) {
    event.preventDefault();
    return void load("overview").then(({ pin }) => pin(button));
  }
  if (button.dataset.tell) return void load("tell").then(({ tell }) => tell(button));
  if (button.dataset.zone === undefined) return void load("copy").then(({ copy }) => copy(button));
  switchZone();
  times.forget();
  refresh();
});
// Copying a time copies the exact time in ISO 8601, regardless of the displayed text.
document.addEventListener("copy", (event) => {
  const node = getSelection()?.isCollapsed === false ? getSelection()?.getRangeAt(0).commonAncestorContainer : null;
  const time = (node instanceof Element ? node : node?.parentElement)?.closest("time");
  if (!time || event.defaultPrevented) return;
  event.preventDefault();
  event.clipboardData?.setData("text/plain", time.dateTime);
});

// New items at the head of a list that is being read further down are counted on a button.
document.addEventListener("weir:arrived", ({ target }) => {
  void load("arrivals").then(({ arrived }) => arrived(target, document.getElementById("live")?.dataset.textNew));
});

// The overview is filtered while typing.
document.addEventListener("input", ({ target }) => {
  if (/** @type {Element} */ (target).id === "arrange-text") void load("overview").then(({ filter }) => filter(element));
});

// A page of readings is requested again while it is visible.
if (document.querySelector("[data-renew]")) {
  setInterval(() => document.hidden || void load("list").then(({ renew }) => page && renew(page, painted)), 10_000);
}

// A filtered list is requested again.
document.addEventListener("weir:stale", () => void load("list").then(({ renew }) => page && renew(page, painted)));

/** Loads a module on demand; fails silently while the server is unavailable. @param {string} name @returns {Promise<any>} */
function load(name) {
  return import(`./page/${name}.js`).catch(() => new Promise(() => {}));
}

if (document.querySelector("[data-tell]") && sessionStorage.getItem("weir tell")) void load("tell").then(({ listen }) => listen());

/** Loads the scrubber. @param {Page} page */
function lookBack(page) {
  return past ??= load("scrubber").then(({ listenToScrubber }) => listenToScrubber(page, () => {
    for (const stop of leave) stop();
  }, () => {
    times.forget();
    tellPaused();
    painted();
  }));
}

/** Loads what the page needs: folding for JSON, the reader's time for the fields of a filter. */
function improve() {
  if (document.querySelector("pre[data-json]")) void load("json").then(({ foldAll }) => foldAll());
  if (document.querySelector("[data-moving]")) void load("overview").then(({ keepOrder }) => keepOrder());
  if (document.querySelector("[data-queue]:not([data-ready])")) void load("queue").then(({ prepare }) => prepare());
  if (document.querySelector("input[data-zoned]")) void load("moments").then(({ listenToMoments }) => listenToMoments());
}

/** Updates what surrounds the page after a change. */
function painted() {
  mirrorTitle();
  refresh();
  if (page) checkIds(page.element);
  lookForEffects();
  // A page of the past shows no run that ends now.
  if (!element?.dataset.paused) endings.look();
  improve();
}

function refresh() {
  times.refresh();
  growLanes();
}

function growLanes() {
  if (document.querySelector(":is(.time, .lanes) rect.open")) void load("lanes").then(({ grow }) => grow(now()));
}

/** Updates the header's line and the language links for the moment that the page shows. */
function tellPaused() {
  const line = document.getElementById("live");
  if (line && element?.dataset.paused) say(line, "paused", { n: Number(element.dataset.paused) });
  for (const link of document.querySelectorAll("a[data-language]")) {
    const url = new URL(location.href);
    url.searchParams.set("lang", link.getAttribute("data-language") ?? "");
    link.setAttribute("href", url.pathname + url.search);
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

/** In development, reports duplicate ids: patches address elements by id. @param {HTMLElement} page */
function checkIds(page) {
  if (!page.hasAttribute("data-development") || !/^(localhost|127\.|\[::1\])/.test(location.hostname)) return;
  const seen = new Set();
  for (const { id } of document.querySelectorAll("[id]")) {
    if (seen.has(id)) console.error(`The id ${id} is used twice; patches will miss one of them`);
    seen.add(id);
  }
}
