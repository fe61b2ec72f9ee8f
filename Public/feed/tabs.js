// Coordinates tabs on one feed: one of them holds the request and relays its answers, because a browser allows an origin
// six HTTP/1.1 connections in all. The leader holds a Web Lock and sends a beat every 5 s; one that is silent for 12 s is
// not waited for. In addition, all tabs together hold at most four requests, and hidden ones release theirs when asked.

const BEAT = 5_000;
const SILENCE = 12_000;
const HOLDS = 4;

/** @typedef {import("./session.js").Cursor} Cursor */
/** @typedef {"joining"|"alone"|"leader"|"follower"} Role */
/** @typedef {{hello?: true, answer?: unknown, beat?: {cursor: Cursor, ok: boolean}}} Message */
/** @typedef {{postMessage: (message: any) => void, onmessage: ((event: {data: any}) => void)|null, close: () => void}} Channel */

export class Tabs {
  /** @type {Role} */ role = "joining";
  /** @type {Channel|null} */ #channel = null;
  /** @type {Channel|null} */ #all = null;
  /** @type {AbortController} */ #here = new AbortController();
  #heard = 0;

  /**
   * @param {string} feed a name for the feed that all its tabs share
   * @param {object} world
   * @param {{request: Function}|undefined} world.locks absent outside secure contexts
   * @param {(name: string) => Channel} world.open
   * @param {() => number} world.now
   * @param {(milliseconds: number, signal: AbortSignal) => Promise<void>} world.sleep
   * @param {boolean} world.scarce whether connections are scarce (HTTP/1.1)
   * @param {object} told
   * @param {(answer: unknown) => void} told.answer
   * @param {(cursor: Cursor, ok: boolean) => void} told.beat the leader reported its cursor
   * @param {() => void} told.role the role of this tab changed
   * @param {() => void} told.yield another tab needs a request, which this one can release if hidden
   * @param {() => {cursor: Cursor, ok: boolean}} told.state the report of this tab as leader
   */
  constructor(feed, world, told) {
    this.feed = feed;
    this.world = world;
    this.told = told;
  }

  get mayHold() {
    return this.role === "leader" || this.role === "alone";
  }

  /** Joins the tabs of this feed. */
  join() {
    const { locks, open } = this.world;
    if (this.#channel) return;
    if (!locks) return this.#become("alone");
    const signal = (this.#here = new AbortController()).signal;
    this.#channel = open(`weir ${this.feed}`);
    this.#channel.onmessage = ({ data }) => this.#hear(data);
    this.#all = open("weir");
    this.#all.onmessage = () => this.told.yield();
    const lead = () => {
      if (signal.aborted) return undefined;
      this.#become("leader");
      void this.#beat(signal);
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
    };
    locks.request(`weir ${this.feed}`, { ifAvailable: true }, (/** @type {unknown} */ lock) => {
      if (lock || signal.aborted) return lead();
      this.#become("follower");
      this.#heard = this.world.now();
      this.#say({ hello: true });
      void this.#watch(signal);
      locks.request(`weir ${this.feed}`, { signal }, lead).catch(ended);
      return undefined;
    }).catch(ended);
  }

  /** Leaves: releases the request, and stops listening. */
  leave() {
    this.#here.abort();
    this.#channel?.close();
    this.#all?.close();
    this.#channel = this.#all = null;
    this.role = "joining";
  }

  /** Relays an answer to the other tabs, if they rely on this one. @param {unknown} answer */
  relay(answer) {
    if (this.role === "leader") this.#say({ answer });
  }

  /**
   * Acquires permission to hold a request: the function that returns it, or null if too many are held.
   * @param {AbortSignal} signal
   * @returns {Promise<(() => void)|null>}
   */
  async hold(signal) {
    if (!this.world.locks || !this.world.scarce) return () => {};
    const leave = await this.#place();
    if (leave || signal.aborted) return leave;
    this.#all?.postMessage("yield");
    await this.world.sleep(200, signal);
    return this.#place();
  }

  /** @returns {Promise<(() => void)|null>} */
  async #place() {
    for (let place = 0; place < HOLDS; place += 1) {
      const leave = await new Promise((resolve) => {
        this.world.locks?.request(`weir hold ${place}`, { ifAvailable: true }, (/** @type {unknown} */ lock) => {
          if (lock) return new Promise((release) => resolve(() => release(undefined)));
          resolve(null);
          return undefined;
        });
      });
      if (leave) return leave;
    }
    return null;
  }

  /** @param {Message} message */
  #say(message) {
    this.#channel?.postMessage(message);
  }

  /** @param {Message} message */
  #hear({ hello, answer, beat }) {
    if (hello) {
      if (this.role === "leader") this.#say({ beat: this.told.state() });
      return;
    }
    if (this.role === "leader") return;
    this.#heard = this.world.now();
    if (this.role === "alone") this.#become("follower");
    if (answer) this.told.answer(answer);
    if (beat) this.told.beat(beat.cursor, beat.ok);
  }

  /** @param {AbortSignal} signal */
  async #beat(signal) {
    while (!signal.aborted) {
      this.#say({ beat: this.told.state() });
      await this.world.sleep(BEAT, signal);
    }
  }

  /** @param {AbortSignal} signal */
  async #watch(signal) {
    while (!signal.aborted && this.role !== "leader") {
      await this.world.sleep(1_000, signal);
      if (this.role === "follower" && this.world.now() - this.#heard > SILENCE) this.#become("alone");
    }
  }

  /** @param {Role} role */
  #become(role) {
    if (this.role === role) return;
    this.role = role;
    this.told.role();
  }
}

/** A lock request fails only if it was aborted. @param {unknown} error */
function ended(error) {
  if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
}
