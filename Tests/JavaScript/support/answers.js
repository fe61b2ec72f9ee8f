// Answers as a server of protocol 1 gives them.

export const E = "k3f9";

export const links = (n, slot = 1, e = E) => ({ next: `live/1/board/${e}/${n}/${slot}`, now: `live/1/board/${e}/${n}/now` });
export const start = (n) => ({ ...links(n), snap: "live/1/board/snap" });
export const change = (sequence) => [sequence, "run-17", sequence, [["t", "state", `State ${sequence}`]]];

export function batch(from, sequences, { e = E, more = false } = {}) {
  const to = sequences.at(-1);
  return { v: 1, k: "batch", e, from, to, more, ev: sequences.map(change), ...links(to, 2, e) };
}

export const empty = (n, extra = {}) => ({ v: 1, k: "empty", e: E, from: n, to: n, ...links(n, 3), ...extra });
export const drain = (n) => ({ v: 1, k: "drain", e: E, from: n, to: n, ...links(n, 4), retry: [1000, 4000] });
export const end = (n) => ({ v: 1, k: "end", e: E, from: n, to: n });
export const reset = (why, extra = {}) => ({ v: 1, k: "reset", why, e: E, snap: "live/1/board/snap2", ...extra });
export const snap = (at, e = E) => ({ v: 1, k: "snap", e, at, html: `<main id="page">${at}</main>`, ...links(at, 5, e) });
