// A box of lines that grows at its end. A reader at the end stays at the end; one who reads further up is left alone, and
// a button says that there is more.

import { keep } from "../feed/claims.js";

/** This near to the end counts as at the end, in pixels. */
const NEAR = 32;

export class Tail {
  #atEnd = true;
  /** Whether the reader has asked to stay where they are, even at the end. */
  #isHeld = false;

  /**
   * @param {HTMLElement} part the part of the page that has the box, `[data-tail]`, and the button, `[data-newest]`
   * @param {(atEnd: boolean) => void} follows told whether the end is followed
   * @param {boolean} atEnd whether it is from the beginning
   */
  constructor(part, follows = () => {}, atEnd = true) {
    this.follows = follows;
    this.box = /** @type {HTMLElement|null} */ (part.querySelector("[data-tail]"));
    this.button = /** @type {HTMLElement|null} */ (part.querySelector("[data-newest]"));
    const { box, button } = this;
    if (!box) return;
    if (button) keep(button, "hidden");
    box.addEventListener("scroll", () => {
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR;
      if (isNear && !this.#isHeld || !isNear && this.#atEnd) this.#stand(isNear);
      if (button && isNear) button.hidden = true;
    }, { passive: true });
    button?.addEventListener("click", () => {
      this.follow(true);
      box.focus({ preventScroll: true });
    });
    this.follow(atEnd);
  }

  /** The box has grown, or was made anew. */
  grown() {
    const { box, button } = this;
    if (!box) return;
    if (this.#atEnd) this.#toEnd();
    else if (button) button.hidden = false;
  }

  /** Follows the end, or stays where it is, until the reader scrolls. @param {boolean} atEnd */
  follow(atEnd) {
    this.#isHeld = !atEnd;
    this.#stand(atEnd);
    if (atEnd) this.#toEnd();
  }

  /** @param {boolean} atEnd */
  #stand(atEnd) {
    this.#atEnd = atEnd;
    this.follows(atEnd);
  }

  #toEnd() {
    const { box, button } = this;
    if (box) box.scrollTop = box.scrollHeight;
    if (button) button.hidden = true;
  }
}
