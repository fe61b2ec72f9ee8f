// The loop that keeps a page at the head of its feed: one request in flight, one wait at a time, all decisions made by the
// session. `poke` ends the current wait, because the situation changed.

/** A request held longer than any hold of the server is considered dead. */
const WATCHDOG = 24_000;

/** @typedef {import("./session.js").Answer} Answer */
/** @typedef {import("./session.js").Outcome} Outcome */

/** A response with an error status. */
export class Refusal extends Error {
  /** @param {number} status @param {string|null} retryAfter */
  constructor(status, retryAfter) {
    super(`The server answered ${status}`);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/**
 * Requests one answer.
 * @param {string} url @param {AbortSignal} signal @param {boolean} fresh bypasses all caches
 * @returns {Promise<unknown>}
 */
export async function ask(url, signal, fresh) {
  const response = await fetch(url, {
    signal, redirect: "error", cache: fresh ? "reload" : "default", headers: { Accept: "application/json" },
  });
  if (!response.ok) throw new Refusal(response.status, response.headers.get("Retry-After"));
  return response.json();
}

export class Follower {
  #turn = new AbortController();
  #asleep = false;

  /**
   * @param {import("./session.js").Session} session
   * @param {object} world
   * @param {() => number} world.now milliseconds since 1970
   * @param {(milliseconds: number, signal: AbortSignal) => Promise<void>} world.sleep ends early, without error, when aborted
   * @param {(url: string, signal: AbortSignal, fresh: boolean) => Promise<unknown>} world.ask throws `Refusal` for an
   *   error status; `fresh`: bypasses all caches, since the last response was not an answer
   * @param {() => Promise<void>} world.room resolves when painting has caught up enough
   * @param {(signal: AbortSignal) => Promise<(() => void)|null>} world.hold permission to hold a request, and the function that returns it
   * @param {() => boolean} world.mayHold false while another tab follows this feed for us
   * @param {object} told
   * @param {(outcome: Outcome) => void} told.outcome
   * @param {(answer: Answer) => void} told.answer each answer to a request of this tab, for other tabs
   * @param {() => void} told.ok
   * @param {() => void} told.failing
   * @param {(why: "end"|"stop"|"gone"|"reload") => void} told.over `gone`: the content must no longer be shown
   */
  constructor(session, world, told) {
    this.session = session;
    this.world = world;
    this.told = told;
  }

  /** Follows the feed until it ends. */
  async run() {
    const { session, world } = this;
    for (;;) {
      const signal = (this.#turn = new AbortController()).signal;
      if (this.#asleep) {
        await world.sleep(Infinity, signal);
        continue;
      }
      const step = session.plan(world.now(), world.mayHold());
      if (step.do === "stop" || step.do === "reload") {
        this.told.over(step.do === "reload" ? "reload" : /** @type {"end"|"stop"|"gone"} */ (session.want));
        return;
      }
      if (step.do === "listen") await world.sleep(Infinity, signal);
      else if (step.do === "wait") await world.sleep(step.until - world.now(), signal);
      else await this.#ask(step, signal);
    }
  }

  /** Ends the current wait; the session is queried again. */
  poke() {
    this.#turn.abort();
  }

  /** Releases everything until `wake`. */
  sleep() {
    this.#asleep = true;
    this.poke();
  }

  wake() {
    this.#asleep = false;
    this.session.woke();
    this.poke();
  }

  /** Handles an answer that another tab received. @param {unknown} answer */
  relayed(answer) {
    if (this.#asleep) return;
    const { want } = this.session;
    this.told.outcome(this.session.answered(answer, this.world.now(), { relayed: true }));
    if (this.session.want !== want) this.poke();
  }

  /** Painting failed: discards the queue, and requests the page again. */
  lost() {
    this.told.outcome(this.session.lost(this.world.now()));
    this.poke();
  }

  /** @param {{kind: "tail"|"now"|"snap", url: string, fresh: boolean}} step @param {AbortSignal} signal */
  async #ask({ kind, url, fresh }, signal) {
    const { session, world } = this;
    await world.room();
    const leave = kind === "tail" ? await world.hold(signal) : () => {};
    if (signal.aborted) return leave?.();
    if (leave === null) {
      await world.sleep(2_000, signal);
      return session.woke();
    }
    const request = new AbortController();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort);
    const asked = world.now();
    void world.sleep(WATCHDOG, request.signal).then(abort);
    try {
      const answer = await world.ask(url, request.signal, fresh);
      if (signal.aborted) return;
      const took = world.now() - asked;
      const outcome = session.answered(answer, world.now(), { took });
      if (session.failures > 0) return this.told.failing();
      this.told.ok();
      this.told.outcome(outcome);
      if (kind !== "snap") this.told.answer(/** @type {Answer} */ (answer));
    } catch (error) {
      if (signal.aborted) return;
      session.failed(world.now(), error instanceof Refusal ? error : {});
      this.told.failing();
    } finally {
      signal.removeEventListener("abort", abort);
      request.abort();
      leave();
    }
  }
}
