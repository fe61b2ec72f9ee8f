// Shows JSON indented, with foldable objects and lists. Loaded on pages with a `pre[data-json]`; other text is unchanged.

import { keep } from "../feed/claims.js";

/** The number of values beyond which deeper levels are folded at first. */
const MANY = 200;

/** Formats every text of the page that is not formatted yet. */
export function foldAll() {
  for (const pre of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("pre[data-json]"))) {
    pre.removeAttribute("data-json");
    const value = parsed(pre.textContent ?? "");
    if (value === undefined) continue;
    pre.replaceChildren(...nodes(value, 0, count(value) > MANY ? 2 : Infinity));
    pre.classList.add("json");
    keep(pre, "#content", "class", "data-json");
  }
}

/** Parses an object or a list; returns undefined for any other text. @param {string} text */
export function parsed(text) {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** @param {unknown} value @returns {number} */
function count(value) {
  return value && typeof value === "object" ? Object.values(value).reduce((sum, part) => sum + count(part), 1) : 1;
}

/** @param {unknown} value @param {number} depth @param {number} open how deep it is open at first @returns {(Node|string)[]} */
function nodes(value, depth, open) {
  const isList = Array.isArray(value);
  const entries = value && typeof value === "object" ? Object.entries(value) : [];
  if (!entries.length) return [JSON.stringify(value)];
  const [first, last] = isList ? "[]" : "{}";
  const details = document.createElement("details");
  details.open = depth < open;
  const summary = document.createElement("summary");
  summary.append(first, tagged("muted", ` ${entries.length} `));
  const body = document.createElement("div");
  entries.forEach(([name, part], index) => {
    const line = document.createElement("div");
    if (!isList) line.append(tagged("strong", JSON.stringify(name)), ": ");
    line.append(...nodes(part, depth + 1, open), index < entries.length - 1 ? "," : "");
    body.append(line);
  });
  details.append(summary, body);
  return [details, last];
}

/** @param {string} name @param {string} text */
function tagged(name, text) {
  return Object.assign(document.createElement("span"), { className: name, textContent: text });
}
