// A box of lines that grows at its end. At the end, the view follows; further up it stays in place, and a button indicates
// new lines.

import { keep } from "../feed/claims.js";

/** The distance from the end that counts as at the end, in pixels. */
const NEAR = 32;

export class Tail {
  #atEnd = true;
  /** Whether the reader has chosen to stay in place, even at the end. */
  #isHeld = false;

  /**
   * @param {HTMLElement} part the part of the page that has the box, `[data-tail]`, and the button, `[data-newest]`
   * @param {(atEnd: boolean) => void} follows receives whether the end is followed
   * @param {boolean} atEnd the initial value
   * @param {() => boolean} isWhole whether the last line is in the box
   */
  constructor(part, follows = () => {}, atEnd = true, isWhole = () => true) {
    this.follows = follows;
    this.box = /** @type {HTMLElement|null} */ (part.querySelector("[data-tail]"));
    this.button = /** @type {HTMLElement|null} */ (part.querySelector("[data-newest]"));
    const { box, button } = this;
    if (!box) return;
    if (button) keep(button, "hidden");
    box.addEventListener("scroll", () => {
      const isNear = isWhole() && box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR;
      if (isNear && !this.#isHeld || !isNear && this.#atEnd) this.#stand(isNear);
      if (button && isNear) button.hidden = true;
    }, { passive: true });
    button?.addEventListener("click", () => {
      this.follow(true);
      box.focus({ preventScroll: true });
    });
    // Later, because the callback may need the tail.
    this.isWhole = isWhole;
    this.follow(atEnd);
  }

  /** The box has grown, or was replaced. */
  grown() {
    const { box, button } = this;
    if (!box) return;
    if (this.#atEnd) this.#toEnd();
    else if (button) button.hidden = this.isWhole() && box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR;
  }

  /** Follows the end, or stays in place, until the reader scrolls. @param {boolean} atEnd */
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
