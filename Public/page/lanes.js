// Draws the lanes of current states and steps to scale as time passes. Loaded when a page has one.

import { duration } from "./times.js";

/**
 * The geometry of the lane of a current state, in milliseconds.
 * @param {number} x its start @param {number} since the time of its start @param {number} now @param {number} length of the axis
 * @returns {{width: number, length: number}}
 */
export function grown(x, since, now, length) {
  const width = Math.max(0, Math.round(now - since));
  return { width, length: Math.max(length, x + width) };
}

/** Draws the lanes of all current states and steps. @param {number} now the page's time */
export function grow(now) {
  for (const piece of document.querySelectorAll(":is(.time, .lanes) rect.open")) {
    const lane = /** @type {SVGElement} */ (piece.parentElement);
    const x = Number(piece.getAttribute("x"));
    // The lanes of steps are one drawing with one start; each lane of a timeline has its own.
    const { start } = lane.dataset;
    const since = start ? Date.parse(start) + x
      : Date.parse(piece.closest("li")?.querySelector("time[data-since]")?.getAttribute("datetime") ?? "");
    const [, , said, height] = (lane.getAttribute("viewBox") ?? "").split(" ").map(Number);
    if (Number.isNaN(since) || !said) continue;
    const { width, length } = grown(x, since, now, said);
    piece.setAttribute("width", String(width));
    if (length === said) continue;
    for (const other of start ? [lane] : piece.closest(".time")?.querySelectorAll(".lane") ?? []) other.setAttribute("viewBox", `0 0 ${length} ${height}`);
    const end = start && document.getElementById(`${lane.id}-end`);
    if (end) end.textContent = duration(length);
  }
}
