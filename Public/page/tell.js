// Shows a browser notification when a run has ended, if requested by its button `[data-tell]`, which also asks for the
// permission. Loaded at the first click, and on a reload of a page with a request.

import { keep } from "../feed/claims.js";

const KEPT = "weir tell";

/** The runs with requested notifications, kept as long as the tab. */
export class Wishes {
  /** @param {Pick<Storage, "getItem"|"setItem"|"removeItem">} storage */
  constructor(storage) {
    this.storage = storage;
    this.runs = new Set((storage.getItem(KEPT) ?? "").split(" ").filter(Boolean));
  }

  /** @param {string} run */
  add(run) {
    this.runs.add(run);
    this.#save();
  }

  /** Removes a request; returns false if it did not exist. @param {string} run */
  delete(run) {
    const had = this.runs.delete(run);
    this.#save();
    return had;
  }

  #save() {
    if (this.runs.size > 0) this.storage.setItem(KEPT, [...this.runs].join(" "));
    else this.storage.removeItem(KEPT);
  }
}

/** @type {Wishes|undefined} */ let wishes;

/** Shows which runs have requests. A hidden page with requests is still followed. */
function show() {
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-tell]"))) {
    keep(button, "aria-pressed");
    button.setAttribute("aria-pressed", String(wishes?.runs.has(button.dataset.tell ?? "") ?? false));
  }
  document.documentElement.toggleAttribute("data-waits", (wishes?.runs.size ?? 0) > 0);
}

/** Restores earlier requests. */
export function listen() {
  if (!wishes) {
    wishes = new Wishes(sessionStorage);
    document.addEventListener("weir:ended", (event) => {
      const { id, words } = /** @type {CustomEvent} */ (event).detail;
      if (!wishes?.delete(id)) return;
      show();
      const notification = new Notification(words, { tag: id, icon: /** @type {HTMLLinkElement|null} */ (document.getElementById("favicon"))?.href });
      notification.addEventListener("click", () => {
        focus();
        notification.close();
      });
    });
  }
  show();
}

/** @param {HTMLElement} button */
export async function tell(button) {
  listen();
  const run = button.dataset.tell ?? "";
  if (!wishes?.delete(run)) {
    const permission = globalThis.Notification ? await Notification.requestPermission() : "denied";
    if (permission === "granted") wishes?.add(run);
    else button.textContent = button.dataset.textDenied ?? "";
  }
  show();
}
