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

/** A number with the digits that it was given with. */
export class Digits {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/** Parses an object or a list, with `Digits` for numbers; returns undefined for any other text. @param {string} text */
export function parsed(text) {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    JSON.parse(text);
    // A number becomes a string that begins with "n", and every other string begins with "s".
    const marked = text.replace(/"((?:[^"\\]|\\.)*)"|-?\d[\d.eE+-]*/g, (found, string) => string === undefined ? `"n${found}"` : `"s${string}"`);
    return unmarked(JSON.parse(marked));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** @param {unknown} value @returns {unknown} */
function unmarked(value) {
  if (typeof value === "string") return value.startsWith("n") ? new Digits(value.slice(1)) : value.slice(1);
  if (Array.isArray(value)) return value.map(unmarked);
  if (!value || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name.slice(1), unmarked(part)]));
}

/** The JSON text of a parsed value. @param {unknown} value @returns {string} */
export function written(value) {
  if (value instanceof Digits) return value.text;
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`;
  if (!value || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}:${written(part)}`).join(",")}}`;
}

/** @param {unknown} value @returns {number} */
function count(value) {
  return value && typeof value === "object" && !(value instanceof Digits) ? Object.values(value).reduce((sum, part) => sum + count(part), 1) : 1;
}

/** @param {unknown} value @param {number} depth @param {number} open how deep it is open at first @returns {(Node|string)[]} */
function nodes(value, depth, open) {
  const isList = Array.isArray(value);
  const entries = value && typeof value === "object" && !(value instanceof Digits) ? Object.entries(value) : [];
  if (!entries.length) return [written(value)];
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
