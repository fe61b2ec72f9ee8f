// Short messages over the page, in the live region `#toasts`. Each disappears after a while without interaction.

/** How long a message stays, in milliseconds. */
const STAY = 20_000;
const MOST = 5;
const KEPT = "weir toasts";

/** @typedef {{text: string, path?: string, name?: string}} Toast `name`: the file's, where the path leads to a download */

export class Toasts {
  /** @type {Map<Element, Toast>} */ #shown = new Map();

  /** @param {HTMLElement} region */
  constructor(region) {
    this.region = region;
  }

  /** @param {Toast} toast */
  show(toast) {
    const box = document.createElement("div");
    box.className = "toast";
    const words = document.createElement(toast.path ? "a" : "p");
    words.textContent = toast.text;
    if (words instanceof HTMLAnchorElement) {
      words.href = toast.path ?? "";
      if (toast.name) words.download = toast.name;
    }
    const close = document.createElement("button");
    close.type = "button";
    close.className = "quiet";
    close.textContent = "\u2715";
    close.setAttribute("aria-label", this.region.dataset.textClose ?? "Close");
    close.onclick = () => this.#take(box);
    box.append(words, close);
    this.#shown.set(box, toast);
    this.region.append(box);
    while (this.region.childElementCount > MOST) this.#take(/** @type {Element} */ (this.region.firstElementChild));
    const timer = setInterval(() => {
      if (box.matches(":hover, :focus-within")) return;
      clearInterval(timer);
      this.#take(box);
    }, STAY);
  }

  /** The page is about to be left: stores the shown messages for the next one. */
  keep() {
    sessionStorage.setItem(KEPT, JSON.stringify([...this.#shown.values()]));
  }

  /** Shows the messages stored by the previous page. */
  recall() {
    const kept = sessionStorage.getItem(KEPT);
    sessionStorage.removeItem(KEPT);
    for (const toast of kept ? JSON.parse(kept) : []) this.show(toast);
  }

  /** @param {Element} box */
  #take(box) {
    this.#shown.delete(box);
    box.remove();
  }
}
