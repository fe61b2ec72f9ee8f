// Matches the nodes of the old tree to those of the new one. An element with an id matches the element with that id
// anywhere. One without matches the sibling that contains the same ids, else the next similar one.

/** The ids that both trees contain exactly once on the same kind of element below their roots, and the nodes that contain them. */
export class Identities {
  /** @type {Map<string, Element>} */ old;
  /** @type {Map<Node, Set<string>>} */ held = new Map();

  /** @param {Element} before @param {Element} after */
  constructor(before, after) {
    const old = unique(before);
    const fresh = unique(after);
    this.old = new Map();
    for (const [id, element] of fresh) {
      const counterpart = old.get(id);
      if (counterpart?.nodeName !== element.nodeName) continue;
      this.old.set(id, counterpart);
      this.#hold(id, counterpart, before);
      this.#hold(id, element, after);
    }
  }

  /** The old element that matches a new one by id. @param {Node} node */
  counterpart(node) {
    const id = identity(node);
    return id && this.held.get(node)?.has(id) ? this.old.get(id) : undefined;
  }

  /** Ids on or below a node. @param {Node} node */
  of(node) {
    return this.held.get(node);
  }

  /** @param {string} id @param {Node} node @param {Node} root */
  #hold(id, node, root) {
    for (let holder = /** @type {Node|null} */ (node); holder && holder !== root; holder = holder.parentNode) {
      const ids = this.held.get(holder);
      if (ids) ids.add(id);
      else this.held.set(holder, new Set([id]));
    }
  }
}

/** @param {Node} node */
function identity(node) {
  return node.nodeType === 1 ? /** @type {Element} */ (node).getAttribute("id") : null;
}

/** @param {Element} root @returns {Map<string, Element>} */
function unique(root) {
  const found = new Map();
  const twice = new Set();
  for (const element of root.querySelectorAll("[id]")) {
    const id = element.getAttribute("id");
    if (found.has(id)) twice.add(id);
    found.set(id, element);
  }
  for (const id of twice) found.delete(id);
  return found;
}

const CONTROL = /^(input|select|textarea|button)$/i;

/** @param {Node} old @param {Node} fresh */
function alike(old, fresh) {
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) return false;
  if (old.nodeType !== 1) return true;
  const same = (/** @type {string} */ name) =>
    /** @type {Element} */ (old).getAttribute(name) === /** @type {Element} */ (fresh).getAttribute(name);
  return same("id") && (!CONTROL.test(old.nodeName) || (same("name") && same("type")));
}

/**
 * For each new child, the old node that matches it.
 * @param {Node[]} olds @param {Node[]} news @param {Identities} ids
 * @returns {(Node|undefined)[]}
 */
export function pair(olds, news, ids) {
  const partners = news.map((node) => /** @type {Node|undefined} */ (ids.counterpart(node)));
  const claimed = new Set(partners);
  const holders = new Map();
  for (const old of olds) {
    const held = ids.of(old);
    if (held && !held.has(identity(old) ?? "")) for (const id of held) holders.set(id, old);
  }
  news.forEach((node, index) => {
    if (partners[index]) return;
    for (const id of ids.of(node) ?? []) {
      const old = holders.get(id);
      if (!old || claimed.has(old) || !alike(old, node)) continue;
      partners[index] = old;
      claimed.add(old);
      return;
    }
  });
  let from = 0;
  news.forEach((node, index) => {
    if (partners[index]) return;
    for (let at = from; at < olds.length; at += 1) {
      const old = olds[at];
      if (claimed.has(old) || !alike(old, node)) continue;
      partners[index] = old;
      claimed.add(old);
      from = at + 1;
      return;
    }
  });
  return partners;
}

/**
 * The nodes that can stay in place: a longest subsequence that is already in order.
 * @param {number[]} places the old place of each node, or -1
 * @returns {Set<number>} indices into `places`
 */
export function settled(places) {
  /** @type {number[]} */ const ends = [];
  /** @type {number[]} */ const before = [];
  places.forEach((place, index) => {
    if (place < 0) return;
    let low = 0, high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places[ends[middle]] < place) low = middle + 1;
      else high = middle;
    }
    before[index] = low > 0 ? ends[low - 1] : -1;
    ends[low] = index;
  });
  const staying = new Set();
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index]) staying.add(index);
  return staying;
}
