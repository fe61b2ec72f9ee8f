// The scrubber of a page: `#scrub`, a form with a range `[data-scrub]` and links `[data-step]`, which also work without
// this module. With it the page changes to a moment in place, as fast as the server responds: dragging the slider shows
// each moment on the way, and releasing it updates the URL.

import { keep, release } from "../feed/claims.js";

/** The step for each key on a scrubber. @type {Record<string, "first"|"previous"|"next"|"last">} */
const KEYS = { ArrowLeft: "previous", ArrowDown: "previous", ArrowRight: "next", ArrowUp: "next", Home: "first", End: "last" };

/** The storage key of the reader's choice of a scale. */
const SCALE = "weir scale";

/**
 * The step for a key. Outside the slider only the horizontal arrows count, since the others scroll.
 * @param {string} key @param {boolean} isOnScrubber
 */
export function stepFor(key, isOnScrubber) {
  return isOnScrubber || key === "ArrowLeft" || key === "ArrowRight" ? KEYS[key] ?? null : null;
}

/** Visits one URL at a time: of those requested meanwhile, only the last is visited. */
export class Journey {
  #busy = false;
  /** @type {{url: string, settles: boolean}|null} */ #wanted = null;

  /** @param {(url: string, settles: boolean) => Promise<void>} visit */
  constructor(visit) {
    this.visit = visit;
  }

  /** @param {string} url @param {boolean} [settles] whether the reader stays there, rather than dragging on */
  async go(url, settles = true) {
    this.#wanted = { url, settles };
    if (this.#busy) return;
    this.#busy = true;
    while (this.#wanted !== null) {
      const next = this.#wanted;
      this.#wanted = null;
      await this.visit(next.url, next.settles);
    }
    this.#busy = false;
  }
}

/** The URL of the moment at a form's range. @param {HTMLFormElement} form */
function address(form) {
  const url = new URL(form.action);
  url.search = new URLSearchParams(/** @type {any} */ (new FormData(form))).toString();
  return url.href;
}

/** @param {any} target */
function isSlider(target) {
  return target.form && target.matches("input[data-scrub]");
}

/** The markup of the page's own element in a document. @param {string} html */
export function regionOf(html) {
  const start = html.indexOf("<main "), end = html.lastIndexOf("</main>");
  return start < 0 || end < start ? null : html.slice(start, end + 7);
}

/** The time of the moment in a page's element. @param {string} region */
function timeOf(region) {
  return Date.parse(/^<main [^>]*data-clock="([^"]+)"/.exec(region)?.[1] ?? "");
}

/** A moment of the page from the server, or null if the URL leads elsewhere. @param {string} url */
async function read(url) {
  const response = await fetch(url, { headers: { Accept: "text/html" } });
  const region = response.ok && new URL(response.url).searchParams.has("at") ? regionOf(await response.text()) : null;
  return region && { url: response.url, region, at: timeOf(region) };
}

/**
 * Keeps the scrubber below the content where it is on the screen while the content changes its height.
 * @returns {() => void} to call after the change
 */
function hold() {
  const folded = () => /** @type {HTMLElement|null} */ (document.getElementById("past"));
  const top = () => document.getElementById("scrub")?.getBoundingClientRect().top ?? 0;
  const box = folded(), before = top();
  return () => {
    if (!box || box !== folded() || !before) return;
    const space = Math.max(0, parseFloat(box.style.marginTop || "0") + before - top());
    keep(box, "style");
    box.style.marginTop = `${space}px`;
    scrollBy({ top: top() - before, behavior: "instant" });
  };
}

/**
 * Listens to the scrubber.
 * @param {import("../feed/page.js").Page} page
 * @param {() => void} leave called before the page shows the past: from then on moments replace each other
 * @param {() => void} shown called after each moment
 * @returns {(key: string) => void} goes to the moment of a key
 */
export function listenToScrubber(page, leave, shown) {
  const form = () => document.getElementById("scrub");
  const sliders = () => /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("input[data-scrub]"));
  let isLive = page.links !== null, place = location.pathname + location.search, current = "";

  /** @param {{url: string, region: string}} moment */
  const show = ({ url, region }) => {
    current = url;
    leave();
    const stay = hold();
    page.show(region);
    stay();
    // A slider follows the position of the page, unless it is being dragged.
    for (const slider of sliders()) if (!slider.matches(":active")) slider.value = slider.defaultValue;
    shown();
  };
  /** Updates the URL; a live page stays one step back in the history. @param {string} url */
  const record = (url) => {
    history[isLive ? "pushState" : "replaceState"](history.state, "", url);
    isLive = false;
    place = location.pathname + location.search;
    shown();
  };
  addEventListener("popstate", () => {
    if (location.pathname + location.search !== place) location.reload();
  });
  const journey = new Journey(async (url, settles) => {
    try {
      const moment = await read(url);
      if (moment) show(moment);
      if (moment && settles) record(moment.url);
      else if (settles) location.assign(url);
    } catch (error) {
      console.warn("The moment could not be shown in place:", error);
      if (settles) location.assign(url);
    }
  });
  /** @type {import("./playback.js").Playback|undefined} */ let playback;
  const stop = () => {
    playback?.stop();
    document.getElementById("scrub-play")?.setAttribute("aria-pressed", "false");
  };
  /** @param {string} url @param {boolean} [settles] */
  const go = (url, settles) => {
    stop();
    void journey.go(url, settles);
  };

  // While dragged, the slider follows the pointer; then it moves to the moment that was found.
  document.addEventListener("pointerdown", ({ target }) => {
    if (!isSlider(target)) return;
    keep(target, "#content", "value");
    const letGo = () => release(target, "#content", "value");
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, letGo, { once: true });
  });
  document.addEventListener("input", ({ target }) => {
    if (isSlider(target)) go(address(target.form), false);
  });
  document.addEventListener("change", ({ target }) => {
    if (isSlider(target)) go(address(target.form));
    else if (/** @type {Element} */ (target).matches("#scrub [name=by]")) localStorage.setItem(SCALE, /** @type {HTMLInputElement} */ (target).value);
  });
  const chosen = new URLSearchParams(location.search).has("by") ? null : localStorage.getItem(SCALE);
  const scale = /** @type {HTMLInputElement|null} */ (document.getElementById(`scrub-by-${chosen}`));
  if (scale) scale.checked = true;
  document.addEventListener("submit", (event) => {
    if (event.target !== form()) return;
    event.preventDefault();
    go(address(/** @type {HTMLFormElement} */ (event.target)));
  });
  /** @param {Element|null} link */
  const follow = (link) => {
    if (!link?.hasAttribute("href")) return;
    const url = new URL(/** @type {HTMLAnchorElement} */ (link).href);
    if (!url.search) return location.assign(url);
    // The scale may have changed since the link was rendered.
    url.searchParams.delete("by");
    if (/** @type {HTMLInputElement|null} */ (document.getElementById("scrub-by-time"))?.checked) url.searchParams.set("by", "time");
    go(url.href);
  };
  document.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    const button = target.closest("[data-play]");
    if (button) return void play(button);
    const link = target.closest("a[data-step]");
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    follow(link);
  });
  /** Plays from the position of the page, or from the beginning if that is the end. @param {Element} button */
  const play = async (button) => {
    if (playback?.isPlaying) return rest();
    const { Playback } = await import("./playback.js");
    const href = (/** @type {string} */ step) => {
      const link = /** @type {HTMLAnchorElement|null} */ (document.getElementById(`scrub-${step}`));
      return link?.hasAttribute("href") ? link.href : null;
    };
    playback ??= new Playback({
      next: () => href("next"),
      read: (url) => read(url).catch(() => null),
      show,
      speed: () => Number(/** @type {HTMLSelectElement|null} */ (document.getElementById("scrub-speed"))?.value) || 1,
      now: () => performance.now(),
      sleep: (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); }),
    });
    keep(button, "aria-pressed");
    button.setAttribute("aria-pressed", "true");
    const next = page.element.dataset.paused ? href("next") : null;
    const at = next ? Date.parse(page.element.dataset.clock ?? "") : undefined;
    if (await playback.play(next ?? href("first"), at)) rest();
  };
  /** Stops at the current moment, and updates the URL. */
  const rest = () => {
    stop();
    if (current) record(current);
  };
  const press = (/** @type {string} */ key, isOnScrubber = false) => {
    const step = stepFor(key, isOnScrubber);
    document.getElementById("past")?.setAttribute("open", "");
    if (step) follow(document.getElementById(`scrub-${step}`));
  };
  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !form()) return;
    const isOnScrubber = target.matches("#scrub input[data-scrub], #scrub a");
    if (!isOnScrubber && target !== document.body && target !== page.element && !target.matches("#past > summary")) return;
    if (!stepFor(event.key, isOnScrubber) || document.querySelector("dialog:modal")) return;
    event.preventDefault();
    press(event.key, isOnScrubber);
  });
  // Applies a slider that was moved before this module loaded, but not one that the browser restored.
  const [visit] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  const moved = [...sliders()].find((slider) => !slider.matches(":active") && slider.value !== slider.defaultValue);
  if (visit?.type === "navigate" && moved?.form) go(address(moved.form));
  return press;
}
