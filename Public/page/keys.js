// Keyboard shortcuts. Typing the keys of `data-key="g r"` activates that element; `?` opens the list of shortcuts, `/` the
// search. The checkbox `[data-keys]` in that list disables shortcuts of single keys (WCAG 2.1.4). `Ctrl K` opens the
// palette.

/** How long a second key is awaited, in milliseconds. */
const PATIENCE = 1_500;
const SETTING = "weir-keys";

/** The keys typed so far: pure, one step per key. */
export class Chord {
  #first = "";
  #at = -Infinity;

  /**
   * @param {string} key @param {number} now @param {Set<string>} known all chords
   * @returns {string|null} the chord that is complete now
   */
  press(key, now, known) {
    const both = now - this.#at <= PATIENCE && this.#first ? `${this.#first} ${key}` : "";
    this.#first = key;
    this.#at = now;
    const chord = known.has(both) ? both : known.has(key) ? key : null;
    if (chord) this.#first = "";
    return chord;
  }
}

/** Listens for keys. @param {(name: string) => Promise<any>} load loads a module on demand */
export function listenToKeys(load) {
  const chord = new Chord();
  const dialog = /** @type {HTMLDialogElement|null} */ (document.getElementById("keys"));
  const box = /** @type {HTMLInputElement|null} */ (dialog?.querySelector("input[data-keys]") ?? null);
  if (box) {
    box.checked = localStorage.getItem(SETTING) !== "off";
    box.addEventListener("change", () => localStorage.setItem(SETTING, box.checked ? "on" : "off"));
  }
  const openPalette = () => void load("palette").then(({ open }) => open());
  document.addEventListener("click", (event) => {
    const opens = /** @type {Element} */ (event.target).closest("[data-opens]")?.getAttribute("data-opens");
    if (opens === "keys") dialog?.showModal();
    else if (opens === "palette") openPalette();
  });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k" && dialog) {
      event.preventDefault();
      if (!document.querySelector("dialog:modal")) openPalette();
      return;
    }
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
    if (isTyping(/** @type {Element} */ (event.target)) || (box && !box.checked) || document.querySelector("dialog:modal")) return;
    const search = /** @type {HTMLElement|null} */ (document.querySelector("[data-search], input[type=search]"));
    const places = new Map([...document.querySelectorAll("[data-key]")].map((place) => [place.getAttribute("data-key") ?? "", place]));
    const known = new Set([...places.keys(), ...(dialog ? ["?"] : []), ...(search ? ["/"] : [])]);
    const typed = chord.press(event.key, event.timeStamp, known);
    if (typed === null) return;
    event.preventDefault();
    if (typed === "?") dialog?.showModal();
    else if (typed === "/") search?.focus();
    else /** @type {HTMLElement} */ (places.get(typed)).click();
  });
}

/** @param {Element} element */
function isTyping(element) {
  return element.matches("input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=range]), textarea, select")
    || /** @type {HTMLElement} */ (element).isContentEditable;
}
