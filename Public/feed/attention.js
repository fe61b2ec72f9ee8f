// Tracks whether the page is visible. A page hidden for a while releases its request; a clock that jumps means that the
// machine slept.

/** The expected interval of `tick`, in milliseconds. */
export const BEAT = 1_000;
const TOLERANCE = 5_000;

export class Attention {
  asleep = false;
  /** @type {number|null} */ #hiddenAt = null;
  /** @type {number|null} */ #last = null;

  /** @param {number} patience how long a hidden page keeps its request, in milliseconds */
  constructor(patience) {
    this.patience = patience;
  }

  /** @param {number} now */
  hidden(now) {
    this.#hiddenAt ??= now;
  }

  /** The page is visible again, or was restored from the browser's cache. @returns {"wake"|null} */
  visible() {
    this.#hiddenAt = this.#last = null;
    if (!this.asleep) return null;
    this.asleep = false;
    return "wake";
  }

  /** The browser freezes or unloads the page, or another tab needs the connection. @returns {"sleep"|null} */
  frozen() {
    if (this.asleep) return null;
    this.asleep = true;
    return "sleep";
  }

  /** Another tab needs the request: a hidden page releases it at once. */
  asked() {
    return this.#hiddenAt === null ? null : this.frozen();
  }

  /** @param {number} now @returns {"sleep"|"wake"|null} */
  tick(now) {
    const jumped = this.#last !== null && Math.abs(now - this.#last) > BEAT + TOLERANCE;
    this.#last = now;
    if (this.asleep) return null;
    if (this.#hiddenAt !== null) return now - this.#hiddenAt >= this.patience ? this.frozen() : null;
    return jumped ? "wake" : null;
  }
}
