// The queue of changes to paint. While few are waiting, each gets its own frame, so that intermediate states are visible;
// when many are waiting, each frame paints as many as fit into a slice of time, in order. A hidden page needs no frames.

/** The number of waiting changes above which a frame paints more than one. */
export const ROOMY = 120;
/** The number of waiting changes above which no more are requested. */
export const FULL = 1_000;
/** Milliseconds of painting in one frame. */
const SLICE = 8;

/** @template T */
export class Painter {
  /** @type {T[]} */ #waiting = [];
  #scheduled = false;
  /** @type {(() => void)[]} */ #room = [];

  /**
   * @param {object} screen
   * @param {(paint: (seen: boolean) => void) => void} screen.frame calls back before the next paint, or soon with `seen` false if the browser does not paint
   * @param {() => number} screen.now milliseconds
   * @param {() => boolean} screen.hidden
   * @param {(item: T) => void} apply may throw: the queue is then discarded, and `failed` called
   * @param {(error: unknown) => void} failed
   */
  constructor(screen, apply, failed) {
    this.screen = screen;
    this.apply = apply;
    this.failed = failed;
  }

  get backlog() {
    return this.#waiting.length;
  }

  /** @param {T[]} items */
  add(items) {
    this.#waiting.push(...items);
    if (this.screen.hidden()) this.flush();
    else this.#schedule();
  }

  /** Applies all waiting changes now. */
  flush() {
    this.#paint(Infinity, Infinity);
  }

  clear() {
    this.#waiting = [];
    this.#makeRoom();
  }

  /** Resolves when there is room for more. @returns {Promise<void>} */
  room() {
    if (this.backlog < FULL) return Promise.resolve();
    return new Promise((resolve) => { this.#room.push(resolve); });
  }

  #schedule() {
    if (this.#scheduled || this.backlog === 0) return;
    this.#scheduled = true;
    this.screen.frame((seen) => {
      this.#scheduled = false;
      if (!seen || this.screen.hidden()) this.flush();
      else if (this.backlog <= ROOMY) this.#paint(1, Infinity);
      else this.#paint(Infinity, this.screen.now() + SLICE);
      this.#schedule();
    });
  }

  /** @param {number} most @param {number} deadline */
  #paint(most, deadline) {
    try {
      let painted = 0;
      while (painted < most && painted < this.#waiting.length) {
        this.apply(this.#waiting[painted]);
        painted += 1;
        if (deadline !== Infinity && this.screen.now() >= deadline) break;
      }
      this.#waiting.splice(0, painted);
    } catch (error) {
      this.clear();
      this.failed(error);
    }
    this.#makeRoom();
  }

  #makeRoom() {
    if (this.backlog >= FULL) return;
    for (const resolve of this.#room.splice(0)) resolve();
  }
}
