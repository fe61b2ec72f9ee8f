// The arranged overview: filtered while typing, with pinned cards first, and kept in order while cards change. The server
// renders the same arrangement (`Arrangement.swift`); cards move between the groups that it rendered, and none is created
// or removed.

/** The delay before cards move, in milliseconds, so that they do not constantly move away from a pointer. */
const PAUSE = 1_000;
/** The delay after the last key before the number of matches is announced, in milliseconds. */
const SILENCE = 700;

/** @typedef {{id: string, name: string, tags: string, position: number, changed: number, isActive: boolean, element?: any}} Card `name` is folded */

/** The text without case and diacritics. @param {string} text */
export function folded(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Whether a card contains all of the words. @param {Card} card @param {string} text */
export function matches({ id, name, tags }, text) {
  return folded(text).split(/\s+/).every((word) => `${name} ${id} ${tags}`.includes(word));
}

/**
 * Sorts cards.
 * @param {Card[]} cards @param {string|undefined} order @param {Set<string>} pins
 */
export function sorted(cards, order, pins) {
  return cards.sort((a, b) => +pins.has(b.id) - +pins.has(a.id)
    || (order === "name" ? +(a.name > b.name) - +(a.name < b.name)
      : order === "change" ? b.changed - a.changed
      : order === "running" ? +b.isActive - +a.isActive : 0)
    || a.position - b.position);
}

/** @type {ReturnType<typeof setTimeout>|undefined} */ let later;
/** @type {ReturnType<typeof setTimeout>|undefined} */ let saying;

/** Moves changed cards to their places, soon. */
export function keepOrder() {
  later ??= setTimeout(arrange, PAUSE);
}

/** Shows the cards that contain the typed words, and stores the words in the URL. @param {HTMLElement} page */
export function filter(page) {
  const count = arrange();
  const text = typed();
  /** @param {string} href */
  const address = (href) => {
    const url = new URL(href);
    url.searchParams.set("text", text);
    if (!text) url.searchParams.delete("text");
    return url.href;
  };
  history.replaceState(history.state, "", address(location.href));
  page.dataset.query = location.search;
  for (const link of document.querySelectorAll("#arrange a")) /** @type {any} */ (link).href = address(/** @type {any} */ (link).href);
  clearTimeout(saying);
  saying = setTimeout(() => {
    const line = /** @type {HTMLElement} */ (document.getElementById("matches"));
    line.textContent = text && String(line.dataset.words).replace("{n}", String(count));
  }, SILENCE);
}

/** Pins or unpins a card. @param {HTMLButtonElement} button */
export function pin({ value, form }) {
  const pins = pinned();
  if (!pins.delete(value)) pins.add(value);
  const { path, most } = /** @type {HTMLFormElement} */ (form).dataset;
  if (pins.size <= Number(most)) document.cookie = `weir-pins=${[...pins].join(".")}; path=${path}; max-age=31536000; samesite=lax`;
  document.getElementById("arrange")?.setAttribute("data-moving", "");
  arrange();
}

function pinned() {
  return new Set(document.cookie.match(/(?:^|; )weir-pins=([^;]+)/)?.[1].split("."));
}

function typed() {
  return /** @type {HTMLInputElement|null} */ (document.getElementById("arrange-text"))?.value.trim() ?? "";
}

/** Moves each card to its place. @returns {number} the number of visible cards */
function arrange() {
  clearTimeout(later);
  later = undefined;
  const pins = pinned(), text = typed(), focus = /** @type {HTMLElement} */ (document.activeElement);
  /** @type {Map<string|undefined, any>} */
  const places = new Map([.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-group]"))].map((place) => [place.dataset.group, place]));
  /** The element at the position of the next card of a group. */
  const next = new Map([...places.values()].map((place) => [place, place.firstElementChild]));
  let count = 0;
  const cards = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-position]"))].map(read);
  for (const card of sorted(cards, document.getElementById("arrange")?.dataset.arrange, pins)) {
    const { element, id, tags } = card;
    const isShown = matches(card, text);
    count += +isShown;
    const place = places.get(!isShown ? "!" : pins.has(id) && places.has("*") ? "*" : tags.split(" ")[0]) ?? places.get("");
    const at = next.get(place);
    // The element at this position belongs further down: it moves, rather than all cards after it.
    if (at === element || at?.nextElementSibling === element) {
      next.set(place, element.nextElementSibling);
    } else {
      if (next.get(element.parentElement) === element) next.set(element.parentElement, element.nextElementSibling);
      // If the browser supports it, the card keeps its focus and its running state.
      (place.moveBefore ?? place.insertBefore).call(place, element, at);
    }
    const button = element.querySelector(".pin");
    if (button.ariaPressed !== String(pins.has(id))) button.ariaPressed = String(pins.has(id));
  }
  if (focus !== document.activeElement) focus.focus({ preventScroll: true });
  /** @type {HTMLElement} */ (document.getElementById("no-match")).hidden = count > 0;
  return count;
}

/** @param {HTMLElement} element @returns {Card} */
function read(element) {
  const { position, changed, tags = "" } = element.dataset;
  return {
    id: element.id.slice(3), name: folded(element.querySelector("h2")?.textContent ?? ""), tags, element,
    position: Number(position), changed: Number(changed), isActive: element.classList.contains("active"),
  };
}
