// Sends one file by the tus protocol, version 1.0: after a lost connection, a restart of the server or a reload of the page
// it resumes where it stopped. Loaded when a file is sent.

import { answerOf } from "./forms.js";

const KEPT = "weir upload ";
/** The first and the maximum wait before a retry, in milliseconds. */
const [SOON, LATE] = [500, 8_000];
/** The time without progress after which an attempt is aborted, in milliseconds: a lost network is often not reported. */
const STALL = 30_000;

/** @typedef {import("./forms.js").Reply} Reply */
/** @typedef {{at: string, name: string, size: number}} Kept an unfinished upload */
/**
 * @typedef {object} Progress
 * @property {(sent: number) => void} sent receives the number of bytes sent
 * @property {() => void} waiting called while there is no connection
 */

/** The key that identifies a file after a reload. @param {string} url @param {File} file */
const nameOf = (url, file) => `${KEPT}${url} ${file.size} ${file.lastModified} ${file.name}`;

/** The unfinished uploads that this browser has stored. @param {string} url @returns {[string, Kept][]} */
export function unfinished(url) {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(`${KEPT}${url} `));
  return names.map((name) => [name, JSON.parse(localStorage.getItem(name) ?? "null")]);
}

/** Discards an unfinished upload. @param {string} name @param {string} at */
export function forget(name, at) {
  localStorage.removeItem(name);
  return request("DELETE", at, {}).sent;
}

/** The upload's metadata: the file, and the fields beside it. @param {Iterable<[string, FormDataEntryValue]>} data */
export function metadata(data) {
  const pairs = [...data].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [["filename", value.name], ["filetype", value.type]]));
  /** A key occurs once: several choices are separated by commas. @type {Map<string, string>} */
  const values = new Map();
  for (const [name, value] of pairs) values.set(name, values.has(name) ? `${values.get(name)},${value}` : value);
  return [...values].filter(([, value]) => value).map(([name, value]) => `${name} ${btoa(String.fromCharCode(...new TextEncoder().encode(value)))}`).join(",");
}

/**
 * Sends a file, resuming it after each interruption.
 * @param {string} url the operation's uploads @param {FormData} data with one file @param {File} file
 * @param {Record<string, string>} headers @param {AbortSignal} signal stops it @param {Progress} progress
 * @returns {Promise<Reply|null>} null if stopped; status 0 and `gone` if the file is no longer readable
 */
export async function resume(url, data, file, headers, signal, progress) {
  const name = nameOf(url, file);
  /** @type {Kept|null} */ const kept = JSON.parse(localStorage.getItem(name) ?? "null");
  let at = kept?.at ?? "";
  let isOurs = false;
  let isWhole = false;
  let wait = SOON;
  let reply = { status: 201, url, redirected: false, body: /** @type {any} */ ({}) };
  /** @type {XMLHttpRequest|undefined} */ let current;
  signal.addEventListener("abort", () => current?.abort());
  while (!signal.aborted) {
    let offset = 0;
    let status = 0;
    if (at) {
      const asked = await request("HEAD", at, {}).sent;
      status = asked.status;
      offset = Number(asked.getResponseHeader("Upload-Offset"));
      if (status === 404 || status === 410) {
        localStorage.removeItem(name);
        // Its run has ended, which the page shows; an upload of an earlier visit starts again.
        if (isOurs) return isWhole ? reply : null;
        at = "";
      }
    }
    if (!at) {
      const begun = await request("POST", url, { ...headers, "Upload-Length": String(file.size), "Upload-Metadata": metadata(data) }).sent;
      reply = answerOf(begun, url);
      if (begun.status !== 201) return reply;
      reply.body ??= {};
      if (!file.size) return reply;
      at = begun.getResponseHeader("Location") ?? "";
      [offset, status] = [Number(begun.getResponseHeader("Upload-Offset")), 200];
      localStorage.setItem(name, JSON.stringify({ at, name: file.name, size: file.size }));
    }
    if (signal.aborted) break;
    if (status === 200) {
      isOurs = true;
      const { to, sent } = request("PATCH", at, { "Content-Type": "application/offset+octet-stream", "Upload-Offset": String(offset) }, file.slice(offset), (loaded) => {
        wait = SOON;
        isWhole = offset + loaded === file.size;
        progress.sent(offset + loaded);
      });
      current = to;
      status = (await sent).status;
      if (status === 204) {
        localStorage.removeItem(name);
        return reply;
      }
      if (status >= 400 && status < 500 && ![404, 408, 409, 410, 423, 429].includes(status)) return answerOf(to, url);
    } else if (status >= 400 && status < 500) return { ...reply, status };
    if (!await isReadable(file)) return { status: 0, url: "gone", redirected: false, body: null };
    progress.waiting();
    if (signal.aborted) break;
    await new Promise((resolve) => {
      for (const [target, event] of /** @type {[EventTarget, string][]} */ ([[globalThis, "online"], [signal, "abort"]])) target.addEventListener(event, resolve, { once: true });
      setTimeout(resolve, wait);
    });
    wait = Math.min(LATE, wait * 2);
  }
  if (at) await forget(name, at);
  return null;
}

/** @param {File} file */
function isReadable(file) {
  return file.slice(0, 1).arrayBuffer().then(() => true, () => false);
}

/**
 * @param {string} method @param {string} url @param {Record<string, string>} headers @param {Blob|null} [body]
 * @param {(loaded: number) => void} [onProgress]
 * @returns {{to: XMLHttpRequest, sent: Promise<XMLHttpRequest>}} an aborted one has no status
 */
function request(method, url, headers, body = null, onProgress) {
  const to = new XMLHttpRequest();
  const stall = () => setTimeout(() => to.abort(), STALL);
  let patience = stall();
  const sent = new Promise((/** @type {(to: XMLHttpRequest) => void} */ resolve) => {
    to.onloadend = () => {
      clearTimeout(patience);
      resolve(to);
    };
    if (onProgress) to.upload.onprogress = ({ loaded }) => {
      clearTimeout(patience);
      patience = stall();
      onProgress(loaded);
    };
    to.open(method, url);
    for (const [name, value] of Object.entries({ Accept: "application/json", "Tus-Resumable": "1.0.0", ...headers })) to.setRequestHeader(name, value);
    to.send(body);
  });
  return { to, sent };
}
