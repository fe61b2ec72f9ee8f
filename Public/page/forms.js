// Enhances forms that also work without this module. `form[data-action]` is sent in the background, stays pending until the
// page shows the result, and shows errors beside their fields. Text typed into a `form[data-remember]` stays in it, and is
// restored on the next visit. Loaded when a form is first used, or has something to restore.

import { keep, release } from "../feed/claims.js";
import { named, takeBack, tell } from "./problem.js";
import { recall, remember } from "./memory.js";

/** How long a form waits for the page to show the result, in milliseconds. */
const PATIENCE = 5_000;

/** The elements shown during an upload. */
const UPLOADING = "progress[data-upload], [data-upload-text], [data-abort]";

/** @typedef {import("../feed/page.js").Page} Page */
/** @typedef {{status: number, url: string, redirected: boolean, body: any}} Reply `status` 0: no response */

export class Forms {
  /** The pending forms, with the controllers that stop uploads. @type {Map<HTMLFormElement, AbortController|null>} */ #pending = new Map();
  /** Keys that make resending after a lost response idempotent. @type {WeakMap<HTMLFormElement, string>} */ #attempts = new WeakMap();

  /**
   * @param {Page|null} page the live part of the document, if there is one
   * @param {string} unreachable the error text without a response
   */
  constructor(page, unreachable) {
    this.page = page;
    this.unreachable = unreachable;
  }

  listen() {
    document.addEventListener("click", (event) => {
      const form = /** @type {Element} */ (event.target).closest("[data-abort]")?.closest("form");
      if (form) this.#pending.get(form)?.abort();
    });
    document.addEventListener("input", (event) => {
      const field = /** @type {HTMLInputElement} */ (event.target);
      if (!field.form?.matches("[data-action]")) return;
      arrange(field.form);
      this.#attempts.delete(field.form);
      takeBack(field.form, field);
    });
    for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-remember=recall]"))) recall(form);
    for (const form of document.forms) arrange(form);
    // Snapshots lack the preset, or the run, with which a form begins, and the links to a person's presets.
    for (const own of document.querySelectorAll("[data-remember=keep], [data-own]")) keep(own, "#self", "#content", "data-remember");
    addEventListener("pageshow", (event) => {
      if (event.persisted) for (const form of this.#pending.keys()) this.#settle(form);
    });
    addEventListener("beforeunload", (event) => {
      if ([...this.#pending.values()].some(Boolean)) event.preventDefault();
    });
  }

  /** Sends a form, unless it is pending. @param {HTMLFormElement} form @param {HTMLElement|null} submitter */
  async submit(form, submitter) {
    if (this.#pending.has(form)) return;
    takeBack(form);
    const data = new FormData(form, submitter);
    this.#begin(form);
    const reply = await this.#send(form, submitter, data);
    this.#pending.set(form, null);
    this.page?.release(form);
    // A request that failed on the server or a proxy may have taken effect: sent again, it has the same key.
    if (reply && reply.status > 0 && reply.status < 500) this.#attempts.delete(form);
    if (reply && await this.#succeeded(form, reply)) return;
    this.#settle(form);
    if (!reply || isDone(reply)) return;
    tell(form, reply.body?.title || reply.body?.detail ? reply.body : { title: this.unreachable });
  }

  /** @param {HTMLFormElement} form @param {Reply} reply @returns {Promise<boolean>} whether we leave the page */
  async #succeeded(form, reply) {
    if (!isDone(reply)) return false;
    const remembers = form.hasAttribute("data-remember");
    if (remembers) remember(form);
    const { cursor, location } = reply.body ?? {};
    const target = location ?? (reply.redirected ? reply.url : "");
    // In one column, the run would appear off the screen.
    const follows = form.hasAttribute("data-follow") || (form.matches("#start form") && matchMedia("(max-width: 800px)").matches);
    if (reply.body === null || follows || !this.page?.links) {
      window.location.assign(target || window.location.href);
      return true;
    }
    if (!remembers) form.reset();
    if (typeof cursor === "string") await this.#shown(cursor);
    return false;
  }

  /** @param {string} cursor */
  #shown(cursor) {
    const dot = cursor.lastIndexOf(".");
    const reached = this.page?.reached({ e: cursor.slice(0, dot), n: Number(cursor.slice(dot + 1)) });
    return Promise.race([reached, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  }

  /** @param {HTMLFormElement} form @param {HTMLElement|null} submitter @param {FormData} data */
  async #send(form, submitter, data) {
    const key = this.#attempts.get(form) ?? [Date.now(), Math.random(), Math.random()].map((part) => part.toString(36)).join("-");
    this.#attempts.set(form, key);
    const headers = { Accept: "application/json", "Idempotency-Key": key };
    const action = submitter?.getAttribute("formaction") ?? form.getAttribute("action") ?? "";
    const url = new URL(action, document.baseURI).href;
    if (form.enctype !== "multipart/form-data") return post(url, data, headers);
    // An interrupted request cannot be resumed: each attempt with a file is a new one.
    this.#attempts.delete(form);
    const stop = new AbortController();
    this.#pending.set(form, stop);
    for (const shown of form.querySelectorAll(UPLOADING)) /** @type {HTMLElement} */ (shown).hidden = false;
    const { upload } = await import("./upload.js");
    return upload(form, url, data, headers, stop.signal);
  }

  /** @param {HTMLFormElement} form */
  #begin(form) {
    this.#pending.set(form, null);
    this.page?.hold(form);
    form.setAttribute("aria-busy", "true");
    keep(form, "aria-busy");
    for (const button of submits(form)) {
      button.setAttribute("aria-disabled", "true");
      keep(button, "aria-disabled");
    }
  }

  /** @param {HTMLFormElement} form */
  #settle(form) {
    this.#pending.delete(form);
    form.removeAttribute("aria-busy");
    release(form, "aria-busy");
    for (const button of submits(form)) {
      button.removeAttribute("aria-disabled");
      release(button, "aria-disabled");
    }
    for (const shown of form.querySelectorAll(UPLOADING)) /** @type {HTMLElement} */ (shown).hidden = true;
  }
}

/** @param {Reply} reply */
function isDone({ status }) {
  return status >= 200 && status < 300;
}

/**
 * Offers the values of a choice that are valid beside the values chosen elsewhere in the form.
 * @param {HTMLFormElement} form
 */
export function arrange(form) {
  for (const group of /** @type {NodeListOf<HTMLOptGroupElement>} */ (form.querySelectorAll("optgroup[data-beside]"))) {
    const fits = [...new URLSearchParams(group.dataset.beside)].every(([field, value]) => named(form, field)?.value === value);
    group.hidden = group.disabled = !fits;
    const select = group.closest("select");
    if (!fits && select && group.contains(select.selectedOptions[0] ?? null)) select.value = "";
  }
}

/** @param {HTMLFormElement} form */
function submits(form) {
  return [...form.elements].filter((element) => element.matches("button:not([type=button], [type=reset], [data-abort]), input[type=submit]"));
}

/** @type {Reply} */
const NOTHING = { status: 0, url: "", redirected: false, body: null };

/**
 * Posts fields.
 * @param {string} url @param {FormData} data @param {Record<string, string>} headers
 * @returns {Promise<Reply>}
 */
async function post(url, data, headers) {
  const body = new URLSearchParams();
  for (const [name, value] of data) if (typeof value === "string") body.append(name, value);
  try {
    const response = await fetch(url, { method: "POST", body, headers });
    return { status: response.status, url: response.url, redirected: response.redirected, body: json(await response.text()) };
  } catch (error) {
    console.warn("The form could not be sent", error);
    return NOTHING;
  }
}

/** The response to a request. @param {XMLHttpRequest} request @param {string} url @returns {Reply} */
export function answerOf(request, url) {
  const { status, responseURL } = request;
  return { status, url: responseURL, redirected: status > 0 && responseURL !== url, body: json(request.responseText) };
}

/** @param {string} text */
function json(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
