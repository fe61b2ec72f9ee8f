// The lane of a state that goes on is drawn to scale as time passes, and not only when something is recorded of it.

/**
 * How a lane that goes on is drawn, in milliseconds.
 * @param {number} x where it begins @param {number} since when that was @param {number} now @param {number} length of the axis
 * @returns {{width: number, length: number}}
 */
export function grown(x, since, now, length) {
  const width = Math.max(0, Math.round(now - since));
  return { width, length: Math.max(length, x + width) };
}

/** Draws all lanes that go on. @param {number} now the page's time */
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
