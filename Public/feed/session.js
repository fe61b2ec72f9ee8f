// The state of one viewer of one feed: a pure machine. It says what to ask next and what an answer means;
// whoever drives it does the asking, the waiting and the painting.

import { judge } from "./judge.js";

/** @typedef {import("./judge.js").Answer} Answer */
/** @typedef {{next: string, now: string, snap: string}} Links */
/** @typedef {{do: "ask", kind: "tail"|"now"|"snap", url: string, fresh: boolean} | {do: "wait", until: number}
 *   | {do: "listen"} | {do: "reload"} | {do: "stop"}} Step */
/**
 * @typedef {object} Outcome
 * @property {import("./judge.js").Change[]} changes to paint, in order
 * @property {Answer} [snapshot] to show after all that came before
 * @property {{from: number, to: number, count: number}} [gap] what was lost, to be told
 * @property {boolean} abandon whether changes not yet painted have to be forgotten
 * @property {string} [notice] what the page's notice says from now on
 * @property {string} [viewers] who else has the page open from now on
 */

const DROP = { changes: [], abandon: false };
/** Answers in a second, without progress, that mean something between us and the server loops. */
const LOOP = [5, 1_000];
/** Snapshots in ten seconds that mean this page and the server do not understand each other. */
const LOST = [2, 10_000];

export class Session {
  /** What has been received; painting may lag behind it. @type {import("./judge.js").Cursor} */ cursor;
  /** @type {Links} */ links;
  /** @type {"tail"|"now"|"snap"|"reload"|"end"|"stop"|"gone"} */ want = "tail";
  /** Attempts that failed since the last answer. */ failures = 0;
  #after = 0;
  #slowed = false;
  /** What stands above the page where an answer has nothing to say: that the history was replaced. */ #replaced = "";
  #spins = 0;
  /** Whether our rights have changed since the page was shown. */ #moved = false;
  #loop = new Rate(LOOP[0], LOOP[1]);
  #lost = new Rate(LOST[0], LOST[1]);

  /**
   * @param {import("./judge.js").Cursor} cursor
   * @param {Links} links
   * @param {{random: () => number, reloaded: boolean}} world `reloaded`: this page is already the one reload we allow
   */
  constructor(cursor, links, world) {
    this.cursor = cursor;
    this.links = links;
    this.world = world;
  }

  /** Whether the server, or our own caution, slowed us down. */
  get degraded() {
    return this.#slowed || this.#spins > 0;
  }

  /**
   * What to do next. A tab that may not hold a request listens to the one that does, but may ask what is not held.
   * @param {number} now @param {boolean} mayHold
   * @returns {Step}
   */
  plan(now, mayHold = true) {
    if (this.want === "end" || this.want === "stop" || this.want === "gone") return { do: "stop" };
    if (this.want === "reload") return { do: "reload" };
    if (this.#after > now) return { do: "wait", until: this.#after };
    const kind = this.want;
    if (kind === "tail" && !mayHold) return { do: "listen" };
    return { do: "ask", kind, url: this.links[kind === "tail" ? "next" : kind], fresh: this.failures > 0 };
  }

  /**
   * An answer came, by our own request or relayed from another tab.
   * @param {unknown} value @param {number} now
   * @param {{relayed?: boolean, took?: number}} [how] `took`: milliseconds the answer was held
   * @returns {Outcome}
   */
  answered(value, now, { relayed = false, took = 0 } = {}) {
    if (relayed && this.want !== "tail" && this.want !== "now") return DROP;
    const { meaning, changes } = judge(this.cursor, value);
    if (meaning === "malformed") {
      if (!relayed) this.failed(now);
      return DROP;
    }
    const answer = /** @type {Answer} */ (value);
    if (!relayed) this.failures = 0;
    if (took > 1_000) this.#progressed();
    switch (meaning) {
      case "apply":
        this.#progressed();
        this.cursor = { e: answer.e, n: Number(answer.to) };
        this.#follow(answer, answer.more ? "now" : "tail");
        return { changes, abandon: false, notice: answer.notice ?? this.#replaced };
      case "level":
        this.#follow(answer, "tail");
        if (answer.retry) this.#pause(answer.retry, now);
        this.#slowed = answer.k === "empty" && answer.retry !== undefined;
        this.#guard(relayed, now);
        return { ...DROP, notice: answer.notice ?? this.#replaced, viewers: answer.viewers };
      case "catchUp":
        this.#want("now");
        break;
      case "end":
        this.want = "end";
        return DROP;
      case "snapshot":
        if (answer.snap) this.links.snap = answer.snap;
        this.#moved ||= answer.why === "audience";
        // Operations were added, changed or removed: that may happen as often as it likes.
        if (answer.why === "catalog") this.#want("snap");
        else this.#snapshot(now);
        this.#replaced = answer.notice ?? this.#replaced;
        if (answer.why === "gap") return { ...DROP, gap: gap(answer) };
        // At once: what this page shows may not be there any more.
        return answer.notice === undefined ? DROP : { ...DROP, notice: answer.notice };
      case "show":
        if (relayed) return DROP;
        this.#moved = false;
        this.cursor = { e: answer.e, n: Number(answer.at) };
        this.#follow(answer, "tail");
        return { changes: [], abandon: false, snapshot: answer, notice: answer.notice ?? this.#replaced };
      case "drop":
        break;
    }
    this.#guard(relayed, now);
    return DROP;
  }

  /**
   * An attempt failed: no connection, an error status, or something that is not an answer.
   * @param {number} now @param {{status?: number, retryAfter?: string|null}} [why]
   */
  failed(now, { status = 0, retryAfter = null } = {}) {
    this.failures += 1;
    if (status === 401 || status === 403 || (status === 404 && this.#moved)) this.want = "gone";
    else if (status === 404 && this.want === "snap" && this.failures > 2) this.want = "stop";
    else if (this.failures > 1 && (status === 400 || status === 404)) this.#want("snap");
    else this.#want("now");
    this.#after = now + backoff(this.failures, this.world.random, retryAfter, now);
  }

  /** A change could not be painted: the page is not what the server thinks. @param {number} now @returns {Outcome} */
  lost(now) {
    this.#snapshot(now);
    return { changes: [], abandon: true };
  }

  /** The page was asleep, or the network came back: ask at once what was missed. */
  woke() {
    this.#after = 0;
    this.#want("now");
  }

  /** Another tab is known to be further on. @param {import("./judge.js").Cursor} cursor */
  behind(cursor) {
    return this.want === "tail" && (cursor.e !== this.cursor.e || cursor.n > this.cursor.n);
  }

  /** @param {"tail"|"now"|"snap"} want */
  #want(want) {
    if (this.want === "tail" || (this.want === "now" && want === "snap")) this.want = want;
  }

  /** @param {Answer} answer @param {"tail"|"now"} want */
  #follow(answer, want) {
    if (answer.next) this.links.next = answer.next;
    if (answer.now) this.links.now = answer.now;
    if (answer.snap) this.links.snap = answer.snap;
    if (this.want === "tail" || this.want === "now" || (this.want === "snap" && answer.k === "snap")) this.want = want;
  }

  /** @param {number} now */
  #snapshot(now) {
    if (this.want === "snap") return;
    this.#want("snap");
    if (this.#lost.exceeded(now)) this.want = this.world.reloaded ? "stop" : "reload";
  }

  /** An answer came without progress: too many in a row, and we slow down. @param {boolean} relayed @param {number} now */
  #guard(relayed, now) {
    if (relayed || !this.#loop.exceeded(now)) return;
    this.#spins += 1;
    this.#loop.clear();
    this.#after = now + 1_000 + backoff(this.#spins, this.world.random);
  }

  /** @param {[number, number]} retry @param {number} now */
  #pause([lowest, highest], now) {
    this.#after = now + lowest + this.world.random() * Math.max(0, highest - lowest);
  }

  #progressed() {
    this.#loop.clear();
    this.#spins = 0;
    this.#slowed = false;
  }
}

/** @param {Answer} answer */
function gap(answer) {
  const [from, to] = answer.lost ?? [0, 0];
  return { from, to, count: answer.count ?? to - from + 1 };
}

/** Waits in milliseconds. */
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
