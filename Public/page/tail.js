// A box of lines that grows at its end. A reader at the end stays at the end; one who reads further up is left alone, and
// a button says that there is more.

import { keep } from "../feed/claims.js";

/** This near to the end counts as at the end, in pixels. */
const NEAR = 32;

export class Tail {
  #atEnd = true;

  /** @param {HTMLElement} part the part of the page that has the box, `[data-tail]`, and the button, `[data-newest]` */
  constructor(part) {
    this.box = /** @type {HTMLElement|null} */ (part.querySelector("[data-tail]"));
    this.button = /** @type {HTMLElement|null} */ (part.querySelector("[data-newest]"));
    const { box, button } = this;
    if (!box) return;
    if (button) keep(button, "hidden");
    box.addEventListener("scroll", () => {
      this.#atEnd = box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR;
      if (button && this.#atEnd) button.hidden = true;
    }, { passive: true });
    button?.addEventListener("click", () => {
      this.#toEnd();
      box.focus({ preventScroll: true });
    });
    this.#toEnd();
  }

  /** The box has grown, or was made anew. */
  grown() {
    const { box, button } = this;
    if (!box) return;
    if (this.#atEnd) this.#toEnd();
    else if (button) button.hidden = false;
  }

  #toEnd() {
    const { box, button } = this;
    this.#atEnd = true;
    if (box) box.scrollTop = box.scrollHeight;
    if (button) button.hidden = true;
  }
}
