// Draws the lane of a current state to scale as time passes.

/**
 * The geometry of the lane of a current state, in milliseconds.
 * @param {number} x its start @param {number} since the time of its start @param {number} now @param {number} length of the axis
 * @returns {{width: number, length: number}}
 */
export function grown(x, since, now, length) {
  const width = Math.max(0, Math.round(now - since));
  return { width, length: Math.max(length, x + width) };
}

/** Draws the lanes of all current states. @param {number} now the page's time */
export function growLanes(now) {
  for (const piece of document.querySelectorAll(".time rect.open")) {
    const since = Date.parse(piece.closest("li")?.querySelector("time[data-since]")?.getAttribute("datetime") ?? "");
    const [, , said] = (piece.parentElement?.getAttribute("viewBox") ?? "").split(" ").map(Number);
    if (Number.isNaN(since) || !said) continue;
    const { width, length } = grown(Number(piece.getAttribute("x")), since, now, said);
    piece.setAttribute("width", String(width));
    for (const lane of piece.closest(".time")?.querySelectorAll(".lane") ?? []) lane.setAttribute("viewBox", `0 0 ${length} 10`);
  }
}
