// Tells by a notification of the browser that a run has ended, for those who asked for it by its button `[data-tell]`. The
// permission is asked for only then. Loaded at the first click, and where a page is loaded anew for which it was asked.

import { keep } from "../feed/claims.js";

const KEPT = "weir tell";

/** The runs whose end is waited for, kept while the tab is. */
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

  /** Takes one back; false when there was none. @param {string} run */
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

/** Shows which runs are waited for. A hidden page is followed as long as it waits. */
function show() {
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-tell]"))) {
    keep(button, "aria-pressed");
    button.setAttribute("aria-pressed", String(wishes?.runs.has(button.dataset.tell ?? "") ?? false));
  }
  document.documentElement.toggleAttribute("data-waits", (wishes?.runs.size ?? 0) > 0);
}

/** Goes on with what was asked for before. */
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
