// Performs the one-time effects of a store's actions: a toast, a navigation, a download. The page lists the newest effects
// in `#effects`; this browser is one observer of them. Its position is stored in IndexedDB, whose transactions are
// serialized across tabs: the tab that advances the position shows the effects in between, and no other tab or later visit
// does.

/** @typedef {{place: string, kind: string, at: number, audience: string[]|null, text: string, path: string, name: string}} Effect */
/** @typedef {"toast"|"link"|"go"|"save"} Deed */

/** The age from which an effect counts as missed: navigations and downloads are then only reported. */
const FRESH = 60_000;
/** A position before every effect. */
const START = "0.0";
/** The maximum number of missed effects that are reported. */
const MOST = 5;

/** Whether a position, `sequence.index`, is after another. @param {string} one @param {string} other */
export function isAfter(one, other) {
  const [[a, b], [c, d]] = [one, other].map((place) => place.split(".").map(Number));
  return a > c || (a === c && b > d);
}

/**
 * The effects that an observer sees now, in order.
 * @param {Effect[]} effects @param {string|null} seen its position; null at the first visit, when no old effects are shown
 * @param {string} name the observer's name
 */
export function due(effects, seen, name) {
  if (seen === null) return [];
  return effects
    .filter(({ place, audience }) => isAfter(place, seen) && (!audience || audience.includes(name)))
    .sort((one, other) => (isAfter(one.place, other.place) ? 1 : -1))
    .slice(-MOST);
}

/** The last of the effects' positions. @param {Effect[]} effects */
export function newest(effects) {
  return effects.reduce((last, { place }) => (isAfter(place, last) ? place : last), START);
}

/** The action for an effect. @param {Effect} effect @param {number} now @param {string} origin @returns {Deed|null} */
export function deed({ kind, at, path }, now, origin) {
  if (kind === "toast") return "toast";
  if (kind !== "navigation" && kind !== "download" || !isOwn(path, origin)) return null;
  if (now - at > FRESH) return "link";
  return kind === "download" ? "save" : "go";
}

/** Whether a path stays within this origin. @param {string} path @param {string} origin */
export function isOwn(path, origin) {
  return path.startsWith("/") && URL.canParse(path, origin) && new URL(path, origin).origin === origin;
}

export class Effects {
  /**
   * @param {object} world
   * @param {(key: string, place: string) => Promise<string|null>} world.advance advances a position, and returns the previous one
   * @param {() => number} world.now the server's time
   * @param {() => boolean} world.visible whether this tab is visible
   * @param {string} world.origin
   * @param {(deed: Deed, effect: Effect) => void} world.perform
   */
  constructor(world) {
    this.world = world;
  }

  /** Checks for effects to show. @param {string} key the store's @param {string} name @param {() => Effect[]} list */
  async look(key, name, list) {
    const { advance, now, visible, origin, perform } = this.world;
    if (!visible()) return;
    const effects = list();
    const seen = await advance(key, newest(effects));
    /** @type {Effect|undefined} */ let last;
    for (const effect of due(effects, seen, name)) {
      const what = deed(effect, now(), origin);
      if (what === "go") last = effect;
      else if (what) perform(what, effect);
    }
    // A navigation is performed last, and only one is.
    if (last) perform("go", last);
  }
}

/** The effects that a page lists. @param {Element} list @returns {Effect[]} */
export function read(list) {
  return [...list.children].map((item) => {
    const { effect = START, kind = "", at = "", audience, path = "", name = "" } = /** @type {HTMLElement} */ (item).dataset;
    return { place: effect, kind, at: Date.parse(at), audience: audience ? JSON.parse(audience) : null, text: item.textContent ?? "", path, name };
  });
}

/** The positions, if the browser stores nothing. @type {Map<string, string>} */
const forgotten = new Map();

/** @param {string} key @param {string} place @returns {Promise<string|null>} */
export async function advance(key, place) {
  try {
    return await kept(key, place);
  } catch (error) {
    console.warn("This browser keeps nothing; effects may be seen twice", error);
    const seen = forgotten.get(key) ?? null;
    if (!seen || isAfter(place, seen)) forgotten.set(key, place);
    return seen;
  }
}

/** @param {string} key @param {string} place @returns {Promise<string|null>} */
function kept(key, place) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("weir", 1);
    opening.onupgradeneeded = () => { opening.result.createObjectStore("seen"); };
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const transaction = opening.result.transaction("seen", "readwrite");
      const places = transaction.objectStore("seen");
      const asked = places.get(key);
      asked.onsuccess = () => { if (!asked.result || isAfter(place, asked.result)) places.put(place, key); };
      transaction.oncomplete = () => {
        opening.result.close();
        resolve(asked.result ?? null);
      };
      transaction.onabort = () => reject(transaction.error);
    };
  });
}
