// Sends a form with a file, and shows the progress: percentage, rate and remaining time, from the first byte. Loaded when a
// form has a file.

import { answerOf } from "./forms.js";
import { duration } from "./times.js";

/** The window of the rate, in milliseconds. */
const WINDOW = 5_000;
/** The minimum time for a meaningful rate, in milliseconds. */
const LEAST = 500;
/** The number of sent bytes after which the request has begun to arrive. */
const SOME = 262_144;
const SIZES = ["B", "kB", "MB", "GB", "TB"];

/** @typedef {import("./forms.js").Reply} Reply */

/** A number of bytes in the server's format. @param {number} count @param {string} [language] */
export function bytes(count, language) {
  let unit = 0;
  for (; count >= 999.5 && unit < SIZES.length - 1; unit += 1) count /= 1_000;
  const digits = unit && count < 99.95 ? 1 : 0;
  const number = new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${number.format(count)}\u00a0${SIZES[unit]}`;
}

/** The rate over the last seconds: pure. */
export class Rate {
  /** @type {{at: number, count: number}[]} */ #seen = [];

  /** @param {number} count the completed amount @param {number} at the time @returns {number|null} the amount per second, or null while unknown */
  add(count, at) {
    this.#seen.push({ at, count });
    while (this.#seen.length > 2 && at - this.#seen[1].at >= WINDOW) this.#seen.shift();
    const [first] = this.#seen;
    return at - first.at < LEAST ? null : (count - first.count) / ((at - first.at) / 1_000);
  }
}

/**
 * The text about an upload in progress.
 * @param {number} sent @param {number} total @param {number|null} rate bytes a second @param {DOMStringMap} words @param {string} [language]
 */
export function words(sent, total, rate, { textOf = "{sent} of {total}", textRate = "{rate}/s", textLeft = "{time} left" }, language) {
  const said = [`${Math.floor((sent / total) * 100)}\u00a0%`,
    textOf.replace("{sent}", bytes(sent, language)).replace("{total}", bytes(total, language))];
  if (rate !== null) said.push(textRate.replace("{rate}", bytes(rate, language)));
  if (rate && sent < total) said.push(textLeft.replace("{time}", duration(Math.ceil((total - sent) / rate) * 1_000)));
  return said.join(" \u00b7 ");
}

/**
 * Posts fields and files.
 * @param {HTMLFormElement} form @param {string} url @param {FormData} data @param {Record<string, string>} headers
 * @param {AbortSignal} signal stops it, at any time
 * @returns {Promise<Reply|null>} null if stopped
 */
export async function upload(form, url, data, headers, signal) {
  const { sendAll, uploadsOf } = await import("./queue.js");
  // Without a file the form is sent as it is, and the server reports the missing file.
  const uploads = [...data.values()].some((value) => value instanceof File && value.name) ? uploadsOf(form, url) : null;
  const gauge = /** @type {HTMLProgressElement|null} */ (form.querySelector("progress[data-upload]"));
  const line = /** @type {HTMLElement|null} */ (form.querySelector("[data-upload-text]"));
  let rate = new Rate();
  let before = 0;
  /** @param {number} sent @param {number} total */
  const shown = (sent, total) => {
    // The next file, or a resumed one, has its own rate.
    if (sent < before) rate = new Rate();
    before = sent;
    if (gauge) [gauge.max, gauge.value] = [total, sent];
    if (line) line.textContent = words(sent, total, rate.add(sent, performance.now()), line.dataset, document.documentElement.lang);
  };
  if (uploads) {
    const waiting = () => {
      if (line) line.textContent = line.dataset.textWaiting ?? "";
      before = Infinity;
    };
    return sendAll(form, uploads, data, headers, signal, { sent: shown, waiting });
  }
  if (signal.aborted) return null;
  const files = [...data.values()].filter((value) => value instanceof File);
  const size = files.length === 1 ? String(files[0].size) : null;
  const known = new Set(runs());
  const request = new XMLHttpRequest();
  const open = (/** @type {XMLHttpRequest} */ to) => {
    to.open("POST", url);
    for (const [name, value] of Object.entries(headers)) to.setRequestHeader(name, value);
    if (size) to.setRequestHeader("Upload-Length", size);
  };
  let arrived = 0;
  document.addEventListener("weir:painted", look);
  return new Promise((/** @type {(reply: Reply|null) => void} */ resolve) => {
    request.upload.onprogress = ({ loaded, total }) => {
      arrived = loaded;
      if (total > 0) shown(loaded, total);
    };
    request.onload = () => resolve(answerOf(request, url));
    // An ended run accepts no more of its file. The page shows the reason, so the missing response is not reported.
    request.onerror = request.ontimeout = () => setTimeout(() => resolve(runs().some((id) => !known.has(id) && hasEnded(id)) ? null : answerOf(request, url)), 300);
    request.onabort = () => resolve(null);
    signal.addEventListener("abort", () => void stop());
    open(request);
    request.send(data);
  }).finally(() => document.removeEventListener("weir:painted", look));

  /** The URL of the started run, which the key identifies regardless of the file. @returns {Promise<string|undefined>} */
  async function own() {
    const empty = new FormData();
    for (const [name, value] of data) empty.append(name, value instanceof File ? new File([], value.name, { type: value.type }) : value);
    return (await send(empty, open, url)).body?.location;
  }

  /** A cancelled run accepts no more of its file, so the upload stops. */
  async function look() {
    if (arrived < SOME) return;
    const ended = runs().filter((id) => !known.has(id) && hasEnded(id));
    for (const id of ended) known.add(id);
    if (ended.length && ended.includes(`run-${(await own())?.split("/").at(-1)}`)) request.abort();
  }

  /** Cancels the run before its file is cut off, so that it does not end as an error. */
  async function stop() {
    const place = await own();
    if (place) await send(new FormData(), (to) => { to.open("POST", `${place}/cancellation`); to.setRequestHeader("Accept", "application/json"); }, url);
    request.abort();
  }
}

/** @param {FormData} data @param {(to: XMLHttpRequest) => void} open @param {string} url @returns {Promise<Reply>} */
function send(data, open, url) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.onloadend = () => resolve(answerOf(request, url));
    request.timeout = 5_000;
    open(request);
    request.send(data);
  });
}

/** The runs that the page shows. */
function runs() {
  return [...document.querySelectorAll("section.run[id]")].map(({ id }) => id);
}

/** @param {string} id a run's */
function hasEnded(id) {
  return !document.getElementById(id)?.matches(".active, .idle");
}
