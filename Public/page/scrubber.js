// The scrubber of a page: `#scrub`, a form with a range `[data-scrub]` and links `[data-step]`. Without this module it is
// a form and links. With it the page goes to a moment in place, as fast as the server answers, and the address follows.

import { keep, release } from "../feed/claims.js";

/** What a key does on a scrubber; null for what it does not know. @type {Record<string, "first"|"previous"|"next"|"last">} */
const KEYS = { ArrowLeft: "previous", ArrowDown: "previous", ArrowRight: "next", ArrowUp: "next", Home: "first", End: "last" };

/**
 * The step that a key asks for. Away from the slider only the sideways arrows count, since the others scroll.
 * @param {string} key @param {boolean} isOnScrubber
 */
export function stepFor(key, isOnScrubber) {
  return isOnScrubber || key === "ArrowLeft" || key === "ArrowRight" ? KEYS[key] ?? null : null;
}

/** Goes to one address after the other, never to two at once: of those asked for meanwhile the last one counts. */
export class Journey {
  #busy = false;
  /** @type {string|null} */ #wanted = null;

  /** @param {(url: string) => Promise<void>} visit */
  constructor(visit) {
    this.visit = visit;
  }

  /** @param {string} url */
  async go(url) {
    this.#wanted = url;
    if (this.#busy) return;
    this.#busy = true;
    while (this.#wanted !== null) {
      const next = this.#wanted;
      this.#wanted = null;
      await this.visit(next);
    }
    this.#busy = false;
  }
}

/** The address of the moment that a form's range stands at. @param {HTMLFormElement} form */
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

/**
 * Listens to the scrubber.
 * @param {import("../feed/page.js").Page} page
 * @param {() => void} shown called after each moment
 */
export function listenToScrubber(page, shown) {
  const form = () => document.getElementById("scrub");
  /** The slider goes where the page stands, unless it is being held. */
  const settle = () => {
    const slider = /** @type {HTMLInputElement|null} */ (document.querySelector("input[data-scrub]"));
    if (slider && !slider.matches(":active")) slider.value = slider.defaultValue;
  };
  const journey = new Journey(async (url) => {
    // A live page is left as one leaves a page; from then on moments replace each other.
    if (page.links) {
      // Who steps by keys goes on from the same place.
      const { id } = document.activeElement ?? {};
      if (id && form()?.contains(document.activeElement)) sessionStorage.setItem("weir focus", id);
      return location.assign(url);
    }
    try {
      const response = await fetch(url, { headers: { Accept: "text/html" } });
      const region = response.ok && new URL(response.url).searchParams.has("at") ? regionOf(await response.text()) : null;
      if (!region) return location.assign(url);
      page.show(region);
      settle();
      history.replaceState(history.state, "", response.url);
      shown();
    } catch (error) {
      console.warn("The moment could not be shown in place:", error);
      location.assign(url);
    }
  });
  // While it is held, the slider is where the finger is; then it goes to the moment that was found.
  document.addEventListener("pointerdown", ({ target }) => {
    if (!isSlider(target)) return;
    keep(target, "#content", "value");
    const letGo = () => release(target, "#content", "value");
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, letGo, { once: true });
  });
  document.addEventListener("input", ({ target }) => {
    if (isSlider(target) && !page.links) void journey.go(address(target.form));
  });
  document.addEventListener("change", ({ target }) => {
    if (isSlider(target)) void journey.go(address(target.form));
  });
  document.addEventListener("submit", (event) => {
    if (event.target !== form()) return;
    event.preventDefault();
    void journey.go(address(/** @type {HTMLFormElement} */ (event.target)));
  });
  /** @param {Element|null} link */
  const follow = (link) => {
    const url = link?.getAttribute("href");
    if (url && new URL(url, location.href).search) void journey.go(new URL(url, location.href).href);
    else if (url) location.assign(url);
  };
  document.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest("a[data-step]");
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    follow(link);
  });
  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !form()) return;
    const isOnScrubber = form()?.contains(target) ?? false;
    if (!isOnScrubber && target !== document.body && target !== page.element) return;
    const step = stepFor(event.key, isOnScrubber);
    if (!step || document.querySelector("dialog:modal")) return;
    event.preventDefault();
    follow(document.getElementById(`scrub-${step}`));
  });
  // Who moved the slider before this module came goes there all the same; what a browser restores was not moved now.
  const [visit] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  const slider = /** @type {HTMLInputElement|null} */ (document.querySelector("input[data-scrub]"));
  if (visit?.type === "navigate" && slider && isSlider(slider) && !slider.matches(":active") && slider.value !== slider.defaultValue) {
    void journey.go(address(/** @type {HTMLFormElement} */ (slider.form)));
  }
}
