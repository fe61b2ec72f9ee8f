// Turns one element into another, keeping every node that has a match. Nodes that must move are moved with `moveBefore` if
// the browser supports it, so that focus, scroll positions and running media survive.

import { Identities, pair, settled } from "./match.js";

/**
 * @typedef {object} Held the parts of an element that patches do not change
 * @property {(name: string) => boolean} attribute whether patches keep this attribute
 * @property {boolean} content whether patches keep its children
 */
/**
 * @typedef {object} Claims
 * @property {(old: Element, fresh: Element) => Held|"all"|null} before the claims on an element before it changes; "all" skips it
 * @property {(old: Element, held: Held|null) => void} after the element changed
 * @property {(node: Node) => boolean} keeps whether a node without a match is kept
 */

/** @type {Claims} */
const NOTHING = { before: () => null, after: () => {}, keeps: () => false };

/**
 * Makes `target` equal to `source`, whose nodes it may reuse.
 * @param {Element} target @param {Element} source @param {Claims} [claims]
 * @returns {Element} the element in place of the target
 */
export function morph(target, source, claims = NOTHING) {
  if (target.nodeName !== source.nodeName) {
    target.replaceWith(source);
    return source;
  }
  const task = new Morph(target, source, claims);
  task.element(target, source);
  task.end();
  return target;
}

class Morph {
  /** @type {Element|null} */ #pantry = null;

  /** @param {Element} target @param {Element} source @param {Claims} claims */
  constructor(target, source, claims) {
    this.document = target.ownerDocument;
    this.ids = new Identities(target, source);
    this.claims = claims;
  }

  end() {
    this.#pantry?.remove();
  }

  /** @param {Node} old @param {Node} fresh */
  node(old, fresh) {
    if (old.nodeType === 1) this.element(/** @type {Element} */ (old), /** @type {Element} */ (fresh));
    else text(/** @type {CharacterData} */ (old), String(fresh.nodeValue));
  }

  /** @param {Element} old @param {Element} fresh */
  element(old, fresh) {
    const held = this.claims.before(old, fresh);
    if (held === "all") return;
    attributes(old, fresh, held);
    if (!held?.content) this.children(old, fresh);
    this.claims.after(old, held);
  }

  /** @param {Element} old @param {Element} fresh */
  children(old, fresh) {
    const olds = [...old.childNodes];
    const news = [...fresh.childNodes];
    const partners = pair(olds, news, this.ids);
    const going = new Set(partners);
    for (const node of olds) {
      if (going.has(node) || this.claims.keeps(node)) continue;
      this.#evacuate(node);
      if (node.parentNode === old) old.removeChild(node);
    }
    const places = new Map(olds.map((node, place) => [node, place]));
    const stays = settled(partners.map((node) => (node && places.get(node)) ?? -1));
    /** @type {Node|null} */ let next = null;
    /** @type {[Node, Node][]} */ const onward = [];
    for (let index = news.length - 1; index >= 0; index -= 1) {
      const node = news[index];
      const partner = partners[index];
      const here = partner ?? (this.ids.of(node) ? node.cloneNode(false) : node);
      if (!stays.has(index)) move(old, here, next);
      if (here !== node) onward.push([here, node]);
      next = here;
    }
    for (const [node, source] of onward.reverse()) this.node(node, source);
  }

  /** Moves nodes that have a match elsewhere to a safe place. @param {Node} node */
  #evacuate(node) {
    for (const id of this.ids.of(node) ?? []) {
      const element = this.ids.old.get(id);
      if (!element || !node.contains(element)) continue;
      if (!this.#pantry) {
        this.#pantry = this.document.createElement("div");
        this.#pantry.setAttribute("hidden", "");
        this.document.body.appendChild(this.#pantry);
      }
      move(this.#pantry, element, null);
    }
  }
}

/** @param {Element} old @param {Element} fresh @param {Held|null} held */
function attributes(old, fresh, held) {
  for (const name of fresh.getAttributeNames()) {
    const value = String(fresh.getAttribute(name));
    if (old.getAttribute(name) !== value && !held?.attribute(name)) old.setAttribute(name, value);
  }
  for (const name of old.getAttributeNames()) {
    if (!fresh.hasAttribute(name) && !held?.attribute(name)) old.removeAttribute(name);
  }
}

/**
 * Sets attributes as a morph does, and removes those whose value is null.
 * @param {Element} target @param {Record<string, string|null>} values @param {Claims} claims
 */
export function assign(target, values, claims) {
  const fresh = /** @type {Element} */ (target.cloneNode(false));
  for (const [name, value] of Object.entries(values)) {
    if (value === null) fresh.removeAttribute(name);
    else fresh.setAttribute(name, value);
  }
  const held = claims.before(target, fresh);
  if (held === "all") return;
  attributes(target, fresh, held);
  claims.after(target, held);
}

/**
 * Changes only the differing part of a text, so that a selection in the rest survives.
 * @param {CharacterData} node @param {string} value
 */
export function text(node, value) {
  const old = node.data;
  if (old === value) return;
  const least = Math.min(old.length, value.length);
  let start = 0, end = 0;
  while (start < least && old[start] === value[start]) start += 1;
  while (end < least - start && old[old.length - 1 - end] === value[value.length - 1 - end]) end += 1;
  node.replaceData(start, old.length - start - end, value.slice(start, value.length - end));
}

/** @param {Element} parent @param {Node} node @param {Node|null} next */
function move(parent, node, next) {
  if ("moveBefore" in parent && node.isConnected && parent.isConnected && node.ownerDocument === parent.ownerDocument) {
    /** @type {any} */ (parent).moveBefore(node, next);
  } else {
    parent.insertBefore(node, next);
  }
}
