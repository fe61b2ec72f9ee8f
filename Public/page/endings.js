// Announces once and politely, in the live region `#said`, that a run on the page has ended.

/** The minimum interval between announcements, in milliseconds; of several, the last is announced. */
const QUIET = 3_000;

export class Endings {
  /** The active runs. @type {Set<string>} */ #active = new Set();
  #due = 0;
  /** @type {ReturnType<typeof setTimeout>|undefined} */ #timer;

  /** @param {HTMLElement|null} region */
  constructor(region) {
    this.region = region;
    this.look();
  }

  /** Checks the runs that the page shows. */
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
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#due = Date.now() + QUIET;
      if (this.region) this.region.textContent = words;
    }, Math.max(0, this.#due - Date.now()));
  }
}
