// A window on the lines of an output, which can be far longer than a page. Lines are requested at the end that the reader
// approaches, and removed at the other one; what is seen stays in place.

import { keep, release } from "../feed/claims.js";
import { parse } from "../feed/page.js";

/** The most lines in the document after a request. */
const MOST = 1_000;

/** The distance from an end of the window at which lines are requested, in pixels. */
const NEAR = 1_000;

export class Lines {
  /** Counts jumps, so that lines requested before one are dropped. */
  #jumps = 0;
  #isLoading = false;

  /**
   * @param {HTMLElement} part the part of the page with the output
   * @param {HTMLElement} box the box that scrolls
   * @param {HTMLElement} list the lines in it
   * @param {{say: (text: string) => void, changed: () => void}} tell receives a sentence for the reader, and that other lines are shown
   */
  constructor(part, box, list, tell) {
    this.part = part;
    this.box = box;
    this.list = list;
    this.tell = tell;
    box.addEventListener("scroll", () => this.look(), { passive: true });
  }

  /** The number of the first line here, or 0. */
  get first() {
    return numberOf(this.list.firstElementChild);
  }

  /** The number of the last line here, or 0. */
  get last() {
    return numberOf(this.list.lastElementChild);
  }

  /** The number of the last line of the output. */
  get head() {
    const count = /** @type {HTMLElement|null} */ (this.part.querySelector("[data-head]"));
    return Math.max(Number(count?.dataset.head ?? 0), this.last);
  }

  /** Whether the last line is here, so that the next one is appended. */
  get isAtHead() {
    return this.last >= this.head;
  }

  /** Keeps the lines that are read from being removed or replaced. @param {boolean} isRead */
  hold(isRead) {
    keep(this.list, "data-reading");
    this.list.toggleAttribute("data-reading", isRead);
    (isRead ? keep : release)(this.list, "#content");
  }

  /** Requests lines if an end of the window is near. */
  look() {
    const { scrollTop, scrollHeight, clientHeight } = this.box;
    if (this.#isLoading || !this.first) return;
    if (scrollTop < NEAR && this.first > 1) void this.#extend(`before=${this.first}`, true);
    else if (scrollHeight - scrollTop - clientHeight < NEAR && !this.isAtHead) void this.#extend(`after=${this.last}`, false);
  }

  /** Goes to a line, and marks it. @param {number} number @param {boolean} isAsked whether the page scrolls there @returns {Promise<boolean>} whether it was reached */
  async show(number, isAsked = true) {
    if (number < this.first || number > this.last) {
      if (!await this.#replace(`around=${number}`)) return false;
    }
    let line = document.getElementById(`line-${number}`);
    // The pieces of a long line are shown as its first one.
    while (line?.matches(".piece") && line.previousElementSibling) line = /** @type {HTMLElement} */ (line.previousElementSibling);
    for (const marked of this.list.querySelectorAll("[aria-current]")) marked.removeAttribute("aria-current");
    if (!line) return true;
    line.setAttribute("aria-current", "true");
    const [own, box] = [line.getBoundingClientRect(), this.box.getBoundingClientRect()];
    if (own.bottom > box.bottom || own.top < box.top) this.box.scrollTop += own.top - box.top - (box.height - own.height) / 2;
    if (isAsked) this.part.scrollIntoView({ block: "nearest" });
    this.look();
    return true;
  }

  /** Shows the last lines, also those that are printed meanwhile. @returns {Promise<boolean>} whether they were reached */
  async toEnd() {
    let isReached = this.isAtHead || await this.#replace(`before=${this.head + 1}`);
    const jump = this.#jumps;
    while (isReached && !this.isAtHead && jump === this.#jumps) isReached = await this.#extend(`after=${this.last}`, false);
    return isReached && jump === this.#jumps;
  }

  /** @param {string} query @returns {Promise<boolean>} */
  async #replace(query) {
    const jump = this.#jumps += 1;
    const lines = await this.#request(query);
    if (!lines || jump !== this.#jumps) return false;
    this.list.replaceChildren(...lines);
    this.tell.changed();
    return true;
  }

  /** @param {string} query @param {boolean} isBefore @returns {Promise<boolean>} */
  async #extend(query, isBefore) {
    const jump = this.#jumps;
    const end = isBefore ? this.first : this.last;
    this.#isLoading = true;
    const lines = await this.#request(query);
    this.#isLoading = false;
    if (!lines || jump !== this.#jumps || end !== (isBefore ? this.first : this.last)) return false;
    if (!lines.length) return false;
    this.#steadily(() => {
      if (isBefore) this.list.prepend(...lines);
      else this.list.append(...lines);
      while (this.list.childElementCount > MOST) (isBefore ? this.list.lastElementChild : this.list.firstElementChild)?.remove();
    });
    this.tell.changed();
    // The reader may have scrolled on, or all new lines are hidden.
    setTimeout(() => this.look());
    return true;
  }

  /** @param {string} query @returns {Promise<Element[]|null>} */
  async #request(query) {
    try {
      const answer = await ask(this.part, query);
      this.tell.say(answer.text ?? "");
      const count = /** @type {HTMLElement|null} */ (this.part.querySelector("[data-head]"));
      if (count && answer.head > Number(count.dataset.head)) count.dataset.head = String(answer.head);
      return [...parse(answer.html).children];
    } catch {
      this.tell.say(this.part.querySelector("[data-text-failed]")?.getAttribute("data-text-failed") ?? "");
      return null;
    }
  }

  /** Changes the lines around those that are seen, which stay in place. @param {() => void} change */
  #steadily(change) {
    const { top } = this.box.getBoundingClientRect();
    const seen = [...this.list.children].find((line) => line.getBoundingClientRect().bottom > top);
    const before = seen?.getBoundingClientRect().top ?? 0;
    change();
    if (seen?.isConnected) this.box.scrollTop += seen.getBoundingClientRect().top - before;
  }
}

/** Requests lines or matches of the output. @param {HTMLElement} part @param {string} query @returns {Promise<any>} */
export async function ask(part, query) {
  const response = await fetch(`${part.dataset.lines}?${query}`, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}

/** @param {Element|null} line */
function numberOf(line) {
  return Number(line?.getAttribute("value") ?? 0);
}
