// The state of one viewer of one feed, as a pure state machine. It decides what to request next and what an answer means;
// its driver requests, waits and paints.

// The meaning of a held poll's answer for a reader at a cursor. Wire protocol 1:
//   batch  {"v":1,"k":"batch","e":E,"from":A,"to":B,"more":false,"ev":[[sequence,stream,revision,operations]…],"next":…,"now":…}
//   empty, drain   the same with from = to and no "ev"; "retry":[lowest, highest] milliseconds to wait first;
//                  "notice": the page's notice, until an answer without one
//                  "unfinished": the lines of an output that have not ended
//                  "viewers": the page's other viewers, until another value arrives
//   end    {"v":1,"k":"end","e":E,"from":B,"to":B}
//   reset  {"v":1,"k":"reset","why":"gap"|"epoch"|"future"|"audience"|"catalog","e":E,"lost":[first,last],"count":12,"snap":…}
//   snap   {"v":1,"k":"snap","e":E,"at":B,"html":"<main…","next":…,"now":…}

/** @typedef {{e: string, n: number}} Cursor */
/** @typedef {[string, string, any?, number?]} Operation the third is markup, a text, or attributes by name */
/** @typedef {[number, string, number, Operation[]]} Change */
/**
 * @typedef {{v: 1, k: "batch"|"empty"|"drain"|"end"|"reset"|"snap", e: string, from?: number, to?: number, at?: number,
 *   more?: boolean, ev?: Change[], next?: string, now?: string, snap?: string, html?: string,
 *   why?: "gap"|"epoch"|"future"|"audience"|"catalog", lost?: [number, number], count?: number, retry?: [number, number],
 *   notice?: string, viewers?: string, unfinished?: string}} Answer
 */
/** @typedef {"apply"|"level"|"drop"|"catchUp"|"snapshot"|"show"|"end"|"malformed"} Meaning */

const count = (/** @type {unknown} */ value) => Number.isSafeInteger(value) && Number(value) >= 0;

/** @param {any} answer */
function isChanges(answer) {
  let last = answer.from;
  return Array.isArray(answer.ev) && answer.ev.every((/** @type {any} */ change) => {
    const rising = Array.isArray(change) && count(change[0]) && change[0] > last && Array.isArray(change[3]);
    if (rising) last = change[0];
    return rising;
  }) && last <= answer.to;
}

/**
 * Returns whether a parsed value is a complete and ordered answer of protocol 1.
 * @param {any} answer
 * @returns {answer is Answer}
 */
export function isAnswer(answer) {
  if (answer === null || typeof answer !== "object" || answer.v !== 1 || typeof answer.e !== "string") return false;
  switch (answer.k) {
    case "reset": return true;
    case "snap": return count(answer.at) && typeof answer.html === "string";
    case "batch": return count(answer.from) && count(answer.to) && answer.from < answer.to && isChanges(answer);
    case "empty": case "drain": case "end": return count(answer.from) && answer.from === answer.to;
    default: return false;
  }
}

/**
 * Judges an answer against the cursor: the required action, and the changes that are new. No change is skipped or applied
 * twice, regardless of the order in which answers arrive.
 * @param {Cursor} cursor
 * @param {unknown} answer
 * @returns {{meaning: Meaning, changes: Change[]}}
 */
export function judge(cursor, answer) {
  const as = (/** @type {Meaning} */ meaning, /** @type {Change[]} */ changes = []) => ({ meaning, changes });
  if (!isAnswer(answer)) return as("malformed");
  if (answer.k === "snap") return as("show");
  if (answer.k === "reset" || answer.e !== cursor.e) return as("snapshot");
  const from = Number(answer.from), to = Number(answer.to);
  if (from > cursor.n) return as("catchUp");
  if (to < cursor.n) return as("drop");
  if (answer.k === "end") return as("end");
  if (to === cursor.n) return as("level");
  return as("apply", (answer.ev ?? []).filter(([sequence]) => sequence > cursor.n));
}

/** @typedef {{next: string, now: string, snap: string}} Links */
/** @typedef {{do: "ask", kind: "tail"|"now"|"snap", url: string, fresh: boolean} | {do: "wait", until: number}
 *   | {do: "listen"} | {do: "reload"} | {do: "stop"}} Step */
/**
 * @typedef {object} Outcome
 * @property {Change[]} changes to paint, in order
 * @property {Answer} [snapshot] to show after all previous changes
 * @property {{from: number, to: number, count: number}} [gap] the lost changes, to be reported
 * @property {boolean} abandon whether unpainted changes must be discarded
 * @property {string} [notice] the page's new notice
 * @property {string} [viewers] the page's other viewers
 * @property {string} [unfinished] the lines of an output that have not ended
 */

const DROP = { changes: [], abandon: false };
/** The number of answers in a second, without progress, that indicates a loop between client and server. */
const LOOP = [5, 1_000];
/** The number of snapshots in ten seconds that indicates that page and server are incompatible. */
const LOST = [2, 10_000];

export class Session {
  /** The received position; painting may lag behind it. @type {Cursor} */ cursor;
  /** @type {Links} */ links;
  /** @type {"tail"|"now"|"snap"|"reload"|"end"|"stop"|"gone"} */ want = "tail";
  /** Failed attempts since the last answer. */ failures = 0;
  #after = 0;
  #slowed = false;
  /** The notice that the history was replaced, shown while answers have no notice. */ #replaced = "";
  #spins = 0;
  /** @type {string|undefined} */ #unfinished;
  /** Whether the reader's permissions changed since the page was shown. */ #moved = false;
  #loop = new Rate(LOOP[0], LOOP[1]);
  #lost = new Rate(LOST[0], LOST[1]);

  /**
   * @param {Cursor} cursor
   * @param {Links} links
   * @param {{random: () => number, reloaded: boolean}} world `reloaded`: this page is the only allowed reload
   */
  constructor(cursor, links, world) {
    this.cursor = cursor;
    this.links = links;
    this.world = world;
  }

  /** Whether the server, or the client itself, reduced the rate. */
  get degraded() {
    return this.#slowed || this.#spins > 0;
  }

  /**
   * The next step. A tab that may not hold a request listens to the one that does, but may make requests that are not held.
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
   * Handles an answer to a request of this tab, or one relayed from another tab.
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
        return { changes, abandon: false, notice: answer.notice ?? this.#replaced, unfinished: answer.unfinished };
      case "level":
        if (answer.unfinished !== this.#unfinished) this.#progressed();
        this.#unfinished = answer.unfinished;
        this.#follow(answer, "tail");
        if (answer.retry) this.#pause(answer.retry, now);
        this.#slowed = answer.k === "empty" && answer.retry !== undefined;
        this.#guard(relayed, now);
        return { ...DROP, notice: answer.notice ?? this.#replaced, viewers: answer.viewers, unfinished: answer.unfinished };
      case "catchUp":
        this.#want("now");
        break;
      case "end":
        this.want = "end";
        return { ...DROP, unfinished: "" };
      case "snapshot":
        if (answer.snap) this.links.snap = answer.snap;
        this.#moved ||= answer.why === "audience";
        // Operations were added, changed or removed, which is not limited in frequency.
        if (answer.why === "catalog") this.#want("snap");
        else this.#snapshot(now);
        this.#replaced = answer.notice ?? this.#replaced;
        if (answer.why === "gap") return { ...DROP, gap: gap(answer) };
        // At once, because the content of the page may no longer exist.
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
   * Handles a failed attempt: no connection, an error status, or an invalid answer.
   * @param {number} now @param {{status?: number, retryAfter?: string|null}} [why]
   */
  failed(now, { status = 0, retryAfter = null } = {}) {
    this.failures += 1;
    if (status === 401 || status === 403 || (status === 404 && this.#moved)) this.want = "gone";
    // The page of a run that was deleted or removed says so when it is loaded, once: another server may still have the run.
    else if (status === 410) this.want = this.world.reloaded ? "stop" : "reload";
    else if (status === 404 && this.want === "snap" && this.failures > 2) this.want = "stop";
    else if (this.failures > 1 && (status === 400 || status === 404)) this.#want("snap");
    else this.#want("now");
    this.#after = now + backoff(this.failures, this.world.random, retryAfter, now);
  }

  /** Handles a change that could not be painted, because the page differs from the server's view of it. @param {number} now @returns {Outcome} */
  lost(now) {
    this.#snapshot(now);
    return { changes: [], abandon: true };
  }

  /** The page was asleep, or the network was restored: requests the missed changes at once. */
  woke() {
    this.#after = 0;
    this.#want("now");
  }

  /** Another tab has reached a later cursor. @param {Cursor} cursor */
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

  /** Counts an answer without progress; too many in a row reduce the rate. @param {boolean} relayed @param {number} now */
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
 * Full-jitter exponential backoff: a random wait between 0 and 1 s × 2ⁿ, at most 32 s. A server's Retry-After (seconds, or
 * an HTTP date) elapses first, plus up to one more second.
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

/** Detects more than `limit` events within `span` milliseconds. */
export class Rate {
  /** @type {number[]} */ #times = [];

  /** @param {number} limit @param {number} span */
  constructor(limit, span) {
    this.limit = limit;
    this.span = span;
  }

  /** Counts an event, and returns whether that is one too many. @param {number} now */
  exceeded(now) {
    this.#times = this.#times.filter((time) => time > now - this.span && time <= now);
    this.#times.push(now);
    return this.#times.length > this.limit;
  }

  clear() {
    this.#times = [];
  }
}
