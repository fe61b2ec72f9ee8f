// Assembles the parts: the session decides, the follower requests, the painter paints, the tabs share, the status line
// reports.

import { Attention, BEAT } from "./attention.js";
import { ask, Follower } from "./follower.js";
import { Session } from "./session.js";
import { say, Status } from "./status.js";
import { Tabs } from "./tabs.js";

const RELOADED = "weir-reloaded";
/** How long a hidden page keeps its request if tabs can share one, and if they cannot. */
const PATIENCE = 30_000, IMPATIENCE = 2_000;
/** How long elements stay in place under a pressed button or finger: releasing it over another element would not be a click. */
const PRESS = 1_000, LOOK = 50;

/** The time until which pressed elements stay in place. */
let still = 0;

/** @typedef {import("./session.js").Change | import("./session.js").Answer} Paintable */

/**
 * Keeps a page live.
 * @param {import("./page.js").Page} page
 * @param {(unfinished?: string) => void} painted called after each change, in the same task, and with the lines of an output that have not ended
 * @param {HTMLElement|null} line the status line; null for a part of a page
 * @returns {() => void} stops following for good
 */
export function goLive(page, painted, line) {
  const { links } = page;
  const paused = page.element.dataset.paused;
  if (line && paused) say(line, "paused", { n: Number(paused) });
  if (!links) return () => {};

  const now = () => Date.now();
  const reloaded = Number(sessionStorage.getItem(RELOADED)) > now() - 60_000;
  const session = new Session(page.cursor, links, { random: Math.random, reloaded });

  /** @type {ReturnType<typeof setTimeout>|undefined} */ let later;
  const status = new Status(
    { now, later: (milliseconds, then) => { clearTimeout(later); later = setTimeout(then, milliseconds); } },
    (state, facts) => { if (line && !left) say(line, state, facts); },
    line?.dataset.state === "live" ? "live" : "",
  );

  const painter = new Painter(
    { frame, now: () => performance.now(), hidden: () => document.hidden },
    (/** @type {Paintable} */ item) => {
      if (Array.isArray(item)) page.apply(item);
      else if (item.html !== undefined) page.show(item.html);
      painted(/** @type {any} */ (item).unfinished);
      if (line) announce(page.cursor.n);
    },
    (error) => {
      console.warn("The page is taken anew:", error);
      follower.lost();
    },
  );

  const tabs = new Tabs(
    links.snap,
    { locks: navigator.locks, open: (name) => new BroadcastChannel(name), now, sleep, scarce: isScarce() },
    {
      answer: (answer) => follower.relayed(answer),
      beat: (cursor, ok) => {
        if (ok) status.succeeded(session.degraded);
        else status.doubt();
        if (session.behind(cursor)) follower.wake();
      },
      role: () => follower.poke(),
      yield: () => { if (!isAwaited()) obey(attention.asked()); },
      state: () => ({ cursor: session.cursor, ok: status.ok }),
    },
  );

  const follower = new Follower(
    session,
    { now, sleep, ask: askFor, room: () => painter.room(), hold: (signal) => tabs.hold(signal), mayHold: () => tabs.mayHold },
    {
      outcome: ({ changes, snapshot, gap, abandon, notice, viewers, unfinished }) => {
        if (left) return;
        if (notice !== undefined) page.above("notice", notice);
        if (viewers !== undefined) page.above("viewers", viewers);
        if (abandon) painter.clear();
        if (gap) status.lost(gap);
        painter.add(snapshot ? [snapshot] : changes);
        if (unfinished !== undefined) painter.add([/** @type {any} */ ({ unfinished })]);
      },
      answer: (answer) => tabs.relay(answer),
      ok: () => status.succeeded(session.degraded),
      failing: () => status.doubt(),
      over: (why) => {
        over = true;
        tabs.leave();
        if (why === "gone") {
          painter.clear();
          page.blank(line?.dataset.textGone);
        }
        // The page checks also for its parts.
        if (why === "end" && line)
          setInterval(async () => {
            if (!left && !document.hidden && (await (await import("./ended.js")).isGone(session.links.now))) location.reload();
          }, 60_000);
        if (why !== "reload") return status.over(why === "end" ? "ended" : "stopped");
        sessionStorage.setItem(RELOADED, String(now()));
        location.reload();
      },
    },
  );

  /** Requests a snapshot of an arranged overview with the reader's own arrangement. @type {typeof ask} */
  function askFor(url, signal, fresh) {
    return ask(url.endsWith("/snap") ? url + (page.element.dataset.query ?? "") : url, signal, fresh);
  }

  const attention = new Attention(navigator.locks ? PATIENCE : IMPATIENCE);
  let over = false, left = false;
  /** @param {"sleep"|"wake"|null} order */
  const obey = (order) => {
    if (over) return;
    if (order === "sleep") {
      tabs.leave();
      follower.sleep();
    } else if (order === "wake") {
      status.doubt();
      tabs.join();
      follower.wake();
    }
  };
  const seen = () => {
    if (document.hidden) {
      attention.hidden(now());
      painter.flush();
    } else {
      obey(attention.visible());
    }
  };
  document.addEventListener("visibilitychange", seen);
  document.addEventListener("freeze", () => obey(attention.frozen()));
  document.addEventListener("resume", seen);
  addEventListener("pagehide", () => obey(attention.frozen()));
  addEventListener("pageshow", seen);
  addEventListener("pointerdown", () => { still = performance.now() + PRESS; }, true);
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => { still = 0; }, true);
  for (const change of ["online", "offline"]) addEventListener(change, () => { if (!attention.asleep) follower.wake(); });
  setInterval(() => { if (!isAwaited()) obey(attention.tick(now())); }, BEAT);

  seen();
  tabs.join();
  void follower.run();
  return () => {
    if (left) return;
    obey("sleep");
    over = left = true;
    painter.clear();
  };
}

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

/** Whether the page is hidden and the reader waits for a notification. */
function isAwaited() {
  return document.hidden && document.documentElement.hasAttribute("data-waits");
}

/** Reports, after the paint, which change is on the screen and since when. @param {number} sequence */
function announce(sequence) {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    const at = performance.timeOrigin + performance.now();
    document.dispatchEvent(new CustomEvent("weir:painted", { detail: { sequence, at } }));
  };
  port2.postMessage(null);
}

/**
 * Waits. Ends early, without an error, if aborted.
 * @param {number} milliseconds @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function sleep(milliseconds, signal) {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = milliseconds === Infinity ? undefined : setTimeout(end, Math.max(0, milliseconds));
    signal.addEventListener("abort", end);
  });
}

/** Whether the browser is limited to the six connections of HTTP/1.1 to this origin. */
function isScarce() {
  const [entry] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  return !/^h[23]/.test(entry?.nextHopProtocol ?? "");
}

/** Calls back before a paint while nothing is pressed, or soon if the browser does not paint. @param {(seen: boolean) => void} paint */
function frame(paint) {
  const request = requestAnimationFrame(() => {
    clearTimeout(timer);
    if (performance.now() < still) setTimeout(frame, LOOK, paint);
    else paint(true);
  });
  const timer = setTimeout(() => {
    cancelAnimationFrame(request);
    paint(false);
  }, 500);
}
