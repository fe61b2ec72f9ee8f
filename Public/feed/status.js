// The status line in the header. It is a role=status element, so it changes at most once per 3 s, and problems that end
// within a second are not reported.

const MENTION = 1_000;
const STALE = 30_000;
const QUIET = 3_000;
const GAP = 6_000;

/** @typedef {"live"|"reconnecting"|"stale"|"degraded"|"gap"|"ended"|"stopped"} State */
/** @typedef {{from: number, to: number, count: number}} Gap */

export class Status {
  /** @type {number|null} */ #failing = null;
  #lastOK;
  /** @type {Gap|null} */ #gap = null;
  #gapUntil = 0;
  /** @type {"ended"|"stopped"|null} */ #over = null;
  #degraded = false;
  /** @type {string} */ #shown;
  #shownAt = -Infinity;

  /**
   * @param {object} world
   * @param {() => number} world.now
   * @param {(milliseconds: number, then: () => void) => void} world.later replaces the pending callback
   * @param {(state: State, facts: {since: number, gap: Gap|null}) => void} show
   * @param {State|""} shown the state that the page already shows
   */
  constructor(world, show, shown = "") {
    this.world = world;
    this.show = show;
    this.#shown = shown;
    this.#lastOK = world.now();
  }

  get ok() {
    return this.#failing === null;
  }

  /** @param {boolean} degraded */
  succeeded(degraded) {
    this.#failing = null;
    this.#lastOK = this.world.now();
    this.#degraded = degraded;
    this.#update();
  }

  /** An attempt failed, or an important one began: a problem, unless it ends soon. */
  doubt() {
    this.#failing ??= this.world.now();
    this.#update();
  }

  /** @param {Gap} gap */
  lost(gap) {
    this.#gap = gap;
    this.#gapUntil = Math.max(this.world.now(), this.#shownAt + QUIET) + GAP;
    this.#update();
  }

  /** @param {"ended"|"stopped"} why */
  over(why) {
    this.#over = why;
    this.#update();
  }

  /** @param {number} now @returns {{state: State, until: number}} */
  #state(now) {
    const failing = this.#failing === null ? -1 : now - this.#failing;
    if (now < this.#gapUntil) return { state: "gap", until: this.#gapUntil };
    if (this.#over) return { state: this.#over, until: Infinity };
    if (failing >= STALE) return { state: "stale", until: Infinity };
    if (failing >= MENTION) return { state: "reconnecting", until: now + STALE - failing };
    return { state: this.#degraded ? "degraded" : "live", until: failing < 0 ? Infinity : now + MENTION - failing };
  }

  #update() {
    const now = this.world.now();
    const { state, until } = this.#state(now);
    let again = until;
    const facts = { since: this.#lastOK, gap: this.#gap };
    const said = state === "gap" ? `gap ${this.#gap?.from} ${this.#gap?.to}` : state;
    if (said !== this.#shown) {
      if (now - this.#shownAt >= QUIET) {
        this.#shown = said;
        this.#shownAt = now;
        this.show(state, facts);
      } else {
        again = Math.min(again, this.#shownAt + QUIET);
      }
    }
    if (again !== Infinity) this.world.later(again - now, () => this.#update());
  }
}

/**
 * Writes a state into `#live`, in the server's texts in the reader's language (`data-text-…`).
 * @param {HTMLElement} line @param {State|"paused"} state
 * @param {{since?: number, gap?: {from: number, to: number, count: number}|null, n?: number}} facts
 */
export function say(line, state, { since, gap, n }) {
  const language = document.documentElement.lang || "en";
  const number = new Intl.NumberFormat(language);
  const one = gap?.count === 1 ? line.dataset.textGapOne : undefined;
  const words = (state === "gap" && one) || line.dataset[`text${state[0].toUpperCase()}${state.slice(1)}`] || "";
  const facts = {
    time: since === undefined ? "" : new Intl.DateTimeFormat(language, { timeStyle: "medium" }).format(since),
    count: number.format(gap?.count ?? 0),
    from: number.format(gap?.from ?? 0),
    to: number.format(gap?.to ?? 0),
    n: number.format(n ?? 0),
  };
  line.dataset.state = state;
  const text = document.getElementById("live-text");
  if (text) text.textContent = words.replace(/\{(\w+)\}/g, (whole, name) => /** @type {any} */ (facts)[name] ?? whole);
}
