// A clock that moves when a test says so, and lets everything that is due, and what follows from it, happen in order.

export class Clock {
  time = 1_000_000;
  /** @type {{at: number, wake: () => void}[]} */ #timers = [];

  now = () => this.time;

  sleep = (milliseconds, signal) => new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = { at: this.time + Math.max(0, milliseconds), wake: end };
    this.#timers.push(timer);
    signal?.addEventListener("abort", end);
  });

  /** Calls back once, replacing what was to be called before. */
  later = (milliseconds, then) => {
    this.#timers = this.#timers.filter((timer) => !timer.replaceable);
    this.#timers.push({ at: this.time + milliseconds, wake: then, replaceable: true });
  };

  async advance(milliseconds) {
    const until = this.time + milliseconds;
    await settle();
    for (;;) {
      const next = Math.min(...this.#timers.map((timer) => timer.at));
      if (!(next <= until)) break;
      this.time = next;
      const due = this.#timers.filter((timer) => timer.at <= next);
      this.#timers = this.#timers.filter((timer) => timer.at > next);
      for (const timer of due) timer.wake();
      await settle();
    }
    this.time = until;
    await settle();
  }
}

/** Lets everything run that can without time passing. */
export async function settle() {
  for (let round = 0; round < 5; round += 1) await new Promise((resolve) => { setImmediate(resolve); });
}

/** Dice that always fall alike: mulberry32. */
export function dice(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
