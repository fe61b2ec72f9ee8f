// Copies the text of a button: `data-copy` is the text itself, or a path that is completed to a URL; `data-ask` is the URL
// of a run, which is copied as a command that starts it again. `data-copy="moment"` is the URL of the moment that the page
// currently shows. Loaded at the first click.

import { parsed, written } from "./json.js";

const STAY = 2_000;

/** Quotes a text as one word of a shell. @param {string} text */
export function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The command that starts a run again, with the digits of its numbers. @param {string} url @param {string} run its JSON */
export function curl(url, run) {
  const { operation, input } = /** @type {{operation: string, input: unknown}} */ (parsed(run));
  const target = new URL(`../operations/${operation}/runs`, url).href;
  return `curl --json ${quoted(written(input ?? {}))} ${quoted(target)}`;
}

/** The URL of the moment that a page shows. @param {{origin: string, pathname: string}} place @param {DOMStringMap} page */
export function moment({ origin, pathname }, { paused, sequence }) {
  return `${origin}${pathname}?at=${paused ?? sequence}`;
}

/** @param {HTMLElement} button */
export async function copy(button) {
  const { copy, ask, textCopied = "Copied", textFailed = "Not copied" } = button.dataset;
  const before = button.textContent ?? "";
  if (button.dataset.busy !== undefined) return;
  button.dataset.busy = "";
  try {
    await navigator.clipboard.writeText(ask === undefined ? whole(copy ?? "") : await command(ask));
    button.textContent = textCopied;
  } catch (error) {
    console.warn("It could not be copied", error);
    button.textContent = textFailed;
  }
  setTimeout(() => {
    button.textContent = before;
    delete button.dataset.busy;
  }, STAY);
}

/** @param {string} text */
function whole(text) {
  if (text === "moment") return moment(location, document.getElementById("page")?.dataset ?? {});
  return text.startsWith("/") ? new URL(text, location.href).href : text;
}

/** @param {string} path */
async function command(path) {
  const url = new URL(path, location.href).href;
  const response = await fetch(url, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(`The run was answered with ${response.status}`);
  return curl(url, await response.text());
}
