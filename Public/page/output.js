// The output of a run, with search, line links, wrapping and following. Loaded on pages with output. The search covers the
// displayed lines.

import { keep } from "../feed/claims.js";
import { Tail } from "./tail.js";

const WRAP = "weir wrap";

/**
 * The indices of the lines that contain a text, in any case.
 * @param {string[]} lines @param {string} text
 */
export function matching(lines, text) {
  const wanted = text.toLowerCase();
  return wanted ? lines.flatMap((line, index) => (line.toLowerCase().includes(wanted) ? [index] : [])) : [];
}

/** @param {HTMLElement} part @returns {() => void} called after lines were added */
export function showOutput(part) {
  const get = (/** @type {string} */ name) => /** @type {any} */ (part.querySelector(`[data-${name}]`));
  const [box, follow, wrap] = [get("tail"), get("follows"), get("wrap")];
  const isLinked = /^#line-\d+$/.test(location.hash);
  const tail = new Tail(part, (atEnd) => follow?.setAttribute("aria-pressed", String(atEnd)), !isLinked);
  for (const button of [follow, wrap]) if (button) keep(button, "aria-pressed");
  if (follow) follow.onclick = () => tail.follow(follow.getAttribute("aria-pressed") !== "true");
  if (box && wrap) {
    keep(box, "class");
    const show = (/** @type {boolean} */ wraps) => {
      box.classList.toggle("long", !wraps);
      wrap.setAttribute("aria-pressed", String(wraps));
    };
    wrap.onclick = () => {
      const wraps = wrap.getAttribute("aria-pressed") !== "true";
      localStorage.setItem(WRAP, wraps ? "on" : "off");
      show(wraps);
    };
    show(localStorage.getItem(WRAP) !== "off");
  }
  // A click on the number of a line makes the line's link the page's URL.
  box?.addEventListener("click", (/** @type {MouseEvent} */ event) => {
    if (event.target !== box.querySelector("ol")) return;
    const line = [...box.querySelectorAll("li")].find((each) => {
      const { top, bottom } = each.getBoundingClientRect();
      return top <= event.clientY && event.clientY < bottom;
    });
    if (line) location.replace(`#${line.id}`);
  });
  if (isLinked) document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: "center" });
  const look = get("find") && box ? find(box, get("find"), get("found"), () => tail.follow(false)) : () => {};
  return () => {
    tail.grown();
    look();
  };
}

/**
 * Searches while typing; Enter moves to the next line, Shift Enter to the previous one.
 * @param {HTMLElement} box @param {HTMLInputElement} field @param {HTMLElement|null} count @param {() => void} moved
 * @returns {() => void} searches again
 */
function find(box, field, count, moved) {
  /** @type {HTMLElement[]} */ let found = [];
  let here = -1;
  const mark = () => {
    if (count) count.textContent = field.value ? `${here < 0 ? "" : `${here + 1} / `}${found.length}` : "";
    const highlights = /** @type {any} */ (CSS).highlights;
    if (!highlights) return;
    const ranges = found.flatMap((line) => rangesOf(line, field.value.toLowerCase()));
    highlights.set("found", new (/** @type {any} */ (globalThis).Highlight)(...ranges));
    const current = here < 0 ? [] : rangesOf(found[here], field.value.toLowerCase());
    highlights.set("here", new (/** @type {any} */ (globalThis).Highlight)(...current));
  };
  const search = () => {
    const lines = /** @type {HTMLElement[]} */ ([...box.querySelectorAll("li")]);
    const before = found[here];
    found = matching(lines.map((line) => line.textContent ?? ""), field.value).map((index) => lines[index]);
    here = found.indexOf(before);
    mark();
  };
  field.addEventListener("input", search);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || !found.length) return;
    event.preventDefault();
    here = event.shiftKey ? (here <= 0 ? found.length : here) - 1 : (here + 1) % found.length;
    moved();
    found[here].scrollIntoView({ block: "center" });
    mark();
  });
  return () => { if (field.value) search(); };
}

/** The range of a text in a line, if it lies within one piece of one colour. @param {HTMLElement} line @param {string} text */
function rangesOf(line, text) {
  const ranges = [];
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const words = (node.textContent ?? "").toLowerCase();
    for (let at = words.indexOf(text); at >= 0; at = words.indexOf(text, at + text.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + text.length);
      ranges.push(range);
    }
  }
  return ranges;
}
