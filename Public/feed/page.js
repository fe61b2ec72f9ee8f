// The part of the document that follows a feed. Its cursor is stored in attributes. Each change is applied as a whole: all
// markup is parsed, then all operations are applied, then the cursor moves.

import { Claims } from "./claims.js";
import { assign, morph, text } from "./morph.js";

/** @typedef {import("./session.js").Cursor} Cursor */
/** @typedef {import("./session.js").Operation} Operation */

/** The only conversion of text to markup: a Trusted Types policy named `weir`, and a template, in which nothing runs. */
const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("weir", { createHTML: (/** @type {string} */ html) => html })
  ?? { createHTML: (html) => html };

/** The operations that contain markup. */
const MARKUP = new Set(["m", "a", "p", "b"]);

/** The multiple of its limit up to which a list grows while the reader is further down. */
const PATIENCE = 10;

/** An answer whose markup violates the protocol. */
class Malformed extends Error {}

/** The page lacks an element that an operation addresses. */
export class Missing extends Error {}

export class Page {
  /** @type {{cursor: Cursor, reached: () => void}[]} */ #waiting = [];
  /** @type {Map<Element, (() => void)[]>} */ #busy = new Map();
  /** The content of the elements above the page. @type {Map<string, string>} */ #above = new Map();
  #claims = new Claims(
    (form, fresh) => this.#defer(form, () => { morph(form, fresh, this.#claims); }),
    (part) => part !== this.element && part.hasAttribute("data-feed"),
  );

  /** @param {HTMLElement} element the page's `<main id="page">`, or a part of it that follows a feed of its own */
  constructor(element) {
    this.element = element;
  }

  /** The painted cursor. @returns {Cursor} */
  get cursor() {
    return { e: this.element.dataset.epoch ?? "", n: Number(this.element.dataset.sequence) };
  }

  /** The URLs to request, or null if the page is not live. */
  get links() {
    const { next, now, snap } = this.element.dataset;
    return next && now && snap ? { next, now, snap } : null;
  }

  /** @param {import("./session.js").Change} change */
  apply([sequence, , , operations]) {
    // A change without patches, such as progress, concerns no list.
    if (operations.length && !this.#isStale()) {
      const steps = operations.map((operation) => this.#prepare(operation));
      keepingFocus(() => { for (const step of steps) step(); });
    }
    this.element.dataset.sequence = String(sequence);
    this.#arrived();
  }

  /** @param {string} html the whole page element of a snapshot */
  show(html) {
    const fresh = parse(html);
    if (fresh.id !== this.element.id) throw new Malformed("A snapshot is the page's own element");
    if (fresh.querySelector("[data-filtered]") || !this.#isStale()) keepingFocus(() => { morph(this.element, fresh, this.#claims); });
    else Object.assign(this.element.dataset, /** @type {HTMLElement} */ (fresh).dataset);
    this.#arrived();
  }

  /** Whether the page is a filtered list, which is requested again after a change. */
  #isStale() {
    return this.element.querySelector("[data-filtered]")?.dispatchEvent(new CustomEvent("weir:stale", { bubbles: true })) ?? false;
  }

  /** Removes the content, which must no longer be shown. @param {string} [why] its replacement, for a whole page */
  blank(why) {
    this.element.replaceChildren();
    if (!why) return;
    document.title = "Weir";
    for (const id of ["notice", "viewers"]) this.above(id, "");
    document.getElementById("toasts")?.replaceChildren();
    const again = document.createElement("a");
    again.href = location.href;
    again.textContent = why;
    this.element.append(again);
  }

  /** Sets an element above the page, unless it is unchanged. @param {string} id of its place @param {string} html one element, or nothing */
  above(id, html) {
    const place = document.getElementById(id);
    if (!place || html === (this.#above.get(id) ?? place.innerHTML.trim())) return;
    this.#above.set(id, html);
    place.replaceChildren(...(html ? [parse(html)] : []));
  }

  /** Resolves when the page has painted a cursor, or has changed to another epoch. @param {Cursor} cursor */
  reached(cursor) {
    if (this.#has(cursor)) return Promise.resolve();
    return new Promise((resolve) => { this.#waiting.push({ cursor, reached: () => resolve(undefined) }); });
  }

  /** Defers patches of this form until it is released. @param {Element} form */
  hold(form) {
    if (!this.#busy.has(form)) this.#busy.set(form, []);
  }

  /** @param {Element} form */
  release(form) {
    const late = this.#busy.get(form) ?? [];
    this.#busy.delete(form);
    if (form.isConnected) keepingFocus(() => { for (const step of late) step(); });
  }

  /** @param {Cursor} cursor */
  #has(cursor) {
    return this.cursor.e !== cursor.e || this.cursor.n >= cursor.n;
  }

  #arrived() {
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ cursor }) => !this.#has(cursor));
    for (const { cursor, reached } of waiting) if (this.#has(cursor)) reached();
  }

  /** @param {Element} form @param {() => void} step */
  #defer(form, step) {
    const late = this.#busy.get(form);
    late?.push(step);
    return late !== undefined;
  }

  /** @param {Operation} operation @returns {() => void} */
  #prepare([name, id, content = "", optional = 0]) {
    const fresh = MARKUP.has(name) ? parse(content) : null;
    if (fresh && (name === "m" ? fresh.id !== id : !fresh.id)) throw new Malformed(`The markup for ${id} has another id`);
    const read = () => name === "p" ? placeIn(document.getElementById(id)) : null;
    // Before any change, while reading the layout is cheap.
    const place = read();
    return () => {
      const target = document.getElementById(id);
      if (!target) {
        if (name === "r" || optional) return;
        throw new Missing(`The page has no element ${id}`);
      }
      const form = target.closest("form");
      const late = () => this.#operate(name, target, fresh, content, read());
      if (!form || (form === target && name === "m") || !this.#defer(form, late)) this.#operate(name, target, fresh, content, place);
    };
  }

  /** @param {string} name @param {Element} target @param {Element|null} fresh @param {any} content @param {Place|null} place */
  #operate(name, target, fresh, content, place) {
    switch (name) {
      case "m": return void morph(target, /** @type {Element} */ (fresh), this.#claims);
      case "a": return this.#insert(target, /** @type {Element} */ (fresh), null);
      case "p": return steadily(target, place, (isRead) => this.#insert(target, /** @type {Element} */ (fresh), target.firstChild, isRead));
      case "b": return void (target.parentElement && this.#insert(target.parentElement, /** @type {Element} */ (fresh), target));
      case "r": return target.remove();
      case "s": return assign(target, content, this.#claims);
      case "t": return write(target, content);
      default: throw new Malformed(`There is no operation ${name}`);
    }
  }

  /** @param {Element} parent @param {Element} fresh @param {Node|null} next @param {boolean} [isRead] whether a reader is further down */
  #insert(parent, fresh, next, isRead) {
    const present = document.getElementById(fresh.id);
    if (present?.parentNode === parent) return void morph(present, fresh, this.#claims);
    // Items that are being read are not removed for new ones, up to a limit.
    const isReading = parent.hasAttribute("data-reading");
    const most = Number(parent.getAttribute("data-limit") ?? Infinity) * (isRead || isReading ? PATIENCE : 1);
    if (!next && parent.hasAttribute("data-window") && !hasRoom(parent, fresh, isReading ? most : Infinity)) return;
    present?.remove();
    parent.insertBefore(fresh, next);
    while (parent.childElementCount > most) (next ? parent.lastElementChild : parent.firstElementChild)?.remove();
  }
}

/**
 * Whether a window on a longer list takes an item at its end: the one that follows its last one, up to a number of items.
 * @param {Element} list @param {Element} item @param {number} most
 */
function hasRoom(list, item, most) {
  const last = list.lastElementChild;
  return !last || list.childElementCount < most && Number(last.getAttribute("value")) + 1 === Number(item.getAttribute("value"));
}

/** @param {Element} target @param {string} content */
function write(target, content) {
  const only = target.childNodes.length === 1 ? target.firstChild : null;
  if (only?.nodeType === Node.TEXT_NODE) text(/** @type {Text} */ (only), content);
  else target.textContent = content;
}

/**
 * Preserves focus and caret even if a node had to be removed and inserted again. If the focused element is gone, its
 * surroundings receive the focus, so that keyboard users do not start again at the top.
 * @param {() => void} change
 */
function keepingFocus(change) {
  const field = /** @type {any} */ (document.activeElement);
  const [start, end] = field && "selectionStart" in field ? [field.selectionStart, field.selectionEnd] : [null, null];
  const around = [];
  for (let at = field?.parentElement; at && at !== document.body; at = at.parentElement) around.push(at);
  change();
  if (!field || field === document.body || document.activeElement === field) return;
  if (field.isConnected) {
    field.focus({ preventScroll: true });
    if (start !== null) field.setSelectionRange(start, end);
  } else if (document.activeElement === document.body) {
    const place = around.find((element) => element.isConnected && element.id);
    const next = /** @type {HTMLElement|null|undefined} */ (place?.querySelector(":is(a[href], button, input, select, textarea, summary):not(:disabled, [hidden])"));
    (next ?? place)?.focus({ preventScroll: true });
  }
}

/**
 * The reading position in a list whose head is above: the first visible item, and its offset.
 * @typedef {{scroller: Element, seen: Element|undefined, before: number}} Place
 */

/** The reading position in a list, or null at its head. @param {Element|null} list @returns {Place|null} */
function placeIn(list) {
  const first = list?.firstElementChild;
  if (!list || !first) return null;
  const scroller = scrollerOf(list);
  const top = scroller === document.scrollingElement ? 0 : scroller.getBoundingClientRect().top;
  if (first.getBoundingClientRect().top >= top) return null;
  const seen = [...list.children].find((child) => child.getBoundingClientRect().bottom > top);
  return { scroller, seen, before: seen?.getBoundingClientRect().top ?? 0 };
}

/**
 * Inserts items at the head of a list, and keeps the first visible item in place. For a reader at the head, nothing is kept
 * in place.
 * @param {Element} list @param {Place|null} place the reading position before the change
 * @param {(isRead: boolean) => void} change receives whether the reader is further down
 */
function steadily(list, place, change) {
  change(place !== null);
  if (!place) return;
  const { scroller, seen, before } = place;
  list.dispatchEvent(new CustomEvent("weir:arrived", { bubbles: true }));
  const moved = (seen?.getBoundingClientRect().top ?? 0) - before;
  if (seen?.isConnected && moved !== 0) scroller.scrollTop += moved;
}

/** @param {Element} element @returns {Element} */
function scrollerOf(element) {
  for (let at = /** @type {Element|null} */ (element); at && at !== document.body; at = at.parentElement) {
    // The style first, which needs no layout.
    if (/auto|scroll/.test(getComputedStyle(at).overflowY) && at.scrollHeight > at.clientHeight) return at;
  }
  return document.scrollingElement ?? document.documentElement;
}

/**
 * Parses markup that has one root element and nothing that could run or load another page.
 * @param {string} html
 * @returns {Element}
 */
export function parse(html) {
  const template = document.createElement("template");
  // A part of a drawing is parsed as one only within a drawing.
  const isDrawn = html.startsWith("<rect");
  template.innerHTML = policy.createHTML(isDrawn ? `<svg>${html}</svg>` : html);
  const content = isDrawn ? /** @type {Element} */ (template.content.firstElementChild) : template.content;
  const root = content.firstElementChild;
  if (!root || content.childElementCount !== 1) throw new Malformed("A fragment has to have one root element");
  if (content.querySelector("script, iframe, object, embed, base")) throw new Malformed("A fragment may not have active content");
  return root;
}
