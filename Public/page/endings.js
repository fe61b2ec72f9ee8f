// Says that a run on the page has ended, once and politely, to those who do not see it: in `#said`, a live region.

/** At most one sentence in this time, in milliseconds: of several, the last. */
const QUIET = 3_000;

export class Endings {
  /** The runs that are under way. @type {Set<string>} */ #active = new Set();
  #due = 0;
  /** @type {ReturnType<typeof setTimeout>|undefined} */ #timer;

  /** @param {HTMLElement|null} region */
  constructor(region) {
    this.region = region;
    this.look();
  }

  /** Looks at the runs that the page shows. */
  look() {
    for (const run of document.querySelectorAll("section.run[id^=run-]")) {
      if (run.matches(".active, .idle")) this.#active.add(run.id);
      else if (this.#active.delete(run.id)) this.#say(run);
    }
  }

  /** @param {Element} run */
  #say(run) {
    const words = `${document.querySelector("h1")?.textContent}: ${run.querySelector(".chip")?.textContent}`;
    document.dispatchEvent(new CustomEvent("weir:ended", { detail: { id: run.id, words } }));
    const now = Date.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#due = Date.now() + QUIET;
      if (this.region) this.region.textContent = words;
    }, Math.max(0, this.#due - now));
  }
}
