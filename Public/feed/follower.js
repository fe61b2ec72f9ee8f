// The loop that keeps a page at its feed's head: one request in flight, one wait at a time, everything else decided by
// the session. `poke` ends whatever is awaited, because the world changed.

/** A held request that outlives every hold the server makes is dead. */
const WATCHDOG = 24_000;

/** @typedef {import("./judge.js").Answer} Answer */
/** @typedef {import("./session.js").Outcome} Outcome */

/** A request that was answered, but not with what was asked for. */
export class Refusal extends Error {
  /** @param {number} status @param {string|null} retryAfter */
  constructor(status, retryAfter) {
    super(`The server answered ${status}`);
    this.status = status;
    this.retryAfter = retryAfter;
  }
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
   *   error status; `fresh`: past every cache, since what came last was no answer
   * @param {() => Promise<void>} world.room resolves when painting has caught up enough
   * @param {(signal: AbortSignal) => Promise<(() => void)|null>} world.hold leave to hold a request, and how to return it
   * @param {() => boolean} world.mayHold false while another tab follows this feed for us
   * @param {object} told
   * @param {(outcome: Outcome) => void} told.outcome
   * @param {(answer: Answer) => void} told.answer every answer of our own, for other tabs
   * @param {() => void} told.ok
   * @param {() => void} told.failing
   * @param {(why: "end"|"stop"|"gone"|"reload") => void} told.over `gone`: what is shown may not be seen any more
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

  /** Ends what is awaited; the session is asked anew. */
  poke() {
    this.#turn.abort();
  }

  /** Lets go of everything until `wake`. */
  sleep() {
    this.#asleep = true;
    this.poke();
  }

  wake() {
    this.#asleep = false;
    this.session.woke();
    this.poke();
  }

  /** An answer that another tab received. @param {unknown} answer */
  relayed(answer) {
    if (this.#asleep) return;
    const { want } = this.session;
    this.told.outcome(this.session.answered(answer, this.world.now(), { relayed: true }));
    if (this.session.want !== want) this.poke();
  }

  /** What was to be painted could not be: forget it and take the page anew. */
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
