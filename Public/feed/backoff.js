// How long to wait, and when to give up. Nothing here reads a clock or rolls dice of its own.

const FIRST = 1_000;
const LONGEST = 32_000;

/**
 * Full-jitter exponential backoff: anything between nothing and 1 s × 2ⁿ, at most 32 s.
 * A server's Retry-After (seconds, or an HTTP date) is waited out first, spread over one more second.
 * @param {number} failures how many attempts failed in a row, from 1
 * @param {() => number} random in [0, 1)
 * @param {string|null} [retryAfter]
 * @param {number} [now] milliseconds since 1970, to read a date against
 */
export function backoff(failures, random, retryAfter = null, now = 0) {
  const jitter = random() * Math.min(LONGEST, FIRST * 2 ** (failures - 1));
  if (retryAfter === null) return jitter;
  const asked = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now;
  return asked > 0 ? Math.max(jitter, asked + random() * 1_000) : jitter;
}

/** Notices when something happens more than `limit` times within `span` milliseconds. */
export class Rate {
  /** @type {number[]} */ #times = [];

  /** @param {number} limit @param {number} span */
  constructor(limit, span) {
    this.limit = limit;
    this.span = span;
  }

  /** Counts one, and says whether that is one too many. @param {number} now */
  exceeded(now) {
    this.#times = this.#times.filter((time) => time > now - this.span && time <= now);
    this.#times.push(now);
    return this.#times.length > this.limit;
  }

  clear() {
    this.#times = [];
  }
}
