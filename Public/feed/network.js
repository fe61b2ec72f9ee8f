// Time and the network, as the browser gives them.

import { Refusal } from "./follower.js";

/**
 * Waits. Ends early, without an error, when aborted.
 * @param {number} milliseconds @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export function sleep(milliseconds, signal) {
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

/**
 * Gets one answer.
 * @param {string} url @param {AbortSignal} signal
 * @returns {Promise<unknown>}
 */
export async function ask(url, signal) {
  const response = await fetch(url, { signal, redirect: "error", headers: { Accept: "application/json" } });
  if (!response.ok) throw new Refusal(response.status, response.headers.get("Retry-After"));
  return response.json();
}

/** Whether the browser gives this origin only the six connections of HTTP/1.1. */
export function isScarce() {
  const [entry] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  return !/^h[23]/.test(entry?.nextHopProtocol ?? "");
}

/** Calls back before the next paint, or soon where the browser paints nothing. @param {() => void} paint */
export function frame(paint) {
  let done = false;
  const once = () => {
    if (done) return;
    done = true;
    clearTimeout(timer);
    cancelAnimationFrame(request);
    paint();
  };
  const request = requestAnimationFrame(once);
  const timer = setTimeout(once, 500);
}
