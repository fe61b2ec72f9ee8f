// Forms that work without this module, better. `form[data-action]` is sent in the background, stays pending until the page
// shows what it caused, and tells mistakes beside their fields.

import { keep, release } from "../feed/claims.js";
import { takeBack, tell } from "./problem.js";
import { post, upload } from "./send.js";

/** How long a form waits for the page to show what it caused. */
const PATIENCE = 5_000;

/** @typedef {import("../feed/page.js").Page} Page */
/** @typedef {import("./send.js").Reply} Reply */

export class Forms {
  /** @type {Map<HTMLFormElement, AbortController>} */ #pending = new Map();
  /** Resending after a lost answer must not do a thing twice. @type {WeakMap<HTMLFormElement, string>} */ #attempts = new WeakMap();

  /**
   * @param {Page|null} page the live part of the document, if there is one
   * @param {string} unreachable what to say when there was no answer
   */
  constructor(page, unreachable) {
    this.page = page;
    this.unreachable = unreachable;
  }

  listen() {
    document.addEventListener("submit", (event) => {
      const form = /** @type {HTMLFormElement} */ (event.target);
      if (!form.matches("form[data-action]") || event.defaultPrevented) return;
      event.preventDefault();
      if (!this.#pending.has(form)) void this.#submit(form, event.submitter);
    });
    document.addEventListener("click", (event) => {
      const form = /** @type {Element} */ (event.target).closest("[data-abort]")?.closest("form");
      if (form) this.#pending.get(form)?.abort();
    });
    document.addEventListener("input", (event) => {
      const field = /** @type {HTMLInputElement} */ (event.target);
      if (!field.form?.matches("form[data-action]")) return;
      this.#attempts.delete(field.form);
      takeBack(field.form, field);
    });
    addEventListener("pageshow", (event) => {
      if (event.persisted) for (const form of this.#pending.keys()) this.#settle(form);
    });
    addEventListener("beforeunload", (event) => {
      if ([...this.#pending.keys()].some((form) => form.hasAttribute("data-uploading"))) event.preventDefault();
    });
  }

  /** @param {HTMLFormElement} form @param {HTMLElement|null} submitter */
  async #submit(form, submitter) {
    takeBack(form);
    const data = new FormData(form, submitter);
    const abort = this.#begin(form);
    const reply = await this.#send(form, submitter, data, abort.signal);
    this.page?.release(form);
    if (reply && reply.status > 0) this.#attempts.delete(form);
    if (reply && await this.#succeeded(form, reply)) return;
    this.#settle(form);
    if (!reply || isDone(reply)) return;
    tell(form, reply.body?.title || reply.body?.detail ? reply.body : { title: this.unreachable });
  }

  /** @param {HTMLFormElement} form @param {Reply} reply @returns {Promise<boolean>} whether we leave the page */
  async #succeeded(form, reply) {
    if (!isDone(reply)) return false;
    const { cursor, location } = reply.body ?? {};
    const target = location ?? (reply.redirected ? reply.url : "");
    if (reply.body === null || form.hasAttribute("data-follow") || !this.page?.links) {
      window.location.assign(target || window.location.href);
      return true;
    }
    if (typeof cursor === "string") await this.#shown(cursor);
    if (form.isConnected) form.reset();
    return false;
  }

  /** @param {string} cursor */
  #shown(cursor) {
    const dot = cursor.lastIndexOf(".");
    const reached = this.page?.reached({ e: cursor.slice(0, dot), n: Number(cursor.slice(dot + 1)) });
    return Promise.race([reached, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  }

  /** @param {HTMLFormElement} form @param {HTMLElement|null} submitter @param {FormData} data @param {AbortSignal} signal */
  #send(form, submitter, data, signal) {
    const key = this.#attempts.get(form) ?? Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join("-");
    this.#attempts.set(form, key);
    const headers = { Accept: "application/json", "Idempotency-Key": key };
    const action = submitter?.getAttribute("formaction") ?? form.getAttribute("action") ?? "";
    const url = new URL(action, document.baseURI).href;
    if (form.enctype !== "multipart/form-data") return post(url, data, headers);
    form.setAttribute("data-uploading", "");
    keep(form, "data-uploading");
    const gauge = /** @type {HTMLProgressElement|null} */ (form.querySelector("progress[data-upload]"));
    const button = /** @type {HTMLElement|null} */ (form.querySelector("[data-abort]"));
    for (const shown of [gauge, button]) {
      if (!shown) continue;
      keep(shown, "hidden", "value", "max");
      shown.hidden = false;
    }
    return upload(url, data, headers, (sent, total) => {
      if (gauge && total > 0) [gauge.max, gauge.value] = [total, sent];
    }, signal);
  }

  /** @param {HTMLFormElement} form */
  #begin(form) {
    const abort = new AbortController();
    this.#pending.set(form, abort);
    this.page?.hold(form);
    form.setAttribute("aria-busy", "true");
    keep(form, "aria-busy");
    for (const button of submits(form)) {
      button.setAttribute("aria-disabled", "true");
      keep(button, "aria-disabled");
    }
    return abort;
  }

  /** @param {HTMLFormElement} form */
  #settle(form) {
    this.#pending.delete(form);
    form.removeAttribute("aria-busy");
    form.removeAttribute("data-uploading");
    release(form, "aria-busy", "data-uploading");
    for (const button of submits(form)) {
      button.removeAttribute("aria-disabled");
      release(button, "aria-disabled");
    }
    for (const shown of form.querySelectorAll("progress[data-upload], [data-abort]")) {
      /** @type {HTMLElement} */ (shown).hidden = true;
      release(shown, "hidden", "value", "max");
    }
  }
}

/** @param {Reply} reply */
function isDone({ status }) {
  return status >= 200 && status < 300;
}

/** @param {HTMLFormElement} form */
function submits(form) {
  return [...form.elements].filter((element) => element.matches("button:not([type=button], [type=reset], [data-abort]), input[type=submit]"));
}
