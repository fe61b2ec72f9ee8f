// Whether anybody looks. A page that was hidden for a while holds nothing; a clock that jumped means the machine slept.

/** How often `tick` is expected. */
export const BEAT = 1_000;
const TOLERANCE = 5_000;

export class Attention {
  asleep = false;
  /** @type {number|null} */ #hiddenAt = null;
  /** @type {number|null} */ #last = null;

  /** @param {number} patience how long a hidden page goes on, in milliseconds */
  constructor(patience) {
    this.patience = patience;
  }

  /** @param {number} now */
  hidden(now) {
    this.#hiddenAt ??= now;
  }

  /** The page is seen again, or came back from the browser's cache. @returns {"wake"|null} */
  visible() {
    this.#hiddenAt = null;
    this.#last = null;
    if (!this.asleep) return null;
    this.asleep = false;
    return "wake";
  }

  /** The browser freezes or leaves the page, or another tab needs the connection. @returns {"sleep"|null} */
  frozen() {
    if (this.asleep) return null;
    this.asleep = true;
    return "sleep";
  }

  /** Another tab needs what we hold: a hidden page gives it up at once. */
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
